"""An observer in a loop knows what the limits of controls make of them."""

import numpy as np
import pytest

from polhode.control import EKF, LQR, KalmanFilter, Observed
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
    assert any("the observer takes controls to act at once" in each for each in run.notices)
