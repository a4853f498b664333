"""How numbers are given: exactly, as expressions and whole numbers, or rounded, as floats and NumPy arrays."""

from __future__ import annotations

from typing import Any

from ..expr import Expr


def is_array(value: Any) -> bool:
    """Whether a value is a NumPy array or scalar."""
    return hasattr(value, "dtype") and hasattr(value, "shape")


def is_rounded(value: Any) -> bool:
    """Whether a vector or a matrix is an array, or holds floats and no expression.

    >>> is_rounded([[1, 0], [0, 1]]), is_rounded([[1.0, 0], [0, 1]])
    (False, True)
    """
    if not isinstance(value, list | tuple):
        return is_array(value) or isinstance(value, float)
    flat = [entry for row in value for entry in (row if isinstance(row, list | tuple) else (row,))]
    return any(map(is_rounded, flat)) and not any(isinstance(entry, Expr) for entry in flat)
