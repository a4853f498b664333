"""What small variables left out: of each equation the terms of second order, and whether there are more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import PolhodeError, listed, unknown
from ..expr import Expr, as_expr, normal, operation_counts, quiet_collector
from ..expr.spelling import spelled
from ..expr.taylor import products_of, second_order
from ..notebook import Told
from .equations import EquationsOfMotion

#: Terms with more operations than this are described by the products of small variables in them.
_SHORT = 40


@dataclass(frozen=True, repr=False)
class DroppedFrom(Told):
    """The terms dropped from one equation."""

    equation: str  # in words, such as "equation of 'roll'"
    name: str  # of the speed, coordinate or state that it is of
    second: Expr  # the terms of second order
    products: tuple[tuple[Expr, Expr], ...]  # of which small variables
    has_more: bool  # whether anything else is dropped, of higher order or bent where it vanishes

    def __str__(self) -> str:
        text = ""
        if self.products:
            is_short = sum(operation_counts([self.second]).values()) <= _SHORT
            pairs = (f"{spelled(a)}*{spelled(b)}" if a is not b else f"{spelled(a)}**2" for a, b in self.products)
            text = str(normal(self.second)) if is_short else f"products with {listed(pairs, most=12)}"
        more = "higher orders" if self.has_more else ""
        return f"{self.equation}: {' and '.join(filter(None, (text, more)))}"


@dataclass(frozen=True, repr=False)
class Dropped(Told):
    """The dropped terms of the equations that lost some; `print` it."""

    parts: tuple[DroppedFrom, ...]

    def __iter__(self) -> Iterator[DroppedFrom]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, name: str) -> DroppedFrom:
        """The terms dropped from the equation of a speed, or of the rate of a coordinate or state."""
        for part in self.parts:
            if part.name == name:
                return part
        raise unknown("equation that lost anything", name, [part.name for part in self.parts], code="E-DERIVE-NAME")

    def __str__(self) -> str:
        return "\n".join(map(str, self.parts)) or "nothing was dropped."


@quiet_collector()
def dropped(equations: EquationsOfMotion) -> Dropped:
    """The terms that truncation in small variables dropped."""
    small, whole = equations.small, equations.whole
    if small is None or whole is None:
        return Dropped(())
    labels = [("equation of", u.name) for u in equations.u]
    labels += [("rate of", name) for name in (*equations.coordinates, *equations.states)]
    before, after = _residuals(whole, equations), _residuals(equations, equations)
    lost = [as_expr(a - b) for a, b in zip(before, after, strict=True)]
    kept = [k for k, each in enumerate(lost) if each]
    second = _second([before[k] for k in kept], equations)
    pairs = products_of(second, small.symbols)
    return Dropped(
        tuple(
            DroppedFrom(f"{labels[k][0]} '{labels[k][1]}'", labels[k][1], form, tuple(found), lost[k] != form)
            for k, form, found in zip(kept, second, pairs, strict=True)
        )
    )


def _residuals(equations: EquationsOfMotion, kept: EquationsOfMotion) -> list[Expr]:
    """Left-hand sides that vanish along a motion, each without its own rate."""
    needed = [a - b for a, b in zip(equations.inverse_dynamics, equations.efforts, strict=True)]
    rates = kept.kept(equations.all_coordinate_rates)
    return [as_expr(entry) for entry in (*needed, *rates, *equations.z_rates)]


def _second(entries: list[Expr], equations: EquationsOfMotion) -> list[Expr]:
    small = () if equations.small is None else equations.small.symbols
    try:
        return second_order(entries, small)
    except PolhodeError:  # something has a slope where it vanishes, and no curvature
        return [as_expr(0)] * len(entries)
