"""Samples of regulators, observers and predictive control, all of them on a cart with a pole."""

import polhode as ph
from polhode.control import EKF, LQR, Controller, GainSchedule, LinearMPC, Observed, RealTimeIteration, iLQR
from polhode.model.samples.underactuated import cart_pole

WEIGHTS = {"x": 1.0, "theta": 1.0}


def lqr(e: ph.Equations) -> Controller:
    return LQR(e.linearize(), WEIGHTS, integral={"x": 1})


def observed(e: ph.Equations) -> Controller:
    seen = EKF(e, ["x", "theta"], process_noise=1e-3, measurement_noise=1e-4, sample_time=0.01)
    return Observed(LQR(e.linearize(), WEIGHTS, sample_time=0.01), seen)


def gain_schedule(e: ph.Equations) -> Controller:
    return GainSchedule(e, over={"m": [0.1, 0.2, 0.3]}, Q=WEIGHTS)


def linear_mpc(e: ph.Equations) -> Controller:
    return LinearMPC(e.linearize(), WEIGHTS, horizon=5, sample_time=0.04, limits={"F": 4}, iterations=3)


def real_time_iteration(e: ph.Equations) -> Controller:
    return RealTimeIteration(e, WEIGHTS, horizon=3, sample_time=0.04, limits={"F": 4})


def ilqr(e: ph.Equations) -> Controller:
    (x, theta), (force,) = e.q, (each.symbol for each in e.system.inputs.values())
    return iLQR(e, force**2 / 10, 10 * (x**2 + theta**2), duration=0.5, sample_time=0.05, start={"theta": 0.1})


#: How each is made of the mechanism.
REGULATORS = {
    "LQR": lqr, "Observed": observed, "GainSchedule": gain_schedule, "LinearMPC": linear_mpc,
    "RealTimeIteration": real_time_iteration, "iLQR": ilqr,
}  # fmt: skip


def mechanism() -> ph.Equations:
    return cart_pole().derive()
