"""What a joint does not move is counted to the parent."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import walker

from polhode.expr import is_zero
from polhode.kinematics.passes import apply
from polhode.kinematics.tree import build_tree


def test_a_link_on_a_hinge_has_neither_mass_nor_moments_along_its_axis() -> None:
    tree = build_tree(walker())
    regrouped = apply(tree, ["regroup"])
    for link in regrouped.links:
        if len(link.H) == 1:
            axis, own = link.H[0][0], link.inertia
            assert is_zero(own.m) and is_zero(axis.dot(own.h)) and is_zero(axis.dot(own.J @ axis))
    assert sum(link.inertia.m for link in regrouped.links) == sum(link.inertia.m for link in tree.links)
