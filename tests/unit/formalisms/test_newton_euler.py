"""The motion from which articulated bodies measure accelerations is free, and chosen to be short."""

from __future__ import annotations

import polhode as ph
from polhode.expr import is_zero
from polhode.formalisms.newton_euler import accelerate
from polhode.kinematics.tree import build_tree


def test_every_turn_of_the_reference_makes_an_entry_of_w_vanish_and_a_floating_base_stands() -> None:
    system = ph.System("swimmer", gravity=(0, 0, -9.81))
    on = system.body("trunk", mass=1, com=(1, 2, 3), inertia=[1, 2, 3])
    system.joint("base", system.ground, on, ph.Free())
    for k, axis in enumerate("xyz"):
        link = system.body(f"link {k}", mass=1, com=(1, 2, 3), inertia=[1, 2, 3])
        system.joint(f"joint {k}", on, link, ph.Revolute(axis), at=(1, 2, 3))
        on = link
    tree = build_tree(system)
    motion = accelerate(tree, tree.u, None, tree.gravity)
    zeros = [sum(is_zero(entry) for entry in W.entries()) for W in motion.W]
    assert zeros[0] == 3 and all(zeros[1:])
    assert not any(motion.a[0])
