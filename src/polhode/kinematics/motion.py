"""Sweeps over the tree: poses, velocities, Jacobians, energy and momentum.

The vector-parameter of a frame changes with its angular velocity: C. Mladenova, section 3, (122) to (125). With the
orientation O of the frame and ω in ground components,

    ċ' = Λ ω,    Λ = (Oᵀ + 1)/(1 + tr O),    so that N_CV = Λ N_V                                         (81), (124)

Where the frame has turned by π, 1 + tr O = 0, and it has no vector-parameter. Near there floats lose the digits of
1 + tr O; they keep those of ((1 + tr O)² + o²)/4, with the vector o of O - Oᵀ, which equals it.

Screws of a tree: the lines of its joints in the ground, and the velocity screws of its bodies.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (156) to (163), as corrected
in docs/errata.md:

    Ô_oi = Ô_o1 Ô_12 … Ô_i-1,i                                                                            (156)
    K̂_i  = Ô_oi k̂_i                        the line of a joint's axis, in the ground                        (160)
    ω̂    = [K̂_1 … K̂_n] (ϑ̂'_1 … ϑ̂'_n)ᵀ       the velocity screw: ω + μ the velocity of the origin             (162)

    paper       here
    ϑ̂'_i k̂_i   the columns `link.H` of a joint times its speeds: k̂ a line, μ k̂ its direction where it slides
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr
from ..expr.functions import maximum
from ..geometry import Pose
from ..geometry.dual import Dual, dual
from ..geometry.dual_motion import dual_orthogonal
from ..geometry.rotations.matrix import fourfold, nine
from ..geometry.twist import Twist, Wrench
from .tree import BASE, Tree


def flow(tree: Tree, time: Expr) -> dict[Expr, Any]:
    """The direction in which coordinates and time move: q̇ = Γ u, ṫ = 1."""
    return {**dict(zip(tree.q, tree.coordinate_rates(), strict=True)), time: as_expr(1)}


def world_poses(tree: Tree) -> list[Pose]:
    """The pose of every link in the ground, by products of configuration matrices."""
    poses: list[Pose] = []
    for link in tree.links:
        poses.append(link.X if link.parent == BASE else poses[link.parent] @ link.fixed @ link.motion)
    return poses


def body_pose(tree: Tree, body: str, poses: Sequence[Pose] | None = None) -> Pose:
    """The pose of a body's frame in the ground."""
    i, X = tree.bodies[body]
    if i == BASE:
        return X
    return (world_poses(tree) if poses is None else poses)[i] @ X


def relative_pose(tree: Tree, a: str, b: str) -> Pose:
    """The pose of body b's frame in body a's, by the joints between them alone."""
    (i_a, X_a), (i_b, X_b) = tree.bodies[a], tree.bodies[b]
    to_a, to_b = X_a, X_b
    while i_a != i_b:  # the one further out goes a step inward: parents have smaller indices
        if i_a > i_b:
            to_a, i_a = tree.links[i_a].X @ to_a, tree.links[i_a].parent
        else:
            to_b, i_b = tree.links[i_b].X @ to_b, tree.links[i_b].parent
    return to_a.inverse() @ to_b


def velocities(tree: Tree, u: Sequence[Any] | None = None) -> list[Twist]:
    """w = Rᵀ w_parent + H1 u and v = Rᵀ (v_parent + w_parent × p) + H2 u of every link, in link components; (47)."""
    u = tree.u if u is None else u
    result: list[Twist] = []
    for link in tree.links:
        twist = link.relative_velocity(u)
        if link.parent != BASE:
            carried = result[link.parent].at(link.X.p)
            twist = Twist(link.outward(carried.angular), link.outward(carried.linear)) + twist
        result.append(twist)
    return result


def point_velocity(tree: Tree, body: str, point: Sequence[Any], moving: Sequence[Twist]) -> Twist:
    """Angular velocity of a body and velocity of a point of it, in the components of the body's link."""
    i, X = tree.bodies[body]
    if i == BASE:
        return Twist.zero()
    return moving[i].at(X.point(point))


def link_jacobian(tree: Tree, i: int) -> list[tuple[int, Vector, Vector]]:
    """Columns φ(k, j) H(j) of a link's velocity Jacobian, (50), (51), in link components: (speed, w-part, v-part)."""
    columns: list[tuple[int, Vector, Vector]] = []
    X = Pose.identity()  # pose of the target link in the link that is being visited
    while i != BASE:
        link = tree.links[i]
        for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
            columns.append((speed, X.R.T @ hw, X.R.T @ (hv + hw.cross(X.p))))
        X = link.X @ X
        i = link.parent
    return columns


def frame_jacobian(tree: Tree, body: str, point: Sequence[Any] = (0, 0, 0)) -> Matrix:
    """The 6×n Jacobian of a point of a body in ground components: rows angular velocity, then velocity."""
    i, X_body = tree.bodies[body]
    columns = [[as_expr(0)] * 6 for _ in tree.u]
    if i != BASE:
        poses = world_poses(tree)
        tip = poses[i].point(X_body.point(point))
        while i != BASE:
            link, X = tree.links[i], poses[i]
            for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
                w = X.R @ hw
                twist = [*w, *(X.R @ hv + w.cross(tip - X.p))]
                columns[speed] = [a + b for a, b in zip(columns[speed], twist, strict=True)]
            i = link.parent
    return Matrix.columns_of(columns, 6)


def kinetic_energy(tree: Tree, u: Sequence[Any] | None = None) -> Any:
    """T = ½ Σ (w·(I w + h × v) + v·(m v - h × w))."""
    total: Any = as_expr(0)
    u = tree.u if u is None else u
    for link, (w, v) in zip(tree.links, velocities(tree, u), strict=True):
        spin, linear = link.inertia.momentum(w, v)
        total = total + w.dot(spin) + v.dot(linear)
        for material in link.deforming:
            total = total + material.energy(w, v, u)
    return total / 2


def momentum(tree: Tree) -> Wrench:
    """Angular momentum about the ground's origin and linear momentum, in ground components."""
    spin, linear = Vector([as_expr(0)] * 3), Vector([as_expr(0)] * 3)
    for link, (w, v), X in zip(tree.links, velocities(tree), world_poses(tree), strict=True):
        wrench = Wrench(*link.inertia.momentum(w, v))
        for material in link.deforming:
            wrench = wrench + Wrench(*material.momentum(tree.u))
        own_spin, f = wrench.turned(X.R)
        linear = linear + f
        spin = spin + own_spin + X.p.cross(f)
    return Wrench(spin, linear)


def centre_of_mass(tree: Tree) -> tuple[Any, Vector]:
    """Total mass and first moment Σ m c in ground components."""
    mass: Any = as_expr(0)
    moment = Vector([as_expr(0)] * 3)
    for link, X in zip(tree.links, world_poses(tree), strict=True):
        mass = mass + link.inertia.m
        moment = moment + X.R @ link.inertia.h + X.p * link.inertia.m
    return mass, moment


def vector_parameter_map(R: Matrix, in_floats: bool = False) -> Matrix:
    """Λ(R), ċ = Λ ω of the vector-parameter, ω in ground components, (81); `in_floats` takes max(1 + tr R, 0)."""
    bottom, *o = fourfold(nine(R))[0]
    if in_floats:
        bottom = (maximum(bottom, 0) ** 2 + Vector(o).dot(Vector(o))) / 4
    return (R.T + Matrix.identity(3)).map(lambda entry: as_expr(entry) / bottom)


def vector_parameter_jacobian(jacobian: Matrix, R: Matrix, in_floats: bool = False) -> Matrix:
    """A 6×n Jacobian, angular over linear velocity, with the rate of the vector-parameter in its first three rows."""
    turning = vector_parameter_map(R, in_floats) @ Matrix(jacobian[:3])
    return Matrix([*turning, *jacobian[3:]]).map(as_expr)


def ground_motions(tree: Tree) -> list[Matrix]:
    """Ô_oi of every link, by products of dual orthogonal matrices; (156)."""
    motions: list[Matrix] = []
    for link in tree.links:
        relative = dual_orthogonal(link.X)
        motions.append(relative if link.parent == BASE else motions[link.parent] @ relative)
    return motions


def dual_jacobian(tree: Tree, body: str) -> Matrix:
    """The 3×n dual Jacobian matrix of a body: its columns are the lines of the joints that carry it; (160) to (162)."""
    columns = [Vector([Dual(0)] * 3) for _ in tree.u]
    motions = ground_motions(tree)
    i, _ = tree.bodies[body]
    while i != BASE:
        link = tree.links[i]
        for speed, (turning, sliding) in zip(link.speeds, link.H, strict=True):
            columns[speed] = columns[speed] + motions[i] @ dual(turning, sliding)  # (160); joints may share a speed
        i = link.parent
    return Matrix.columns_of(columns, 3)


def velocity_screw(tree: Tree, body: str) -> Vector:
    """ω̂ = ω + μ v of a body in ground components, v the velocity of its point at the ground's origin; (161)."""
    i, _ = tree.bodies[body]
    if i == BASE:
        return Vector([Dual(0)] * 3)
    return ground_motions(tree)[i] @ dual(*velocities(tree)[i])
