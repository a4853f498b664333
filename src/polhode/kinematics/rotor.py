"""Rotors: bodies that are the same however far they have turned, as wheels, propellers and the drums of motors are.

Sayers (1991), Table 6: where the inertia commutes with the turn, it is written in the parent's basis (19). Then no sine
or cosine of the angle is left in the equations, where none belongs.
"""

from __future__ import annotations

from dataclasses import replace

from ..geometry import Pose
from .parallel import own_angle
from .tree import BASE, Link, Tree


def unturned(tree: Tree) -> Tree:
    """Let the frames of rotors that carry nothing stay with their parents; what is fixed in them turns instead."""
    still = {place for place, link in enumerate(tree.links) if not tree.children[place] and is_rotor(tree, link)}
    links = tuple(
        replace(link, motion=Pose.identity(), merged=None) if place in still else link
        for place, link in enumerate(tree.links)
    )
    bodies = {
        name: (place, tree.links[place].motion @ X if place != BASE and place in still else X)
        for name, (place, X) in tree.bodies.items()
    }
    return replace(tree, links=links, bodies=bodies)


def is_rotor(tree: Tree, link: Link) -> bool:
    """Whether a link turns about a coordinate axis and its moments of mass stay what they are."""
    if own_angle(tree, link) is None:
        return False
    own, turned = link.inertia, link.inertia.seen_from(link.motion)
    return all(
        before == after
        for before, after in zip((*own.h, *own.J.entries()), (*turned.h, *turned.J.entries()), strict=True)
    )
