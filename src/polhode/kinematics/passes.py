"""Passes over the tree that change how a mechanism is written down, never how it moves.

* `slide`: a joint's origin may lie anywhere on its axis (a sliding joint's anywhere at all); it is put where the offset
  from the parent has the fewest components.
* `regroup`: mass that a joint does not move belongs as well to the parent. Moving it there, from the tips to the base,
  leaves each link with its base parameters: a link on a revolute joint loses its mass, its first moment along the
  axis and its second moment along the axis, exactly.
* `merge` and `hold` (in `parallel`): joints with parallel axes, one after the other, turn what they carry by the sum
  of their angles.
* `unturned` (in `rotor`): the frame of a wheel need not turn with it.

Every function of the motion stays the same, by fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..errors import PolhodeError
from ..expr import Matrix, Vector, as_expr, free_symbols, is_zero
from ..geometry import Inertia, Pose
from .parallel import hold, merge, single_axis
from .rotor import unturned
from .tree import BASE, Link, Tree


def slide(tree: Tree) -> Tree:
    """Move each origin along its joint's axis (for a sliding joint: anywhere) to shorten the offset in the parent."""
    links: list[Link] = []
    shifts: list[Vector] = []  # of each link's origin, in its own components
    for link in tree.links:
        fixed = link.fixed
        if link.parent != BASE:
            fixed = Pose(fixed.R, fixed.p - shifts[link.parent])
        shift = _best_shift(link, fixed, link.fixed.p)
        moved = Pose(fixed.R, Vector([as_expr(x) for x in fixed.p + fixed.R @ shift]))
        back = Pose(Matrix.identity(3), -shift)
        links.append(replace(link, fixed=moved, inertia=link.inertia.seen_from(back) if any(shift) else link.inertia))
        shifts.append(shift)
    bodies = {
        name: (place, X if place == BASE else Pose(X.R, X.p - shifts[place]))
        for name, (place, X) in tree.bodies.items()
    }
    return replace(tree, links=tuple(links), bodies=bodies)


def _best_shift(link: Link, fixed: Pose, given: Vector) -> Vector:
    """How far to move the origin, in the link's components; `given` is the offset before the parent's origin moved.

    Nothing is divided by that might be small or vanish for some value of a parameter.
    """
    zero = Vector([as_expr(0)] * 3)
    found = single_axis(link)
    if found is None:
        return zero
    kind, axis = found
    if kind == "slide":
        return Vector([as_expr(x) for x in -(fixed.R.T @ fixed.p)])
    square = axis.dot(axis)
    direction = fixed.R @ axis
    candidates = [zero]
    candidates += [axis * (-p.dot(direction) / square) for p in (given, fixed.p)]  # feet of perpendiculars
    for k in range(3):  # make one component of the offset vanish
        if not free_symbols([as_expr(direction[k])]) and abs(float(direction[k])) > 0.1:
            candidates.append(axis * (-fixed.p[k] / direction[k]))
    return min(candidates, key=lambda shift: _effort(fixed.p + fixed.R @ shift))


def _effort(p: Iterable[Any]) -> int:
    return sum(not is_zero(x) for x in p)


def regroup(tree: Tree) -> Tree:
    """Move to each parent, from the tips on, the mass that the joint between does not move."""
    inertias = [link.inertia for link in tree.links]
    for place in reversed(range(len(tree.links))):
        link = tree.links[place]
        at_rest = resting_part(link, inertias[place])
        if at_rest is None:
            continue
        inertias[place] = inertias[place] - at_rest
        if link.parent != BASE:
            inertias[link.parent] = inertias[link.parent] + at_rest.seen_from(link.fixed)
    links = tuple(replace(link, inertia=inertia) for link, inertia in zip(tree.links, inertias, strict=True))
    return replace(tree, links=links)


def resting_part(link: Link, inertia: Inertia) -> Inertia | None:
    """The part of a link's mass that its joint leaves where it is in the parent."""
    zero = Inertia.zero()
    found = single_axis(link)
    if found is not None:
        kind, axis = found
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


PASSES: dict[str, Callable[[Tree], Tree]] = {
    "slide": slide,
    "regroup": regroup,
    "merge": merge,
    "hold": hold,
    "unturned": unturned,
}

#: What is done by default, and what else is worth trying.
USUAL = ("slide", "regroup", "merge", "unturned")
VARIANTS = (USUAL, ("slide", "regroup", "hold", "unturned"))


def check(names: Iterable[str]) -> None:
    """Refuse the name of a pass that is none."""
    for name in names:
        if name not in PASSES:
            raise PolhodeError(
                f"there is no pass {name!r}.", cure=f"Choose among {', '.join(PASSES)}.", code="E-TREE-001"
            )


def apply(tree: Tree, names: Iterable[str]) -> Tree:
    """The tree after the named passes, in their order."""
    names = tuple(names)
    check(names)
    for name in names:
        tree = PASSES[name](tree)
    return tree
