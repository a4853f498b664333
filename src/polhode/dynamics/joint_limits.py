"""Limits of joint coordinates, speeds and efforts in numbers, and where in the state of a run each is seen.

A coupled joint's coordinate is a multiple of its leader's, and is seen there; one that is driven by time alone is not,
nor is a speed that depends on others by way of the coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, as_expr, derivative, evaluate, free_symbols, substitute
from ..model.records import Limits
from .equations import EquationsOfMotion
from .synopsis import SeenLimit

#: What has limits and is in the state of a run; efforts have them too.
IN_STATE = ("coordinate", "speed")


@dataclass(frozen=True)
class Ends:
    """The limits of a coordinate, speed or effort by side: in numbers, or unknown where a parameter has no value."""

    quantity: Expr
    known: dict[str, float]
    unknown: dict[str, Expr]

    @property
    def kind(self) -> str:
        """Kind of the limited quantity: a coordinate, a speed or an effort."""
        return str(self.quantity.data[0])

    @property
    def are_ordered(self) -> bool:
        """Whether there is something between them."""
        return not self.known.get("lower", float("-inf")) > self.known.get("upper", float("inf"))


def joint_limits(equations: EquationsOfMotion, given: Mapping[str, Any], kind: str = "coordinate") -> Iterator[Ends]:
    """The limits of all coordinates, speeds or efforts that have some, at the given values of parameters."""
    for quantity, limits in _limited(equations, kind):
        if quantity in equations.omitted:
            continue
        ends = Ends(quantity, {}, {})
        for side, end in (("lower", limits.lower), ("upper", limits.upper)):
            value = None if end is None else value_of(end, equations, given)
            if value is not None:
                ends.known[side] = value
            elif end is not None:
                ends.unknown[side] = end
        yield ends


def seen_limits(
    equations: EquationsOfMotion, given: Mapping[str, Any], kinds: Sequence[str] = IN_STATE
) -> tuple[SeenLimit, ...]:
    """The limits that a run sees in its state, with these values of parameters."""
    places = {x: k for k, x in enumerate((*equations.q, *equations.u))}
    limits = []
    for ends in (ends for kind in kinds for ends in joint_limits(equations, given, kind)):
        if not ends.are_ordered or not ends.known:
            continue
        value = substitute([as_expr(ends.quantity)], equations.tree.followed)[0]
        on = [symbol for symbol in free_symbols([value]) if symbol in places]
        if len(on) != 1:
            continue
        factor = value_of(derivative([value], on[0])[0], equations, given)
        offset = value_of(substitute([value], {on[0]: as_expr(0)})[0], equations, given)
        if factor is not None and offset is not None:
            kind, name, index = ends.kind, ends.quantity.name, places[on[0]]
            limits += [SeenLimit(kind, name, side, limit, index, factor, offset) for side, limit in ends.known.items()]
    return tuple(limits)


def have_parameters(equations: EquationsOfMotion) -> bool:
    """Whether the parameters of a run may change limits of its state."""
    limited = [
        (quantity, end)
        for kind in IN_STATE
        for quantity, limits in _limited(equations, kind)
        for end in (limits.lower, limits.upper)
        if end is not None
    ]
    values = substitute([quantity for quantity, _ in limited], equations.tree.followed)
    parameters = {p.symbol for p in equations.system.parameters.values()}
    return not parameters.isdisjoint(free_symbols([*values, *(end for _, end in limited)]))


def _limited(equations: EquationsOfMotion, kind: str) -> Iterator[tuple[Expr, Limits]]:
    """The coordinates, speeds or efforts that have limits."""
    for joint in equations.system.joints.values():
        symbols = {
            "coordinate": (joint.q, joint.limits),
            "speed": (joint.u, joint.speed_limits),
            "effort": (joint.tau, joint.effort_limits),
        }
        yield from ((x, limits) for x, limits in zip(*symbols[kind], strict=False) if limits.are_given)


def value_of(expression: Expr, equations: EquationsOfMotion, given: Mapping[str, Any]) -> float | None:
    """An expression of parameters as a number; None where one has no value, or something else is in it."""
    table = {p.symbol: (name, p.value) for name, p in equations.system.parameters.items()}
    values: dict[Expr, float] = {}
    for symbol in free_symbols([expression]):
        name, default = table.get(symbol, ("", None))
        value = given.get(name, default)
        if value is None:
            return None
        values[symbol] = float(value)
    return evaluate([expression], values)[0]
