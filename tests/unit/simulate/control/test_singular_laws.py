"""A run that comes to where its law does not hold says so: when, and by how much."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.planar_arm import planar_arm

import polhode as ph
from polhode.control import EKF, LQR, ComputedTorque, EnergyShaping, Law, Observed, OperationalSpace
from polhode.model.samples.underactuated import cart_pole, quadrotor

HORIZONTAL = {"reference": {"theta": "3*t"}, "speeds": {"theta": 3.0}}


@pytest.fixture(scope="module")
def cart() -> ph.Equations:
    return cart_pole().derive()


def met(run: Any) -> str:
    (told,) = run.conditions_met
    assert told in run.notices
    return str(told)


def test_a_sampled_law_that_passes_its_singular_set_says_when(cart: ph.Equations) -> None:
    run = cart.simulate(0.6, controller=cart.feedback_linearize(["theta"]), sample_time=0.01, **HORIZONTAL)
    told = re.search(r"cos\(theta\) = 0, .* came through there at t = (\S+) s \(from (\S+) to (\S+)\)", met(run))
    assert run.status == "done" and told is not None
    at, before, after = map(float, told.groups())
    assert abs(np.cos(run.at(at)["theta"])) < 1e-3 and before > 0 > after
    short = cart.simulate(0.4, controller=cart.feedback_linearize(["theta"]), sample_time=0.01, **HORIZONTAL)
    assert short.conditions_met == short.notices == ()


def test_a_run_that_breaks_off_there_says_why(cart: ph.Equations) -> None:
    with pytest.raises(ph.PolhodeError, match=r"cos\(theta\) = 0.* the run came near at t = ") as broken:
        cart.simulate(0.6, controller=cart.feedback_linearize(["theta"]), **HORIZONTAL)
    assert len(broken.value.trajectory.conditions_met) == 1  # type: ignore[attr-defined]


def test_passing_more_than_once_is_counted(cart: ph.Equations) -> None:
    theta = cart.q[0] + cart.q[1]
    law = Law({cart.system.inputs["F"].symbol: -cart.u[0]}, singular=(("it is even", ph.sin(5 * theta)),))
    run = cart.simulate(2, controller=law, start={"theta": 2.9, "x": -0.1}, speeds={"theta": 0.0})
    signs = np.sign(np.sin(5 * (run["theta"] + run["x"])))
    count = int((np.diff(signs) != 0).sum())
    assert count > 2 and f"and {count - 1} times more" in met(run)


def test_what_does_not_change_its_sign_is_seen_to_be_near() -> None:
    e = planar_arm().derive()
    hand = OperationalSpace(e, "hand", kp=100, kd=20, axes="xy")
    ((words, value),) = hand.law.singular
    assert words == "'hand' cannot be moved in some direction"
    assert {*map(str, ph.expr.free_symbols([value]))} <= {"q1", "q2", "m1", "m2", "l1", "l2"}  # steps are put in
    start = {"start": {"q1": -0.9, "q2": 1.8}, "sample_time": 0.005}
    inside = e.simulate(1, controller=hand, reference={"x": "0.7 + 0.2*sin(t)", "y": 0}, **start)
    assert inside.conditions_met == ()
    law = Law(hand.nominal_law.controls, reference=hand.law.reference, parameters=hand.nominal_law.parameters,
              singular=(("the arm is stretched", ph.sin(e.q[1]) ** 2),))  # fmt: skip
    still = e.simulate(
        0.1, controller=law, reference={"x": 1.2999, "y": 0}, start={"q1": -0.0065, "q2": 0.017}, sample_time=0.005
    )
    assert "came near at t = " in met(still)


def test_conditions_of_the_controllers_are_looked_at(cart: ph.Equations) -> None:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    e = s.derive()
    torque = ComputedTorque(e, kp=9, kd=6)
    upright = {"ball_e0": 1, "ball_e1": 0, "ball_e2": 0, "ball_e3": 0}
    turned = {"start": {"ball_e0": 0.28, "ball_e1": 0.96}, "speeds": {"ball_wx": 6}, "sample_time": 0.01}
    assert "half a turn away" in met(e.simulate(0.2, controller=torque, reference=upright, limits=2, **turned))
    assert e.simulate(0.2, controller=torque, reference=upright, sample_time=0.01).conditions_met == ()
    shaped = EnergyShaping(cart, {"theta": 0}, ke=30, kd=1, kp=1, kv=1)
    run = cart.simulate(0.02, controller=shaped, start={"theta": 3.0}, sample_time=0.01)
    assert [words for words, _ in shaped.law.singular] == [*shaped.law.conditions] and run.status == "done"


@pytest.mark.parametrize("how", [{}, {"sample_time": 0.005}])
def test_states_of_the_controller_may_be_what_vanishes(how: dict[str, Any]) -> None:
    e = quadrotor().derive()
    outputs = ["pose_x", "pose_y", "pose_z", "pose_a1"]
    law = e.feedback_linearize(outputs, extend=True, at={"thrust": 9.81}, poles=-4)
    down = {"reference": {**dict.fromkeys(outputs, 0.0), "pose_z": "-4*t**3"}, **how}
    falling = e.simulate(0.65, controller=law, **down)
    assert any("thrust integrator 1 = 0" in told for told in falling.conditions_met)
    assert e.simulate(0.2, controller=law, reference=dict.fromkeys(outputs, 0.0), **how).conditions_met == ()


def test_nominal_parameters_and_estimates_are_those_of_the_law(cart: ph.Equations) -> None:
    made = cart.feedback_linearize(["theta"], parameters={"l": 2})
    ((_, value),) = made.nominal_law.with_values({}).singular
    assert value == ph.cos(cart.q[1])
    noise = {"process_noise": 1, "measurement_noise": 1e-4, "sample_time": 0.02}
    loop = Observed(LQR(cart.linearize(), sample_time=0.02), EKF(cart, ["x", "theta"], **noise))
    assert loop.law.singular == ()
    with pytest.raises(ph.PolhodeError, match="which the controller does not know"):
        Law({cart.system.inputs["F"].symbol: cart.u[0]}, singular=(("so", ph.symbol("y", "measurement")),))
