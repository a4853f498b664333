"""Which inputs are controls, their names, and values by these names: limits, steps of converters, noise.

Controls are those named, else the declared inputs, else the efforts of joints with a motor, else all efforts but those
on elastic coordinates, which nothing drives. An input has its name; an effort that of its speed, of its joint, where
that has one speed, or `tau_<speed>` or `tau(<speed>)`; either its symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, fault_at, listed, shown, unknown
from ..expr import Expr, as_expr, free_symbols
from ..expr.exact import maximum, minimum
from ..expr.spelling import spelled
from ..model.reading import list_of

if TYPE_CHECKING:
    from ..model.model import Model
    from .law import Law


def controls_of(equations: EquationsOfMotion, inputs: Sequence[Any] | None, place: str) -> dict[str, Expr]:
    """The symbols of the controls by their names as they are written."""
    if inputs is None:
        return declared_controls(equations) or joint_efforts(equations)
    symbols = [*equations.tau, *(entry.symbol for entry in equations.system.inputs.values())]
    by_name = control_names(symbols, joints_of_one_speed(equations))
    controls: dict[str, Expr] = {}
    for name in list_of(inputs, "a list of inputs", place):
        symbol = name if isinstance(name, Expr) else by_name.get(name) if isinstance(name, str) else None
        if symbol is None or symbol not in symbols:
            raise unknown("input", name, [*map(spelled, symbols)], place=place, code="E-CONTROL-NAME")
        if spelled(symbol) in controls:
            raise PolhodeError(f"the input '{name}' is named twice.", place, "Name it once.", "E-CONTROL-TWICE")
        controls[spelled(symbol)] = symbol
    return controls


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
    inputs = {control.name: control for control in controls if control.data[0] == "input"}
    efforts = {control.name: control for control in controls if control.data[0] != "input"}
    names = {joint: efforts[speed] for joint, speed in joints.items() if speed in efforts} | efforts
    names |= {f"tau({name})": effort for name, effort in efforts.items()} | {spelled(x): x for x in efforts.values()}
    return names | inputs


fault = fault_at("limits")

#: The word for the limits of the model.
MODEL = "model"


@dataclass(frozen=True, eq=False)
class Named:
    """Symbols by all their names, and what they are called together."""

    what: str
    symbols: tuple[Expr, ...]
    by_name: Mapping[str, Expr]

    @classmethod
    def controls(cls, law: Law, joints: Mapping[str, str]) -> Named:
        """What a law gives, by the names of controls; `joints` has the speed of joints with one."""
        return cls("control", tuple(law.controls), control_names(law.controls, joints))

    @classmethod
    def measurements(cls, law: Law) -> Named:
        """What a law measures, as it is written: `x` a coordinate, `x'` its speed."""
        return cls("measurement", tuple(law.measurements), {spelled(x): x for x in law.measurements})

    def __or__(self, other: Named) -> Named:
        return Named(f"{self.what} or {other.what}", self.symbols + other.symbols, {**other.by_name, **self.by_name})

    def find(self, key: Any, place: str) -> Expr:
        """The symbol of a key."""
        if isinstance(key, Expr) and key in self.symbols:
            return key
        if isinstance(key, str) and key in self.by_name:
            return self.by_name[key]
        raise unknown(self.what, key, self.by_name, place=place, code="E-CONTROL-NAME")


def numbers_of(given: Any, named: Named, place: str, what: str, *, least: float = 0.0) -> dict[Expr, float]:
    """One number above zero for all, or by name."""
    if given is None:
        return {}
    table = given if isinstance(given, Mapping) else dict.fromkeys(named.symbols, given)
    return {key: _number(value, place, what, least) for key, value in _by_symbol(table, named, place).items()}


def limits_of(given: Any, named: Named, rated: Mapping[Expr, Range]) -> dict[Expr, Range]:
    """The least and the greatest value of controls: a number for both signs, or a pair, for all or by name.

    None for an end of a pair leaves it open, None for a control leaves it without limits. "model" stands for those that
    joints have, which are given: for all controls that have some, or by name.
    """
    if given is None:
        return {}
    if is_model(given):
        limits = {symbol: rated[symbol] for symbol in named.symbols if symbol in rated}
        if limits:
            return limits
        cure = 'Give the joints effort_limits=…, or numbers here: limits={"elbow": 5}.'
        raise fault(f"no {named.what} is an effort that has limits in the model.", cure, "E-CONTROL-MISSING")
    table = given if isinstance(given, Mapping) else dict.fromkeys(named.symbols, given)
    if isinstance(given, list | np.ndarray) and len(named.symbols) > 1:
        cure = "Give (low, high) for all of them, one number > 0 for both signs, or either by name."
        raise fault(f"{shown(given)} does not say which {named.what} each number is for.", cure, "E-CONTROL-TYPE")
    values = {key: value for key, value in _by_symbol(table, named, "limits").items() if value is not None}
    for key, value in values.items():
        if is_model(value) and key not in rated:
            cure = "Give its joint effort_limits=…, or numbers here."
            raise fault(f"the model has no limits of {spelled(key)}.", cure, "E-CONTROL-MISSING")
    return {key: rated[key] if is_model(value) else _pair(value) for key, value in values.items()}


def unlimited_notice(given: Any, named: Named, limits: Mapping[Expr, Range]) -> str:
    """A sentence of the controls without limits in the model, where limits="model"; else nothing."""
    lacking = [symbol for symbol in named.symbols if symbol not in limits] if is_model(given) else []
    if not lacking:
        return ""
    was = "it was" if len(lacking) == 1 else "they were"
    return f"the model has no limits of {listed(map(spelled, lacking))}: {was} not limited."


def rated_efforts(model: Model) -> dict[Expr, Range]:
    """The limits of efforts that the joints of a model have: numbers, or expressions of parameters."""
    return {
        effort: (_end(limits.lower, -np.inf), _end(limits.upper, np.inf))
        for joint in model.joints.values()
        for effort, limits in zip(joint.tau, joint.effort_limits, strict=False)
        if limits.are_given
    }


def _end(limit: Expr | None, otherwise: float) -> float | Expr:
    if limit is None:
        return otherwise
    return limit if free_symbols([limit]) else float(limit)


def is_model(given: Any) -> bool:
    """Whether the limits of the model are to be used."""
    return isinstance(given, str) and given == MODEL


def _by_symbol(table: Mapping[Any, Any], named: Named, place: str) -> dict[Expr, Any]:
    """Values by symbols; a symbol that is called by two of its names is refused."""
    by_symbol: dict[Expr, Any] = {}
    for key, value in table.items():
        symbol = named.find(key, place)
        if symbol in by_symbol:
            cure = "Give it once."
            raise PolhodeError(f"{spelled(symbol)} is given twice, by two names.", place, cure, "E-CONTROL-TWICE")
        by_symbol[symbol] = value
    return by_symbol


def _pair(value: Any) -> tuple[float, float]:
    ends = value if isinstance(value, tuple | list | np.ndarray) else (value, value)
    if len(ends) == 2 and ends is value:
        pair = (end if bound is None else bound for bound, end in zip(ends, (-np.inf, np.inf), strict=True))
        low, high = (_number(bound, "limits", "a limit", -np.inf, np.inf) for bound in pair)
    elif ends is not value:
        high = _number(value, "limits", "a limit", np.finfo(float).tiny)
        low = -high
    else:
        low = high = 0.0
    if low < high:
        return low, high
    raise fault(f"{shown(value)} are no limits.", "Give (low, high), or one number > 0 for both.", "E-CONTROL-TYPE")


def _number(value: Any, place: str, what: str, least: float, most: float = np.finfo(float).max) -> float:
    try:
        number = np.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if least <= number <= most:
        return number
    sign = " > 0" if least > 0 else " ≥ 0" if least == 0 else ""
    raise PolhodeError(f"{shown(value)} is not {what}.", place, f"Give a number{sign}.", "E-CONTROL-TYPE")


INFINITE = float("inf")
#: The least and the greatest value: numbers, which may be infinite, or expressions of parameters.
Range: TypeAlias = tuple[float | Expr, float | Expr]


def saturated(value: Expr, limits: Range | None) -> Expr:
    """A control within its limits, of which either may be infinite; as it is where it has none."""
    if limits is None:
        return value
    low, high = limits
    below = value if high == INFINITE else minimum(high, value)
    return as_expr(below if low == -INFINITE else maximum(low, below))
