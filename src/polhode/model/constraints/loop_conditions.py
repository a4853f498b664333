"""The scalar conditions that closing joints are made of, on the pose X = (R, p) of frame b in frame a.

With n, m for axes of the frames b and a in ground components, each has a value, and a rate d·(v, ω) in the velocity of
frame b's origin against the point of a that is there, and in the angular velocity of b against a:

    condition                                   direction d
    InPlane             e·p                     (m, 0),                                    m = R_a e
    Perpendicular       e·(R a)                 (0, n × m),                                n = R_b a, m = R_a e
    NoRelativeRotation  (R_ij - R_ji)/2         (0, (n_j × m_i - n_i × m_j)/2)
    Advance             p·a - pitch · angle     (R_a a, -pitch n × (X m_2 - Y m_1)/(X² + Y²)),  X = n·m_1, Y = n·m_2
"""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr, Matrix, Vector, as_expr, atan2
from ...geometry import Pose, unit_axis

AXES = "xyz"
_PLANES = ((2, 1), (0, 2), (1, 0))
_ZERO = Vector([0, 0, 0])
Direction = tuple[Vector, Vector]


@dataclass(frozen=True)
class InPlane:
    """e·p, with e fixed in frame a: the origin of b stays in a plane of a."""

    name: str
    e: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.p))

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        return R_a @ self.e, _ZERO


@dataclass(frozen=True)
class Perpendicular:
    """e·(R a), with e fixed in frame a and a in frame b: two axes stay at right angles."""

    name: str
    e: Vector
    a: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.R @ self.a))

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        return _ZERO, (R_b @ self.a).cross(R_a @ self.e)


@dataclass(frozen=True)
class NoRelativeRotation:
    """A component of the skew part of R, (R_ij - R_ji)/2, which has full rank at R = 1."""

    axis: int

    @property
    def name(self) -> str:
        return f"turn {AXES[self.axis]}"

    def value(self, X: Pose) -> Expr:
        i, j = _PLANES[self.axis]
        return as_expr((X.R[i, j] - X.R[j, i]) / 2)

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        i, j = _PLANES[self.axis]
        of_b, of_a = R_b.columns, R_a.columns
        return _ZERO, (of_b[j].cross(of_a[i]) - of_b[i].cross(of_a[j])) / 2


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

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        n, m_1, m_2 = R_b @ self.e1, R_a @ self.e1, R_a @ self.e2
        X, Y = n.dot(m_1), n.dot(m_2)
        pitch = self.v.dot(self.a) / self.a.dot(self.a)
        return R_a @ self.a, n.cross(m_2 * X - m_1 * Y) * (-pitch / (X * X + Y * Y))


LoopCondition = InPlane | Perpendicular | NoRelativeRotation | Advance


def no_relative_rotation() -> list[LoopCondition]:
    """R = 1."""
    return [NoRelativeRotation(axis) for axis in range(3)]


def nothing_free() -> list[LoopCondition]:
    """R = 1 and p = 0."""
    return [*no_relative_rotation(), *(InPlane(letter, unit_axis(letter)) for letter in AXES)]
