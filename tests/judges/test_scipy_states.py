"""SciPy beside runs with first-order states: the same equations written by hand and integrated by SciPy alone."""

import importlib.util

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode.model.samples import motor_driven_pendulum

K, RATIO, R, L, G = 0.05, 60.0, 2.0, 0.01, 9.81
IDA = pytest.param(
    "ida", marks=pytest.mark.skipif(importlib.util.find_spec("sksundae") is None, reason="SUNDIALS is not installed")
)


def by_hand(t: float, x: np.ndarray) -> list[float]:
    """A rod on a geared motor: ⅓ θ̈ = K n i - ½ g sin θ, L i̇ = V - R i - K n θ̇."""
    angle, speed, current = x
    voltage = 3 * np.sin(t)
    return [speed, 3 * (K * RATIO * current - G / 2 * np.sin(angle)), (voltage - R * current - K * RATIO * speed) / L]


@pytest.mark.parametrize("method", ["auto", "RK45", "scipy.LSODA", "Radau", "scipy.BDF", "rk4", IDA])
def test_a_motor_driven_pendulum_moves_as_the_equations_written_by_hand(method: str) -> None:
    judge = solve_ivp(by_hand, (0, 2), [0.3, 0.0, 0.1], method="Radau", rtol=1e-11, atol=1e-12, dense_output=True)
    run = motor_driven_pendulum().derive().simulate(
        2, start={"hinge": 0.3, "current": 0.1}, inputs=lambda t, q, u: {"voltage": 3 * np.sin(t)}, method=method
    )  # fmt: skip
    ours = np.hstack([run.q, run.u, run.z])
    assert np.abs(ours - judge.sol(run.t).T).max() < 1e-6
