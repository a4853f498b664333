"""Newton-Euler with moments of mass about the joints, and the acceleration field over a joint by one of its columns.

What is said of `formalisms.newton_euler` (Luh, Walker and Paul 1980; Featherstone 2008) holds here too. What saves
operations:

    W = α̂ + ω̂ ω̂            takes a point's position in a body to its acceleration relative to the origin
    f = m a + W h           force, with h = m c the first moment: no velocity of an origin is needed
    n = vee(W J) + h × a    torque about the origin, with J = ∫ r rᵀ dm the second moment

* Over a joint that turns about a coordinate axis, W is known by its column along that axis:
  a point on the axis of a joint moves with either link, so that the column W e_k is the parent's, turned, and with the
  products of ω it gives the rest (i, j, k cyclic):

      α_j = W_ik - ω_i ω_k,    α_i = ω_j ω_k - W_jk,    W_ki = ω_i ω_k - α_j,    W_kj = ω_j ω_k + α_i,
      W_jj = -(ω_i² + ω_k²),   W_ii = W_kk + (ω_i² - ω_k²)

  and neither the angular acceleration across the axis nor ω_j² has to be computed.
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

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ...dynamics.equations import Recipe
from ...dynamics.loads import loads_of
from ...expr import Matrix, Vector
from ...geometry.inertia import acceleration_matrix
from ...geometry.twist import Wrench
from ...kinematics.passes.axes import unit_axis_of
from ...kinematics.tree import BASE, Link, Tree, Turn
from ...model.model import Model
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
    for link, w, W, a, external in zip(tree.links, motion.w, motion.W, motion.a, wrenches, strict=True):
        taken = Wrench(*link.inertia.wrench(W, a))
        for material in link.deforming:
            taken = taken + Wrench(*material.wrench(w, motion.u, motion.ud))
        forces.append(taken - external)
    return forces


def transmitted(tree: Tree, forces: Sequence[Wrench]) -> list[Wrench]:
    """Inward: the wrench that each joint passes on, about the link's origin; what merged joints pass on along them."""
    through = list(forces)
    for i, link in reversed(list(enumerate(tree.links))):
        own = through[i]
        if link.merged is not None:  # parallel axes: what is across them goes to the anchor at once
            anchor, (along, across) = link.merged.anchor, along_and_across(link, own.angular)
            own = Wrench(along, own.linear)
            if anchor != BASE:
                n, f = through[anchor]
                through[anchor] = Wrench(n + link.merged.inward(across), f)
        if link.parent != BASE:
            through[link.parent] = link.wrench_inward(own, through[link.parent])
    return through


def along_and_across(link: Link, n: Vector) -> tuple[Vector, Vector]:
    """The parts of a torque along the coordinate axis of a merged joint and across it."""
    along = Vector([axis * (axis * entry) for axis, entry in zip(link.H[0][0], n, strict=True)])
    return along, n - along


def efforts_of(tree: Tree, motion: Motion, wrenches: Sequence[Wrench]) -> list[Any]:
    """The effort on every speed that a motion takes, with external wrenches on the links."""
    through = transmitted(tree, inertial_wrenches(tree, motion, wrenches))
    efforts: list[Any] = [0] * len(tree.u)
    for i, link in reversed(list(enumerate(tree.links))):
        for speed, column in zip(link.speeds, link.H, strict=True):
            efforts[speed] = through[i].power(column, efforts[speed])
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
    loads = loads_of(system, tree)
    size = len(tree.u)
    nothing = [0] * size
    free = [Wrench.zero() for _ in tree.links]

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


def field_from_column(
    k: int, w: Vector, column: Vector, alpha_k: Any, weights: Sequence[int], wanted: Collection[int]
) -> tuple[Matrix, Vector]:
    """W and α of a link that turns about its axis k, whose column W e_k is known.

    `weights` say how much use there is for each column of W, `wanted` which components of α are asked for later: if
    none across the axis is, one doubling takes the place of two subtractions.
    """
    i, j = (k + 1) % 3, (k + 2) % 3
    alpha = {i: w[j] * w[k] - column[j], j: column[i] - w[i] * w[k], k: alpha_k}
    if i in wanted or j in wanted:
        row = {i: w[i] * w[k] - alpha[j], j: w[j] * w[k] + alpha[i]}
    else:
        twice = w[k] + w[k]
        row = {i: w[i] * twice - column[i], j: w[j] * twice - column[j]}
    first, other = (i, j) if weights[j] >= weights[i] else (j, i)
    square, turn, both = w[first] * w[first], w[k] * w[k], w[i] * w[j]
    entries = {
        (i, k): column[i], (j, k): column[j], (k, i): row[i], (k, j): row[j], (k, k): column[k],
        (other, other): -(square + turn), (first, first): column[k] + (square - turn),
        (i, j): both - alpha_k, (j, i): both + alpha_k,
    }  # fmt: skip
    W = Matrix([[entries[a, b] for b in range(3)] for a in range(3)])
    return W, Vector([alpha[i] for i in range(3)])


def spin_axis(turn: Turn) -> int | None:
    """The axis of the link about which it turns against its anchor, if it is a coordinate axis of both."""
    axes = {unit_axis_of(axis) for _, axis in turn.spin}
    k = axes.pop() if len(axes) == 1 else None
    return k if k is not None and unit_axis_of(turn.fixed[:, k]) is not None else None


def importance(tree: Tree, axes: Sequence[int | None]) -> list[list[int]]:
    """For each column of each link's W how many things ask for it: moments, offsets, joints over which it is known."""
    found = _multiplied(tree)
    for link, k in zip(tree.links, axes, strict=True):
        turn = link.long_turn
        along = None if k is None or turn.anchor == BASE else unit_axis_of(turn.fixed[:, k])
        if along is not None:
            found[turn.anchor][along] += 1
    return found


def _multiplied(tree: Tree) -> list[list[int]]:
    """For each column of each link's W how many vectors it multiplies: the first moment and the offsets of joints."""
    offsets = {i: [tree.links[child].fixed.p for child in tree.children[i]] for i in tree.children}
    return [
        [sum(bool(vector[k]) for vector in (link.inertia.h, *offsets[i])) for k in range(3)]
        for i, link in enumerate(tree.links)
    ]


def columns_known(tree: Tree) -> list[int | None]:
    """For each link the axis whose column of W is the same on both sides of its joint; None where α is found first.

    Where nothing asks for W, of the link or of the one it turns against, α alone is cheaper.
    """
    uses = _multiplied(tree)
    asked = [any(own) or any(link.inertia.J.entries()) for own, link in zip(uses, tree.links, strict=True)]
    return [
        spin_axis(link.long_turn) if own and (link.long_turn.anchor == BASE or asked[link.long_turn.anchor]) else None
        for link, own in zip(tree.links, asked, strict=True)
    ]


def wanted_components(tree: Tree, axes: Sequence[int | None]) -> list[set[int]]:
    """For each link the components of its angular acceleration that the links it carries ask for."""
    wanted: list[set[int]] = [set() for _ in tree.links]
    for link, k in zip(tree.links, axes, strict=True):
        turn = link.long_turn
        if turn.anchor != BASE:
            along = None if k is None else unit_axis_of(turn.fixed[:, k])
            wanted[turn.anchor] |= {0, 1, 2} if along is None else {along}
    return wanted
