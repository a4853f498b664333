"""Efforts are linear in the standard parameters: Y π + known is what every formalism finds, by fingerprint."""

import pytest

import polhode as ph
from polhode.expr import free_symbols, is_zero, same
from polhode.formalisms.registry import names
from polhode.model.samples.random_system import random_system


def symbolic_arm() -> ph.System:
    """Two links whose ten moments each are symbols, friction, a spring and an input."""
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    l, k, F = s.parameter("l"), s.parameter("k"), s.input("F")
    parent: ph.Body = s.ground
    for name, axis, at in (("a", "z", (0, 0, 0)), ("b", "y", (l, 0, 0))):
        given = {
            each: s.parameter(f"{each}{name}") for each in ("m", "x", "y", "z", "A", "B", "C", "D", "E", "F", "v", "c")
        }
        inertia = [given[each] for each in "ABCDEF"]
        body = s.body(f"link {name}", given["m"], [given[each] for each in "xyz"], inertia)
        joint = s.joint(name, parent, body, ph.Revolute(axis), at=at)
        s.joint_force(joint, -given["v"] * joint.u[0] - given["c"] * ph.sign(joint.u[0]) - k * joint.q[0] + F)
        parent = body
    return s


def holds(equations: ph.Equations) -> bool:
    made = equations.regressor()
    return same(made.Y @ made.values + made.known, equations.inverse_dynamics)


@pytest.mark.parametrize("formalism", names(historical=True))
def test_every_formalism_s_efforts_are_those_of_the_regressor(formalism: str) -> None:
    assert holds(symbolic_arm().derive(formalism))


def test_the_columns_know_lengths_and_motion_alone() -> None:
    equations = symbolic_arm().derive()
    made = equations.regressor()
    met = {x.name for x in free_symbols(list(made.Y.entries())) if x.data[0] == "parameter"}
    assert met == {"l"}
    assert {x.name for x in free_symbols(list(made.known)) if x.data[0] != "coordinate"} == {"k", "F"}
    assert made.names[-4:] == ["viscous_a", "coulomb_a", "viscous_b", "coulomb_b"]
    assert [str(x) for x in made.values[-2:]] == ["vb", "cb"]


@pytest.mark.parametrize("coupling", ["full", "reduced"])
@pytest.mark.parametrize("stiffness", [None, 800])
def test_rotors_are_parameters_too(coupling: str, stiffness: int | None) -> None:
    s = symbolic_arm()
    J = s.parameter("J")
    s.motor("b", 50, inertia=(0, 0, J), mass="0.2", friction="0.001", coupling=coupling, stiffness=stiffness)
    equations = s.derive()
    names = equations.regressor().names
    assert holds(equations) and "Izz_b rotor" in names and "viscous_b rotor" in names
    assert ("m_b rotor" in names) == (coupling == "full")


@pytest.mark.parametrize("seed", (1, 3, 4))
def test_any_tree_of_any_joints_with_prescribed_motions(seed: int) -> None:
    assert holds(random_system(seed).derive())


def skate() -> tuple[ph.System, ph.Joint]:
    s = ph.System("skate", gravity=(1, 0, 0))
    plane = s.joint("plane", s.ground, s.body("blade", 2, com=("0.1", 0, 0), inertia=(2, 2, 3)), ph.Planar("z"))
    s.joint_force(plane, -plane.u[1], 1)
    return s, plane


def test_pseudo_velocities() -> None:
    s, plane = skate()
    made = s.derive("hamel", pseudo={"a": plane.u[0] + plane.u[1], "b": plane.u[1], "w": plane.u[2] * 2})
    assert holds(made) and not is_zero(made.regressor().Y[1, 0])


def test_independent_speeds() -> None:
    s, _ = skate()
    s.knife_edge("edge", "blade")
    made = s.derive(independent=["plane_w", "plane_vx"])
    assert len(made.u) == 2 and holds(made) and made.regressor().Y.shape == (2, 11)
    assert made.base_parameters().names == ["m_blade", "mcx_blade", "mcy_blade", "Izz_blade", "viscous_plane_vx"]
