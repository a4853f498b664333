"""The derivatives that implicit methods step with: compiled ones and differences, of the rates as they are stepped."""

import numpy as np
import pytest

import polhode as ph
from polhode.ode.native_run import NativeRun


def evaluated(run: NativeRun) -> np.ndarray:
    """∂ẋ/∂x as a short step had it."""
    run.begin(1.0)
    run.record.h = 1e-9
    run.advance(1.0, 1)
    assert run.implicit is not None
    return run.implicit.arrays["jacobian"].reshape(run.size, -1)[:, : run.size]


def test_differences_of_smooth_rates_have_seven_digits() -> None:
    x = np.array([0.3, -1.2, 0.0, 4.0, 1e-6])

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        return np.array([np.sin(x[1]), x[0] * x[3], np.exp(x[2]), x[2] ** 2 - x[0], 3 * x[4]])

    run = NativeRun("Radau", x, rtol=1e-9, atol=1e-9)
    run.use(run.python(rates))
    expected = np.zeros((5, 5))
    expected[0, 1], expected[1, 0], expected[1, 3] = np.cos(x[1]), x[3], x[0]
    expected[2, 2], expected[3, 0], expected[4, 4] = 1.0, -1.0, 3.0
    assert np.abs(evaluated(run) - expected).max() < 1e-6


@pytest.mark.parametrize("lengths", [(1.0, 1.0), (1.3, 0.8)])
def test_compiled_derivatives_are_those_of_rates_with_quaternions_of_any_length(lengths: tuple[float, float]) -> None:
    s = ph.System("tops")
    s.joint("hinge", s.ground, s.body("table", 1, (0.1, 0, 0)), ph.Revolute("z"))
    for parent, name in (("table", "lower"), ("lower", "upper")):
        s.joint(name, parent, s.body(name, 1, (0.01, 0.02, 0.1), (0.02, 0.03, 0.01)), ph.Spherical("quaternion"))
    functions = s.derive().compile()
    e = np.array([0.5, 0.1, -0.3, 0.4])
    e, groups = e / np.linalg.norm(e), [(1, 4), (5, 4)]
    x = np.concatenate([[0.3], *(length * e for length in lengths), [2.0, 1.0, 2.0, 3.0, -1.0, 0.5, 1.0]])
    given = {"tau": np.zeros(7), "inputs": np.zeros(0)}
    run = NativeRun("Radau", x, rtol=1e-9, atol=1e-9, groups=groups)
    native = functions.native("state_rates")
    run.use(run.compiled(native, given))
    by_differences = evaluated(run).copy()
    run = NativeRun("Radau", x, rtol=1e-9, atol=1e-9, groups=groups)
    run.use(run.compiled(native, given))
    assert run.implicit is not None
    run.implicit.compiled(run.compiled(functions.native("state_rates_jacobian"), given))
    assert np.abs(evaluated(run) - by_differences).max() < 1e-5
