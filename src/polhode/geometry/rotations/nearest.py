"""Matrices of numbers as rotations: how far off they are, and the rotation nearest to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import PolhodeError
from .scalars import Components, cross, dot, joined, split
from .values import first_true

if TYPE_CHECKING:
    import numpy as np

#: So far from orthogonal may a matrix of numbers be without a word: what long products lose.
TOLERANCE = 1e-9


def checked(entries: Components, nearest: bool) -> Components:
    """The nine entries of matrices that are rotations, or of the rotations nearest to them."""
    import numpy as np

    rows = [entries[0:3], entries[3:6], entries[6:9]]
    gap = np.max([np.abs(dot(rows[i], rows[j]) - (i == j)) for i in range(3) for j in range(i + 1)], axis=0)
    determinant = dot(rows[0], cross(rows[1], rows[2]))
    bad = ~((gap <= TOLERANCE) & (determinant > 0))
    if not bad.any():
        return entries
    if not nearest:
        worst = np.atleast_1d(gap)[np.atleast_1d(bad)][0]
        mirrored = np.atleast_1d(determinant)[np.atleast_1d(bad)][0] < 0
        raise PolhodeError(
            f"{first_true(bad)} is given by a matrix that is none: R Rᵀ differs from 1 by {worst:.2g}"
            + (", and it is a reflection (determinant below zero)." if mirrored else "."),
            cure="Give an orthogonal matrix, or nearest=True to take the rotation nearest to it.",
            code="E-ROT-010",
        )
    R = joined(entries)
    return split(nearest_rotation(R.reshape(*R.shape[:-1], 3, 3)).reshape(R.shape))


def nearest_rotation(R: np.ndarray) -> np.ndarray:
    """The rotations nearest to matrices in the sum of squares, by their singular values."""
    import numpy as np

    U, s, V = np.linalg.svd(R)
    turn = np.sign(np.linalg.det(U) * np.linalg.det(V))
    unclear = s[..., 1] + turn * s[..., 2] <= 1e-12 * s[..., 0]
    if np.any(unclear):
        raise PolhodeError(
            f"{first_true(unclear)} is given by a matrix that is as near to one rotation as to many others.",
            cure="Its rank is too low, or it is the reflection in a point: give another matrix.",
            code="E-ROT-011",
        )
    s = np.ones_like(s)
    s[..., 2] = turn
    made: Any = (U * s[..., None, :]) @ V
    return np.asarray(made)
