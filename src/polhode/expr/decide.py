"""Decisions by fingerprint: zero, equality, generic rank, null space. Exact in practice, linear in the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from .evaluation import constant_value
from .field import P, inverse, rational
from .graph import free_symbols
from .node import as_expr

#: No two fractions of whole numbers below this have one fingerprint, and hardly anything else has that of one.
_PLAIN = 10**9


def is_zero(value: Any) -> bool:
    """Whether an expression vanishes identically."""
    return as_expr(value).fp == 0


def same(left: Iterable[Any], right: Iterable[Any]) -> bool:
    """Whether two lists of expressions are the same functions, entry by entry."""
    return [as_expr(a) for a in left] == [as_expr(b) for b in right]


def _eliminated(rows: Sequence[Sequence[Any]]) -> tuple[list[list[int]], list[int]]:
    """Reduced row echelon form over the field, and its pivot columns."""
    table = [[as_expr(entry).fp for entry in row] for row in rows]
    pivots: list[int] = []
    width = len(table[0]) if table else 0
    for column in range(width):
        top = len(pivots)
        pivot = next((r for r in range(top, len(table)) if table[r][column]), None)
        if pivot is None:
            continue
        table[top], table[pivot] = table[pivot], table[top]
        scale = inverse(table[top][column])
        table[top] = [entry * scale % P for entry in table[top]]
        for r, row in enumerate(table):
            if r != top and row[column]:
                factor = row[column]
                table[r] = [(entry - factor * lead) % P for entry, lead in zip(row, table[top], strict=True)]
        pivots.append(column)
    return table, pivots


def rank(matrix: Sequence[Sequence[Any]]) -> int:
    """The generic rank: the rank at almost every point."""
    return len(_eliminated(matrix)[1])


def independent_columns(matrix: Sequence[Sequence[Any]]) -> list[int]:
    """The first columns that span the column space."""
    return _eliminated(matrix)[1]


def combinations(matrix: Sequence[Sequence[Any]]) -> dict[int, list[int]]:
    """For each column that is a combination of earlier ones, at almost every point: of which."""
    table, pivots = _eliminated(matrix)
    width = len(table[0]) if table else 0
    return {
        column: [pivot for row, pivot in zip(table, pivots, strict=False) if row[column]]
        for column in range(width)
        if column not in pivots
    }


def constant_ratio(value: Any) -> Fraction | None:
    """The rational constant a/b (below ten digits) that an expression equals, by its fingerprint; else None."""
    (top_before, bottom_before), (top, bottom) = (P, 0), (as_expr(value).fp, 1)  # top ≡ bottom · fp in each
    while top > _PLAIN:
        quotient = top_before // top
        top_before, top = top, top_before - quotient * top
        bottom_before, bottom = bottom, bottom_before - quotient * bottom
    return Fraction(top, bottom) if abs(bottom) <= _PLAIN else None


def rational_value(value: Any) -> Fraction | None:
    """The rational number that an expression without symbols is; None if it is none (or not a plain one)."""
    expr = as_expr(value)
    if expr.is_number:
        return Fraction(expr.data)
    if free_symbols([expr]):
        return None
    guess = Fraction(str(constant_value(expr))).limit_denominator(10**12)
    return guess if rational(guess) == expr.fp else None
