"""Mass that a joint does not move belongs as well to the parent, and is moved there from the tips to the base.

Each link keeps its base parameters, those of robot identification: on a revolute joint it loses its mass, its first
moment along the axis and its second moment along the axis, exactly. What it saves, in operations:

                                            without   with
    six-joint arm, inverse dynamics             231    219
    UR5, inverse dynamics                       328    247
    UR5, forward dynamics                       508    431
    ANYmal, inverse dynamics                  1,566  1,331
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...expr import Matrix
from ...geometry import Inertia
from ..tree import BASE, Link, Tree
from .axes import single_axis


def regroup(tree: Tree) -> Tree:
    """Move to each parent, from the tips on, the mass that the joint between does not move."""
    inertias = [link.inertia for link in tree.links]
    for i in reversed(range(len(tree.links))):
        move_inward(tree, inertias, i)
    return with_inertias(tree, inertias)


def move_inward(tree: Tree, inertias: list[Inertia], i: int) -> None:
    """Take from a link the mass that its joint does not move, and give it to the parent."""
    link = tree.links[i]
    unmoved = _unmoved_part(link, inertias[i])
    if unmoved is not None:
        inertias[i] = inertias[i] - unmoved
        if link.parent != BASE:
            inertias[link.parent] = inertias[link.parent] + unmoved.seen_from(link.fixed)


def with_inertias(tree: Tree, inertias: Sequence[Inertia]) -> Tree:
    """The tree with other inertias of its links."""
    links = tuple(replace(link, inertia=inertia) for link, inertia in zip(tree.links, inertias, strict=True))
    return replace(tree, links=links)


def _unmoved_part(link: Link, inertia: Inertia) -> Inertia | None:
    """The part of a link's mass that its joint does not move in the parent."""
    zero = Inertia.zero()
    freedom = single_axis(link)
    if freedom is not None:
        kind, axis = freedom
        if kind == "slide":
            return Inertia(zero.m, zero.h, inertia.J)  # second moments turn with the parent
        square = axis.dot(axis)
        h_along = axis * (inertia.h.dot(axis) / square)
        J_along = axis.dot(inertia.J @ axis) / (square * square)
        J = Matrix([[J_along * axis[i] * axis[j] for j in range(3)] for i in range(3)])
        return Inertia(inertia.m, h_along, J)
    if link.drive is None and all(not any(v) for _, v in link.H):
        return Inertia(inertia.m, zero.h, zero.J)  # turning about a point moves no mass that is there
    return None
