"""Rolling contacts: where two bodies touch, and which velocities vanish there.

A body's point that is at place P moves with v_O + ω × (P - O), whatever P itself does. All is written in the
components of the frame that carries the plane, relative to the body that carries it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelError
from ..expr import Expr, Vector, as_expr, is_zero, sqrt
from ..geometry import Pose
from ..kinematics.motion import body_pose, point_velocity, velocities, world_poses
from ..kinematics.tree import BASE, Tree
from ..model.constraint import Ball, Slip, Wheel

_Z = Vector([0, 0, 1])
_STILL = Vector([as_expr(0)] * 3)


@dataclass(frozen=True)
class Contact:
    """Where two bodies meet, and the directions in which they do not slip on each other, in ground components.

    A direction in which they keep touching comes with a condition on the position, whose rate is the slip along it.
    `turns` are directions about which they do not turn against each other, by themselves or beside a direction of the
    same name. `drift` is how the second body's surface moves there by itself.
    """

    body: str
    on: str
    place: Vector
    directions: dict[str, Vector]
    positions: dict[str, Expr]
    turns: dict[str, Vector] = field(default_factory=dict)
    drift: Vector = _STILL

    def speeds(self, moving: Moving) -> dict[str, Expr]:
        """The velocities that vanish, but for those that a condition on the position keeps."""
        slip = moving.slip(self.body, self.on, self.place) - self.drift
        return {name: as_expr(slip.dot(d)) for name, d in self.directions.items() if name not in self.positions}

    def rates(self, moving: Moving) -> dict[str, Expr]:
        """All velocities that vanish, by name: along each direction, about each turn, or both together."""
        slip = moving.slip(self.body, self.on, self.place) - self.drift
        spin = moving.spin(self.body, self.on)
        made = {name: as_expr(slip.dot(d)) for name, d in self.directions.items()}
        return made | {name: as_expr(made.get(name, 0) + spin.dot(turn)) for name, turn in self.turns.items()}


class Moving:
    """Poses and velocities of the bodies of a tree, in ground components."""

    def __init__(self, tree: Tree, given: Callable[[Any], Any]) -> None:
        self.tree, self.given = tree, given
        self._poses = world_poses(tree)
        self._velocities = velocities(tree)

    def pose(self, body: str) -> Pose:
        return body_pose(self.tree, body, self._poses)

    def velocity(self, body: str, place: Vector) -> tuple[Vector, Vector]:
        """Angular velocity of a body, and the velocity of its point at a place, both in ground components."""
        link, _ = self.tree.bodies[body]
        if link == BASE:
            return Vector([0, 0, 0]), Vector([0, 0, 0])
        w, v = point_velocity(self.tree, body, (0, 0, 0), self._velocities)
        R = self._poses[link].R
        w, v = R @ w, R @ v
        return w, v + w.cross(place - self.pose(body).p)

    def slip(self, a: str, b: str, place: Vector) -> Vector:
        """How fast the point of body a at a place moves against that of body b, in ground components."""
        return self.velocity(a, place)[1] - self.velocity(b, place)[1]

    def spin(self, a: str, b: str) -> Vector:
        """How fast body a turns against body b, in ground components."""
        return self.velocity(a, _STILL)[0] - self.velocity(b, _STILL)[0]


def contact_of(constraint: Wheel | Ball | Slip, moving: Moving, frame: Callable[[str], Pose]) -> Contact:
    """The contact that a record describes; `frame` gives the pose of a frame by its name."""
    if isinstance(constraint, Wheel):
        return _wheel(constraint, moving)
    if isinstance(constraint, Ball):
        return _ball(constraint, moving)
    return _no_slip(constraint, moving, frame(constraint.frame))


def _wheel(wheel: Wheel, moving: Moving) -> Contact:
    """A thin disc on a plane: the lowest point of the rim is at -r (n - (n·a) a)/s from the centre, s² = 1 - (n·a)².

    With the unit vector h = a × n/s, along which it heads, (n - (n·a) a)/s is h × a.
    """
    plane = moving.pose(wheel.on) @ wheel.plane
    X = moving.pose(wheel.body)
    n, a = plane.R @ _Z, X.R @ wheel.axis
    centre = X.point(wheel.centre)
    lean = as_expr(n.dot(a))
    if is_zero(1 - lean * lean):
        raise ModelError(
            "the wheel always lies flat: its axis is the plane's normal.",
            place=f"wheel '{wheel.name}'",
            cure="Give the axis about which it rolls.",
            code="E-CLOSE-003",
        )
    along = a.cross(n)
    if wheel.upright is None:
        s = sqrt(as_expr(1 - lean * lean))
        reach = (n - a * lean) * (wheel.radius / s)
    else:
        s = moving.given(wheel.upright)
        _check_upright(wheel, s * s + lean * lean - 1)
        along = along / s
        reach = along.cross(a) * wheel.radius
    return Contact(
        wheel.body,
        wheel.on,
        centre - reach,
        {"height": n, "along": along, "across": n.cross(along)},
        {"height": as_expr((centre - plane.p).dot(n) - wheel.radius * s)},
    )


def _check_upright(wheel: Wheel, gap: Expr) -> None:
    if not is_zero(gap):
        raise ModelError(
            f"upright = {wheel.upright!r} is not the cosine of its lean: its square is not 1 - (n·a)².",
            place=f"wheel '{wheel.name}'",
            cure="Give the cosine of the angle between the wheel and the plane's normal, or leave it out.",
            code="E-CLOSE-005",
        )


def _ball(ball: Ball, moving: Moving) -> Contact:
    """A ball on a plane, or on (in) another ball: they touch on the line between the centres."""
    plane = moving.pose(ball.on) @ ball.plane
    centre = moving.pose(ball.body).point(ball.centre)
    apart = centre - plane.p
    x, y, n = plane.R.columns
    if ball.other_radius is None:
        touching = {"height": as_expr(apart.dot(n) - ball.radius)}
        return Contact(ball.body, ball.on, centre - n * ball.radius, {"height": n, "x": x, "y": y}, touching)
    distance = ball.radius + ball.other_radius
    touching = {"touch": as_expr((apart.dot(apart) - distance * distance) / 2)}
    directions = {"touch": apart, "x": x.cross(apart), "y": y.cross(apart), "z": n.cross(apart)}
    return Contact(ball.body, ball.on, plane.p + apart * (ball.other_radius / distance), directions, touching)


def _no_slip(slip: Slip, moving: Moving, frame: Pose) -> Contact:
    """The points of two bodies at a place have one velocity along some directions."""
    along = [frame.R @ moving.given(d) for d in slip.directions]
    names = [""] if len(along) == 1 else [str(k) for k in range(1, len(along) + 1)]
    place = frame.point(moving.given(slip.point))
    return Contact(slip.body_a, slip.body_b, place, dict(zip(names, along, strict=True)), {})
