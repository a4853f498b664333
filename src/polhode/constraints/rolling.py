"""Rolling contacts: where two bodies touch, and which velocities vanish there.

A body's point that is at place P moves with v_O + ω × (P - O), whatever P itself does. All is written in the
components of the frame that carries the plane, relative to the body that carries it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Vector, as_expr, sqrt
from ..geometry import Pose
from ..kinematics.motion import body_pose, point_velocity, velocities, world_poses
from ..kinematics.tree import BASE, Tree
from ..model.constraint import Ball, Slip, Wheel

_Z = Vector([0, 0, 1])


@dataclass(frozen=True)
class Contact:
    """What a contact asks: conditions on the position, and velocities that vanish, each with its name."""

    positions: list[tuple[str, Expr]]
    speeds: list[tuple[str, Expr]]


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


def wheel_contact(wheel: Wheel, moving: Moving) -> Contact:
    """A thin disc on a plane: the lowest point of the rim is at -r (n - (n·a) a)/s from the centre, s² = 1 - (n·a)²."""
    plane = moving.pose(wheel.on) @ wheel.plane
    X = moving.pose(wheel.body)
    n, a = plane.R @ _Z, X.R @ wheel.axis
    centre = X.point(wheel.centre)
    lean = as_expr(n.dot(a))
    s = sqrt(as_expr(1 - lean * lean))
    low = (n - a * lean) * (-wheel.radius / s)
    along = a.cross(n)
    slip = moving.slip(wheel.body, wheel.on, centre + low)
    return Contact(
        [("height", as_expr((centre - plane.p).dot(n) - wheel.radius * s))],
        [("along", as_expr(slip.dot(along))), ("across", as_expr(slip.dot(n.cross(along))))],
    )


def ball_contact(ball: Ball, moving: Moving) -> Contact:
    """A ball on a plane, or on (in) another ball: they touch on the line between the centres."""
    plane = moving.pose(ball.on) @ ball.plane
    centre = moving.pose(ball.body).point(ball.centre)
    apart = centre - plane.p
    if ball.other_radius is None:
        n = plane.R @ _Z
        touching = as_expr(apart.dot(n) - ball.radius)
        slip = moving.slip(ball.body, ball.on, centre - n * ball.radius)
        directions = [("x", plane.R[:, 0]), ("y", plane.R[:, 1])]
        return Contact([("height", touching)], [(name, as_expr(slip.dot(d))) for name, d in directions])
    distance = ball.radius + ball.other_radius
    touching = as_expr((apart.dot(apart) - distance * distance) / 2)
    place = plane.p + apart * (ball.other_radius / distance)
    slip = moving.slip(ball.body, ball.on, place)
    across = plane.R.T @ apart.cross(slip)  # the part across the line of centres
    return Contact([("touch", touching)], [(letter, as_expr(x)) for letter, x in zip("xyz", across, strict=True)])


def no_slip(slip: Slip, moving: Moving, frame: Pose) -> Contact:
    """The points of two bodies at a place have one velocity along some directions."""
    place = frame.point(moving.given(slip.point))
    rate = moving.slip(slip.body_a, slip.body_b, place)
    speeds = [as_expr(rate.dot(frame.R @ moving.given(d))) for d in slip.directions]
    names = [""] if len(speeds) == 1 else [str(k) for k in range(1, len(speeds) + 1)]
    return Contact([], list(zip(names, speeds, strict=True)))
