"""Which inputs are controls: those named, else the declared inputs, else the efforts of joints with a motor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, unknown
from ..expr import Expr
from ..expr.spelling import spelled
from ..model.reading import list_of


def controls_of(equations: EquationsOfMotion, inputs: Sequence[str] | None, place: str) -> dict[str, Expr]:
    """The symbols of the controls by their names; efforts are named as they are written, τ_x, or by their speed.

    >>> import polhode as ph
    >>> s = ph.System("cart")
    >>> slide = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    >>> s.joint_force(slide, 3 * s.input("F"))
    >>> controls_of(s.derive().record, None, "here"), controls_of(s.derive().record, ["x"], "here")
    ({'F': F}, {'tau_x': tau_x})
    """
    if inputs is not None:
        return _named(equations, list_of(inputs, "a list of inputs", place), place)
    found = usual_controls(equations)
    if not found:
        raise PolhodeError(
            f"which inputs are controls is not known: '{equations.system.name}' declares none and has no motors.",
            place=place,
            cure=f"Name them: inputs={[spelled(effort) for effort in equations.tau][:2]!r}.",
            code="E-CONTROLS-001",
        )
    return found


def usual_controls(equations: EquationsOfMotion) -> dict[str, Expr]:
    """The declared inputs, else the efforts of joints with a motor; none, where there are neither."""
    system, tree = equations.system, equations.tree
    if system.inputs:
        return {name: entry.symbol for name, entry in system.inputs.items()}
    shafts = {name for motor in system.motors.values() for name in map(_name, system.joints[motor.shaft].u)}
    return {spelled(tau): tau for name, tau in zip(tree.speeds, tree.tau, strict=True) if name in shafts}


def _name(speed: Any) -> str:
    return str(speed.name)


def _named(equations: EquationsOfMotion, names: Sequence[str], place: str) -> dict[str, Expr]:
    tree = equations.tree
    declared = {name: entry.symbol for name, entry in equations.system.inputs.items()}
    efforts = {spelled(tau): tau for tau in tree.tau}
    by_speed = dict(zip(tree.speeds, tree.tau, strict=True))
    known = {f"tau({name})": tau for name, tau in by_speed.items()} | by_speed | efforts | declared
    found: dict[str, Expr] = {}
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise unknown("input", name, [*declared, *efforts], place=place, code="E-CONTROLS-002")
        told = spelled(known[name])
        if told in found:
            raise PolhodeError(
                f"the input '{name}' is named twice.", place=place, cure="Name it once.", code="E-CONTROLS-003"
            )
        found[told] = known[name]
    return found
