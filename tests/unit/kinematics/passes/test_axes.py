"""Axes of joints, and angles of parallel ones."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import walker

import polhode as ph
from polhode.kinematics.passes.axes import parallel_angles, single_axis, unit_axis_of
from polhode.kinematics.tree import build_tree


def test_axes_of_joints_and_of_unit_vectors() -> None:
    assert unit_axis_of([0, -1, 0]) == 1
    assert unit_axis_of([0, 0, 0]) is None
    assert unit_axis_of([0, 1, 1]) is None
    assert unit_axis_of([0, 2, 0]) is None
    system = ph.System("three")
    for name, kind in (("turn", ph.Revolute("y")), ("slide", ph.Prismatic("x")), ("screw", ph.Screw("z", 1))):
        system.joint(name, system.ground, system.body(name, mass=1, inertia=[1, 1, 1]), kind)
    found = [single_axis(link) for link in build_tree(system.model()).links]
    assert [axis and (axis[0], *axis[1]) for axis in found] == [("turn", 0, 1, 0), ("slide", 1, 0, 0), None]


def test_a_foot_on_a_parallel_knee_turns_by_the_sum_of_their_angles() -> None:
    tree = build_tree(walker("y").model())
    angles, continues = parallel_angles(tree)
    names = [link.name for link in tree.links]
    knee, foot = names.index("left knee"), names.index("left foot")
    assert [name for name, goes_on in zip(names, continues, strict=True) if goes_on] == ["left foot", "right foot"]
    assert angles[foot] == tree.q[tree.links[knee].coordinates[0]] + tree.q[tree.links[foot].coordinates[0]]
