"""Which inputs are controls, and by which names a user calls them: one rule for all that takes `inputs` or `limits`.

Controls are those named, else the declared inputs, else the efforts of joints with a motor, else all efforts but those
on elastic coordinates, which nothing drives. An input
is named by its name; an effort by its speed, by its joint, where that has one speed, or as it is written, `tau_<speed>`
or `tau(<speed>)`; either by its symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, unknown
from ..expr import Expr
from ..expr.spelling import spelled
from ..model.reading import list_of


def controls_of(equations: EquationsOfMotion, inputs: Sequence[Any] | None, place: str) -> dict[str, Expr]:
    """The symbols of the controls by their names as they are written."""
    if inputs is None:
        return declared_controls(equations) or joint_efforts(equations)
    symbols = [*equations.tau, *(entry.symbol for entry in equations.system.inputs.values())]
    known = control_names(symbols, joints_of_one_speed(equations))
    found: dict[str, Expr] = {}
    for name in list_of(inputs, "a list of inputs", place):
        symbol = name if isinstance(name, Expr) else known.get(name) if isinstance(name, str) else None
        if symbol is None or symbol not in symbols:
            raise unknown("input", name, [*map(spelled, symbols)], place=place, code="E-CONTROLS-002")
        if spelled(symbol) in found:
            raise PolhodeError(
                f"the input '{name}' is named twice.", place=place, cure="Name it once.", code="E-CONTROLS-003"
            )
        found[spelled(symbol)] = symbol
    return found


def declared_controls(equations: EquationsOfMotion) -> dict[str, Expr]:
    """The declared inputs, else the efforts of joints with a motor; none, where there are neither."""
    system, tree = equations.system, equations.tree
    if system.inputs:
        return {name: entry.symbol for name, entry in system.inputs.items()}
    shafts = {str(speed.name) for motor in system.motors.values() for speed in system.joints[motor.shaft].u}
    return {spelled(tau): tau for name, tau in zip(tree.speeds, tree.tau, strict=True) if name in shafts}


def joint_efforts(equations: EquationsOfMotion) -> dict[str, Expr]:
    """The efforts on the speeds of all joints but the elastic ones of flexible bodies."""
    elastic = {tau for joint in equations.system.joints.values() if joint.type.kind == "elastic" for tau in joint.tau}
    return {spelled(tau): tau for tau in equations.tau if tau not in elastic}


def control_names(controls: Iterable[Expr], joints: Mapping[str, str]) -> dict[str, Expr]:
    """Efforts and inputs by all of their names; `joints` has the speed of joints with one."""
    inputs = {each.name: each for each in controls if each.data[0] == "input"}
    efforts = {each.name: each for each in controls if each.data[0] != "input"}
    names = {joint: efforts[speed] for joint, speed in joints.items() if speed in efforts} | efforts
    names |= {f"tau({name})": each for name, each in efforts.items()} | {spelled(x): x for x in efforts.values()}
    return names | inputs
