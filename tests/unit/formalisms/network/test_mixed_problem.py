"""What drivers give and leave unknown: what cannot be given is said."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.formalisms.network import system_graph

from .test_graph import four_bar


def test_it_tells_what_is_given_and_what_is_not() -> None:
    problem = system_graph(four_bar(), across=["pin 2"]).mixed_problem()
    assert problem.given == ["acceleration of pin 2", "effort on pin 1", "effort on pin 3"]
    assert problem.unknown[:3] == ["acceleration of pin 1", "acceleration of pin 3", "effort on pin 2"]
    assert problem.unknown[3:] == ["multiplier of pin 4 x", "multiplier of pin 4 z"]


def test_motions_that_loops_tie_together_cannot_all_be_given() -> None:
    problem = system_graph(four_bar(), across=["pin 1", "pin 2"]).mixed_problem()
    with pytest.raises(PolhodeError, match="'pin 1', 'pin 2' cannot all be given") as caught:
        _ = problem.solution
    assert caught.value.problems[0].code == "E-NET-030"


def test_a_loop_has_no_speed_to_be_given() -> None:
    with pytest.raises(PolhodeError, match="no speed whose motion could be given: 'pin 4'"):
        system_graph(four_bar(), across=["pin 4"]).mixed_problem()


def test_a_prescribed_joint_leaves_nothing_to_give() -> None:
    system = four_bar()
    system.prescribe("pin 1", ph.sin(system.time))
    assert system_graph(system).mixed_problem().given == ["effort on pin 2", "effort on pin 3"]
