"""Rotations as they are given (turns, matrices, rounded numbers of other tools) as exactly orthogonal matrices."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product as every
from typing import Any

from ...errors import PolhodeError, ShapeError, warn
from ...expr import Expr, Matrix, as_expr, pi
from .matrix import fourfold, is_rotation
from .quaternion import conjugate, from_lift, product
from .turns import rotation
from .vector_parameter import from_vector_parameter

#: A turn smaller than this, in radians, is a zero that was rounded.
ROUNDING = Fraction(1, 10**12)
#: So far from orthogonal may a matrix of rounded numbers be.
TOLERANCE = 1e-6
_DIGITS = 10**17

#: 40 digits of π/2, to tell how far a decimal is from a multiple of it.
_QUARTER_TURN = Fraction("1.5707963267948966192313216916397514420986")

#: The 24 rotations that take a cube to itself, as quaternions of any length.
CUBE = [
    q for q in every((0, 1, -1), repeat=4) if sum(map(abs, q)) in (1, 2, 4) and next(entry for entry in q if entry) > 0
]


def as_rotation(value: Any, place: str) -> Matrix:
    """A rotation given as a Rotation (SciPy's too), a matrix or turns ("z", angle), exactly orthogonal.

    A matrix of rounded numbers, as other tools give it, is taken for the rotation nearest to it, if it is orthogonal
    within 1e-6. What changes by more than the rounding of doubles (1e-12) gives a warning.
    """
    if value is None:
        return Matrix.identity(3).map(as_expr)
    if hasattr(value, "exact_matrix"):  # a Rotation
        matrix: Matrix = value.exact_matrix()
        return matrix
    items = _rows_of(value, place) if hasattr(value, "as_matrix") else list(value)
    if len(items) == 2 and isinstance(items[0], str):
        return rotation((items[0], items[1]))
    if items and len(items[0]) == 2:
        return rotation(*((axis, angle) for axis, angle in items))
    R = Matrix(items).map(as_expr)
    if R.shape == (3, 3) and is_rotation(R):
        return R
    near = _nearest_rotation(R) if R.shape == (3, 3) and all(entry.is_number for entry in R.entries()) else None
    if near is None:
        message = "the rotation matrix is not orthogonal with determinant 1."
        cure = f'Give turns instead, for example [("z", 0.3), ("x", pi/2)], or numbers right to {TOLERANCE}.'
        raise PolhodeError(message, place, cure, "E-ROTATION-NUMBER")
    change = max(abs(float(entry)) for entry in (near - R).entries())
    if change > ROUNDING:
        head = f"{place}: " if place else ""
        words = f"{head}the rotation matrix is not orthogonal; the nearest one is used, which differs by {change:.2g}."
        warn(words, code="W-ROTATION-NUMBER")
    return near


def _rows_of(value: Any, place: str) -> list[Any]:
    """The rows of the matrix of one of SciPy's rotations."""
    R = value.as_matrix()
    if R.shape != (3, 3):
        cure = "Take one of them by its index."
        raise ShapeError("a batch of SciPy's rotations is not one rotation.", place, cure, "E-ROTATION-SHAPE")
    return list(R)


def _nearest_rotation(R: Matrix) -> Matrix | None:
    """The nearest rotation, by the dominant eigenvector of `fourfold`; None if the matrix is far from orthogonal."""
    import numpy as np

    A = np.array([[float(entry) for entry in row] for row in R])
    if not np.abs(A).max() < 2 or not np.abs(A @ A.T - np.eye(3)).max() <= TOLERANCE or np.linalg.det(A) < 0:
        return None
    quaternion = np.linalg.eigh(np.array(fourfold(A.ravel().tolist())))[1][:, -1]
    return from_rounded_quaternion([Fraction(repr(float(entry))) for entry in quaternion], ROUNDING)[0]


def from_rounded_quaternion(quaternion: Sequence[Fraction], snap: Fraction) -> tuple[Matrix, Fraction]:
    """An exactly orthogonal rational matrix: one of the cube's 24 rotations and a rational vector-parameter."""
    w, x, y, z = quaternion
    q = (w, x, y, z)
    cube = max(CUBE, key=lambda c: _dot(c, q) ** 2 / Fraction(_dot(c, c)))
    r, *vector = product(conjugate(cube), q)
    dropped = Fraction(0)
    rest = []
    for entry in vector:
        tangent = Fraction(round(entry / r * _DIGITS), _DIGITS)
        if abs(2 * tangent) <= snap:
            dropped = max(dropped, abs(2 * tangent))
            tangent = Fraction(0)
        rest.append(tangent)
    turned = from_lift([Fraction(entry) for entry in cube])
    R: Matrix = turned @ from_vector_parameter(rest)
    return R.map(as_expr), dropped


def _dot(p: Sequence[int], q: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(a * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def nearest_angle(value: Fraction, snap: Fraction) -> tuple[Expr, bool]:
    """An angle as an expression, and whether it was taken for the multiple of π/2 within `snap` of it."""
    turns = round(value / _QUARTER_TURN)
    gap = abs(value - turns * _QUARTER_TURN)
    if value and gap <= snap:
        return as_expr(pi * turns / 2), True
    return as_expr(value), False
