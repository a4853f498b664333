"""Paths over the tree: from one link to another, by the joints on the way alone."""

from __future__ import annotations

from typing import Any

from ..expr import Vector
from .passes.merge import merged_turns
from .tree import BASE, Tree, Turn


def common_ancestor(tree: Tree, a: int, b: int) -> int:
    """The outermost link on the paths of both to the base (each path includes the link); parents have lower numbers."""
    while a != b:
        if a > b:
            a = tree.links[a].parent
        else:
            b = tree.links[b].parent
    return a


def turn_inward(tree: Tree, outer: int, inner: int) -> Turn:
    """The first turn towards an inner link, over merged parallel joints where these lie between."""
    link = tree.links[outer]
    merged = merged_turns(tree).get(outer, link.turn)
    return merged if merged.anchor >= inner else link.turn


def turns_inward(tree: Tree, outer: int, inner: int) -> list[Turn]:
    """The turns from a link to one that carries it."""
    turns: list[Turn] = []
    while outer != inner:
        turns.append(turn_inward(tree, outer, inner))
        outer = turns[-1].anchor
    return turns


def path_between(tree: Tree, a: int, b: int) -> list[int]:
    """The links from one to another, both included."""
    top = common_ancestor(tree, a, b)
    return [*links_inward(tree, a, top), top, *reversed(links_inward(tree, b, top))]


def links_inward(tree: Tree, outer: int, inner: int = BASE) -> list[int]:
    """The links from an outer to an inner one, which is excluded, or to the ground."""
    path: list[int] = []
    while outer != inner:
        path.append(outer)
        outer = tree.links[outer].parent
    return path


def re_expressed(tree: Tree, vector: Vector, b: int, a: int = BASE) -> Vector:
    """A vector with components in link b in the components of link a, turned joint by joint."""
    top = common_ancestor(tree, a, b)
    turned: Any = vector
    for turn in turns_inward(tree, b, top):
        turned = turn.inward(turned)
    for turn in reversed(turns_inward(tree, a, top)):
        turned = turn.outward(turned)
    return Vector(turned)


def point_seen_from(tree: Tree, point: Vector, rate: Vector, outer: int, inner: int) -> tuple[Vector, Vector]:
    """Position and velocity of a point in an inner link: r_parent = p + R r, ṙ_parent = R (ṙ + w × r + v)."""
    r = point
    while outer != inner:
        link = tree.links[outer]
        w, v = link.relative_velocity(tree.u)
        rate = link.inward(rate + w.cross(r) + v)
        r = link.X.p + link.inward(r)
        outer = link.parent
    return r, rate
