"""Contact of two bodies: a point or a surface of one on a surface of the other, with dry friction and impacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr, is_zero, same
from ...geometry import Pose
from ..surface import Surface
from .pairs import Touch, crossings, touches, warn_of_bulges, ways
from .protocol import MovingBodies, given
from .unilateral import Group, UnilateralElement, check_laws

_AXES = [Vector(row) for row in Matrix.identity(3).map(as_expr)]


@dataclass(frozen=True)
class Meeting:
    """A candidate of one body on a surface of another, and how it moves.

    `X` is the pose of the candidate's shape in the surface's frame, `R` takes that frame to the ground, `velocity` is
    that of the candidate's body against the other where they touch, in the surface's frame. `ends` has both bodies, the
    candidate's first, with the arm from the body's origin to where they touch, in ground components. It is `forward` if
    the candidate is on a.
    """

    touch: Touch
    forward: bool
    own: Surface
    other: Surface
    X: Pose
    R: Matrix
    velocity: Vector
    ends: tuple[tuple[str, Vector], tuple[str, Vector]]

    @property
    def tangents(self) -> list[Vector]:
        """Directions along which a slip is possible, in the surface's frame; that of a against b is positive."""
        signed = (t if self.forward else -t for t in _tangents(self.touch, self.velocity))
        return [t for t in signed if not is_zero(as_expr(t.dot(self.velocity)))]

    @property
    def axes(self) -> list[Vector]:
        """The normal and the tangents, in the frame of the surface's body."""
        return [self.other.pose.R @ axis for axis in (self.touch.normal, *self.tangents)]

    @property
    def arms(self) -> tuple[Vector, Vector]:
        """From the origins of both bodies to where they touch, in the frame of the surface's body."""
        own, other = self.own.pose, self.other.pose
        seat = self.X.R @ (own.R.T @ own.p)
        return other.R @ (seat + self.touch.arm), other.p + other.R @ (self.X.p + self.touch.arm)


@dataclass(frozen=True, kw_only=True)
class Contact(UnilateralElement):
    """A point `at` of a body, or a surface, on a surface: its coefficients of friction and restitution."""

    kind = "contact"
    table = "contacts"
    alone = True

    a: Surface = given("surface", doc="A surface, or a body or frame for its point `at`.")
    at: Vector = given("point", (0, 0, 0), of="a", unit="m")  # in the body
    b: Surface = given("surface", doc="A surface.")
    friction: Expr = given("number", 0, unit="1", doc="The coefficient of friction in motion.")
    static: Expr | None = given("number", None, unit="1", doc="The coefficient at rest, where it is another.")
    stribeck: Expr = given("number", 0, unit="m/s")
    restitution: Expr = given("number", 0, unit="1")

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> Self:
        made = super().of(name, values, given)
        warn_of_bulges(made.a, made.b, made.place)
        return made

    def check(self) -> None:
        check_laws(self.place, self.friction, self.static, self.stribeck, self.restitution)

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.a.body, self.b.body

    def groups(self, moving: MovingBodies) -> Sequence[Group]:
        made: list[Group] = []
        for each in self.meetings(moving):
            group = self._group(each)
            if not is_zero(group.rates[0]) and not any(_alike(group, other) for other in made):
                made.append(group)
        if not made:
            message = "its gap never changes: no motion of the mechanism opens or closes it."
            raise ModelError(message, self.place, "Remove it, or add the joint that moves it.", "E-CONSTRAINT-SINGULAR")
        return made

    def meetings(self, moving: MovingBodies) -> Iterator[Meeting]:
        """All candidates on the surfaces."""
        for own, other in ways(self.a, self.b, self.place):
            X = other.pose.inverse() @ moving.relative(other.body, own.body) @ own.pose
            both = own.kind != other.kind or own is self.a
            for touch in touches(own, other, X) + (crossings(own, other, X) if both else []):
                R_own, R_other = moving.pose(own.body).R, moving.pose(other.body).R
                R = R_other @ other.pose.R
                arm = R_own @ own.pose.p + R @ touch.arm
                arm_other = R_other @ other.pose.p + R @ (X.p + touch.arm)
                ends = ((own.body, arm), (other.body, arm_other))
                v, v_other = (moving.velocity(body, moving.pose(body).p).at(r).linear for body, r in ends)
                yield Meeting(touch, own is self.a, own, other, X, R, R.T @ (v - v_other), ends)

    def part_of(self, each: Meeting) -> str:
        """The name of a candidate."""
        return f"other {each.touch.part}" if self.a.kind == self.b.kind and not each.forward else each.touch.part

    def _group(self, each: Meeting) -> Group:
        touch, v = each.touch, each.velocity
        rates = [as_expr(touch.normal.dot(v))]
        static = self.friction if self.static is None else self.static
        if not (is_zero(self.friction) and is_zero(static)):
            rates += [as_expr(t.dot(v)) for t in each.tangents]
        laws = (self.friction, static, self.stribeck, self.restitution)
        return Group(self.part_of(each), touch.gap, tuple(rates), *laws, margin=touch.margin, meeting=each)


def _tangents(touch: Touch, v: Vector) -> Sequence[Vector]:
    """The tangents; of a motion in a plane across an axis e of the surface's frame e × n alone."""
    for e, along, across in zip(_AXES, v, touch.normal, strict=True):
        if is_zero(along) and is_zero(across):
            return [e.cross(touch.normal)]
    return touch.tangents


def _alike(a: Group, b: Group) -> bool:
    return a.gap is not None and b.gap is not None and same([a.gap, *a.rates], [b.gap, *b.rates])
