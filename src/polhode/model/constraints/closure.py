"""A joint of any kind that closes a loop, by its conditions on the pose X = (R, p) of frame b in frame a.

    turns about    nothing: R = 1        one axis a: R a = a       any axis: nothing
    slides along   nothing: p = 0        d: p × d = 0              a plane: p·n = 0      anywhere: nothing

A universal joint keeps p = 0 and its two axes at right angles; a screw keeps p·a at pitch times the angle. What other
joints ask cannot be said without coordinates of their own.

The scalar conditions that closing joints are made of, on the pose X = (R, p) of frame b in frame a.

With n, m for axes of the frames b and a in ground components, each has a value, and a rate d·(v, ω) in the velocity of
frame b's origin against the point of a that is there, and in the angular velocity of b against a:

    condition                                   direction d
    InPlane             e·p                     (m, 0),                                    m = R_a e
    Perpendicular       e·(R a)                 (0, n × m),                                n = R_b a, m = R_a e
    NoRelativeRotation  (R_ij - R_ji)/2         (0, (n_j × m_i - n_i × m_j)/2)
    Advance             p·a - pitch · angle     (R_a a, -pitch n × (X m_2 - Y m_1)/(X² + Y²)),  X = n·m_1, Y = n·m_2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from ...expr import Expr, Matrix, Vector, as_expr, atan2, is_zero, rank
from ...geometry import Pose, unit_axis
from ...geometry.twist import ZERO
from .protocol import NOWHERE, JointType, LoopConstraint, Stage, given

AXES = "xyz"
_PLANES = ((2, 1), (0, 2), (1, 0))
Direction = tuple[Vector, Vector]


@dataclass(frozen=True)
class InPlane:
    """e·p, with e fixed in frame a: the origin of b stays in a plane of a."""

    name: str
    e: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.p))

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        return R_a @ self.e, ZERO


@dataclass(frozen=True)
class Perpendicular:
    """e·(R a), with e fixed in frame a and a in frame b: two axes stay at right angles."""

    name: str
    e: Vector
    a: Vector

    def value(self, X: Pose) -> Expr:
        return as_expr(self.e.dot(X.R @ self.a))

    def direction(self, R_a: Matrix, R_b: Matrix) -> Direction:
        return ZERO, (R_b @ self.a).cross(R_a @ self.e)


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
        return ZERO, (of_b[j].cross(of_a[i]) - of_b[i].cross(of_a[j])) / 2


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


@dataclass(frozen=True, kw_only=True)
class Closure(LoopConstraint):
    """A joint that closes a loop: frame b, on one body, moves against frame a, on another, as the joint allows."""

    kind = "closure"
    table = "closures"
    alone = True

    rotation_a: Matrix = given("rotation", None, of="a")
    rotation_b: Matrix = given("rotation", None, of="b")
    joint: JointType = given("motion", doc="How b moves against a.")

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        made = cls(name=name, **values)
        nominal = made.joint.nominal
        if nominal is None:
            return made
        turned = made.pose_a @ Pose(nominal, NOWHERE)
        return replace(made, rotation_a=turned.R, at_a=turned.p, joint=made.joint.in_nominal_frame())

    @cached_property
    def pose_conditions(self) -> list[LoopCondition] | None:
        """The joint's conditions on the pose; None where they need auxiliary coordinates."""
        stages = [self.joint.stages[k] for k in self.joint.from_parent]
        if not stages:
            return nothing_free()
        return _of_stage(stages[0]) if len(stages) == 1 else _of_universal(stages)

    def conditions(self, X: Pose) -> dict[str, Expr] | None:
        return None if self.pose_conditions is None else {each.name: each.value(X) for each in self.pose_conditions}

    def directions(self, R_a: Matrix, R_b: Matrix) -> dict[str, tuple[Vector, Vector]] | None:
        found = self.pose_conditions
        return None if found is None else {each.name: each.direction(R_a, R_b) for each in found}

    @property
    def closing_joint(self) -> JointType:
        return self.joint

    def branch(self, X: Pose) -> Expr | None:
        """The conditions hold too with an axis reversed, R a = -a, or, where nothing may turn, after half a turn."""
        turns = [Vector(h[:3]) for stage in self.joint.stages for h in stage.H.columns if any(h[:3])]
        if not turns:
            return as_expr(X.R[0, 0] + X.R[1, 1] + X.R[2, 2] - 3)
        if len(turns) == 1:
            return as_expr(turns[0].dot(X.R @ turns[0]) / turns[0].dot(turns[0]) - 1)
        return None


def _of_stage(stage: Stage) -> list[LoopCondition] | None:
    """A simple joint whose axes pass through its origin."""
    turns = [Vector(h[:3]) for h in stage.H.columns if any(h[:3])]
    slides = [Vector(h[3:]) for h in stage.H.columns if not any(h[:3])]
    both = [(Vector(h[:3]), Vector(h[3:])) for h in stage.H.columns if any(h[:3]) and any(h[3:])]
    if both:
        return _of_screw(*both[0]) if len(stage.H.columns) == 1 else None
    ways = rank([list(a) for a in turns]) if turns else 0
    if ways == 2 or len(turns) != ways or not stage.is_holonomic:
        return None
    found = no_relative_rotation() if ways == 0 else _one_axis(turns[0]) if ways == 1 else []
    return found + _no_slide(slides)


def _of_screw(a: Vector, v: Vector) -> list[LoopCondition] | None:
    if any(not is_zero(entry) for entry in a.cross(v)):
        return None
    return [*_one_axis(a), *_no_slide([a]), Advance("advance", a, v, *_across(a))]


def _of_universal(stages: Sequence[Stage]) -> list[LoopCondition] | None:
    if len(stages) != 2 or any(len(s.H.columns) != 1 or any(s.H.columns[0][3:]) for s in stages):
        return None
    first, second = (Vector(s.H.columns[0][:3]) for s in stages)
    if not is_zero(first.dot(second)):
        return None
    return [*_no_slide([]), Perpendicular("square", first, second)]


def _one_axis(a: Vector) -> list[LoopCondition]:
    return [Perpendicular(f"tilt {k}", e, a) for k, e in enumerate(_across(a), start=1)]


def _no_slide(free: Sequence[Vector]) -> list[LoopCondition]:
    """p has no part outside the directions in which the joint slides."""
    if not free:
        return [InPlane(letter, unit_axis(letter)) for letter in AXES]
    if len(free) == 1:
        return [InPlane(f"off {k}", e) for k, e in enumerate(_across(free[0]), start=1)]
    if len(free) == 2:
        return [InPlane("height", free[0].cross(free[1]))]
    return []


def _across(a: Vector) -> tuple[Vector, Vector]:
    """Two directions at right angles to a and to each other."""
    spare = next(unit_axis(letter) for letter in AXES if any(not is_zero(x) for x in unit_axis(letter).cross(a)))
    first: Any = spare.cross(a)
    return first, a.cross(first)
