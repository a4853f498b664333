"""Translational terms of Sayers' method: Table 9, (36) to (39), with gravity as an acceleration of the ground.

Vectors are in the components of the body itself. If B is fixed, its origin B_0 is taken for its mass centre B*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...expr import Matrix, Vector, is_zero
from ...kinematics.tree import BASE, Tree
from ..newton_euler import acceleration_matrix
from .bodies import NONRECURSIVE, Part
from .rotational import Partials, Rotational, added, in_own_basis, total

_ZERO = Vector([0, 0, 0])


@dataclass(frozen=True)
class Translational:
    """The rows of Table 9 for one body."""

    arm: Vector  # r^A*B0, in the parent's basis
    w: Vector  # ω^B', in the body's own basis
    partials: Partials  # v_i^B*
    native: tuple[int, ...]  # N_i^B: for each speed the body furthest up with the same partial velocity
    v: Vector
    R: Matrix  # what takes a point's position in the body to its acceleration relative to the origin
    a_rem: Vector


def translational_terms(
    tree: Tree, parts: Sequence[Part], rotational: Sequence[Rotational], u: Sequence[Any]
) -> list[Translational]:
    """Table 9, from the base outward."""
    table: list[Translational] = []
    gravity: list[Vector] = []  # in each body's basis
    for part, turning in zip(parts, rotational, strict=True):
        link, up, place = part.link, part.link.parent, part.place
        w, alpha = (in_own_basis(parts, place, vector) for vector in (turning.w, turning.alpha_rem))
        turned_by = {i: in_own_basis(parts, place, vector) for i, vector in turning.partials.items()}
        R = acceleration_matrix(w, alpha)
        gravity.append(link.outward(Vector(tree.gravity) if up == BASE else gravity[up]))
        arm = link.X.p if up == BASE else link.X.p - parts[up].centre
        if part.translation == NONRECURSIVE:
            directions = {i: d for i, d in part.absolute.items() if i in {link.speeds[k] for k in part.sliding}}
            v, native = total(directions, u), (place,) * len(tree.u)
            table.append(Translational(arm, w, directions, native, v, R, w.cross(v) - gravity[-1]))
            continue
        _, own_v = link.relative_velocity(u)
        _, own_a = link.relative_acceleration([0] * len(u))
        step: Partials = {i: vector.cross(part.centre) for i, vector in turned_by.items()}
        for (_, slide), i in zip(link.H, link.speeds, strict=True):
            step = added(step, {i: slide})
        if up == BASE:
            w_in, before = _ZERO, (BASE,) * len(tree.u)
            partials: Partials = {}
            v_in, a_in = _ZERO, -gravity[-1]  # (39)
        else:
            above = table[up]
            by_parent = {i: in_own_basis(parts, up, vector) for i, vector in rotational[up].partials.items()}
            swing = {i: link.outward(vector.cross(arm)) for i, vector in by_parent.items()}
            step = added(swing, step)  # v_i^A*B*
            partials = {i: link.outward(vector) for i, vector in above.partials.items()}
            w_in, v_in = link.outward(above.w), link.outward(above.v + above.w.cross(arm))
            a_in = link.outward(above.a_rem + above.R @ arm)
            before = above.native
        moved = {i for i, vector in step.items() if not all(is_zero(entry) for entry in vector)}
        native = tuple(place if i in moved or home == BASE else home for i, home in enumerate(before))
        a_rem = a_in + R @ part.centre + (w_in + w).cross(own_v) + own_a
        v = v_in + own_v + w.cross(part.centre)
        table.append(Translational(arm, w, _kept(added(partials, step)), native, v, R, a_rem))
    return table


def _kept(partials: Partials) -> Partials:
    return {i: vector for i, vector in partials.items() if not all(is_zero(entry) for entry in vector)}
