"""Determinants on the graph, and the factors that make them vanish."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..errors import PolhodeError
from ..expr import (
    Expr,
    Matrix,
    as_expr,
    constant_ratio,
    cos,
    free_symbols,
    gradient,
    is_zero,
    pi,
    sin,
    substitute,
    topological,
)
from ..expr.factors import factors
from ..expr.ranges import cannot_vanish

#: A determinant with more nodes than this is not factored: it would be too long to read.
_READABLE = 300
#: Powers of what is positive that are tried.
_POWERS = 4


def determinant(A: Sequence[Sequence[Any]]) -> Expr:
    """det A; 1 where A is empty."""
    return as_expr(Matrix(A).det()) if len(A) else as_expr(1)


def vanishing_factors(value: Expr, positive: Expr | int = 1, masses: Collection[Expr] = ()) -> list[Expr]:
    """The factors that may vanish at some state, without those of `positive` or `masses` that cannot, as m + x²."""
    for power in range(_POWERS):
        if _is_fixed(value * positive**power):
            return []
    vanishing, rest = _simple_factors(value)
    if cannot_vanish(rest, masses) or any(_is_fixed(rest * positive**power) for power in range(_POWERS)):
        return vanishing
    if len(topological([rest])) > _READABLE:
        return [*vanishing, rest]
    others = [base for base, exponent in factors(rest).powers if exponent > 0 and not cannot_vanish(base, masses)]
    return [*vanishing, *(base for base in others if not _is_fixed(base))]


def _states(value: Expr) -> list[Expr]:
    return [x for x in free_symbols([value]) if x.data[0] != "parameter"]


def _is_fixed(value: Expr) -> bool:
    """Whether an expression is independent of the state."""
    return all(map(is_zero, gradient(value, _states(value))))


def _simple_factors(value: Expr) -> tuple[list[Expr], Expr]:
    """Powers xᵖ, sinᵖ x, cosᵖ x of states, by logarithmic derivatives: those that vanish, and the rest."""
    simple: list[Expr] = []
    rest, plain = value, dict[Expr, Expr]()  # where the powers are one
    symbols = _states(value)
    for x, slope in zip(symbols, gradient(value, symbols), strict=True):
        if is_zero(slope):
            continue
        rate = as_expr(slope / value)
        for factor, ratio, at_one in (
            (x, rate * x, as_expr(1)),
            (cos(x), -rate * cos(x) / sin(x), as_expr(0)),
            (sin(x), rate * sin(x) / cos(x), pi / 2),
        ):
            power = constant_ratio(ratio)
            if power and power.denominator == 1:
                simple += [factor] if power > 0 else []
                rest, plain[x] = as_expr(rest / factor**power), at_one
                break
    try:
        return simple, substitute([value], plain)[0]  # shorter than the quotient
    except PolhodeError:
        return simple, rest
