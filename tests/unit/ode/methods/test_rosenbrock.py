"""Rodas5P steps at its order: also between steps, with time in the rates, and for quaternions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Equations


def observed_order(equations: Equations, method: str, steps: tuple[float, float], **options: Any) -> float:
    """From the errors of two runs of constant steps at a time inside a step, and at the end."""
    options |= {"samples": [0.50123], "watch_energy": False}
    exact = equations.simulate(1, rtol=1e-13, atol=1e-13, **options)
    runs = [equations.simulate(1, method=method, step=h, rtol=1.0, atol=1.0, **options) for h in steps]
    errors = [np.abs(run.u - exact.u)[1:].max() for run in runs]
    return float(np.log2(errors[0] / errors[1]))


@pytest.mark.parametrize(("method", "order"), [("Rodas5P", 4), ("Radau", 3)])
def test_a_top_with_a_quaternion_converges_at_the_order_of_the_dense_output(method: str, order: int) -> None:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.03, 0.01)), ph.Spherical("quaternion"))
    start = (np.array([np.cos(0.2), np.sin(0.2), 0, 0]), np.array([1.0, 2.0, 20.0]))
    found = observed_order(s.derive(), method, (0.01, 0.005), start=start)
    assert found > order + 0.5


@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
def test_time_in_the_rates_is_differentiated(method: str) -> None:
    s = ph.System("driven")
    j = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force("x", ph.sin(9 * s.time) * (1 + j.q[0] ** 2) - 3 * j.u[0])
    equations = s.derive()
    options: dict[str, Any] = {"samples": 2, "watch_energy": False}
    exact = equations.simulate(1, rtol=1e-13, atol=1e-13, **options).u[-1, 0]
    errors = [
        abs(equations.simulate(1, method=method, step=h, rtol=1.0, atol=1.0, **options).u[-1, 0] - exact)
        for h in (1 / 32, 1 / 64)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.4)
