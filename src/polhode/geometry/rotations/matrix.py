"""The rotation matrix as a chart of nine entries, and the quaternion of a matrix; Mladenova (10)-(20), (64), (66).

R takes components in the turned frame to components in the frame that stays: x' = R x. The angular velocity is the
vector of Ω = Ṙ Rᵀ in the frame that stays (14), of Rᵀ Ṙ in the turned one (20).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import PolhodeError
from ...expr import Matrix, is_zero
from .chart import Chart
from .quaternion import from_quaternion
from .scalars import Components, Numbers, applied, cross, dot, is_rounded, joined, split, total
from .values import first_true

if TYPE_CHECKING:
    import numpy as np


def is_rotation(R: Matrix) -> bool:
    """Whether a symbolic matrix is exactly orthogonal with determinant 1."""
    gap = R @ R.T - Matrix.identity(3)
    determinant = R[0].dot(R[1].cross(R[2]))
    return all(is_zero(entry) for entry in gap.entries()) and is_zero(determinant - 1)


def fourfold(R: Numbers) -> tuple[Components, ...]:
    """4 q qᵀ of a rotation's unit quaternion; its first row is (66), less 1 it is Bar-Itzhack's matrix (2000)."""
    a, b, c, d, e, f, g, h, i = R
    return (
        (1 + a + e + i, h - f, c - g, d - b),
        (h - f, 1 + a - e - i, b + d, c + g),
        (c - g, b + d, 1 - a + e - i, f + h),
        (d - b, c + g, f + h, 1 - a - e + i),
    )


def lift_of(R: Numbers, real: Callable[[Any], Any] = lambda entry: entry) -> Components:
    """The row of `fourfold` with the largest diagonal entry (by its `real` part); of symbols the first nonzero one."""
    rows = fourfold(R)
    sizes = [real(row[k]) for k, row in enumerate(rows)]
    if not any(map(is_rounded, sizes)):
        return next(row for row, size in zip(rows, sizes, strict=True) if not is_zero(size))
    import numpy as np

    largest = np.argmax(np.stack(np.broadcast_arrays(*sizes)), axis=0)
    if not largest.ndim:
        return rows[int(largest)]
    return tuple(sum(row[i] * (largest == k) for k, row in enumerate(rows)) for i in range(4))


def nine(R: Matrix) -> Components:
    """The entries of a matrix, row by row."""
    return tuple(R.entries())


def _rows(R: Numbers) -> list[Numbers]:
    return [R[0:3], R[3:6], R[6:9]]


def _rate(R: Numbers) -> Matrix:
    """Ṙ = R ω̂: each row r of R becomes r × ω."""
    rows: list[Numbers] = []
    for x, y, z in _rows(R):
        rows += [(0, -z, y), (z, 0, -x), (-y, x, 0)]
    return Matrix(rows)


def _velocity(R: Numbers) -> Matrix:
    """ω = ½ Γᵀ Ṙ, the vector of Rᵀ Ṙ, (20); for ΓᵀΓ = 2."""
    return _rate(R).T / 2


def _acceleration(R: Numbers, Rd: Numbers, Rdd: Numbers) -> Components:
    """Ω̇ = Rᵀ R̈ + Ṙᵀ Ṙ, whose second term is symmetric; so the velocity's formula with R̈."""
    return applied(_velocity(R), Rdd)


def _second_rate(R: Numbers, w: Numbers, wd: Numbers) -> Components:
    """R̈ = R (Ω̇ + Ω²), (76): each row r becomes r × ω̇ + (r × ω) × ω."""
    rows = [total(cross(r, wd), cross(cross(r, w), w)) for r in _rows(R)]
    return tuple(entry for row in rows for entry in row)


MATRIX = Chart(
    name="matrix",
    labels=tuple(f"r{i}{j}" for i in "123" for j in "123"),
    rotation=lambda R: Matrix(_rows(R)),
    rate=_rate,
    velocity=_velocity,
    lift=lift_of,
    coordinates=lambda q: nine(from_quaternion(q)),
    acceleration=_acceleration,
    condition=lambda q: 1,
    singular="nowhere",
    shape=(3, 3),
    second_rate=_second_rate,
)


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
            code="E-ROTATION-NUMBER",
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
        message = f"{first_true(unclear)} is given by a matrix that is as near to one rotation as to many others."
        cure = "Its rank is too low, or it is the reflection in a point: give another matrix."
        raise PolhodeError(message, cure=cure, code="E-ROTATION-SINGULAR")
    s = np.ones_like(s)
    s[..., 2] = turn
    R_nearest: Any = (U * s[..., None, :]) @ V
    return np.asarray(R_nearest)
