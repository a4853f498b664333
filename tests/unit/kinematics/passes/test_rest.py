"""A link that carries nothing need not turn."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import walker

from polhode.expr import Matrix
from polhode.kinematics.passes import apply
from polhode.kinematics.tree import build_tree


def test_a_link_that_carries_nothing_keeps_the_orientation_of_its_joint_frame_on_the_parent() -> None:
    tree = apply(build_tree(walker("z")), ["rest"])
    resting = {link.name for link in tree.links if link.H and Matrix.identity(3) == link.motion.R}
    assert resting == {"mast", "left foot", "right foot"}
    (mast,) = (link for link in tree.links if link.name == "mast")
    assert mast.inertia.I[2, 2].is_number  # about its axis it feels the same however it is turned
