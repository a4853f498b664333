"""Joints of any kind as ports: what they do to the velocity of their outer end against their inner one.

The terminal B of a joint is fixed on its child; its terminal A is the point of the parent at which B is, so that the
force at B and its reaction at A act at one point:

    x = (v, ω) = D u + x_0,    v = Σ (h_v + h_w × r) u,    ω = Σ h_w u

over all stages of the joint, h_w and h_v being the axes of a stage and r the arm from it to B. The slide ξ leads to B
from the point where the joint is fixed on the parent. x_0 is what a prescribed motion gives. Y. Tokad (1992), (29) and
the text after (36), with the correction in docs/errata.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...expr import Expr, Matrix, Vector, as_expr, directional
from ...formalisms.network.mechanism import ZERO
from ...geometry import Pose
from ...kinematics.motion import body_pose, flow, world_poses
from ...kinematics.tree import Link, Tree, joints_from_the_ground
from ...model.model import Model
from ...model.records import Joint


@dataclass(frozen=True)
class JointPort:
    """A joint as a port: x = D u + x_0 in ground components, and the slide ξ."""

    joint: Joint
    D: Matrix
    x_0: Vector
    slide: Vector
    tree: Tree
    time: Expr

    def _rate(self, entries: Sequence[Any]) -> list[Expr]:
        return directional([as_expr(entry) for entry in entries], flow(self.tree, self.time))

    @cached_property
    def D_dot(self) -> Matrix:
        """dD/dt along q̇ = Γ u."""
        flat, size = self._rate(list(self.D.entries())), len(self.tree.u)
        return Matrix([flat[k * size : (k + 1) * size] for k in range(6)])

    @cached_property
    def x_0_dot(self) -> Vector:
        """dx_0/dt along q̇ = Γ u and in time."""
        return Vector(self._rate(self.x_0))

    @property
    def drift(self) -> Vector:
        """v, with which the terminal A moves on the parent."""
        return Vector(self.across(self.tree.u)[:3])

    def across(self, u: Sequence[Any]) -> Vector:
        """x."""
        return self.D @ Vector(u) + self.x_0

    def across_rate(self, u: Sequence[Any], ud: Sequence[Any]) -> Vector:
        """dx/dt."""
        return self.D @ Vector(ud) + self.D_dot @ Vector(u) + self.x_0_dot


class _Sum:
    """x while it is added up: a column for each speed that it depends on, and None for what is given."""

    def __init__(self) -> None:
        self.parts: dict[int | None, tuple[Vector, Vector]] = {}

    def add(self, speed: int | None, v: Vector, w: Vector) -> None:
        before = self.parts.get(speed, (ZERO, ZERO))
        self.parts[speed] = before[0] + v, before[1] + w

    def column(self, speed: int | None) -> list[Any]:
        v, w = self.parts.get(speed, (ZERO, ZERO))
        return [as_expr(entry) for entry in (*v, *w)]


def joint_ports(system: Model, tree: Tree) -> dict[str, JointPort]:
    """Every joint of a system as a port, from the ground outward.

    >>> import polhode as ph
    >>> from polhode.kinematics.tree import build_tree
    >>> s = ph.System("cross")
    >>> _ = s.joint("cross", s.ground, s.body("top", 1), ph.Universal("x", "y"))
    >>> ph.normal(joint_ports(s, build_tree(s))["cross"].D.T[1])
    Vector([0, 0, 0, 0, cos(cross_1), sin(cross_1)])
    """
    poses = world_poses(tree)
    stages: dict[str, list[tuple[Link, Pose]]] = {}
    for link, X in zip(tree.links, poses, strict=True):
        stages.setdefault(link.joint, []).append((link, X))
    found = {}
    for joint in joints_from_the_ground(system):
        own, slide = _Sum(), ZERO
        links = stages.get(joint.name, [])  # a weld has none
        if links:
            outer, inner = links[-1][1].p, body_pose(tree, joint.parent, poses).point(joint.in_parent.p)
            slide = outer - inner
            for link, X in links:
                _add_stage(own, link, X.R, outer - X.p)
        D = Matrix.columns_of([own.column(speed) for speed in range(len(tree.u))], 6)
        found[joint.name] = JointPort(joint, D, Vector(own.column(None)), slide, tree, system.time)
    return found


def _add_stage(own: _Sum, link: Link, R: Matrix, arm: Vector) -> None:
    for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
        w = R @ hw
        own.add(speed, R @ hv + w.cross(arm), w)
    if link.drive is not None:
        w = R @ link.drive.w
        own.add(None, R @ link.drive.v + w.cross(arm), w)
