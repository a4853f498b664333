"""Lagrange's equations in vector-parameters: which joints they take, and what they refuse."""

from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.random_system import random_system


def arm(kind: Any, **more: Any) -> ph.System:
    s = ph.System("arm")
    s.joint("j1", s.ground, s.body("a", 1, (1, "0.2", 0), (1, 2, 2)), ph.Revolute("z"))
    s.joint(
        "j2", "a", s.body("b", 2, ("0.3", 0, 1), (1, 1, "1.5")), kind, at=(1, 0, "0.5"), rotation=("x", "0.3"), **more
    )
    return s


@pytest.mark.parametrize("storage", ["quaternion", "vector", "angles", "313"])
def test_a_spherical_joint_is_a_vector_parameter_however_it_is_stored(storage: str) -> None:
    system = arm(ph.Spherical(storage))
    assert system.derive("vector_parameter").agrees_with(system.derive("newton_euler"))


@pytest.mark.parametrize("kind", [ph.Universal("x", "y"), ph.Universal("x", "y", "vector"), ph.Prismatic((1, 2, 2))])
def test_universal_and_prismatic_joints_are_taken(kind: Any) -> None:
    system = arm(kind)
    assert system.derive("vector_parameter").agrees_with(system.derive("newton_euler"))


def test_universal_joints_half_turns_and_driven_joints_are_taken() -> None:
    s = ph.System("arm")
    s.joint("j1", s.ground, s.body("a", 1, (1, 0, 0), (1, 2, 2)), ph.Revolute("z"), rotation=("x", ph.pi))
    s.joint("j2", "a", s.body("b", 2, (0, 1, 0), (1, 1, 1)), ph.Revolute("y"), at=(1, 0, 0), rotation=("z", ph.pi))
    assert s.derive("vector_parameter").agrees_with(s.derive("poincare"))
    follows, driven = arm(ph.Revolute("y")), arm(ph.Revolute("y", "vector"))
    follows.couple("j2", "j1", 2, "0.3")
    driven.prescribe("j2", ph.sin(driven.time) / 2)
    for system in (follows, driven):
        assert system.derive("vector_parameter").agrees_with(system.derive("newton_euler"))


def test_two_quarter_turns_make_half_a_turn_and_the_equations_have_values_there() -> None:
    s = ph.System("arm")
    for name, parent in (("j1", "ground"), ("j2", "j1 link")):
        link = s.body(f"{name} link", 1, (1, 0, 0), (1, 1, 1))
        s.joint(name, parent, link, ph.Revolute("z", "vector"), at=(0 if parent == "ground" else 1, 0, 0))
    e = s.derive("vector_parameter").compile()
    judge = s.derive().compile()
    q, u = [1.0, 1.0], [0.3, -0.2]
    assert e.inverse_dynamics(q, u, [1, 2]) == pytest.approx(judge.inverse_dynamics(q, u, [1, 2]))


def test_branches_and_loads_are_taken() -> None:
    for seed in range(6):
        system = random_system(
            seed, bodies=(2, 4), joints=("revolute", "prismatic", "spherical", "fixed"), max_speeds=4
        )
        assert system.derive("vector_parameter").agrees_with(system.derive("newton_euler")), f"seed {seed}"


@pytest.mark.parametrize("kind", [ph.Planar("z"), ph.Screw("z", 1), ph.Cylindrical("z"), ph.Free()])
def test_joints_that_the_paper_has_not_are_refused_with_a_sentence(kind: Any) -> None:
    with pytest.raises(ph.PolhodeError, match="made for revolute, universal, spherical and prismatic joints"):
        arm(kind).derive("vector_parameter")


def test_passes_are_refused_and_her_name_is_known() -> None:
    refused("no pass can be applied", lambda: arm(ph.Revolute("y")).derive("vector_parameter", passes=("slide",)))
    refused("is called 'vector_parameter' here", lambda: arm(ph.Revolute("y")).derive("mladenova"))
