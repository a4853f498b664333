"""Particles that are lent cancel first moments, and weigh no more than the mechanism."""

from __future__ import annotations

from tests.unit.kinematics.passes.walker import moments, walker

import polhode as ph
from polhode.kinematics.passes import apply, apply_each
from polhode.kinematics.tree import build_tree


def test_lent_particles_cancel_first_moments_and_keep_the_mass() -> None:
    tree = build_tree(walker())
    regrouped, lent = apply_each(tree, [("regroup",), ("lend",)])
    assert moments(lent) < moments(regrouped) < moments(tree)
    assert sum(link.inertia.m for link in lent.links) == sum(link.inertia.m for link in tree.links)


def test_no_particle_is_heavier_than_the_mechanism() -> None:
    system = ph.System("pin")
    arm = system.body("arm", mass=1, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=1, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(0.001, 0, 0))  # 1/0.001 would be a thousand times the mass
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links[1].inertia.m == 0


def test_masses_that_are_symbols_are_not_lent() -> None:
    system = ph.System("symbolic")
    m = system.parameter("m", 1)
    arm = system.body("arm", mass=m, com=(1, 0, 0), inertia=[1, 1, 1])
    finger = system.body("finger", mass=m, com=(0, 1, 0), inertia=[1, 1, 1])
    system.joint("a", system.ground, arm, ph.Revolute("z"))
    system.joint("b", arm, finger, ph.Revolute("y"), at=(1, 0, 0))
    tree = build_tree(system)
    assert apply(tree, ["lend"]).links == apply(tree, ["regroup"]).links
