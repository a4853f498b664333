"""Quaternions among coordinates: whatever their length, they stand for the orientation that they have at unit length.

Compiled code takes them to be of unit length and checks nothing; what a user passes is scaled before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import PolhodeError
from polhode.runtime.arrays import Floats

#: Lengths whose square is off by less are one, to rounding.
_SLACK = 1e-14


def unit_quaternions(q: Any, places: Sequence[int]) -> tuple[Any, list[Floats]]:
    """Coordinates with the quaternions that begin at these places scaled to unit length, and the lengths they had.

    What is of unit length already is handed back as it is, with no lengths; so is what is no array of numbers.

    >>> unit_quaternions([0.0, 3.0, 0.0, 4.0, 7.0], [0])
    (array([0. , 0.6, 0. , 0.8, 7. ]), [array([5.])])
    """
    if type(q) is np.ndarray and q.ndim == 1 and q.dtype == np.float64:  # what most calls pass
        for place in places:
            part = q[place : place + 4]
            if not abs(part.dot(part) - 1.0) < _SLACK:
                break
        else:
            return q, []
    try:
        given = np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError):
        return q, []  # told where arrays are checked
    if given.ndim not in (1, 2) or given.shape[-1] < max(places) + 4:
        return q, []
    parts = [given[..., place : place + 4] for place in places]
    squares = [np.einsum("...i,...i", part, part) for part in parts]
    if all(np.all(abs(square - 1.0) < _SLACK) for square in squares):
        return q, []
    given, lengths = given.copy(), []
    for place, square in zip(places, squares, strict=True):
        if np.any(square == 0.0):
            raise PolhodeError(
                f"coordinates {place} to {place + 3} are a quaternion of length zero, which is no orientation.",
                place="array 'q'",
                cure="No turn is (1, 0, 0, 0).",
                code="E-FUN-006",
            )
        lengths.append(np.sqrt(square)[..., None])
        given[..., place : place + 4] /= lengths[-1]
    return given, lengths


def stretch(rates: Floats, places: Sequence[int], lengths: Sequence[Floats]) -> None:
    """Rates of unit quaternions as those of the quaternions themselves: ė = Γ(e) ω is linear in e."""
    for place, length in zip(places, lengths, strict=True):
        rates[..., place : place + 4] *= length
