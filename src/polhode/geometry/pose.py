"""Rigid motions: where one frame is in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..expr import Matrix, Vector


@dataclass(frozen=True, slots=True)
class Pose:
    """The pose X_AB of frame B in frame A: a point with components x in B is at R x + p in A."""

    R: Matrix
    p: Vector

    @staticmethod
    def identity() -> Pose:
        return Pose(Matrix.identity(3), Vector([0, 0, 0]))

    def __matmul__(self, other: Pose) -> Pose:
        """X_AC = X_AB @ X_BC."""
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """X_BA. Kwatny and Blankenship (2b), as corrected."""
        return Pose(self.R.T, -(self.R.T @ self.p))

    def point(self, x: Any) -> Vector:
        """The point's components in the outer frame."""
        return self.p + self.R @ Vector(x)

    def matrix(self) -> Matrix:
        """The homogeneous 4×4 matrix, (1) of Kwatny and Blankenship."""
        return Matrix([[*self.R[i], self.p[i]] for i in range(3)] + [[0, 0, 0, 1]])
