"""The length of a vector of expressions, exactly, where it is a number or a multiple of one of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .decide import constant_ratio, rational_value
from .field import root_of_integer, square_free
from .functions import sqrt
from .graph import free_symbols
from .matrix import Vector
from .node import Expr, as_expr


def exact_length(vector: Sequence[Any]) -> Expr | None:
    """A ν with ν² = a·a at every point, of either sign; None if it needs a root."""
    entries = Vector([as_expr(entry) for entry in vector])
    square = entries.dot(entries)
    value = rational_value(square)
    value = constant_ratio(square) if value is None else value  # as of components on the unit sphere
    if value is not None:
        return _root(value)
    for part in (*free_symbols(entries), *(entry for entry in entries if entry)):
        ratio = constant_ratio(square / (part * part))
        root = None if ratio is None else _root(ratio)
        if root is not None:
            return as_expr(root * part)
    return None


def _root(square: Fraction) -> Expr | None:
    """The root of a number, if fingerprints have it."""
    if square < 0 or (square and root_of_integer(square_free(square)[1]) is None):
        return None
    return as_expr(sqrt(as_expr(square)))
