"""Interrupts end runs that call Python, with the trajectory so far."""

import signal
from typing import Any

import numpy as np
import pytest
from tests.trials.frozen_cases import linkage

import polhode as ph
from polhode.errors import SimulationError
from polhode.simulate import Trajectory
from polhode.simulate import run as run_module

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer here")


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return s.derive()


class Effort:
    """An effort that starts a timer at its 200th call."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.calls = seconds, 0

    def __call__(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        self.calls += 1
        if self.calls == 200:
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
        return -3.0 * q - 0.5 * u + np.sin(5.0 * t)


@pytest.mark.parametrize("options", [{}, {"method": "DOP853"}, {"method": "Radau"}, {"method": "rk4", "step": 1e-3}])
def test_an_interrupt_ends_a_run_whatever_python_it_calls(options: dict[str, Any]) -> None:
    e = pendulum()
    former = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        for seconds in np.random.default_rng(11).uniform(0.001, 0.02, 5):
            with pytest.raises(SimulationError, match="interrupted") as caught:
                e.simulate(3000, start={"hinge": 1.0}, tau=Effort(seconds), samples=30_001, progress=False, **options)
            kept = caught.value.trajectory
            assert isinstance(kept, Trajectory)
            assert kept.status == "interrupted" and 0.0 < kept.t[-1] < 3000 and np.isfinite(kept.x).all()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


@pytest.mark.parametrize("method", ["DOP853", "Radau", "gauss4", "rk4"])
def test_an_exception_at_any_call_of_an_effort_ends_the_run(method: str) -> None:
    """It is raised once, at the k-th call: for the first step, in stages, at samples or at events."""
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    e = s.derive()
    fixed = {"step": 0.05} if method in ("rk4", "gauss4") else {}

    def run(failing: int) -> int:
        calls = 0

        def effort(t: float, q: object, u: object) -> list[float]:
            nonlocal calls
            calls += 1
            if calls == failing:
                raise KeyboardInterrupt
            return [0.0]

        e.simulate(0.2, start={"hinge": 1.0}, tau=effort, method=method, samples=5, events=[hinge.q[0] - 0.95], **fixed)
        return calls

    total = run(0)
    for failing in range(1, total + 1, max(1, total // 60)):
        with pytest.raises((SimulationError, KeyboardInterrupt)):
            run(failing)


def test_a_run_that_is_interrupted_ends_on_its_constraints() -> None:
    """Wherever the interrupt rises, all rows are those of the whole run: a step that is not finished is undone."""
    e = linkage()
    given: dict[str, Any] = {"start": {"crank": 0.3}, "samples": 41, "progress": False}
    calls = failing = 0

    def effort(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise KeyboardInterrupt
        return -3.0 * q - 0.5 * u

    whole = e.simulate(0.4, tau=effort, **given)
    for at in range(60, calls, 7):
        calls, failing = 0, at
        with pytest.raises(SimulationError, match="interrupted") as caught:
            e.simulate(0.4, tau=effort, **given)
        run = caught.value.trajectory
        assert isinstance(run, Trajectory)
        _, here, there = np.intersect1d(run.t, whole.t, return_indices=True)
        assert len(here) >= len(run.t) - 1 and np.array_equal(run.x[here], whole.x[there])


def test_a_handler_that_was_left_behind_does_not_swallow_an_interrupt() -> None:
    """As by an exception that another signal raises where the former handler is put back."""
    found: list[Any] = []

    def effort(t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        found.append(signal.getsignal(signal.SIGINT))
        return -q

    pendulum().simulate(0.1, start={"hinge": 1.0}, tau=effort)
    former = signal.signal(signal.SIGINT, found[-1])
    try:
        assert found[-1] is not former
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is former
    finally:
        signal.signal(signal.SIGINT, former)


@pytest.mark.parametrize("name", ["Problem._trajectory", "check_energy"])
def test_an_interrupt_after_the_last_step_leaves_the_trajectory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, _, attribute = f"polhode.simulate.run.{name}".rpartition(".")
    holder = run_module.Problem if owner.endswith("Problem") else run_module
    function = getattr(holder, attribute)
    count = 0

    def interrupted(*given: Any) -> Any:
        nonlocal count
        count += 1
        if count == 1:
            raise KeyboardInterrupt
        return function(*given)

    monkeypatch.setattr(holder, attribute, interrupted)
    with pytest.raises(SimulationError, match="interrupted after t = 1 s") as caught:
        pendulum().simulate(1.0, start={"hinge": 1.0}, samples=11)
    run = caught.value.trajectory
    assert isinstance(run, Trajectory) and len(run.t) == 11 and run.status == "interrupted"


@pytest.mark.parametrize("method", ["DOP853", "rk4", "scipy.DOP853", "scipy.LSODA"])
def test_an_interrupt_in_a_held_function_leaves_the_state_reached(method: str) -> None:
    calls = 0

    def effort(t: float, q: object, u: object) -> list[float]:
        nonlocal calls
        calls += 1
        if calls == 6:
            raise KeyboardInterrupt
        return [0.0]

    given: dict[str, Any] = {"step": 0.01} if method == "rk4" else {}
    with pytest.raises(SimulationError, match="interrupted") as caught:
        pendulum().simulate(
            2, start={"hinge": 1.0}, tau=ph.held(effort, every=0.1), method=method, samples=2, **given
        )  # fmt: skip
    run = caught.value.trajectory
    assert isinstance(run, Trajectory) and run.t[-1] == pytest.approx(0.5)
    assert run.x[-1] == pytest.approx(pendulum().simulate(0.5, start={"hinge": 1.0}).x[-1], abs=1e-6)
