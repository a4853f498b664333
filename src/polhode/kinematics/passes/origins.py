"""Moving the origins of joints along their axes: what `slide` and `spread` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...expr import Matrix, Vector, as_expr, free_symbols, is_zero
from ...geometry import Pose
from ..tree import BASE, Link, Tree
from .axes import single_axis


def moved(tree: Tree, best: Callable[[int, Pose], Vector]) -> Tree:
    """The tree with each origin moved as `best` says, given the link and its joint frame on the moved parent."""
    links: list[Link] = []
    shifts: list[Vector] = []  # of each link's origin, in its own components
    for i, link in enumerate(tree.links):
        fixed = link.fixed
        if link.parent != BASE:
            fixed = Pose(fixed.R, fixed.p - shifts[link.parent])
        shift = best(i, fixed)
        shifts.append(shift)
        if not any(shift):
            links.append(replace(link, fixed=fixed))
            continue
        inertia = link.inertia.seen_from(Pose(Matrix.identity(3), -shift))
        if single_axis(link) is None:
            motion = link.motion @ Pose(Matrix.identity(3), shift)
            H = tuple((w, v + w.cross(shift)) for w, v in link.H)
            links.append(replace(link, fixed=fixed, motion=motion, H=H, inertia=inertia))
        else:
            fixed = Pose(fixed.R, Vector([as_expr(x) for x in fixed.p + fixed.R @ shift]))
            links.append(replace(link, fixed=fixed, inertia=inertia))
    bodies = {name: (i, X if i == BASE else Pose(X.R, X.p - shifts[i])) for name, (i, X) in tree.bodies.items()}
    return replace(tree, links=tuple(links), bodies=bodies)


def shifts_along(link: Link, fixed: Pose, given: Vector) -> list[Vector]:
    """Ways to move an origin, in the link's components; `given` is the offset before the parent's origin moved.

    Nothing is divided by that might be small or vanish for some value of a parameter.
    """
    zero = Vector([as_expr(0)] * 3)
    found = single_axis(link)
    if found is None:
        return [zero]
    kind, axis = found
    if kind == "slide":
        return [Vector([as_expr(x) for x in -(fixed.R.T @ fixed.p)])]
    square = axis.dot(axis)
    direction = fixed.R @ axis
    candidates = [zero]
    candidates += [axis * (-p.dot(direction) / square) for p in (given, fixed.p)]  # feet of perpendiculars
    for k in range(3):  # make one component of the offset vanish
        if not free_symbols([as_expr(direction[k])]) and abs(float(direction[k])) > 0.1:
            candidates.append(axis * (-fixed.p[k] / direction[k]))
    return candidates


def components(p: Vector) -> int:
    """How many components of a vector do not vanish."""
    return sum(not is_zero(x) for x in p)
