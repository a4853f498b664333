"""What drove a run is written down while it runs: efforts and inputs at the samples are those that acted."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar

FIXED = ["rk4", "heun", "euler"]
LANDING = ["DOP853", "RK45", "RK23", "Rodas5P", "Radau", "scipy.Radau", *FIXED]
REMEMBERING = ["scipy.LSODA", "scipy.BDF"] + (["ida"] if find_spec("sksundae") else [])


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive()


class Stateful:
    """A controller that integrates what it sees, remembers what it said, and may be told that the run is over."""

    def __init__(self) -> None:
        self.then, self.sum, self.over = 0.0, 0.0, False
        self.said: dict[float, list[float]] = {}

    def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        assert not self.over, "asked after the end of the run"
        assert t > self.then - 0.02, "asked about what is long past"
        self.sum += max(0.0, t - self.then) * float(q[0])
        self.then = max(t, self.then)
        effort = -4.0 * q[0] - 0.5 * u[0] - 2.0 * self.sum
        self.said.setdefault(t, []).append(float(effort))
        return [float(effort)]


@pytest.mark.parametrize("method", LANDING)
def test_efforts_at_the_samples_are_what_a_controller_said_there(method: str) -> None:
    controller = Stateful()
    loose = {} if method in FIXED else {"rtol": 1e-5, "atol": 1e-6}
    how = {"method": method, "samples": 21, "step": 0.005, **loose}
    run = pendulum().simulate(0.5, start={"hinge": 1.0}, tau=controller, **how)
    controller.over = True
    assert run.tau is not None
    for t, effort in zip(run.t.tolist(), run.tau[:, 0].tolist(), strict=True):
        end = min(controller.said, key=lambda then: abs(then - t)) if method in FIXED else t
        assert effort in controller.said[end] and end == pytest.approx(t, rel=1e-15)  # fixed steps end at multiples
    run.power_audit()


@pytest.mark.parametrize("method", REMEMBERING)
def test_between_steps_of_their_own_efforts_are_lines(method: str) -> None:
    controller = Stateful()
    run = pendulum().simulate(1, start={"hinge": 1.0}, tau=controller, method=method, samples=41, step=0.01)
    controller.over = True
    assert run.tau is not None and run.acted is not None
    ends, recorded = run.acted.recorded_times, run.acted.recorded[:, 0]
    assert len(ends) == run.info["steps"] + 1
    assert all(value in controller.said[t] for t, value in zip(ends.tolist(), recorded.tolist(), strict=True))
    lines = np.interp(run.t, ends, recorded)
    np.testing.assert_allclose(run.tau[:, 0], lines, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", ["DOP853", "Rodas5P", "Radau", "scipy.Radau", "rk4"])
def test_the_books_of_a_driven_run_balance(method: str) -> None:
    run = pendulum().simulate(
        2, start={"hinge": 1.0}, tau=lambda t, q, u: [-3.0 * q[0] - u[0] + np.sin(5 * t)], method=method, audit=1e-6
    )
    assert run.power_audit().residual < 1e-6


def test_efforts_that_change_with_the_number_of_calls_account_for_the_motion() -> None:
    """A controller that switches for good when it has been asked often enough: only what acted explains the energy."""
    calls = 0

    def tiring(t: float, q: np.ndarray, u: np.ndarray) -> list[float]:
        nonlocal calls
        calls += 1
        return [2.0 if calls <= 2000 else 0.0]

    run = pendulum().simulate(1, tau=tiring, method="rk4", step=1e-3, samples=1001)
    assert run.tau is not None and run.tau[0, 0] == 2.0 and run.tau[-1, 0] == 0.0
    work = np.sum(run.tau[:-1, 0] * run.speed("hinge")[:-1] * np.diff(run.t))
    assert work == pytest.approx(run.energy.total[-1] - run.energy.total[0], rel=5e-3)
    asked = calls
    run.power_audit()
    assert calls == asked


def test_a_controller_is_asked_once_for_a_state() -> None:
    asked: list[tuple[float, ...]] = []

    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        asked.append((t, *q, *u))
        return {}

    run = pendulum().simulate(0.2, start={"hinge": 1.0}, tau=controller, method="rk4", step=0.01)
    assert len(asked) == 20 * 4 + 1 and len(set(asked)) == len(asked)
    free = pendulum().simulate(0.2, start={"hinge": 1.0}, method="rk4", step=0.01)
    np.testing.assert_array_equal(run.x[::10], free.x[::10])
    np.testing.assert_allclose(run.x, free.x, rtol=0, atol=1e-7)  # inside of steps: the cubic


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_efforts_in_a_mechanism_with_constraints_are_what_was_said(constraints: str) -> None:
    said: dict[float, set[float]] = {}

    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        effort = float(np.cos(3 * t) - 0.1 * u[0])
        said.setdefault(t, set()).add(effort)
        return {"crank": effort}

    options: dict[str, Any] = {"constraints": "embedded", "independent": ["crank"]} if constraints == "embedded" else {}
    equations = four_bar().derive(**options)
    run = equations.simulate(0.5, start={"crank": 0.3}, tau=controller, samples=21)
    assert run.tau is not None
    place = equations.tree.speeds.index("crank")
    assert all(effort in said[t] for t, effort in zip(run.t.tolist(), run.tau[:, place].tolist(), strict=True))


def test_a_run_that_ends_at_an_event_knows_what_acted_there() -> None:
    controller = Stateful()
    run = pendulum().simulate(5, start={"hinge": 1.0}, tau=controller, until=lambda t, q, u: q[0], step=0.005)
    controller.over = True
    assert run.status == "event" and run.tau is not None and np.isfinite(run.tau).all()
    assert run.tau[-1, 0] == controller.said[float(run.t[-1])][-1]
