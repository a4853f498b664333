"""Motions of the whole: the speeds with which all that hangs on the ground moves as one rigid body.

For a twist (ω, v) of the ground, the first links with mass are to have it, and all beyond them stand still on them:

    J_i(q) ξ = (ω, v + ω × (p_i - p))

Only the joints up to those links move, so that ξ is solved from six rows for each; where a joint cannot follow, there
is no such motion.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr import Expr, Matrix, Vector, as_expr, independent_columns, is_zero
from ..geometry.elimination import solve_columns
from ..kinematics.motion import world_poses
from ..kinematics.tree import BASE, Tree

_AXES = "xyz"


def whole_motions(tree: Tree) -> list[tuple[str, Vector]]:
    """Shifts of all along x, y, z and turns about these axes, as far as the joints at the ground let them."""
    stems = [_stem(tree, i) for i, link in enumerate(tree.links) if link.parent == BASE]
    if not stems or not all(stems) or tree.is_driven:
        return []
    about = tree.links[stems[0][0]].fixed.p if len(stems) == 1 else Vector([as_expr(0)] * 3)
    found = []
    for turns in (False, True):
        for axis, unit in zip(_AXES, Matrix.identity(3), strict=True):
            speeds = [as_expr(0)] * len(tree.u)
            if all(_follows(tree, stem, unit, turns, about, speeds) for stem in stems):
                word = f"turn of the whole about {axis}" if turns else f"shift of the whole along {axis}"
                found.append((word, Vector(speeds)))
    return found


def _stem(tree: Tree, i: int) -> list[int]:
    """The links from one at the ground to the first that has mass; none, where they branch before."""
    found = [i]
    while not _has_mass(tree, found[-1]):
        beyond = tree.children.get(found[-1], [])
        if len(beyond) != 1:
            return []
        found.append(beyond[0])
    return found


def _has_mass(tree: Tree, i: int) -> bool:
    inertia = tree.links[i].inertia
    return not all(is_zero(as_expr(entry)) for entry in (inertia.m, *inertia.h, *inertia.matrix().entries()))


def _follows(
    tree: Tree, stem: Sequence[int], unit: Sequence[object], turns: bool, about: Vector, speeds: list[Expr]
) -> bool:
    """Whether the joints of a stem can move its last link so; their speeds are filled in."""
    poses = world_poses(tree)
    end = poses[stem[-1]]
    columns, owners = [], []
    for i in stem:
        link, X = tree.links[i], poses[i]
        for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
            w = X.R @ hw
            columns.append([as_expr(x) for x in (*w, *(X.R @ hv + w.cross(end.p - X.p)))])
            owners.append(speed)
    nil = Vector([as_expr(0)] * 3)
    w = Vector(unit) if turns else nil
    v = w.cross(end.p - about) if turns else Vector(unit)
    wanted = [as_expr(x) for x in (*w, *v)]
    J = Matrix.columns_of(columns, 6)
    if not columns or len(independent_columns(J)) < len(columns):
        return False
    rows = independent_columns(J.T)
    found = [row[0] for row in solve_columns([J[k] for k in rows], [[wanted[k]] for k in rows])]
    if not all(is_zero(a - b) for a, b in zip(J @ Vector(found), wanted, strict=True)):
        return False
    for speed, value in zip(owners, found, strict=True):
        speeds[speed] = as_expr(value)
    return True
