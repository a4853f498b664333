"""Where an origin is put does not move anything."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import walker

from polhode.expr import Vector
from polhode.kinematics.motion import body_pose
from polhode.kinematics.passes.origins import components, moved
from polhode.kinematics.tree import build_tree


def test_bodies_are_where_they_were() -> None:
    tree = build_tree(walker())
    shifted = moved(tree, lambda i, fixed: tree.links[i].H[0][0] if len(tree.links[i].H) == 1 else Vector([1, 2, 3]))
    for body in tree.bodies:
        assert body_pose(shifted, body) == body_pose(tree, body)


def test_components_that_vanish_are_not_counted() -> None:
    assert components(Vector([0, 2, 0])) == 1
