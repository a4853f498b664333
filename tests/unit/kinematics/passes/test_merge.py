"""Parallel joints are crossed in one step."""

from tests.unit.kinematics.passes.walker import walker

from polhode.expr import same
from polhode.kinematics.motion import velocities
from polhode.kinematics.passes import apply
from polhode.kinematics.passes.merge import merged_turns
from polhode.kinematics.tree import build_tree


def test_a_foot_is_turned_against_the_hip_by_both_joints_between() -> None:
    tree = apply(build_tree(walker("y")), ["merge"])
    merged = {tree.links[i].name: turn for i, turn in merged_turns(tree).items()}
    assert {*merged} == {"left foot", "right foot"}
    names = [link.name for link in tree.links]
    turn, found = merged["left foot"], velocities(tree)
    assert names[turn.anchor] == "left hip" and len(turn.spin) == 2
    w = turn.outward(found[turn.anchor][0]) + turn.velocity(tree.u)
    assert same(w, found[names.index("left foot")][0])


def test_axes_that_are_not_parallel_are_left_alone() -> None:
    tree = build_tree(walker("z"))
    assert not merged_turns(apply(tree, ["merge"]))
