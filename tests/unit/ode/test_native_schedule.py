"""Native code passes time events, and comes to the states that it comes to where Python passes them."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory, crossing
from polhode.simulate.integrators.native import Integration

TIMES = 0.1 * np.arange(20)
VALUES = np.random.default_rng(5).normal(size=20)


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
    return s.derive()


def satellite() -> ph.Equations:
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("turn", s.ground, s.body("bus", 1, inertia=(1, 2, 3)), ph.Spherical())
    return s.derive()


def both(monkeypatch: pytest.MonkeyPatch, e: ph.Equations, duration: float, **options: Any) -> tuple[Trajectory, ...]:
    """A run whose time events native code passes, and one whose time events Python passes."""
    by_python: list[float] = []
    plain = Integration._pass_bound

    def passed(run: Integration) -> None:
        by_python.append(run.rates.next_break)
        plain(run)

    monkeypatch.setattr(Integration, "_pass_bound", passed)
    native = e.simulate(duration, **options)
    assert not by_python
    monkeypatch.setattr(Integration, "_schedule", lambda run, size: None)
    python = e.simulate(duration, **options)
    assert len(by_python) > 10
    return native, python


@pytest.mark.parametrize("kind", ["held", "linear", "cubic"])
@pytest.mark.parametrize("method", ["TP86", "DOP853", "RK23", "Rodas5P", "Radau"])
def test_a_run_has_the_same_bits(kind: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    signal = ph.sampled(TIMES, VALUES, kind=kind)
    native, python = both(monkeypatch, pendulum(), 1.7, tau=[signal], method=method, samples=35)
    np.testing.assert_array_equal(native.x, python.x)
    np.testing.assert_array_equal(native.tau, python.tau)
    assert native.info["steps"] == python.info["steps"] and native.acted is not None and python.acted is not None
    np.testing.assert_array_equal(native.acted.states, python.acted.states)
    np.testing.assert_array_equal(native.acted.times, python.acted.times)


def test_with_quaternions(monkeypatch: pytest.MonkeyPatch) -> None:
    signal = ph.sampled(TIMES, VALUES, kind="held")
    native, python = both(monkeypatch, satellite(), 1.7, tau=[signal, 0.1, 0.2], samples=35)
    np.testing.assert_allclose(native.x, python.x, atol=1e-13)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_with_constraints(constraints: str, monkeypatch: pytest.MonkeyPatch) -> None:
    e = four_bar().derive(constraints=constraints)
    options = {"tau": {"crank": ph.sampled(TIMES, VALUES, kind="held")}, "start": {"crank": 0.4}, "samples": 21}
    native, python = both(monkeypatch, e, 1.3, **options)
    np.testing.assert_array_equal(native.x, python.x)
    assert native.drift.position < 1e-12


def test_breaks_at_the_end_and_at_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    signal = ph.sampled(TIMES, VALUES, kind="held")
    native, python = both(monkeypatch, pendulum(), float(TIMES[-1]), tau=[signal], samples=TIMES)
    np.testing.assert_array_equal(native.t, TIMES)
    np.testing.assert_array_equal(native.x, python.x)


def test_events_among_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    e = pendulum()
    (theta,), (omega,) = e.q, e.u
    wall = {crossing(theta, direction=-1): {omega: -0.7 * omega}}
    options: dict[str, Any] = {"tau": [ph.sampled(TIMES, VALUES, kind="held")], "start": {"theta": 0.8}}
    native, python = both(monkeypatch, e, 1.7, on=wall, events=[omega], **options)
    assert native.events == python.events and native.events[1]
    np.testing.assert_array_equal(native.x, python.x)


def test_a_stiff_run_turns_to_another_method_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    s = ph.System("bushing")
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force("x", -4e4 * slide.u[0] - 4e4 * slide.q[0])
    signal = 1e3 * ph.sampled(TIMES, VALUES, kind="linear")(s.time)
    native, python = both(monkeypatch, s.derive(), 1.9, tau=[signal], watch_energy=False)
    assert [name for _, name in native.info["switches"]] == ["Radau"]
    assert native.info["switches"] == python.info["switches"]
    np.testing.assert_array_equal(native.x, python.x)


def test_a_held_function_is_asked_at_its_breaks() -> None:
    asked: list[float] = []

    def controller(t: float) -> float:
        asked.append(t)
        return float(np.sin(t))

    run = pendulum().simulate(1, tau=ph.held(controller, every=0.25))
    assert run.is_whole and asked == [0.0, 0.25, 0.5, 0.75]


def test_a_run_is_interrupted_between_pieces_as_elsewhere() -> None:
    """A budget of steps ends a call of native code wherever it is, and the run goes on from there."""
    fine = ph.sampled(np.linspace(0, 2, 3001), np.resize(VALUES, 3001), kind="held")
    run = pendulum().simulate(2, tau=[fine], samples=5)
    assert run.info["steps"] >= 3000 and len(run.acted.times) >= 3000
    told: list[float] = []
    again = pendulum().simulate(2, tau=[fine], samples=5, progress=told.append)
    np.testing.assert_array_equal(again.x, run.x)
    assert told and told[-1] == 1.0
