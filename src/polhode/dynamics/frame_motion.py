"""How a frame moves: its velocity, its acceleration, and what of that the speeds alone give.

    V = J u,    V̇ = J u̇ + J̇ u,    V = (ω, v) of the frame's origin, in ground components

J is never differentiated: velocities and accelerations go outward along the joints that carry the frame, as in the
recursion of Newton and Euler, (5.7) and (5.8) of R. Featherstone, *Rigid Body Dynamics Algorithms* (2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Vector, as_expr
from ..geometry.lie import bracket, change_of_frame
from ..geometry.twist import Twist
from ..kinematics.tree_paths import links_inward
from .equations import EquationsOfMotion


def frame_velocity(equations: EquationsOfMotion, name: str) -> Vector:
    """ω and v of the origin of a body or frame in ground components, six entries of q and u."""
    velocity, _ = _motion(equations, name, [as_expr(0)] * len(equations.tree.u))
    return equations.in_independent_speeds(velocity)


def frame_acceleration(equations: EquationsOfMotion, name: str) -> Vector:
    """ω̇ and v̇ of the origin of a body or frame in ground components, six entries of q, u and u̇."""
    return _acceleration(equations, name, list(equations.udot))


def bias_acceleration(equations: EquationsOfMotion, name: str) -> Vector:
    """J̇ u: `frame_acceleration` at u̇ = 0."""
    return _acceleration(equations, name, [as_expr(0)] * len(equations.u))


def _acceleration(equations: EquationsOfMotion, name: str, ud: Sequence[Any]) -> Vector:
    dependent = equations.dependent_speeds
    all_ud = list(ud) if dependent is None else list(dependent.E @ Vector(ud) + dependent.gamma)
    _, acceleration = _motion(equations, name, all_ud)
    return equations.in_independent_speeds(acceleration)


def _motion(equations: EquationsOfMotion, name: str, ud: Sequence[Any]) -> tuple[Vector, Vector]:
    """V and V̇ of a frame, of all speeds of the tree."""
    body, within = equations.located(name)
    tree = equations.tree
    carrier, X_body = tree.bodies[body]
    v = a = Vector([as_expr(0)] * 6)
    for i in reversed(links_inward(tree, carrier)):
        link = tree.links[i]
        X = change_of_frame(link.X)
        S_u, S_ud = link.relative_velocity(tree.u).six, link.relative_acceleration(tree.u, ud).six
        v = X @ v + S_u  # (5.7)
        a = X @ a + S_ud + bracket(v, S_u)  # (5.8)
    X, R = change_of_frame(X_body @ within), equations.pose(name).R
    v, a = X @ v, X @ a
    twist, rate = Twist.of(v), Twist.of(a)
    rate = Twist(rate.angular, rate.linear + twist.angular.cross(twist.linear))  # the origin's own, not the spatial one
    return twist.turned(R).six, rate.turned(R).six
