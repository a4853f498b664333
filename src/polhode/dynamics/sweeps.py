"""Sweeps over a tree: the accelerations of the links outward, the wrenches through the joints inward.

W = α̂ + ω̂ ω̂ takes a point's position in a body to its acceleration relative to the origin. Over a joint that turns about
a coordinate axis it is known by its column along that axis: a point on the axis moves with either link, so that the
column W e_k is the parent's, turned, and with the products of ω it gives the rest (i, j, k cyclic):

    α_j = W_ik - ω_i ω_k,    α_i = ω_j ω_k - W_jk,    W_ki = ω_i ω_k - α_j,    W_kj = ω_j ω_k + α_i,
    W_jj = -(ω_i² + ω_k²),   W_ii = W_kk + (ω_i² - ω_k²)

and neither the angular acceleration across the axis nor ω_j² has to be computed. Parallel joints are crossed in one
step (`passes.merge`): ω and α, and the torque across their axes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Matrix, Vector
from ..geometry.inertia import acceleration_matrix
from ..geometry.twist import ZERO, Wrench
from ..kinematics.passes.axes import unit_axis_of
from ..kinematics.passes.merge import merged_turns
from ..kinematics.tree import BASE, Link, Tree, Turn


@dataclass(frozen=True)
class Motion:
    """u, u̇ and for each link ω, α, W, the accelerations of its origin and (in the parent's components) its joint."""

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
    merged, axes = merged_turns(tree), columns_known(tree)
    used, weights = used_components(tree, axes), importance(tree, axes)
    for i, link in enumerate(tree.links):
        turn, up, is_merged = merged.get(i, link.turn), link.parent, i in merged
        w_in, alpha_in = ZERO, ZERO
        if turn.anchor != BASE:
            w_in, alpha_in = turn.outward(motion.w[turn.anchor]), turn.outward(motion.alpha[turn.anchor])
        own_w, own_v = link.relative_velocity(u)
        nu = turn.velocity(u) if is_merged else own_w
        w = w_in + nu
        alpha = alpha_in + w_in.cross(nu)
        a_in = -Vector(gravity) if up == BASE else motion.a[up] + motion.W[up] @ link.X.p
        a = link.outward(a_in) + (w * 2 - own_w).cross(own_v)
        if ud is None:
            before = link.outward(motion.alpha[up]) if is_merged else alpha
            _choose(link, weights[i], w, before, a, motion.ud)
        own_alpha, own_a = link.relative_acceleration(u, motion.ud)
        alpha = alpha + (turn.velocity(motion.ud) if is_merged else own_alpha)
        k = axes[i]
        if k is None:
            W = acceleration_matrix(w, alpha)
        else:
            column = ZERO if turn.anchor == BASE else turn.outward(motion.W[turn.anchor] @ turn.fixed[:, k])
            W, alpha = field_from_column(k, w, column, alpha[k], weights[i], used[i])
        motion.w.append(w)
        motion.alpha.append(alpha)
        motion.W.append(W)
        motion.at_joint.append(a_in)
        motion.a.append(a + own_a)
    return motion


def _choose(link: Link, weights: Sequence[int], w: Vector, alpha: Vector, a: Vector, ud: list[Any]) -> None:
    """Set free u̇ so that a component of a, or W_ij (α_k = ω_i ω_j) or W_ji (α_k = -ω_i ω_j), vanishes."""
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
    """The inertial wrench of each link by itself, less the external one."""
    forces: list[Wrench] = []
    for link, w, W, a, external in zip(tree.links, motion.w, motion.W, motion.a, wrenches, strict=True):
        taken = Wrench(*link.inertia.wrench(W, a))
        for material in link.deforming:
            taken = taken + Wrench(*material.wrench(w, motion.u, motion.ud))
        forces.append(taken - external)
    return forces


def transmitted(tree: Tree, forces: Sequence[Wrench]) -> list[Wrench]:
    """Inward: the wrench that each joint passes on, about the link's origin; what merged joints pass on along them."""
    through, merged = list(forces), merged_turns(tree)
    for i, link in reversed(list(enumerate(tree.links))):
        wrench = through[i]
        if i in merged:  # parallel axes: what is across them goes to the anchor at once
            anchor, (along, across) = merged[i].anchor, along_and_across(link, wrench.angular)
            wrench = Wrench(along, wrench.linear)
            if anchor != BASE:
                n, f = through[anchor]
                through[anchor] = Wrench(n + merged[i].inward(across), f)
        if link.parent != BASE:
            through[link.parent] = link.wrench_inward(wrench, through[link.parent])
    return through


def along_and_across(link: Link, n: Vector) -> tuple[Vector, Vector]:
    """The parts of a torque along the coordinate axis of a merged joint and across it."""
    along = Vector([axis * (axis * entry) for axis, entry in zip(link.H[0][0], n, strict=True)])
    return along, n - along


def field_from_column(
    k: int, w: Vector, column: Vector, alpha_k: Any, weights: Sequence[int], used: Collection[int]
) -> tuple[Matrix, Vector]:
    """W and α of a link that turns about its axis k, whose column W e_k is known.

    `weights` counts the uses of each column of W, `used` holds the components of α that are used later: if none is
    across the axis, one doubling replaces two subtractions.
    """
    i, j = (k + 1) % 3, (k + 2) % 3
    alpha = {i: w[j] * w[k] - column[j], j: column[i] - w[i] * w[k], k: alpha_k}
    if i in used or j in used:
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


def _longest_turns(tree: Tree) -> list[Turn]:
    """For each link its turn over all merged parallel joints that carry it, or against its parent."""
    merged = merged_turns(tree)
    return [merged.get(i, link.turn) for i, link in enumerate(tree.links)]


def importance(tree: Tree, axes: Sequence[int | None]) -> list[list[int]]:
    """Number of uses of each column of each link's W: by moments, offsets, and joints across which it is known."""
    counts = _multiplied(tree)
    for turn, k in zip(_longest_turns(tree), axes, strict=True):
        along = None if k is None or turn.anchor == BASE else unit_axis_of(turn.fixed[:, k])
        if along is not None:
            counts[turn.anchor][along] += 1
    return counts


def _multiplied(tree: Tree) -> list[list[int]]:
    """Number of vectors that each column of each link's W multiplies: the first moment and the offsets of joints."""
    offsets = {i: [tree.links[child].fixed.p for child in tree.children[i]] for i in tree.children}
    return [
        [sum(bool(vector[k]) for vector in (link.inertia.h, *offsets[i])) for k in range(3)]
        for i, link in enumerate(tree.links)
    ]


def columns_known(tree: Tree) -> list[int | None]:
    """For each link the axis whose column of W is the same on both sides of its joint; None if W is not used."""
    uses = _multiplied(tree)
    is_used = [any(use) or any(link.inertia.J.entries()) for use, link in zip(uses, tree.links, strict=True)]
    return [
        spin_axis(turn) if used and (turn.anchor == BASE or is_used[turn.anchor]) else None
        for turn, used in zip(_longest_turns(tree), is_used, strict=True)
    ]


def used_components(tree: Tree, axes: Sequence[int | None]) -> list[set[int]]:
    """For each link the components of its angular acceleration that its children use."""
    used: list[set[int]] = [set() for _ in tree.links]
    for turn, k in zip(_longest_turns(tree), axes, strict=True):
        if turn.anchor != BASE:
            along = None if k is None else unit_axis_of(turn.fixed[:, k])
            used[turn.anchor] |= {0, 1, 2} if along is None else {along}
    return used
