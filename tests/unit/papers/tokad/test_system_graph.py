"""What drivers give and leave unknown: what cannot be given is said."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.formalisms.network.test_graph import four_bar

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import is_zero, same, substitute
from polhode.papers.tokad import system_graph


def test_it_tells_what_is_given_and_what_is_not() -> None:
    problem = system_graph(four_bar(), across=["pin 2"]).mixed_problem()
    assert problem.given == ["acceleration of pin 2", "effort on pin 1", "effort on pin 3"]
    assert problem.unknown[:3] == ["acceleration of pin 1", "acceleration of pin 3", "effort on pin 2"]
    assert problem.unknown[3:] == ["multiplier of pin 4 x", "multiplier of pin 4 z"]


def test_motions_of_loops_cannot_all_be_given() -> None:
    problem = system_graph(four_bar(), across=["pin 1", "pin 2"]).mixed_problem()
    with pytest.raises(PolhodeError, match="'pin 1', 'pin 2' cannot all be given") as caught:
        _ = problem.solution
    assert caught.value.problems[0].code == "E-PAPER-UNSUPPORTED"
    with pytest.raises(PolhodeError, match="no speed whose motion could be given: 'pin 4'"):
        system_graph(four_bar(), across=["pin 4"]).mixed_problem()
    system = four_bar()
    system.prescribe("pin 1", ph.sin(system.time))
    problem = system_graph(system).mixed_problem()
    assert problem.given == ["effort on pin 2", "effort on pin 3", "motion of pin 1"]
    assert same([problem.solution[-1]], [system.derive().driving_force("pin 1")])


def test_a_prescribed_motion_is_given_and_its_effort_found() -> None:
    s = ph.System("shaken", gravity=(0, 0, -10))
    s.prescribe(s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x")), ph.sin(2 * s.time))
    s.joint("q", "cart", s.body("bob", 1, (0, 0, -2)), ph.Revolute("y"))
    problem = system_graph(s).mixed_problem()
    assert problem.given == ["effort on q", "motion of x"]
    assert problem.unknown == ["acceleration of q", "effort on x"]
    assert same([problem.solution[1]], [s.derive().driving_force("x")])
    known = dict(zip(problem.symbols[1], problem.solution, strict=True))
    assert all(is_zero(entry) for entry in substitute(list(problem.residual), known))


def test_one_joint_cannot_be_both_drivers() -> None:
    with pytest.raises(PolhodeError, match="'pin 2' is named as an across driver and as a through driver"):
        system_graph(four_bar(), across=["pin 2"], through=["pin 2"])


@pytest.mark.parametrize("given", [None, 3, "pin 2"])
def test_drivers_that_are_no_list_get_a_sentence(given: Any) -> None:
    with pytest.raises(PolhodeError, match="is not a list of joints and loops"):
        system_graph(four_bar(), across=given)


@pytest.mark.parametrize("given", ["arm", None, 3])
def test_what_is_no_system_has_no_graph(given: Any) -> None:
    with pytest.raises(PolhodeError, match="is not a system"):
        system_graph(given)
