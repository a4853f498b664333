"""Origins are put where offsets are short together."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import keeps_the_equations, offsets, walker

from polhode.kinematics.passes import apply_each
from polhode.kinematics.tree import build_tree


def test_spreading_keeps_the_equations() -> None:
    assert keeps_the_equations("spread", walker("z"))


def test_spreading_leaves_no_more_components_than_sliding_and_keeps_legs_alike() -> None:
    slid, spread = apply_each(build_tree(walker("z")), [("slide",), ("spread",)])
    assert offsets(spread) <= offsets(slid)
    left, right = ({link.name: link for link in spread.links}[f"{side} hip"].fixed.p for side in ("left", "right"))
    assert left[0] == right[0] and left[2] == right[2]
