"""Bounds as they are given: of variables and expressions along the motion, and of the state at its ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..control.input_limits import control_limits, controls_by_name
from ..dynamics.joint_limits import joint_limits, seen_limits
from ..errors import PolhodeError, by_name, shown, understood, unknown
from ..expr import Expr
from ..expr.spelling import spelled
from .mesh import Floats

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion

_PAIR = "Give (lower, upper), with None where there is no end."


@dataclass(frozen=True)
class Range:
    """From a lower to an upper value, either of which may be infinite."""

    lower: float
    upper: float

    def __str__(self) -> str:
        if self.is_fixed:
            return f"{self.lower:.6g}"
        ends = f"at least {self.lower:.6g}", f"at most {self.upper:.6g}"
        finite = np.isfinite([self.lower, self.upper])
        return " and ".join(told for told, is_there in zip(ends, finite, strict=True) if is_there) or "any"

    def within(self, other: Range) -> Range:
        """What is in both."""
        return Range(max(self.lower, other.lower), min(self.upper, other.upper))

    @property
    def is_fixed(self) -> bool:
        return self.lower == self.upper

    @property
    def nearest_to_zero(self) -> float:
        """The value of least size in it."""
        return float(min(max(0.0, self.lower), self.upper))


ANY = Range(-np.inf, np.inf)


def range_of(given: Any, place: str, *, is_symmetric: bool) -> Range:
    """A range from a pair with None for an open end, or from one number: ±b where symmetric, else that value alone."""
    if given is None:
        return ANY
    with understood("a number or a pair of them", given, place=place, cure=_PAIR):
        if isinstance(given, str):
            raise TypeError
        if np.ndim(given) == 0:
            value = float(given)
            made = Range(-value, value) if is_symmetric else Range(value, value)
        else:
            low, high = given
            made = Range(-np.inf if low is None else float(low), np.inf if high is None else float(high))
    if np.isnan(made.lower) or np.isnan(made.upper) or made.lower == np.inf or made.upper == -np.inf:
        raise PolhodeError(f"{shown(given)} is no range.", place=place, cure=_PAIR, code="E-OPTIM-001")
    if made.lower > made.upper:
        raise PolhodeError(
            f"the lower end {made.lower:g} is above the upper one {made.upper:g}.",
            place=place,
            cure="Give the lower end first.",
            code="E-OPTIM-002",
        )
    return made


@dataclass(frozen=True)
class Names:
    """The state and the controls by the names that a user writes."""

    state: tuple[str, ...]
    controls: tuple[str, ...]
    also: Mapping[str, int]  # other words for entries of the state: the plain names of speeds

    @classmethod
    def of(cls, equations: EquationsOfMotion, controls: Sequence[str]) -> Names:
        state = tuple(spelled(x) for x in (*equations.q, *equations.u, *equations.z))
        taken = {*state, *controls}
        first = len(equations.q)
        return cls(
            state, tuple(controls), {u.name: first + k for k, u in enumerate(equations.u) if u.name not in taken}
        )

    def state_place(self, name: Any, place: str) -> int:
        """Where a coordinate, speed or state is in the state."""
        if isinstance(name, str) and name in self.state:
            return self.state.index(name)
        if isinstance(name, str) and name in self.also:
            return self.also[name]
        raise unknown("coordinate, speed or state", name, [*self.state, *self.also], place=place, code="E-OPTIM-003")


@dataclass(frozen=True)
class Limits:
    """Ranges along the motion: of the state, of the controls, and of expressions."""

    state: tuple[Range, ...]
    controls: tuple[Range, ...]
    expressions: tuple[tuple[Expr, Range], ...]


def read_limits(
    equations: EquationsOfMotion,
    names: Names,
    controls: Sequence[Expr],
    given: Any,
    parameters: Mapping[str, Any],
) -> Limits:
    """The limits of the model's joints (coordinates, speeds, efforts), and those given by name or for an expression.

    A number, a pair or "model" is for all controls, as in `simulate`. A name of the state comes before a control's.
    """
    state, own, expressions = [ANY] * len(names.state), [ANY] * len(names.controls), []
    for limit in seen_limits(equations, parameters):
        if limit.factor:
            value = (limit.limit - limit.offset) / limit.factor
            is_lower = (limit.side == "lower") == (limit.factor > 0)
            side = Range(value, np.inf) if is_lower else Range(-np.inf, value)
            state[limit.place] = state[limit.place].within(side)
    for ends in joint_limits(equations, parameters, "effort"):
        if ends.quantity in controls and ends.are_ordered:
            pair = ends.known.get("lower", -np.inf), ends.known.get("upper", np.inf)
            own[list(controls).index(ends.quantity)] = Range(*pair)
    symbols = dict(zip((*equations.q, *equations.u, *equations.z), range(len(state)), strict=True))
    named, of_controls = controls_by_name(controls, equations), {}
    for key, value in given.items() if isinstance(given, Mapping) else ():
        place = f"limits of {key if isinstance(key, Expr) else repr(key)}"
        if isinstance(key, str) and key not in names.controls and (key in names.state or key in names.also):
            state[names.state_place(key, place)] = range_of(value, place, is_symmetric=True)
        elif isinstance(key, Expr) and key in symbols:
            state[symbols[key]] = range_of(value, place, is_symmetric=True)
        elif isinstance(key, Expr) and key not in controls:
            made = range_of(value, place, is_symmetric=True)
            expressions += [(key, made)] if made != ANY else []
        elif key in controls or (isinstance(key, str) and key in named.by_name):
            own[list(controls).index(named.find(key, place))] = ANY  # in place of the model's
            of_controls[key] = value
        else:
            known = [*names.state, *names.also, *named.by_name]
            raise unknown("coordinate, speed, state or control", key, known, place="limits", code="E-OPTIM-004")
    chosen = of_controls if isinstance(given, Mapping) else given
    for x, (low, high) in control_limits(chosen, controls, equations, parameters, "collocation").items():
        own[list(controls).index(x)] = Range(low, high)
    return Limits(tuple(state), tuple(own), tuple(expressions))


def read_end(names: Names, given: Any, place: str, otherwise: Sequence[Range]) -> tuple[Range, ...]:
    """The ranges of the state at an end, by name: a value, a pair, or None where it is free."""
    found = list(otherwise)
    for key, value in by_name(given, place, "values or ranges by name").items():
        found[names.state_place(key, place)] = range_of(value, f"{place} {key!r}", is_symmetric=False)
    return tuple(found)


def ranges_at_end(given: Any) -> tuple[dict[Any, Any], tuple[tuple[Expr, Range], ...]]:
    """What is given at the end: by name, and the ranges of expressions."""
    listed = by_name(given, "end", "values or ranges by names or expressions").items()
    named = {key: value for key, value in listed if not isinstance(key, Expr)}
    others = [(key, value) for key, value in listed if isinstance(key, Expr)]
    made = [(key, range_of(value, f"end of {key}", is_symmetric=False)) for key, value in others]
    return named, tuple(each for each in made if each[1] != ANY)


def check_inside(names: Names, ends: Sequence[Range], limits: Sequence[Range], place: str) -> tuple[Range, ...]:
    """The ranges at an end within the limits; refused where nothing is left."""
    found = []
    for name, end, limit in zip(names.state, ends, limits, strict=True):
        both = end.within(limit)
        if both.lower > both.upper:
            told = f"{end.lower:g}" if end.is_fixed else f"between {end.lower:g} and {end.upper:g}"
            raise PolhodeError(
                f"'{name}' is to be {told}, and its limits are {limit.lower:g} and {limit.upper:g}.",
                place=place,
                cure="Change one of them; limits of the model's joints hold unless `limits` gives others.",
                code="E-OPTIM-005",
            )
        found.append(both)
    return tuple(found)


def arrays_of(ranges: Sequence[Range]) -> tuple[Floats, Floats]:
    """Lower and upper ends."""
    return np.array([each.lower for each in ranges]), np.array([each.upper for each in ranges])
