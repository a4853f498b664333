"""How numbers are given: exactly, as expressions and fractions, or rounded, as floats and NumPy arrays."""

from __future__ import annotations

from typing import Any

from ..expr import Expr
from .rotations.scalars import is_array
from .rotations.values import is_exact


def is_rounded(value: Any) -> bool:
    """Whether a vector or matrix is numeric (arrays, floats, plain lists), not of exact kinds as in `ph.Rotation`."""
    if not isinstance(value, list | tuple):
        return is_array(value) or isinstance(value, float)
    flat = [entry for row in value for entry in (row if isinstance(row, list | tuple) else (row,))]
    if any(isinstance(entry, Expr) for entry in flat):
        return False
    return any(map(is_rounded, flat)) or not is_exact(value)
