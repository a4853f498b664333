"""Limits of joint coordinates in numbers, and where in the state of a run each is seen.

A coupled joint's coordinate is a multiple of its leader's, and is seen there; one that is driven by time alone is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .synopsis import SeenLimit

if TYPE_CHECKING:
    from ..expr import Expr
    from .equations import EquationsOfMotion


@dataclass(frozen=True)
class Ends:
    """The limits of a coordinate by side: those in numbers, and those whose parameters have no value."""

    coordinate: Expr
    known: dict[str, float]
    unknown: dict[str, Expr]

    @property
    def are_ordered(self) -> bool:
        """Whether there is something between them."""
        return not self.known.get("lower", float("-inf")) > self.known.get("upper", float("inf"))


def joint_limits(equations: EquationsOfMotion, given: Mapping[str, Any]) -> Iterator[Ends]:
    """The limits of all coordinates that have some, with the values given for parameters, or the model's.

    >>> import polhode as ph
    >>> s = ph.System("stone")
    >>> _ = s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(s.parameter("floor", -1), None))
    >>> [ends.known for ends in joint_limits(s.derive().record, {})]
    [{'lower': -1.0}]
    """
    for joint in equations.system.joints.values():
        for q, limits in zip(joint.q, joint.limits, strict=False):
            if not limits.are_given or q in equations.omitted:
                continue
            made = Ends(q, {}, {})
            for side, end in (("lower", limits.lower), ("upper", limits.upper)):
                value = None if end is None else _value(end, equations, given)
                if value is not None:
                    made.known[side] = value
                elif end is not None:
                    made.unknown[side] = end
            yield made


def seen_limits(equations: EquationsOfMotion, given: Mapping[str, Any]) -> tuple[SeenLimit, ...]:
    """The limits that a run sees in its state, with these values of parameters."""
    from ..expr import as_expr, derivative, free_symbols, substitute

    places = {q: place for place, q in enumerate(equations.q)}
    found = []
    for ends in joint_limits(equations, given):
        if not ends.are_ordered or not ends.known:
            continue
        value = substitute([as_expr(ends.coordinate)], equations.tree.followed)[0]
        on = [symbol for symbol in free_symbols([value]) if symbol in places]
        if len(on) != 1:
            continue
        factor = _value(derivative([value], on[0])[0], equations, given)
        offset = _value(substitute([value], {on[0]: as_expr(0)})[0], equations, given)
        if factor is not None and offset is not None:
            name, place = ends.coordinate.name, places[on[0]]
            found += [SeenLimit(name, side, limit, place, factor, offset) for side, limit in ends.known.items()]
    return tuple(found)


def have_parameters(equations: EquationsOfMotion) -> bool:
    """Whether a run's own parameters may change its limits."""
    from ..expr import free_symbols, substitute

    limited = [
        (q, end)
        for joint in equations.system.joints.values()
        for q, limits in zip(joint.q, joint.limits, strict=False)
        for end in (limits.lower, limits.upper)
        if end is not None
    ]
    values = substitute([q for q, _ in limited], equations.tree.followed)
    parameters = {p.symbol for p in equations.system.parameters.values()}
    return not parameters.isdisjoint(free_symbols([*values, *(end for _, end in limited)]))


def _value(expression: Expr, equations: EquationsOfMotion, given: Mapping[str, Any]) -> float | None:
    """An expression of parameters as a number; None where one has no value, or something else is in it."""
    from ..expr import evaluate, free_symbols

    table = {p.symbol: (name, p.value) for name, p in equations.system.parameters.items()}
    known: dict[Expr, float] = {}
    for symbol in free_symbols([expression]):
        name, default = table.get(symbol, ("", None))
        value = given.get(name, default)
        if value is None:
            return None
        known[symbol] = float(value)
    return evaluate([expression], known)[0]
