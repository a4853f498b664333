"""Unit vectors that are fixed in more than one body: the axis of a revolute joint is one of both that it joins."""

from __future__ import annotations

from itertools import pairwise

from ...expr import Vector, as_expr, free_symbols
from ..tree_paths import path_between
from .scene import CONSTANT, Axis, Key, Scene


def common_frame(scene: Scene, a: Axis, b: Axis) -> Key | None:
    """A frame between those of two unit vectors in which both are fixed, as near to the second as there is."""
    (i_a, _), (i_b, _) = scene.link_and_pose(a[0]), scene.link_and_pose(b[0])
    way = path_between(scene.tree, i_a, i_b)
    from_a = _fixed_along(scene, a, way)
    from_b = len(way) - _fixed_along(scene, b, way[::-1])
    if from_a <= from_b:
        return None
    i = way[from_a - 1]
    own = {i_b: b[0], i_a: a[0]} if i_a != i_b else {i_b: b[0]}
    return own.get(i, scene.link_keys[i])


def _fixed_along(scene: Scene, axis: Axis, way: list[int]) -> int:
    """On how many links of a way, from its own on, a unit vector is fixed."""
    key, index = axis
    direction = Vector(scene.link_and_pose(key)[1].R[:, index])
    count = 1
    for here, there in pairwise(way):
        inward = here > there
        turn = scene.tree.links[here if inward else there].turn
        direction = turn.inward(direction) if inward else turn.outward(direction)
        if any(x.data[0] not in CONSTANT for x in free_symbols([as_expr(entry) for entry in direction])):
            break
        count += 1
    return count
