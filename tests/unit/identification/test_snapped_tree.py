"""Geometry that is almost plain."""

from __future__ import annotations

import polhode as ph
from polhode.identification.snapped_tree import snapped_tree


def test_only_what_is_almost_plain_is_moved_and_told() -> None:
    s = ph.System("arm")
    near = {"at": (1, 1e-9, s.parameter("l")), "rotation": ("x", 1.5707963)}
    s.joint("near", s.ground, s.body("a", 1), ph.Revolute("z"), **near)
    s.joint("far", "a", s.body("b", 1), ph.Revolute("z"), at=(0.001, 0, 0), rotation=("y", 0.3))
    tree = s.derive().tree
    found, told = snapped_tree(tree, 1e-6)
    assert [str(entry) for entry in found.links[0].fixed.p] == ["1", "0", "l"]
    assert found.links[0].fixed.R[1][2] == -1 and found.links[0].fixed.R[1][1] == 0
    assert found.links[1] is tree.links[1]
    assert told == ["Joint 'near' sits within 1e-06 of plain axes and was put on them."]
    assert snapped_tree(tree, 1e-12)[0].links[0].fixed.R[1][1] != 0


def test_a_plain_tree_stays_itself() -> None:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("a", 1), ph.Revolute("z"), at=(1, 0, 0))
    tree = s.derive().tree
    assert snapped_tree(tree, 1e-6) == (tree, [])
