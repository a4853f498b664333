"""Origins slide along their axes to where their own offsets are short."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import keeps_the_equations, offsets, walker

import polhode as ph
from polhode.kinematics.passes import apply
from polhode.kinematics.tree import build_tree


def test_sliding_keeps_the_equations() -> None:
    assert keeps_the_equations("slide", walker())


def test_an_offset_along_the_axis_goes_and_one_across_it_stays() -> None:
    system = ph.System("post")
    arm = system.body("arm", mass=1, com=(1, 0, 0))
    system.joint("hinge", system.ground, arm, ph.Revolute("z"), at=(3, 0, 5))
    (link,) = apply(build_tree(system), ["slide"]).links
    assert tuple(link.fixed.p) == (3, 0, 0)
    assert tuple(link.inertia.h) == (1, 0, 5), "the body stays where it is"


def test_no_offset_has_more_components_than_before_in_all() -> None:
    tree = build_tree(walker("z"))
    assert offsets(apply(tree, ["slide"])) < offsets(tree)
