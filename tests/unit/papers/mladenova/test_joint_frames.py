"""The recursion in joint frames gives the equations of every other formalism, on any tree."""

from __future__ import annotations

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Matrix, same
from polhode.model.samples import elastic_arm, four_bar
from polhode.model.samples.random_system import random_system
from polhode.papers.mladenova.joint_frames import dynamic_matrices


@pytest.mark.parametrize("seed", seeds(8, of=20))
def test_random_trees_with_every_kind_of_joint_and_load(seed: int) -> None:
    e = random_system(seed).derive()
    found = dynamic_matrices(e)
    assert same(found.B.entries(), e.mass_matrix.entries())
    assert same(found.efforts(e.udot), e.inverse_dynamics)


@pytest.mark.parametrize("coupling", ["full", "reduced"])
def test_elastic_joints_and_which_rotor_is_coupled_to_which_link(coupling: str) -> None:
    e = elastic_arm(joints=3, coupling=coupling).derive()
    found = dynamic_matrices(e)
    assert same(found.efforts(e.udot), e.inverse_dynamics)
    terms = e.velocity_terms
    assert same(found.G, terms.gravity) and same(found.E, terms.applied)
    assert same(found.C, e.bias - terms.gravity - terms.applied)


def test_geared_motors_coupled_joints_and_prescribed_motions() -> None:
    s = ph.System("arm")
    bar = s.body("bar", 1, (0, 0, "0.5"), (1, 2, 3))
    s.joint("a", s.ground, bar, ph.Revolute("y"), rotation=[("z", 2 * s.time**2)], at=(ph.sin(s.time), 0, 0))
    hand = s.body("hand", 1, (0, "0.1", "0.5"), (1, 2, 3))
    s.joint("b", bar, hand, ph.Revolute("x"), at=(0, 0, 1))
    s.motor("b", 10, inertia=(1, 1, "0.5"), mass=1)
    s.joint("c", hand, s.body("finger", 1, (1, 0, 0)), ph.Revolute("z"), child_at=(0, 0, s.time))
    s.couple("c", "b", 2)
    e = s.derive()
    assert same(dynamic_matrices(e).efforts(e.udot), e.inverse_dynamics)


def test_nothing_has_empty_matrices() -> None:
    assert Matrix([]) == dynamic_matrices(ph.System("nothing").derive()).B


def test_what_has_no_recursion_is_refused() -> None:
    bent = ph.System("bent")
    bent.joint("root", bent.ground, bent.beam("boom", length=1, mass=1, EI=1, modes=1), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match="bends"):
        dynamic_matrices(bent.derive())
    with pytest.raises(ph.PolhodeError, match="all speeds of a tree"):
        dynamic_matrices(four_bar().derive(independent=["crank"]))
    with pytest.raises(ph.PolhodeError, match="is not"):
        dynamic_matrices(bent)
