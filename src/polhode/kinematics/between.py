"""What lies between two links: the turn from one to the other, over the joints between them alone."""

from __future__ import annotations

from typing import Any

from ..expr import Matrix, Vector
from .tree import BASE, Tree, Turn


def meeting(tree: Tree, a: int, b: int) -> int:
    """The outermost link that carries both (a link carries itself); parents come first, so the later one steps in."""
    while a != b:
        if a > b:
            a = tree.links[a].parent
        else:
            b = tree.links[b].parent
    return a


def turns_inward(tree: Tree, outer: int, inner: int) -> list[Turn]:
    """The turns that lead from a link to one that carries it, merged over parallel joints where they lie between."""
    found: list[Turn] = []
    while outer != inner:
        link = tree.links[outer]
        turn = link.long_turn if link.long_turn.anchor >= inner else link.turn
        found.append(turn)
        outer = turn.anchor
    return found


def rotation_between(tree: Tree, a: int, b: int) -> Matrix:
    """R_ab, which takes components in link b to components in link a."""
    top = meeting(tree, a, b)
    return _turned_from(tree, top, a).T @ _turned_from(tree, top, b)


def _turned_from(tree: Tree, inner: int, outer: int) -> Matrix:
    R = Matrix.identity(3)
    for turn in reversed(turns_inward(tree, outer, inner)):
        R = R @ (turn.fixed @ turn.motion)
    return R


def carried(tree: Tree, vector: Vector, b: int, a: int = BASE) -> Vector:
    """A vector with components in link b in the components of link a, turned joint by joint."""
    top = meeting(tree, a, b)
    turned: Any = vector
    for turn in turns_inward(tree, b, top):
        turned = turn.inward(turned)
    for turn in reversed(turns_inward(tree, a, top)):
        turned = turn.outward(turned)
    return Vector(turned)


def carried_point(tree: Tree, point: Vector, outer: int, inner: int) -> tuple[Vector, Vector]:
    """A point of a link as a link further in sees it: its position and its velocity, in that link's components.

    Step by step inward: r_parent = p + R r and ṙ_parent = R (ṙ + w × r + v), with the joint's own w, v = H u.
    """
    r, rate = point, Vector([0, 0, 0])
    while outer != inner:
        link = tree.links[outer]
        w, v = link.relative_velocity(tree.u)
        rate = link.inward(rate + w.cross(r) + v)
        r = link.X.p + link.inward(r)
        outer = link.parent
    return r, rate
