"""Links between parallel joints keep one orientation."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import keeps_the_equations, walker

import polhode as ph
from polhode.expr import Matrix
from polhode.kinematics.motion import body_pose
from polhode.kinematics.passes import apply
from polhode.kinematics.tree import build_tree

STILL = Matrix.identity(3)


def test_knee_and_foot_stay_in_the_orientation_of_the_hip_and_bodies_where_they_were() -> None:
    tree = build_tree(walker("y"))
    held = apply(tree, ["hold"])
    assert {link.name for link in held.links if link.H and link.motion.R == STILL} == {
        f"{side} {part}" for side in ("left", "right") for part in ("knee", "foot")
    }
    for body in tree.bodies:
        assert body_pose(held, body) == body_pose(tree, body)


def test_what_hangs_between_parallel_joints_gets_a_frame_that_turns() -> None:
    system = walker("y")
    system.joint("spur joint", "left knee", system.body("spur", mass=1, com=(1, 2, 3)), ph.Revolute("x"))
    assert "left knee, turned" in [link.name for link in apply(build_tree(system), ["hold"]).links]
    assert keeps_the_equations("hold", system)
