"""Recursive Newton-Euler inverse dynamics.

J. Y. S. Luh, M. W. Walker and R. P. C. Paul, "On-Line Computational Scheme for Mechanical Manipulators" (1980), in the
form that W. M. Silver shows to be one computation with the recursive Lagrangian when rotation is represented by
the angular velocity. Velocities and accelerations go outward, forces inward; gravity is an acceleration of the base.

    W = α̂ + ω̂ ω̂            what takes a point's position in a body to its acceleration relative to the origin
    f = m a + W h           force, with h = m c the first moment
    n = vee(W J) + h × a    torque about the origin, with J = ∫ r rᵀ dm the second moment

Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..equations import Recipe
from ..expr import Matrix, Vector
from ..geometry.inertia import acceleration_matrix
from ..kinematics.tree import BASE, Link, Tree
from ..loads import Loads, Wrench
from ..model.system import System

_ZERO = Vector([0, 0, 0])


def inertial_wrenches(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Wrench]:
    """Outward: the wrench that the motion of each link takes of it alone, less the external one."""
    W: list[Matrix] = []
    spin: list[Vector] = []
    alphas: list[Vector] = []
    accelerations: list[Vector] = []
    forces: list[Wrench] = []
    for link, (n_ext, f_ext) in zip(tree.links, wrenches, strict=True):
        turn, up = link.long_turn, link.parent
        w_in, alpha_in = _ZERO, _ZERO
        if turn.anchor != BASE:
            w_in, alpha_in = turn.outward(spin[turn.anchor]), turn.outward(alphas[turn.anchor])
        own_w, own_v = link.relative_velocity(u)
        own_alpha, own_a = link.relative_acceleration(ud)
        nu, nu_rate = (own_w, own_alpha) if link.drive else (turn.velocity(u), turn.velocity(ud))
        w = w_in + nu
        alpha = alpha_in + nu_rate + w_in.cross(nu)
        a_in = -Vector(gravity) if up == BASE else accelerations[up] + W[up] @ link.X.p
        a = link.outward(a_in) + own_a + (w * 2 - own_w).cross(own_v)
        W.append(acceleration_matrix(w, alpha))
        spin.append(w)
        alphas.append(alpha)
        accelerations.append(a)
        n, f = link.inertia.wrench(W[-1], a)
        forces.append((n - n_ext, f - f_ext))
    return forces


def inverse_dynamics(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    forces = inertial_wrenches(tree, u, ud, wrenches, gravity)
    efforts: list[Any] = [0] * len(u)
    for place in reversed(range(len(tree.links))):
        link = tree.links[place]
        n, f = forces[place]
        for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
            efforts[speed] = efforts[speed] + hw.dot(n) + hv.dot(f)
        if link.merged is not None:  # parallel axes: what is across them goes to the anchor at once
            along = Vector([axis * (axis * entry) for axis, entry in zip(link.H[0][0], n, strict=True)])
            anchor = link.merged.anchor
            if anchor != BASE:
                forces[anchor] = (forces[anchor][0] + link.merged.inward(n - along), forces[anchor][1])
            n = along
        if link.parent != BASE:
            forces[link.parent] = pass_inward(link, forces[link.parent], n, f)
    return efforts


def pass_inward(link: Link, parent: Wrench, n: Vector, f: Vector) -> Wrench:
    """The wrench on the parent: f in its components, and n + p × f."""
    f_parent = link.inward(f)
    return parent[0] + link.inward(n) + link.X.p.cross(f_parent), parent[1] + f_parent


def recipe(system: System, tree: Tree) -> Recipe:
    """Inverse dynamics by recursion; the mass matrix and the bias follow from it column by column."""
    loads = Loads(system, tree)
    size = len(tree.u)
    nothing = [0] * size
    free = [(_ZERO, _ZERO) for _ in tree.links]

    def inverse(ud: Sequence[Any]) -> Vector:
        efforts = inverse_dynamics(tree, tree.u, ud, loads.wrenches(), tree.gravity)
        return Vector([effort - given for effort, given in zip(efforts, loads.speed_forces(), strict=True)])

    def mass_matrix() -> Matrix:
        columns = []
        for k in range(size):
            unit = [int(i == k) for i in range(size)]
            columns.append(inverse_dynamics(tree.at_rest, nothing, unit, free, _ZERO))
        return Matrix.columns_of(columns, size)

    return Recipe(inverse=inverse, mass_matrix=mass_matrix)
