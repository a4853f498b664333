"""Rodas5P steps at its order: also between steps, with time in the rates, and for quaternions."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.ode.methods.rosenbrock import RODAS5P


def observed_order(equations: ph.Equations, method: str, steps: tuple[float, float], **options: Any) -> float:
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


S = RODAS5P.stages


def lower(rows: tuple[tuple[float, ...], ...]) -> np.ndarray:
    made = np.zeros((S, S))
    for k, row in enumerate(rows):
        made[k, : len(row)] = row
    return made


#: The form with products of the Jacobian: Γ⁻¹ = 1/γ - C, α = a Γ, β = α + Γ (Hairer and Wanner, IV.7).
GAMMA = np.linalg.inv(np.eye(S) / RODAS5P.gamma - lower(RODAS5P.C))
ALPHA = lower(RODAS5P.a) @ GAMMA
BETA = ALPHA + GAMMA
B = np.array([*RODAS5P.a[-1], 1.0]) @ GAMMA
ONE = np.ones(S)


def stability(z: complex) -> complex:
    """R(z): what a step of x' = λ x with z = h λ multiplies x by."""
    return complex(1.0 + z * B @ np.linalg.solve(np.eye(S) - z * BETA, ONE))


def test_order_conditions_hold_and_steps_do_not_grow_and_are_exponentials_to_the_fifth_order() -> None:
    assert pytest.approx(RODAS5P.c, abs=1e-13) == ALPHA @ ONE and pytest.approx(RODAS5P.d, abs=1e-12) == GAMMA @ ONE
    a, b = ALPHA @ ONE, BETA @ ONE
    found = [
        B @ ONE, B @ b, B @ a**2, B @ BETA @ b, B @ a**3, B @ (a * (ALPHA @ b)), B @ BETA @ a**2, B @ BETA @ BETA @ b,
    ]  # fmt: skip
    assert found == pytest.approx([1, 1 / 2, 1 / 3, 1 / 6, 1 / 4, 1 / 8, 1 / 12, 1 / 24], abs=1e-12)
    a, b = ALPHA @ ONE, BETA @ ONE
    found = [B @ a**4, B @ BETA @ a**3, B @ (a**2 * (ALPHA @ b)), B @ BETA @ BETA @ BETA @ b]
    assert found == pytest.approx([1 / 5, 1 / 20, 1 / 10, 1 / 120], abs=1e-11)
    assert abs(B @ a**5 - 1 / 6) > 1e-6
    assert np.array_equal(RODAS5P.a[-1], [*RODAS5P.a[-2], 1.0])
    assert pytest.approx(BETA[-1], abs=1e-12) == B
    assert abs(stability(-1e12)) < 1e-10
    angles, sizes = np.linspace(np.pi / 2, np.pi, 25), np.geomspace(1e-2, 1e6, 100)
    largest = max(abs(stability(r * np.exp(1j * angle))) for angle in angles for r in sizes)
    assert largest < 1 + 1e-9
    errors = [abs(stability(h * (1 + 1j)) - np.exp(h * (1 + 1j))) for h in (0.2, 0.1)]
    assert np.log2(errors[0] / errors[1]) > 5.9
