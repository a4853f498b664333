"""Newton-Euler with moments of mass about the joints, and the acceleration field over a joint by one of its columns.

What is said of `formalisms.newton_euler` (Luh, Walker and Paul 1980; Featherstone 2008) holds here too. What saves
operations:

    W = α̂ + ω̂ ω̂            takes a point's position in a body to its acceleration relative to the origin
    f = m a + W h           force, with h = m c the first moment: no velocity of an origin is needed
    n = vee(W J) + h × a    torque about the origin, with J = ∫ r rᵀ dm the second moment

* Over a joint that turns about a coordinate axis, W is known by its column along that axis (`acceleration_field`).
* Parallel joints are crossed in one step (`passes.merge`): ω and α, and the torque across their axes.
* Lengths are counted in a unit in which common offsets are one (`unit_of_length`).
* Where accelerations are asked for, they may be measured from those of a motion that is short to write.

Inverse dynamics after the usual passes, in operations:

                     book   here
    six-joint arm     322    219
    UR5               349    247
    ANYmal          2,082  1,331
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...dynamics.equations import Recipe
from ...dynamics.loads import Loads, Wrench
from ...expr import Matrix, Vector
from ...geometry.inertia import acceleration_matrix
from ...kinematics.passes.axes import unit_axis_of
from ...kinematics.tree import BASE, Link, Tree
from ...model.model import Model
from .acceleration_field import columns_known, field_from_column, importance, wanted_components
from .unit_of_length import Measured, measured

_ZERO = Vector([0, 0, 0])


@dataclass(frozen=True)
class Motion:
    """Speeds u and u̇, and for each link its ω, α and W, and the accelerations at its joint and of its origin.

    That at the joint is in the parent's components, all else in the link's own.
    """

    u: Sequence[Any]
    ud: list[Any]
    w: list[Vector]
    alpha: list[Vector]
    W: list[Matrix]
    at_joint: list[Vector]
    a: list[Vector]


def accelerate(tree: Tree, u: Sequence[Any], ud: Sequence[Any] | None, gravity: Sequence[Any]) -> Motion:
    """Outward: the motion of the links for given u̇, or for the u̇ that make it shortest to write."""
    motion = Motion(u, [0] * len(u) if ud is None else list(ud), [], [], [], [], [])
    axes = columns_known(tree)
    wanted, weights = wanted_components(tree, axes), importance(tree, axes)
    for i, link in enumerate(tree.links):
        turn, up = link.long_turn, link.parent
        w_in, alpha_in = _ZERO, _ZERO
        if turn.anchor != BASE:
            w_in, alpha_in = turn.outward(motion.w[turn.anchor]), turn.outward(motion.alpha[turn.anchor])
        own_w, own_v = link.relative_velocity(u)
        nu = own_w if link.merged is None else turn.velocity(u)
        w = w_in + nu
        alpha = alpha_in + w_in.cross(nu)
        a_in = -Vector(gravity) if up == BASE else motion.a[up] + motion.W[up] @ link.X.p
        a = link.outward(a_in) + (w * 2 - own_w).cross(own_v)
        if ud is None:
            before = alpha if link.merged is None else link.outward(motion.alpha[up])
            _choose(link, weights[i], w, before, a, motion.ud)
        own_alpha, own_a = link.relative_acceleration(u, motion.ud)
        alpha = alpha + (own_alpha if link.merged is None else turn.velocity(motion.ud))
        k = axes[i]
        if k is None:
            W = acceleration_matrix(w, alpha)
        else:
            column = _ZERO if turn.anchor == BASE else turn.outward(motion.W[turn.anchor] @ turn.fixed[:, k])
            W, alpha = field_from_column(k, w, column, alpha[k], weights[i], wanted[i])
        motion.w.append(w)
        motion.alpha.append(alpha)
        motion.W.append(W)
        motion.at_joint.append(a_in)
        motion.a.append(a + own_a)
    return motion


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
    for link, w, W, a, (n_ext, f_ext) in zip(tree.links, motion.w, motion.W, motion.a, wrenches, strict=True):
        n, f = link.inertia.wrench(W, a)
        for material in link.deforming:
            bending_n, bending_f = material.wrench(w, motion.u, motion.ud)
            n, f = n + bending_n, f + bending_f
        forces.append((n - n_ext, f - f_ext))
    return forces


def transmitted(tree: Tree, forces: Sequence[Wrench]) -> list[Wrench]:
    """Inward: the wrench that each joint passes on, about the link's origin; what merged joints pass on along them."""
    through = list(forces)
    for i, link in reversed(list(enumerate(tree.links))):
        n, f = through[i]
        if link.merged is not None:  # parallel axes: what is across them goes to the anchor at once
            anchor, (n, across) = link.merged.anchor, along_and_across(link, n)
            if anchor != BASE:
                through[anchor] = (through[anchor][0] + link.merged.inward(across), through[anchor][1])
        if link.parent != BASE:
            through[link.parent] = pass_inward(link, through[link.parent], n, f)
    return through


def along_and_across(link: Link, n: Vector) -> tuple[Vector, Vector]:
    """The parts of a torque along the coordinate axis of a merged joint and across it."""
    along = Vector([axis * (axis * entry) for axis, entry in zip(link.H[0][0], n, strict=True)])
    return along, n - along


def pass_inward(link: Link, parent: Wrench, n: Vector, f: Vector) -> Wrench:
    """The wrench on the parent: f in its components, and n + p × f."""
    f_parent = link.inward(f)
    return parent[0] + link.inward(n) + link.X.p.cross(f_parent), parent[1] + f_parent


def efforts_of(tree: Tree, motion: Motion, wrenches: Sequence[Wrench]) -> list[Any]:
    """The effort on every speed that a motion takes, with external wrenches on the links."""
    through = transmitted(tree, inertial_wrenches(tree, motion, wrenches))
    efforts: list[Any] = [0] * len(tree.u)
    for i, (link, (n, f)) in reversed(list(enumerate(zip(tree.links, through, strict=True)))):
        for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
            efforts[speed] = efforts[speed] + hw.dot(n) + hv.dot(f)
        for material in link.deforming:
            bent = material.efforts(motion.w[i], motion.W[i], motion.a[i], motion.u, motion.ud)
            for speed, effort in zip(material.speeds, bent, strict=True):
                efforts[speed] = efforts[speed] + effort
    return efforts


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
