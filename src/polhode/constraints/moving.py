"""Poses and velocities of the bodies of a tree, as constraints ask for them.

A body's point that is at place P moves with v_O + ω × (P - O), whatever P itself does. All is in ground components.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ..expr import Expr, Vector, as_expr, directional, substitute
from ..geometry import Pose
from ..geometry.twist import Twist
from ..kinematics.motion import body_pose, flow, point_velocity, relative_pose, velocities, world_poses
from ..kinematics.tree import BASE, Tree, build_tree
from ..model.constraints.protocol import Contact, ContactConstraint, LoopConstraint
from ..model.model import Model


class MovingTree:
    """Where the bodies of a system are, and how they move, on its tree."""

    def __init__(self, model: Model, tree: Tree) -> None:
        self.system, self.tree = model, tree

    @cached_property
    def _poses(self) -> list[Pose]:
        return world_poses(self.tree)

    @cached_property
    def _velocities(self) -> list[Twist]:
        return velocities(self.tree)

    @property
    def time(self) -> Expr:
        return self.system.time

    def given(self, value: Any) -> Any:
        """A user's expressions with the symbols of coupled and driven joints substituted."""
        listed = map(as_expr, value if isinstance(value, Vector) else [value])
        entries = substitute(list(listed), self.tree.followed)
        return Vector(entries) if isinstance(value, Vector) else entries[0]

    def pose(self, frame: str) -> Pose:
        if frame in self.system.bodies:
            return body_pose(self.tree, frame, self._poses)
        record = self.system.frames[frame]
        return body_pose(self.tree, record.body, self._poses) @ record.pose

    def relative(self, a: str, b: str) -> Pose:
        return relative_pose(self.tree, a, b)

    def coordinate(self, joint: str, index: int) -> tuple[Expr, Expr]:
        """A coordinate of a joint and its rate."""
        (q,) = substitute([self.system.joints[joint].q[index]], self.tree.followed)
        return q, directional([q], flow(self.tree, self.time))[0]

    def speed(self, joint: str, index: int) -> Expr:
        """A speed of a joint."""
        return substitute([self.system.joints[joint].u[index]], self.tree.followed)[0]

    def velocity(self, body: str, place: Vector) -> Twist:
        """Angular velocity of a body, and velocity of its point at a position, in ground components."""
        link, _ = self.tree.bodies[body]
        if link == BASE:
            return Twist.zero()
        twist = point_velocity(self.tree, body, (0, 0, 0), self._velocities)
        return twist.turned(self._poses[link].R).at(place - self.pose(body).p)

    def rates(self, constraint: ContactConstraint, contact: Contact) -> dict[str, Expr]:
        """All velocities that vanish at a contact, by name."""
        (w_a, v_a), (w_b, v_b) = (self.velocity(body, contact.place) for body in constraint.bodies)
        return contact.rates(v_a - v_b, w_a - w_b)


def moving_of(model: Model) -> MovingTree:
    """The kinematics of a model on its tree, cached with the model."""
    moving = vars(model).get("_moving")
    if not isinstance(moving, MovingTree):
        moving = vars(model)["_moving"] = MovingTree(model, build_tree(model))
    return moving


def loop_pose(constraint: LoopConstraint, tree: Tree) -> Pose:
    """The pose of frame b in frame a."""
    return constraint.pose_a.inverse() @ relative_pose(tree, constraint.a, constraint.b) @ constraint.pose_b
