"""A joint that carries nothing with mass is named, by the book's recursion and by the short one."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.formalisms import articulated_body as book
from polhode.formalisms.short import articulated_body as short
from polhode.geometry.twist import Wrench
from polhode.kinematics.tree import build_tree


@pytest.mark.parametrize("way", [book, short], ids=["book", "short"])
def test_a_joint_that_moves_no_mass_is_named(way: object) -> None:
    system = ph.System("empty hand")
    arm = system.body("arm", mass=1, com=(1, 0, 0))
    system.joint("shoulder", system.ground, arm, ph.Revolute("y"))
    system.joint("wrist", arm, system.body("hand"), ph.Revolute("x"), at=(1, 0, 0))
    tree = build_tree(system.model())
    free = [Wrench.zero() for _ in tree.links]
    with pytest.raises(ModelError, match="wrist"):
        way.forward_dynamics(tree, tree.u, tree.tau, free, tree.gravity)  # type: ignore[attr-defined]
