"""Quaternions among coordinates: whatever their length, they stand for the orientation that they have at unit length.

Compiled code takes them to be of unit length and checks nothing; what a user passes is scaled before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import PolhodeError
from .arrays import Floats

#: Lengths whose square is off by less are one, to rounding.
_SLACK = 1e-14


def scale_quaternions(states: Floats, groups: Sequence[tuple[int, int]]) -> None:
    """Divide the quaternions in states (…, n), each (first entry, 4), by their lengths."""
    for first, count in groups:
        columns = [states[..., k] for k in range(first, first + count)]
        length = np.sqrt(sum(column * column for column in columns))
        for column in columns:
            column /= length


def unit_quaternions(q: Any, starts: Sequence[int]) -> tuple[Any, list[Floats]]:
    """Coordinates with the quaternions that begin at these indices scaled to unit length, and the lengths they had.

    Where all are of unit length already there are no lengths; what is no array of numbers is handed back as it is.

    >>> unit_quaternions([0.0, 3.0, 0.0, 4.0, 7.0], [0])
    (array([0. , 0.6, 0. , 0.8, 7. ]), [array([5.])])
    """
    given = q
    if type(q) is not np.ndarray or q.dtype != np.float64:
        try:
            given = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            return q, []  # told where arrays are checked
    if given.ndim not in (1, 2) or given.shape[-1] < max(starts) + 4:
        return given, []
    if all(map(_are_unit if given.ndim == 2 else _is_unit, [given[..., start : start + 4] for start in starts])):
        return given, []
    given = given.copy()
    return given, [_scaled(given[..., start : start + 4], start) for start in starts]


def _is_unit(part: Floats) -> bool:
    a, b, c, d = part.tolist()
    return bool(abs(a * a + b * b + c * c + d * d - 1.0) < _SLACK)


def _are_unit(parts: Floats) -> bool:
    squares = np.einsum("ij,ij->i", parts, parts)
    squares -= 1.0
    return bool(np.abs(squares, out=squares).max(initial=0.0) < _SLACK)


def _scaled(part: Floats, start: int) -> Floats:
    """Bring quaternions to unit length in place, and give the lengths they had; no square leaves the floats."""
    largest = np.abs(part).max(axis=-1, keepdims=True)
    for wrong, what in ((~np.isfinite(largest), "that is not finite"), (largest == 0.0, "of length zero")):
        if wrong.any():
            message = f"coordinates {start} to {start + 3} are a quaternion {what}, which is no orientation."
            raise PolhodeError(message, "array 'q'", "No turn is (1, 0, 0, 0).", "E-CODE-NUMBER")
    part /= largest
    length = np.sqrt(np.einsum("...i,...i", part, part))[..., None]
    part /= length
    return np.asarray(largest * length)


def stretch(rates: Floats, axes: int, starts: Sequence[int], lengths: Sequence[Floats]) -> None:
    """Rates of unit quaternions as those of the quaternions themselves: ė = Γ(e) ω is linear in e.

    Coordinates run along the first of the last `axes` axes: of a vector q̇, or of the rows of Γ.
    """
    for start, length in zip(starts, lengths, strict=True):
        if axes == 1:
            rates[..., start : start + 4] *= length
        else:
            rates[..., start : start + 4, :] *= length[..., None]
