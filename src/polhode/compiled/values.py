"""Values that a user gave, read as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ShapeError, ValueMissing, listed, shown, unknown


def real_numbers(value: Any, what: str) -> NDArray[np.float64]:
    """Numbers in an array; anything else is told."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ShapeError(
            f"{shown(value)} is no real number, nor an array of them.", place=what, code="E-VALUE-007"
        ) from None


def given_states(names: Sequence[str], place: str, given: Mapping[str, Any] | ArrayLike | None) -> NDArray[np.float64]:
    """The states without mass, as they are given: an array with a column for each, or columns by name."""
    if isinstance(given, Mapping):
        for strange in (key for key in given if key not in names):
            raise unknown("state", strange, names, place=place, code="E-FUN-015")
    lacking = names if given is None else [key for key in names if isinstance(given, Mapping) and key not in given]
    if lacking:
        raise ValueMissing(
            f"it depends on the state{'s' * (len(lacking) > 1)} {listed([repr(key) for key in lacking])}.",
            place=place,
            cure=f"Give z=[…], {len(names)} number{'s' * (len(names) > 1)} in the order of equations.states.",
            code="E-FUN-014",
        )
    if isinstance(given, Mapping):
        return stacked([real_numbers(given[key], f"state '{key}'") for key in names])
    made = real_numbers(given, "z")
    if made.ndim == 0 or made.shape[-1] != len(names):
        raise ShapeError(
            f"z has shape {made.shape}; its last axis has a number for each state without mass, {len(names)} here.",
            place=place,
            cure="See equations.states for their order.",
            code="E-FUN-016",
        )
    return made


def stacked(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Columns side by side, each one number or many."""
    return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)
