"""Diagonalisation of a symmetric 3×3 matrix by two vector-parameters; Mladenova, section 5, (168)-(190).

First level: with c = (x, 0, z), B = Oᵀ(c) A O(c), B12 and B13 are polynomials in z, whose elimination leaves

    det U = 256 (1 + x²)³ P²(x) Q(x) = 0                                                                     (178)

Q has no real roots, P three: the first column of O(c) is the axis v = (1 + x² - z², 2 z, 2 x z)/(1 + x² + z²), so that
x = v₃/v₂ of a principal axis, and two z = (±1 - v₁)/v₂ belong to it, where the text has one. For a double moment P is
zero, and x = 0 is taken; for A12 = A13 = 0 it is c = 0. Second level: with c̃ = (u, 0, 0), S = Oᵀ(c̃) B O(c̃), S23 = 0 for

    u⁴ - 2 a u³ - 6 u² + 2 a u + 1 = 0,    a = (B33 - B22)/B23                                               (184)

With c'' = ⟨c, c̃⟩, (189), Oᵀ(c'') A O(c'') is diagonal, (190): for moments that differ in six pairs (x, z) with four u
each, the 24 rotations that take the frame to principal axes, but for those of half a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...calls import public
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, is_zero, normal
from ...geometry.principal_axes import PrincipalAxes, principal_axes
from ...geometry.rotations.scalars import sqrt
from ...geometry.rotations.vector_parameter import composed, from_vector_parameter

#: An element of a matrix of floats is zero where it is smaller than this part of the largest.
_ZERO = 1e-13


@dataclass(frozen=True)
class Solution:
    """One solution of both levels: x, z of c = (x, 0, z), u of c̃ = (u, 0, 0), c'' = ⟨c, c̃⟩, the moments of (190)."""

    x: Any
    z: Any
    u: Any
    vector: Vector
    moments: Vector

    @property
    def axes(self) -> Matrix:
        """O(c''), whose columns are principal axes."""
        return from_vector_parameter(self.vector)


@dataclass(frozen=True, repr=False)
class TwoLevels:
    """Coefficients of P and Q, (179), (180), constant first, and all solutions."""

    P: tuple[Any, ...]
    Q: tuple[Any, ...]
    solutions: tuple[Solution, ...]

    def __repr__(self) -> str:
        return f"TwoLevels({len(self.solutions)} solutions)"


@public
def two_levels(matrix: Any) -> TwoLevels:
    """Diagonalise a symmetric 3×3 matrix of expressions or numbers by two successive vector-parameters."""
    principal = principal_axes(matrix)  # which refuses what is not a symmetric 3×3 matrix
    exact = isinstance(principal.axes, Matrix)
    if not exact and principal.axes.ndim > 2:
        message, cure = "a batch of matrices is diagonalised by principal_axes alone.", "Give one matrix."
        raise PolhodeError(message, "two_levels", cure, "E-ROTATION-SHAPE")
    A = Matrix([[as_expr(x) if exact else float(x) for x in row] for row in matrix])
    size = 0.0 if exact else max(map(abs, A.entries()))
    P, Q = _eliminant(A)
    solutions = []
    for x, z in _first_level(A, P, principal, size):
        O = from_vector_parameter((x, 0, z))
        B = O.T @ A @ O  # (169)
        for u in _second_level(B, size):
            if not _vanishes(1 - x * u, size and 1.0):  # else c'' would be of half a turn
                vector = Vector(composed((x, 0, z), (u, 0, 0)))  # (189)
                solutions.append(Solution(x, z, u, vector, _moments(B, u)))
    return TwoLevels(P, Q, tuple(solutions))


def _vanishes(value: Any, size: float) -> bool:
    """Whether an expression is zero, or a float against the size of others."""
    return is_zero(value) if isinstance(value, Expr) else bool(abs(value) <= _ZERO * size)


def _eliminant(A: Matrix) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Coefficients of P, (179), and Q, (180), constant first."""
    (a, b, c), (_, d, e), (_, _, f) = A
    P = (
        (a - d) * c * e + b * (e * e - c * c),
        c * (2 * b * b - c * c - e * e + (d - f) * (d - a)) - b * e * (a + d - 2 * f),
        b * (2 * c * c - b * b - e * e + (f - d) * (f - a)) - c * e * (a + f - 2 * d),
        (a - f) * b * e + c * (e * e - b * b),
    )
    Q = (
        (a - d) ** 2 + 4 * b * b,
        8 * b * c - 4 * e * (a - d),
        2 * a * a + 4 * (b * b + c * c + e * e) - 2 * (a * d + a * f - d * f),
        8 * b * c - 4 * e * (a - f),
        (a - f) ** 2 + 4 * c * c,
    )
    return P, Q


def _first_level(A: Matrix, P: Sequence[Any], principal: PrincipalAxes, size: float) -> list[tuple[Any, Any]]:
    """x and z with B12 = B13 = 0."""
    if _vanishes(A[0, 1], size) and _vanishes(A[0, 2], size):
        return [(A[0, 0] * 0, A[0, 0] * 0)]
    if not size and all(map(is_zero, P)):  # a double moment λ: A - λ is a multiple of s sᵀ, (-s₂, s₁, 0) an axis
        slope = normal(A[1, 2] / A[0, 2] if not is_zero(A[0, 2]) else (A[1, 1] - A[2, 2]) / A[0, 1])  # s₂/s₁
        root = sqrt(1 + slope * slope)
        return [(as_expr(0), slope + root), (as_expr(0), slope - root)]
    axes = [Vector(column) for column in (principal.axes.T.tolist() if size else principal.axes.columns)]
    return [(v[2] / v[1], (sign - v[0]) / v[1]) for v in axes if not _vanishes(v[1], size and 1.0) for sign in (1, -1)]


def _second_level(B: Matrix, size: float) -> list[Any]:
    """u with S23 = 0, (185)-(188); where B23 is zero, no turn and quarter turns."""
    if _vanishes(B[1, 2], size):
        return [B[1, 2] * 0, B[1, 2] * 0 + 1, B[1, 2] * 0 - 1]
    a = (B[2, 2] - B[1, 1]) / B[1, 2]
    M = sqrt(a * a + 4)
    high, low = sqrt(2 * (M * M + a * M)), sqrt(2 * (M * M - a * M))
    return [(a + M - high) / 2, (a - M + low) / 2, (a - M - low) / 2, (a + M + high) / 2]


def _moments(B: Matrix, u: Any) -> Vector:
    """The diagonal of S = Oᵀ(c̃) B O(c̃), (183)."""
    c, s = (1 - u * u) / (1 + u * u), 2 * u / (1 + u * u)
    across = 2 * c * s * B[1, 2]
    return Vector([B[0, 0], c * c * B[1, 1] + across + s * s * B[2, 2], s * s * B[1, 1] - across + c * c * B[2, 2]])
