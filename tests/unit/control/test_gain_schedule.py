"""Scheduled gains: a regulator at each equilibrium, and a law that knows all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.control import LQR, GainSchedule
from polhode.expr import evaluate
from polhode.model.samples.underactuated import cart_pole


def pendulum() -> ph.Equations:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    return s.derive()


def test_a_schedule_is_the_regulator_at_each_of_its_equilibria() -> None:
    e = pendulum()
    made = GainSchedule(e, over={"a": [0, 1, 2]}, inputs=["tau_a"])
    law = made.law
    r, rate = law.reference[0].symbols
    for value in (0.0, 1.0, 2.0):
        at = e.equilibrium(free=["tau_a"], given={"a": value})
        K = LQR(e.linearize(at), inputs=["tau_a"]).K[0]
        there = {e.q[0]: value, e.u[0]: 0.3, r: value, rate: 0.0}
        (effort,) = evaluate([*law.controls.values()], there)
        assert effort == pytest.approx(20 * np.sin(value) - 0.3 * K[1], rel=1e-6)


def test_a_pendulum_follows_far_beyond_one_equilibrium() -> None:
    e = pendulum()
    made = GainSchedule(e, over={"a": np.linspace(0, 2.8, 8)}, Q=[30, 3], inputs=["tau_a"])
    run = e.simulate(20, controller=made, reference={"a": "1.4 - 1.2*cos(0.3*t)"}, start={"a": 0.2})
    wanted = 1.4 - 1.2 * np.cos(0.3 * run.t)
    assert np.abs(run.q[:, 0] - wanted).max() < 0.05
    alone = LQR(e.linearize(e.equilibrium(free=["tau_a"], given={"a": 0.2})), Q=[30, 3], inputs=["tau_a"])
    other = e.simulate(20, controller=alone, reference={"a": "1.4 - 1.2*cos(0.3*t)"}, start={"a": 0.2})
    assert np.abs(other.q[:, 0] - wanted).max() > 0.5


def test_gains_follow_a_parameter_that_is_known() -> None:
    e = cart_pole().derive()
    made = GainSchedule(e, over={"m": [0.1, 0.5, 1.0]}, Q={"x": 1, "theta": 1})
    assert np.all(np.diff(made.K[:, 0, 1]) < 0)  # a heavier pole takes more
    run = e.simulate(12, controller=made, start={"theta": 0.2}, parameters={"m": 0.8, "nominal m": 0.8})
    assert np.abs(run.x[-1]).max() < 0.01


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"over": {"b": [0, 1]}}, "no parameter, coordinate or speed 'b'"),
        ({"over": {"a": [0]}}, "not two or more ascending values"),
        ({"over": {"a": [1, 0]}}, "ascending"),
        ({"over": {"a": "far"}}, "not a list of numbers"),
        ({"over": {}}, "one variable, not 0"),
        ({"over": 3}, "not values by the name"),
        ({"over": {"a": [0, 1]}, "kind": "held"}, "no kind of table 'held'"),
        ({"over": {"a": [0, 1]}, "design": lambda linear: 3}, "3 is not an LQR"),
        ({"over": {"a": [0, 1]}, "design": lambda linear: LQR(linear, integral={"a": 1})}, "not scheduled"),
    ],
)
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        GainSchedule(pendulum(), inputs=["tau_a"], **wrong)


def test_gains_that_do_not_hold_between_their_values_are_refused() -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, ph.sin(2 * ph.pi * x.q[0]) * 20)  # steep halfway between whole numbers
    with pytest.raises(ph.PolhodeError, match=r"at x = 1, between two values"):
        GainSchedule(s.derive(), over={"x": [0.5, 1.5]}, inputs=["tau_x"], design=lambda linear: LQR(linear, Q=0.01))
