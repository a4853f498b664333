"""Recursive Newton-Euler inverse dynamics.

J. Y. S. Luh, M. W. Walker and R. P. C. Paul, "On-Line Computational Scheme for Mechanical Manipulators" (1980), in the
form that W. M. Silver shows to be one computation with the recursive Lagrangian when rotation is represented by
the angular velocity. Velocities and accelerations go outward, forces inward; gravity is an acceleration of the base.

    W = α̂ + ω̂ ω̂            what takes a point's position in a body to its acceleration relative to the origin
    f = m a + W h           force, with h = m c the first moment
    n = vee(W J) + h × a    torque about the origin, with J = ∫ r rᵀ dm the second moment

Over a joint that turns about a coordinate axis, W is carried by its column along that axis (`kinematics.field`).
Needs a tree; any joint. Cost: linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics.equations import Recipe
from ..dynamics.loads import Loads, Wrench
from ..expr import Matrix, Vector
from ..kinematics.field import (
    acceleration_matrix,
    carried,
    carrying_axes,
    importance,
    wanted_components,
)
from ..kinematics.passes.axes import unit_axis_of
from ..kinematics.tree import BASE, Link, Tree
from ..kinematics.unit import Measured, measured
from ..model.model import Model

_ZERO = Vector([0, 0, 0])


@dataclass(frozen=True)
class Motion:
    """Accelerations u̇, and for each link W and the acceleration of its origin."""

    ud: list[Any]
    W: list[Matrix]
    a: list[Vector]


def accelerate(tree: Tree, u: Sequence[Any], ud: Sequence[Any] | None, gravity: Sequence[Any]) -> Motion:
    """Outward: the motion of the links for given u̇, or for the u̇ that make it shortest to write."""
    motion = Motion([0] * len(u) if ud is None else list(ud), [], [])
    spin: list[Vector] = []
    alphas: list[Vector] = []
    axes = carrying_axes(tree)
    wanted, weights = wanted_components(tree, axes), importance(tree, axes)
    for place, link in enumerate(tree.links):
        turn, up = link.long_turn, link.parent
        w_in, alpha_in = _ZERO, _ZERO
        if turn.anchor != BASE:
            w_in, alpha_in = turn.outward(spin[turn.anchor]), turn.outward(alphas[turn.anchor])
        own_w, own_v = link.relative_velocity(u)
        nu = own_w if link.drive else turn.velocity(u)
        w = w_in + nu
        alpha = alpha_in + w_in.cross(nu)
        far = far_end(link)
        p = link.X.p if far is None else link.fixed.p
        a_in = -Vector(gravity) if up == BASE else motion.a[up] + motion.W[up] @ p
        a = link.outward(a_in) if far is not None else link.outward(a_in) + (w * 2 - own_w).cross(own_v)
        if ud is None:
            before = alpha if link.merged is None else link.outward(alphas[up])
            _choose(link, weights[place], w, before, a, motion.ud)
        own_alpha, own_a = link.relative_acceleration(motion.ud)
        alpha = alpha + (own_alpha if link.drive else turn.velocity(motion.ud))
        k = axes[place]
        if k is None:
            W = acceleration_matrix(w, alpha)
        else:
            column = _ZERO if turn.anchor == BASE else turn.outward(motion.W[turn.anchor] @ turn.fixed[:, k])
            W, alpha = carried(k, w, column, alpha[k], weights[place], wanted[place])
        motion.W.append(W)
        motion.a.append(a + own_a if far is None else a + W @ far[1])  # from the axis to the link's origin
        spin.append(w)
        alphas.append(alpha)
    return motion


def far_end(link: Link) -> tuple[Vector, Vector] | None:
    """The axis of a held link's joint and the vector from there to the link's origin, if that is off the axis."""
    found = link.H[0] if len(link.H) == 1 and Matrix.identity(3) == link.motion.R and any(link.motion.p) else None
    return None if found is None or not any(found[0]) else (found[0], link.motion.p)


def _choose(link: Link, weights: Sequence[int], w: Vector, alpha: Vector, a: Vector, ud: list[Any]) -> None:
    """Set the rates that a joint leaves free: so that a component of a, or an entry of W, vanishes.

    With α_k = ω_i ω_j the entry W_ij is zero, with -ω_i ω_j the entry W_ji; alpha and a are those without u̇.
    """
    for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
        turned, slid = unit_axis_of(hw), unit_axis_of(hv)
        if turned is not None:
            k = turned
            i, j = (k + 1) % 3, (k + 2) % 3
            best = w[i] * w[j] if weights[j] >= weights[i] else -(w[i] * w[j])
            ud[speed] = hw[k] * (best - alpha[k])
            a = a + hv * ud[speed]
        elif slid is not None and not any(hw):
            ud[speed] = -hv[slid] * a[slid]


def inertial_wrenches(tree: Tree, motion: Motion, wrenches: Sequence[Wrench]) -> list[Wrench]:
    """The wrench that the motion of each link takes of it alone, less the external one."""
    forces: list[Wrench] = []
    for link, W, a, (n_ext, f_ext) in zip(tree.links, motion.W, motion.a, wrenches, strict=True):
        n, f = link.inertia.wrench(W, a)
        forces.append((n - n_ext, f - f_ext))
    return forces


def inverse_dynamics(
    tree: Tree, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    """The effort on every speed that gives the accelerations ud, with external wrenches on the links."""
    return _efforts(measured(tree), u, ud, wrenches, gravity)


def _efforts(
    by: Measured, u: Sequence[Any], ud: Sequence[Any], wrenches: Sequence[Wrench], gravity: Sequence[Any]
) -> list[Any]:
    motion = accelerate(by.tree, by.lengths(u), by.lengths(ud), by.gravity(gravity))
    return by.lengths(efforts_of(by.tree, motion, by.wrenches(wrenches)))  # a force is energy by a length


def efforts_of(tree: Tree, motion: Motion, wrenches: Sequence[Wrench]) -> list[Any]:
    """Inward: the effort on every speed that a motion takes, with external wrenches on the links."""
    forces = inertial_wrenches(tree, motion, wrenches)
    efforts: list[Any] = [0] * len(tree.u)
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


def recipe(system: Model, tree: Tree) -> Recipe:
    """Inverse dynamics by recursion; the mass matrix and the bias follow from it column by column."""
    loads = Loads(system, tree)
    size = len(tree.u)
    nothing = [0] * size
    free = [(_ZERO, _ZERO) for _ in tree.links]

    def inverse(ud: Sequence[Any]) -> Vector:
        efforts = inverse_dynamics(tree, tree.u, ud, loads.wrenches(), tree.gravity)
        return Vector([effort - given for effort, given in zip(efforts, loads.speed_forces(), strict=True)])

    def reference() -> tuple[Vector, Vector]:
        by = measured(tree)
        motion = accelerate(by.tree, by.lengths(tree.u), None, by.gravity(tree.gravity))
        efforts = by.lengths(efforts_of(by.tree, motion, by.wrenches(loads.wrenches())))
        needed = [effort - given for effort, given in zip(efforts, loads.speed_forces(), strict=True)]
        return Vector(by.in_metres(motion.ud)), Vector(needed)

    def mass_matrix() -> Matrix:
        by = measured(tree.at_rest)
        units = ([int(i == k) for i in range(size)] for k in range(size))
        return Matrix.columns_of([_efforts(by, nothing, unit, free, _ZERO) for unit in units], size)

    return Recipe(inverse=inverse, mass_matrix=mass_matrix, reference=None if tree.is_coupled else reference)
