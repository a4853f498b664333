"""An observer in a loop knows what the limits of controls make of them."""

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import EKF, LQR, KalmanFilter, Observed
from polhode.dynamics.equations import EquationsOfMotion
from polhode.laws.named_symbols import controls_of
from polhode.model.samples.underactuated import cart_pole

OUTPUTS = ["x", "theta"]


@pytest.fixture(scope="module")
def equations():
    return cart_pole().derive()


def test_a_filter_that_starts_right_stays_right_where_controls_are_limited(equations):
    start = {"theta": 0.1}
    ekf = EKF(
        equations, OUTPUTS, sample_time=0.02, process_noise=1e-8, measurement_noise=1e-2, start=start, covariance=0
    )
    loop = Observed(LQR(equations.linearize(), sample_time=0.02), ekf)
    run = equations.simulate(0.4, controller=loop, start=start, limits=2)
    assert run.at_limits
    assert np.abs(run.controller["estimate of theta"] - run.at(run.controller.times)["theta"]).max() < 1e-6


def test_a_continuous_observer_knows_limits_too(equations):
    linear = equations.linearize()
    filter = KalmanFilter(linear, OUTPUTS, process_noise=1e-6, measurement_noise=1)
    start = {"theta": 1e-3, "estimate of theta": 1e-3}
    run = equations.simulate(0.2, controller=Observed(LQR(linear), filter), start=start, limits=1e-3)
    estimates = np.transpose([run["estimate of x'"], run["estimate of theta'"]])
    assert run.at_limits and np.allclose(estimates, run.u, atol=1e-7)


@pytest.mark.parametrize("how", [{"delay": 0.01}, {"quantisation": {"F": 0.5}}])
def test_what_an_observer_does_not_know_is_told(equations, how):
    ekf = EKF(equations, OUTPUTS, sample_time=0.02, process_noise=1, measurement_noise=1e-4, step="euler")
    loop = Observed(LQR(equations.linearize(), sample_time=0.02), ekf)
    run = equations.simulate(0.1, controller=loop, start={"theta": 0.1}, **how)
    assert any("the observer assumes that controls act at once" in each for each in run.notices)


def arm(motors: bool = False, declared: bool = False) -> EquationsOfMotion:
    s = ph.System("arm")
    hinge = s.joint("a", s.ground, s.body("upper", 1, com=(1, 0, 0)), ph.Revolute("y"))
    s.joint("b", "upper", s.body("lower", 1, com=(1, 0, 0)), ph.Revolute("y"), at=(2, 0, 0))
    if motors:
        s.motor("b", 50, inertia=1e-4, stiffness=1000)
    if declared:
        s.joint_force(hinge, s.input("F"))
    return s.derive().record


def test_inputs_come_before_motors_and_motors_before_efforts() -> None:
    assert [*controls_of(arm(motors=True, declared=True), None, "here")] == ["F"]
    (symbol,) = controls_of(arm(motors=True), None, "here").values()
    assert symbol.name == "b rotor"
    record = arm()
    assert controls_of(record, ["tau_a"], "here") == controls_of(record, ["a"], "here")
    assert controls_of(record, ["tau(a)"], "here") == controls_of(record, ["a"], "here")
    assert [*controls_of(arm(), None, "relative_degree")] == ["tau_a", "tau_b"]


def test_names_that_are_none_or_stand_twice_get_a_sentence() -> None:
    refused("there is no input 'c'", lambda: controls_of(arm(), ["c"], "here"))
    refused("named twice", lambda: controls_of(arm(), ["a", "tau_a"], "here"))
