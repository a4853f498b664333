"""Where an origin is put does not move anything."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import offsets, walker

import polhode as ph
from polhode.expr import Vector
from polhode.kinematics.motion import body_pose
from polhode.kinematics.passes import apply, apply_each
from polhode.kinematics.passes.origins import components, moved
from polhode.kinematics.tree import build_tree


def test_bodies_are_where_they_were() -> None:
    tree = build_tree(walker())
    shifted = moved(tree, lambda i, fixed: tree.links[i].H[0][0] if len(tree.links[i].H) == 1 else Vector([1, 2, 3]))
    for body in tree.bodies:
        assert body_pose(shifted, body) == body_pose(tree, body)


def test_sliding_takes_offsets_along_the_axis_and_spreading_no_more() -> None:
    assert components(Vector([0, 2, 0])) == 1
    system = ph.System("post")
    arm = system.body("arm", mass=1, com=(1, 0, 0))
    system.joint("hinge", system.ground, arm, ph.Revolute("z"), at=(3, 0, 5))
    (link,) = apply(build_tree(system), ["slide"]).links
    assert tuple(link.fixed.p) == (3, 0, 0)
    assert tuple(link.inertia.h) == (1, 0, 5), "the body stays where it is"
    tree = build_tree(walker("z"))
    assert offsets(apply(tree, ["slide"])) < offsets(tree)


def test_spreading_leaves_no_more_components_than_sliding_and_keeps_legs_alike() -> None:
    slid, spread = apply_each(build_tree(walker("z")), [("slide",), ("spread",)])
    assert offsets(spread) <= offsets(slid)
    left, right = ({link.name: link for link in spread.links}[f"{side} hip"].fixed.p for side in ("left", "right"))
    assert left[0] == right[0] and left[2] == right[2]
