"""Values that a user gave, read as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, ShapeError

if TYPE_CHECKING:
    from ..model.records import Parameter


def real_numbers(value: Any, what: str) -> NDArray[np.float64]:
    """Numbers in an array; anything else is told."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(
            f"{value!r} is no real number, nor an array of them.", place=what, code="E-VALUE-007"
        ) from None


def default_of(given: Parameter) -> float:
    """The value that a model gives, zero where it gives none."""
    return 0.0 if given.value is None else float(given.value)


def finite_number(key: str, value: Any) -> float:
    """The number that a parameter was given; anything else is told."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise PolhodeError(f"the value {value!r} of parameter '{key}' is not a finite number.", code="E-VALUE-005")
    return number
