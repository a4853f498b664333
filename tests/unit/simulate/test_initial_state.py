"""Where a run begins."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import Equations
from polhode.errors import PolhodeError, ShapeError
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate.initial_state import home, initial_state


@pytest.fixture(scope="module")
def crane() -> Equations:
    s = ph.System("crane")
    trolley = s.body("trolley", 1)
    s.joint("x", s.ground, trolley, ph.Prismatic("x"), speeds=["v"])
    s.joint("hook", trolley, s.body("load", 2, (0, 0, -1), (1, 1, 1)), ph.Spherical())
    s.pose("away", {"x": 2.0, "hook_e0": 0.6, "hook_e1": 0.8}, {"v": -1.0})
    return s.derive()


def test_home_is_zero_with_quaternions_that_do_not_turn(crane: Equations) -> None:
    assert crane.derivation.synopsis.quaternion_groups == [(1, 4)]
    assert home(crane.derivation.synopsis).tolist() == [0, 1, 0, 0, 0]


def test_a_named_pose_gives_coordinates_and_speeds(crane: Equations) -> None:
    start = initial_state(crane.derivation, "away")
    assert start.q.tolist() == [2, 0.6, 0.8, 0, 0]
    assert start.u.tolist() == [-1, 0, 0, 0]
    assert start.notices == ()


def test_speeds_given_beside_a_pose_win_over_it(crane: Equations) -> None:
    assert initial_state(crane.derivation, "away", {"v": 3}).u.tolist() == [3, 0, 0, 0]


def test_coordinates_by_name_leave_the_rest_at_home(crane: Equations) -> None:
    assert initial_state(crane.derivation, {"x": -1}).q.tolist() == [-1, 1, 0, 0, 0]


def test_arrays_are_copied(crane: Equations) -> None:
    q, u = home(crane.derivation.synopsis), np.zeros(4)
    start = initial_state(crane.derivation, (q, u))
    start.q[0] = 5
    assert q[0] == 0


def test_an_unknown_pose_lists_those_there_are(crane: Equations) -> None:
    with pytest.raises(PolhodeError, match="Did you mean 'away'"):
        initial_state(crane.derivation, "awai")


def test_a_speed_among_the_coordinates_is_sent_to_its_place(crane: Equations) -> None:
    with pytest.raises(PolhodeError, match=r"'v' is a speed(.|\n)*speeds=\{'v'"):
        initial_state(crane.derivation, {"v": 1.0})


# ---- states without mass -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def motor() -> Equations:
    return motor_driven_pendulum().derive()


def test_states_start_by_name_by_array_or_where_the_model_says(motor: Equations) -> None:
    system = ph.System.of(motor.system)
    system.state("counter", rate=1, start=7)
    both = system.derive()
    assert both.simulate(0, start={"current": 0.5}).z.tolist() == [[0.5, 7.0]]
    assert both.simulate(0, start=([0.1], [0.2], [0.3, 0.4])).z.tolist() == [[0.3, 0.4]]
    assert both.simulate(0, start=([0.1], [0.2])).z.tolist() == [[0.0, 7.0]]
    assert both.assemble({"current": 0.5}).z.tolist() == [0.5, 7.0]


def test_a_start_that_is_none_is_told(motor: Equations) -> None:
    with pytest.raises(PolhodeError, match=r"no coordinate or state 'curent'.\n.*'current'"):
        motor.simulate(1, start={"curent": 1})
    with pytest.raises(PolhodeError, match="state 'current': the start value is nan"):
        motor.simulate(1, start={"current": float("nan")})
    with pytest.raises(ShapeError, match="start states: expected 1 numbers"):
        motor.simulate(1, start=([0], [0], [0, 0]))
