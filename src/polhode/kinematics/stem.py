"""A common stop on the way to links that are carried by one link.

Where the offsets of several joints in their parent have components in common (two legs, two arms), a massless frame is
fixed there and carries them: what passes between the parent and all of them crosses the common part once.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr import Expr, Matrix, Vector, as_expr
from ..geometry import Inertia, Pose
from .tree import BASE, Link, Tree

_SUBSETS: tuple[tuple[int, ...], ...] = ((0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,))


def stem(tree: Tree) -> Tree:
    """Give the joints of each link a common frame where their offsets have components in common."""
    groups = {place: _group(tree, place) for place in range(len(tree.links))}
    links: list[Link] = []
    seat: dict[int, int] = {BASE: BASE}  # old place -> new place
    stop: dict[int, tuple[int, Vector]] = {}  # old place -> the frame that carries it instead, and where that is
    for place, link in enumerate(tree.links):
        parent, p = stop.get(place, (seat[link.parent], None))
        moved = link if p is None else replace(link, fixed=Pose(link.fixed.R, link.fixed.p - p))
        links.append(replace(moved, parent=parent, merged=None))  # an anchor may have got another place
        seat[place] = len(links) - 1
        members, common = groups[place]
        if members:
            frame = replace(
                link, name=f"{link.name}, stem", parent=seat[place], fixed=Pose(Matrix.identity(3), common),
                motion=Pose.identity(), H=(), coordinates=(), speeds=(), inertia=Inertia.zero(),
                merged=None, drive=None,
            )  # fmt: skip
            links.append(frame)
            stop.update(dict.fromkeys(members, (len(links) - 1, common)))
    bodies = {name: (seat[place], X) for name, (place, X) in tree.bodies.items()}
    return replace(tree, links=tuple(links), bodies=bodies)


def _group(tree: Tree, place: int) -> tuple[list[int], Vector]:
    """The children of a link whose offsets have most in common, all together, and the components they share."""
    children = [child for child in tree.children[place] if not is_parallel(tree, child)]
    best: tuple[int, list[int], tuple[int, ...]] = (0, [], ())
    for taken in _SUBSETS:
        alike: dict[tuple[Expr, ...], list[int]] = {}
        for child in children:
            p = tree.links[child].fixed.p
            alike.setdefault(tuple(as_expr(p[k]) for k in taken), []).append(child)
        for offsets, members in alike.items():
            saved = (len(members) - 1) * sum(map(bool, offsets))
            if saved > best[0]:
                best = (saved, members, taken)
    _, members, taken = best
    common = [tree.links[members[0]].fixed.p[k] if k in taken else as_expr(0) for k in range(3)]
    return members, Vector(common)


def is_parallel(tree: Tree, child: int) -> bool:
    """Whether a joint turns about the same direction as the one before, which other passes profit from."""
    link, before = tree.links[child], tree.links[tree.links[child].parent]
    if len(link.H) != 1 or len(before.H) != 1:
        return False
    return not any(before.H[0][0].cross(link.fixed.R @ link.H[0][0]))
