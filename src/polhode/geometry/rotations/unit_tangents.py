"""Unit tangent vectors of the sphere, pairs (x, y) of orthonormal vectors: a group; Mladenova, theorem 3, (82)-(88).

The pair is the first two columns of the rotation O(x, y) = [x, y, x × y], (82), so that pairs multiply as rotations do.
The printed product (86)-(88), a combination of the two pairs, is not that: the columns of O1 O2 are combinations of
those of O1 alone, with the components of x2 and y2 as coefficients.
"""

from __future__ import annotations

from typing import Any

from ...expr import Matrix
from .rotation import Rotation
from .scalars import cross, joined
from .values import is_exact, read

Pair = tuple[Any, Any]


def rotation_of(x: Any, y: Any) -> Rotation:
    """O(x, y), (82), refused unless x and y are orthogonal unit vectors; its vector-parameter is that of (83), (84)."""
    exact = is_exact([x, y])
    first, second = read(x, (3,), "a unit vector", exact), read(y, (3,), "a unit tangent vector", exact)
    third = cross(first, second)
    if exact:
        return Rotation.from_matrix(Matrix.columns_of([first, second, third], 3), exact=True)
    entries = joined([column[k] for k in range(3) for column in (first, second, third)])
    return Rotation.from_matrix(entries.reshape(*entries.shape[:-1], 3, 3))


def pair_of(r: Rotation) -> Pair:
    """The unit tangent vector (x, y) of a rotation: the first two columns of its matrix."""
    R = r.matrix
    return (R.columns[0], R.columns[1]) if r.is_exact else (R[..., 0], R[..., 1])


def composed(one: Pair, two: Pair) -> Pair:
    """The product of two unit tangent vectors: x3 = O1 x2, y3 = O1 y2; refused unless both pairs are orthonormal."""
    return pair_of(rotation_of(*one) @ rotation_of(*two))
