"""Chains, graphs and wired components: what can be given, and what is refused."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused
from tests.unit.formalisms.network.test_graph import four_bar

import polhode as ph
from polhode.errors import PolhodeError, ShapeError
from polhode.expr import Matrix, Vector, is_zero, same, substitute
from polhode.formalisms.network.graph import Edge
from polhode.model.samples import elastic_arm
from polhode.papers.tokad import system_graph
from polhode.papers.tokad.chain import Multiport, RigidBody, least_speeds
from polhode.papers.tokad.wiring import Open, Wiring, wired_system


def test_least_speeds_are_shortest_or_nearest() -> None:
    rng = np.random.default_rng(1)
    J, x = rng.normal(size=(3, 7)), rng.normal(size=3)
    u = least_speeds(J, x)
    assert np.allclose(J @ u, x)
    null = np.linalg.svd(J)[2][3:]  # motions of the joints that leave the port at rest
    assert np.allclose(null @ u, 0)
    J = np.array([[1.0, 0], [0, 0], [0, 2]])
    assert least_speeds(J, [3, 5, 4]) == pytest.approx([3, 2])
    refused("does not give", lambda: least_speeds(J, [1, 2]), ShapeError)


def test_it_tells_what_is_given_and_what_is_not_and_motions_of_loops_cannot_all_be_given() -> None:
    problem = system_graph(four_bar(), across=["pin 2"]).mixed_problem()
    assert problem.given == ["acceleration of pin 2", "effort on pin 1", "effort on pin 3"]
    assert problem.unknown[:3] == ["acceleration of pin 1", "acceleration of pin 3", "effort on pin 2"]
    assert problem.unknown[3:] == ["multiplier of pin 4 x", "multiplier of pin 4 z"]
    problem = system_graph(four_bar(), across=["pin 1", "pin 2"]).mixed_problem()
    refused("'pin 1', 'pin 2' cannot all be given", lambda: problem.solution, code="E-PAPER-UNSUPPORTED")
    with pytest.raises(PolhodeError, match="no speed whose motion could be given: 'pin 4'"):
        system_graph(four_bar(), across=["pin 4"]).mixed_problem()
    system = four_bar()
    system.prescribe("pin 1", ph.sin(system.time))
    problem = system_graph(system).mixed_problem()
    assert problem.given == ["effort on pin 2", "effort on pin 3", "motion of pin 1"]
    assert same([problem.solution[-1]], [system.derive().driving_force("pin 1")])


def test_a_prescribed_motion_is_given_and_its_effort_found_and_one_joint_cannot_be_both_drivers() -> None:
    s = ph.System("shaken", gravity=(0, 0, -10))
    s.prescribe(s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x")), ph.sin(2 * s.time))
    s.joint("q", "cart", s.body("bob", 1, (0, 0, -2)), ph.Revolute("y"))
    problem = system_graph(s).mixed_problem()
    assert problem.given == ["effort on q", "motion of x"] and problem.unknown == ["acceleration of q", "effort on x"]
    assert same([problem.solution[1]], [s.derive().driving_force("x")])
    known = dict(zip(problem.symbols[1], problem.solution, strict=True))
    assert all(is_zero(entry) for entry in substitute(list(problem.residual), known))
    with pytest.raises(PolhodeError, match="'pin 2' is named as an across driver and as a through driver"):
        system_graph(four_bar(), across=["pin 2"], through=["pin 2"])


@pytest.mark.parametrize("given", [None, 3, "pin 2"])
def test_drivers_that_are_no_list_get_a_sentence(given: Any) -> None:
    refused("is not a list of joints and loops", lambda: system_graph(four_bar(), across=given))


@pytest.mark.parametrize("name", [["pin 2"], None, 3])
def test_names_that_are_no_text_are_not_known(name: Any) -> None:
    with pytest.raises(PolhodeError, match="there is no joint or loop"):
        ph.network(four_bar(), across=[name])
    with pytest.raises(PolhodeError, match="there is no edge"):
        ph.network(four_bar(), tree=[name])


def test_the_rotors_of_motors_are_bodies_of_the_network() -> None:
    arm = elastic_arm()
    graph = ph.network(arm, through=[*arm.joints])
    assert "inertia of j1 rotor" in [edge.name for edge in graph.edges]
    assert arm.derive("network", tree=graph.tree).agrees_with(arm.derive("network"))


@pytest.mark.parametrize("given", ["arm", None, 3])
def test_what_is_no_system_has_no_graph(given: Any) -> None:
    refused("is not a system", lambda: system_graph(given))


def rod(name: str, at: str = "b") -> Multiport:
    still = Vector([0, 0, 0])
    ends = {"a": Vector([1, 0, 0]), "b": Vector([-1, 0, 0])}
    return RigidBody(1, Matrix.identity(3), ends, still, still).component(name, at)


def joint(name: str, tail: str, head: str, first: int, speeds: int) -> tuple[Edge, Open]:
    return Edge(name, tail, head, "joint"), Open(first, speeds)


def test_unjoined_circular_and_waiting_components_are_named() -> None:
    with pytest.raises(PolhodeError, match=r"nothing gives the velocities at 'q\.b'"):
        Wiring((rod("p"), rod("q")), (joint("j", "p.b", "O", 0, 6),))
    with pytest.raises(PolhodeError, match="'i', 'j' form a circuit"):
        Wiring((rod("p"),), (joint("i", "p.b", "O", 0, 12), joint("j", "p.b", "O", 6, 12)))
    loop = joint("i", "p.b", "q.a", 0, 12), joint("j", "q.b", "p.a", 6, 12)
    refused("'p', 'q' are wired in a circle", lambda: Wiring((rod("p"), rod("q")), loop))
    pair = joint("i", "p.b", "O", 0, 12), joint("j", "q.b", "p.a", 6, 12)
    one, other = Wiring((rod("p"), rod("q")), pair), Wiring((rod("q"), rod("p")), pair)
    assert one.mass_matrix() == other.mass_matrix() and [component.name for component in other.order] == ["p", "q"]


def test_chains_that_are_none_are_refused() -> None:
    system = ph.System("arm")
    a, b = (system.body(name, mass=1) for name in "ab")
    system.joint("i", system.ground, a, ph.Revolute("z"))
    system.joint("j", a, b, ph.Revolute("z"), at=(1, 0, 0))
    for chains, message in (
        ([["b", "a"]], "'a' does not hang on the body before it"), ([["a", "b"], ["b"]], "'b' is in two chains"),
        ([["a", "c"]], "no body 'c'"), ([[]], "a chain has no bodies"), (["ab"], "a list of bodies"),
    ):  # fmt: skip
        with pytest.raises(PolhodeError, match=message):
            wired_system(system, chains)
    system.close("k", system.ground, b, ph.Revolute("z"), at_a=(1, 0, 0))
    refused("loops, rolling or joints that follow others", lambda: wired_system(system))
