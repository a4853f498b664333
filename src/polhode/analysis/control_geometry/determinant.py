"""Determinants on the graph, and the factors that make them vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...expr import Expr, as_expr, free_symbols, is_zero, topological
from ...expr.factors import factors
from ...geometry.elimination import eliminate

#: A determinant with more nodes than this is not factored: nobody would read it.
_READABLE = 400


def determinant(A: Sequence[Sequence[Any]]) -> Expr:
    """det A, up to its sign where A has more than three rows: expanded by minors up to there, then by elimination.

    >>> from polhode.expr import symbols
    >>> a, b = symbols("a b")
    >>> determinant([[a, b], [b, a]])
    a**2 - b**2
    """
    size = len(A)
    if size == 0:
        return as_expr(1)
    if size == 1:
        return as_expr(A[0][0])
    if size <= 3:
        total: Any = 0
        for k, entry in enumerate(A[0]):
            if not is_zero(entry):
                minor = [[row[j] for j in range(size) if j != k] for row in A[1:]]
                total = total + (-1) ** k * entry * determinant(minor)
        return as_expr(total)
    product = as_expr(1)
    for divisor in eliminate(A, [[0]] * size)[1]:
        product = product * divisor
    return product


def vanishing_factors(value: Expr) -> list[Expr]:
    """The factors of an expression that vanish at some state: those that depend on more than parameters.

    >>> from polhode.expr import symbol, sin
    >>> x, m = symbol("x", "coordinate"), symbol("m", "parameter")
    >>> vanishing_factors(m * x * sin(x) / (2 + x * x))
    [x, sin(x)]
    """
    if len(topological([value])) > _READABLE:
        return [value]
    found = [base for base, exponent in factors(value).powers if exponent > 0]
    return [base for base in found if any(x.data[0] != "parameter" for x in free_symbols([base]))]
