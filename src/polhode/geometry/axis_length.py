"""The length of a rotation axis, exactly, where it is a number or a symbol's multiple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Expr, Vector, as_expr, free_symbols, rational_value, sqrt
from ..expr.decide import constant_ratio
from ..expr.field import root_of_integer, square_free


def exact_length(axis: Sequence[Any]) -> Expr | None:
    """A ν with ν² = a·a at every point, of either sign; None where a root alone gives it.

    The motion e^{ĥ ε} of a screw is even in ν: (0, 0, l) may stand with ν = l whatever the sign of l.

    >>> from polhode.expr import symbol, unit_symbols
    >>> l, (a, b, c) = symbol("l"), unit_symbols(["a", "b", "c"])
    >>> exact_length((0, 3 * l, 4 * l)), exact_length((l * a, l * b, l * c)), exact_length((l, 1, 0))
    (5*l, l, None)
    """
    entries = Vector([as_expr(entry) for entry in axis])
    square = entries.dot(entries)
    known = rational_value(square)
    known = constant_ratio(square) if known is None else known  # as of components on the unit sphere
    if known is not None:
        return _root(known)
    for part in (*free_symbols(entries), *(entry for entry in entries if entry)):
        ratio = constant_ratio(square / (part * part))
        root = None if ratio is None else _root(ratio)
        if root is not None:
            made: Expr = root * part
            return made
    return None


def _root(square: Any) -> Expr | None:
    """The root of a number, if fingerprints have it."""
    if square < 0 or (square and root_of_integer(square_free(square)[1]) is None):
        return None
    root: Expr = sqrt(as_expr(square))
    return root
