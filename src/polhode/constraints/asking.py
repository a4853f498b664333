"""The scalar conditions that closing joints are made of, on the pose X = (R, p) of frame b in frame a.

    Level      e·p = 0                   the origin of b stays in a plane of a
    Square     e·(R a) = 0               an axis of b stays at right angles to one of a
    Untwisted  (R_ij - R_ji)/2 = 0       nothing turns, by the skew part of R, which has full rank at R = 1
    Advance    p·a = pitch · angle       a slide that follows a turn

Each has a name, and its value at a pose.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, Vector, as_expr, atan2
from ..geometry import Pose

AXES = "xyz"
_PLANES = ((2, 1), (0, 2), (1, 0))


@dataclass(frozen=True)
class Level:
    """e·p, with e fixed in frame a."""

    name: str
    e: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.p))


@dataclass(frozen=True)
class Square:
    """e·(R a), with e fixed in frame a and a in frame b."""

    name: str
    e: Vector
    a: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.R @ self.a))


@dataclass(frozen=True)
class Untwisted:
    """A component of the skew part of R, (R_ij - R_ji)/2."""

    axis: int

    @property
    def name(self) -> str:
        return f"turn {AXES[self.axis]}"

    @property
    def plane(self) -> tuple[int, int]:
        """i and j."""
        return _PLANES[self.axis]

    def value(self, X: Pose) -> Expr:
        i, j = self.plane
        return as_expr((X.R[i, j] - X.R[j, i]) / 2)


@dataclass(frozen=True)
class Advance:
    """p·a less the pitch v·a/a² times the angle by which e1 has turned towards e2 = a × e1."""

    name: str
    a: Vector
    v: Vector
    e1: Vector
    e2: Vector

    def value(self, X: Pose) -> Expr:
        scale = self.a.dot(self.a)
        turned = X.R @ self.e1
        angle = atan2(as_expr(self.e2.dot(turned)), as_expr(self.e1.dot(turned)))
        return as_expr((X.p.dot(self.a) * scale - self.v.dot(self.a) * angle) / scale)


Asked = Level | Square | Untwisted | Advance
