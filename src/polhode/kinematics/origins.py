"""Where the origin of a joint lies on its axis: two passes that save components of offsets.

A joint's origin may lie anywhere on its axis (a sliding joint's anywhere at all). `slide` puts each where its own
offset from the parent has the fewest components. `spread` looks at the joints beside it and one joint ahead: what is
taken from one offset is added to the next. Among equals it prefers offsets across the axis before: along it a link has
no first moment that a particle could cancel (`lending`), and a shift fills more entries of an articulated inertia. The
origin of a body that moves freely may lie at any of its joints; its speeds stay those of the point that they were given
for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..expr import Matrix, Vector, as_expr, free_symbols, is_zero
from ..expr.field import P
from ..geometry import Pose
from .parallel import single_axis
from .tree import BASE, Link, Tree

#: How many of the next joints an origin is tried beside.
_AHEAD = 4

#: How many speeds a body has that moves freely.
_FREE = 6


def slide(tree: Tree) -> Tree:
    """Move each origin along its joint's axis (for a sliding joint: anywhere) to shorten the offset in the parent."""

    def best(place: int, seat: Pose) -> Vector:
        link = tree.links[place]
        return min(_shifts(link, seat, link.fixed.p), key=lambda shift: _components(seat.p + seat.R @ shift))

    return _moved(tree, best)


def spread(tree: Tree) -> Tree:
    """Move each origin along its joint's axis to shorten its offset, those beside it and those that follow."""
    common = {place: _common(tree, place) for place in tree.children}

    def best(place: int, seat: Pose) -> Vector:
        link = tree.links[place]
        carried = [tree.links[child] for child in tree.children[place]]
        beside = common[link.parent]

        def effort(shift: Vector) -> tuple[Fraction, int]:
            own = seat.p + seat.R @ shift
            total, rest = Fraction(0), 0
            if link.parent != BASE:  # an offset from the ground costs nothing
                total, rest = _shared_components(own, link.fixed.p, beside), _idle(tree.links[link.parent], own)
            ahead = [_nearest(link, other, shift) for other in carried]
            different = {(k, _up_to_sign(p[k])) for p in ahead for k in range(3) if not is_zero(p[k])}
            return total + len(different), rest + sum(_idle(link, p) for p in ahead)

        if link.parent == BASE and len(link.H) == _FREE:
            return _at_a_joint([other.fixed.p for other in carried])
        return min(_shifts(link, seat, seat.p) + _shifts_ahead(link, carried), key=effort)

    return _moved(tree, best)


def _moved(tree: Tree, best: Callable[[int, Pose], Vector]) -> Tree:
    """The tree with each origin moved as `best` says, given the link and its seat in the parent that has moved."""
    links: list[Link] = []
    shifts: list[Vector] = []  # of each link's origin, in its own components
    for place, link in enumerate(tree.links):
        seat = link.fixed
        if link.parent != BASE:
            seat = Pose(seat.R, seat.p - shifts[link.parent])
        shift = best(place, seat)
        shifts.append(shift)
        if not any(shift):
            links.append(replace(link, fixed=seat))
            continue
        inertia = link.inertia.seen_from(Pose(Matrix.identity(3), -shift))
        if single_axis(link) is None:
            motion = link.motion @ Pose(Matrix.identity(3), shift)
            H = tuple((w, v + w.cross(shift)) for w, v in link.H)
            links.append(replace(link, fixed=seat, motion=motion, H=H, inertia=inertia))
        else:
            moved = Pose(seat.R, Vector([as_expr(x) for x in seat.p + seat.R @ shift]))
            links.append(replace(link, fixed=moved, inertia=inertia))
    bodies = {
        name: (place, X if place == BASE else Pose(X.R, X.p - shifts[place]))
        for name, (place, X) in tree.bodies.items()
    }
    return replace(tree, links=tuple(links), bodies=bodies)


def _shifts(link: Link, seat: Pose, given: Vector) -> list[Vector]:
    """Ways to move an origin, in the link's components; `given` is the offset before the parent's origin moved.

    Nothing is divided by that might be small or vanish for some value of a parameter.
    """
    zero = Vector([as_expr(0)] * 3)
    found = single_axis(link)
    if found is None:
        return [zero]
    kind, axis = found
    if kind == "slide":
        return [Vector([as_expr(x) for x in -(seat.R.T @ seat.p)])]
    square = axis.dot(axis)
    direction = seat.R @ axis
    candidates = [zero]
    candidates += [axis * (-p.dot(direction) / square) for p in (given, seat.p)]  # feet of perpendiculars
    for k in range(3):  # make one component of the offset vanish
        if not free_symbols([as_expr(direction[k])]) and abs(float(direction[k])) > 0.1:
            candidates.append(axis * (-seat.p[k] / direction[k]))
    return candidates


def _shifts_ahead(link: Link, carried: Sequence[Link]) -> list[Vector]:
    """Ways to move an origin along its axis to where those of the next joints are."""
    found = single_axis(link)
    if found is None or found[0] != "turn":
        return []
    axis = found[1]
    return [axis * (other.fixed.p.dot(axis) / axis.dot(axis)) for other in carried[:_AHEAD]]


def _at_a_joint(offsets: Sequence[Vector]) -> Vector:
    """The one of some joints, or the origin, from which their offsets have the fewest different components."""

    def effort(shift: Vector) -> int:
        return len({(k, _up_to_sign(p[k] - shift[k])) for p in offsets for k in range(3)} - {(k, 0) for k in range(3)})

    return min([Vector([as_expr(0)] * 3), *offsets[:_AHEAD]], key=effort)


def _nearest(link: Link, other: Link, shift: Vector) -> Vector:
    """The shortest offset that the next joint can have after a shift."""
    seat = Pose(other.fixed.R, other.fixed.p - shift)
    offsets = [seat.p + seat.R @ further for further in _shifts(other, seat, seat.p)]
    return min(offsets, key=lambda p: (_components(p), _idle(link, p)))


def _components(p: Vector) -> int:
    return sum(not is_zero(x) for x in p)


def _common(tree: Tree, place: int) -> Counter[tuple[int, int]]:
    """How often each component occurs, up to sign, in the offsets of the joints that a link carries."""
    offsets = [tree.links[child].fixed.p for child in tree.children[place]]
    return Counter((k, _up_to_sign(p[k])) for p in offsets for k in range(3))


def _shared_components(p: Vector, given: Vector, beside: Counter[tuple[int, int]]) -> Fraction:
    """How many components an offset has, each divided among the joints that have it; `given` is counted already."""
    total = Fraction(0)
    for k in range(3):
        own = _up_to_sign(p[k])
        others = beside[k, own] - (own == _up_to_sign(given[k]))
        total += Fraction(int(own != 0), 1 + others)
    return total


def _up_to_sign(x: Any) -> int:
    fp = as_expr(x).fp
    return min(fp, -fp % P)


def _idle(link: Link, p: Vector) -> bool:
    """Whether an offset has a component along the axis about which the link that it is in turns."""
    found = single_axis(link)
    return found is not None and found[0] == "turn" and not is_zero(p.dot(found[1]))
