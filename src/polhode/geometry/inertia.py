"""Spatial inertia as ten numbers: mass, first moment and second moment about the frame's origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..expr import Matrix, Vector
from .pose import Pose


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass m, first moment h = m c, and inertia I about the origin; Kwatny and Blankenship (48)."""

    m: Any
    h: Vector
    I: Matrix

    @staticmethod
    def zero() -> Inertia:
        return Inertia(0, Vector([0, 0, 0]), Matrix.zeros(3, 3))

    @staticmethod
    def of_body(m: Any, c: Vector, I_com: Matrix) -> Inertia:
        """From the mass centre c and the inertia about it: I = I_com + m (c·c 1 - c cᵀ)."""
        return Inertia(m, c * m, I_com + parallel_axis(c * m, c))

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.m + other.m, self.h + other.h, self.I + other.I)

    def seen_from(self, X: Pose) -> Inertia:
        """The same body about the origin of frame A, in A's components, where X is the pose X_AB.

        I_A = R I Rᵀ + (2 h'·p + m p·p) 1 - h' pᵀ - p h'ᵀ - m p pᵀ, with h' = R h.
        """
        h_rotated = X.R @ self.h
        h_A = h_rotated + X.p * self.m
        # With h_A = h' + m p the four shift terms are those of (h' , p) and (p , h_A) together.
        I_A = rotate_symmetric(X.R, self.I)
        if any(X.p):
            I_A = I_A + _two_shifts(h_rotated, h_A, X.p)
        return Inertia(self.m, h_A, I_A)

    def momentum(self, w: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Angular momentum about the origin and linear momentum: (I ω + h × v, m v - h × ω)."""
        return self.I @ w + self.h.cross(v), v * self.m - self.h.cross(w)

    def matrix(self) -> Matrix:
        """The 6×6 matrix [[I, ĥ], [-ĥ, m 1]]."""
        x, y, z = self.h
        m, I = self.m, self.I
        return Matrix([
            [*I[0], 0, -z, y], [*I[1], z, 0, -x], [*I[2], -y, x, 0],
            [0, z, -y, m, 0, 0], [-z, 0, x, 0, m, 0], [y, -x, 0, 0, 0, m],
        ])  # fmt: skip


def symmetric(upper: dict[tuple[int, int], Any]) -> Matrix:
    """The symmetric 3×3 matrix with these entries on and above the diagonal."""
    return Matrix([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def parallel_axis(h: Vector, c: Vector) -> Matrix:
    """h·c 1 - h cᵀ for parallel h and c: the inertia of a mass away from the origin."""
    x, y, z = (h[k] * c[k] for k in range(3))
    return symmetric({
        (0, 0): y + z, (1, 1): x + z, (2, 2): x + y,
        (0, 1): -(h[0] * c[1]), (0, 2): -(h[0] * c[2]), (1, 2): -(h[1] * c[2]),
    })  # fmt: skip


def _two_shifts(h: Vector, h_A: Vector, p: Vector) -> Matrix:
    """(h + h_A)·p 1 - h pᵀ - p h_Aᵀ, symmetric because h_A - h is parallel to p."""
    both = h + h_A
    x, y, z = (both[k] * p[k] for k in range(3))
    return symmetric({
        (0, 0): y + z, (1, 1): x + z, (2, 2): x + y,
        (0, 1): -(h[0] * p[1] + p[0] * h_A[1]),
        (0, 2): -(h[0] * p[2] + p[0] * h_A[2]),
        (1, 2): -(h[1] * p[2] + p[1] * h_A[2]),
    })  # fmt: skip


def rotate_symmetric(R: Matrix, S: Matrix) -> Matrix:
    """R S Rᵀ for symmetric S, each entry once."""
    T = R @ S
    return symmetric({(i, j): T[i].dot(R[j]) for i in range(3) for j in range(i, 3)})
