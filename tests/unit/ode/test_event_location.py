"""Zeros of event functions: all of them, in their order, by every kind of method; a touch is none."""

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import polhode as ph
from polhode.simulate import Trajectory, crossing

METHODS = ["auto", "taylor", "DOP853", "Radau"]


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["w"])
    return s.derive()


def clock() -> tuple[ph.Equations, Any, Any]:
    """x = t, which is one long step for every method."""
    s = ph.System("clock", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    return s.derive(), slide.q[0], slide.u[0]


def run_of(e: ph.Equations, duration: float, events: list[Any], **options: Any) -> Trajectory:
    found: Trajectory = e.simulate(duration, events=events, **{"speeds": {"v": 1.0}, **options})
    return found


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_passes_just_below_its_turn_nineteen_times(method: str) -> None:
    e = pendulum()
    run = e.simulate(20, start={"hinge": 1.0}, events=[e.q[0] - 0.999], method=method)
    (times,) = run.events
    assert len(times) == 19 and times == sorted(times) and np.abs(run.at(times).q[:, 0] - 0.999).max() < 1e-7
    period = 2 * (times[2] - times[0]) - (times[2] - times[0])
    assert np.diff(times[::2]) == pytest.approx(period, abs=1e-6)


@pytest.mark.parametrize("method", [*METHODS, "rk4"])
@pytest.mark.parametrize("apart", [1e-1, 1e-2, 1e-3, 1e-4])
def test_two_zeros_that_are_close_are_both_found(method: str, apart: float) -> None:
    e, x, _ = clock()
    a, b = 0.7, 0.7 + apart
    run = run_of(e, 2, [(x - a) * (x - b)], method=method)
    assert run.events[0] == pytest.approx([a, b], abs=1e-9)


def test_many_zeros_come_in_their_order() -> None:
    e, x, _ = clock()
    for rate in (10, 30, 50, 60, 100.5, 200.3):
        wave, one, other = run_of(e, 2, [ph.sin(rate * x), x - 1.0, ph.cos(rate * x)]).events
        assert wave == pytest.approx(list(np.pi / rate * np.arange(1, int(2 * rate / np.pi) + 1)), abs=1e-12)
        assert one == pytest.approx([1.0], abs=1e-12)
        assert other == pytest.approx(list(np.pi / rate * (np.arange(int(2 * rate / np.pi + 0.5)) + 0.5)), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_touching_zero_is_no_event(method: str) -> None:
    e, x, v = clock()
    touching = [(x - 0.7) ** 2, (x - 0.7) ** 2 + 1e-9, -((x - 0.7) ** 4), v - 1.0, x - x]
    run = run_of(e, 2, touching, method=method)
    assert run.events == [[]] * 5


def test_an_event_at_zero_at_the_start_has_left_it_and_directions_choose_among_the_zeros_of_a_step() -> None:
    e, x, _ = clock()
    run = run_of(e, 2, [x, x * (x - 1), -x * (x - 1), x**2, ph.sin(10 * x)])
    assert run.events[:4] == [[], pytest.approx([1.0]), pytest.approx([1.0]), []]
    assert run.events[4] == pytest.approx(np.pi / 10 * np.arange(1, 7))
    e, x, _ = clock()
    g = (x - 0.5) * (x - 1.0) * (x - 1.5)
    both, up, down = run_of(e, 2, [g, crossing(g, 1), crossing(g, -1)]).events
    assert (both, up, down) == (pytest.approx([0.5, 1, 1.5]), pytest.approx([0.5, 1.5]), pytest.approx([1.0]))
    assert run_of(e, 2, [], until=crossing(g, -1)).t[-1] == pytest.approx(1.0, abs=1e-12)


def test_python_functions_change_sign_at_eighths_of_a_step_and_at_samples() -> None:
    e, _, _ = clock()

    def pulse(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return 1.0 if 0.91 < t < 0.92 else -1.0

    assert run_of(e, 2, [pulse], samples=401).events[0] == pytest.approx([0.91, 0.92], abs=1e-9)
    assert run_of(e, 2, [lambda t, q, u: float(q[0] - 0.7)], samples=2).events[0] == pytest.approx([0.7], abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_random_events_are_those_that_dense_samples_show(method: str) -> None:
    """Seventy-five functions of the state of a double pendulum; twenty of them have levels near an extremum."""
    s = ph.System("chain")
    upper, lower = (s.body(name, 1, (0, 0, -0.5), (0.1, 0.1, 0.1)) for name in ("upper", "lower"))
    s.joint("a", s.ground, upper, ph.Revolute("y"))
    s.joint("b", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    e = s.derive()
    rng = np.random.default_rng(7)
    given: dict[str, Any] = {"start": {"a": 1.2, "b": -0.4}, "method": method, "rtol": 1e-10, "atol": 1e-10}
    dense = e.simulate(2, samples=20_001, **given)
    symbols = [*e.q, *e.u]
    events, values = [], []
    for number in range(75):
        i, j = rng.integers(4, size=2)
        first, second = rng.uniform(0.3, 3.0, 2).round(2)
        g = ph.sin(first * symbols[i]) * symbols[j] + second * symbols[(i + j) % 4]
        x = dense.x.T
        shown = np.sin(first * x[i]) * x[j] + second * x[(i + j) % 4]
        inner = shown[1:-1][(np.diff(shown)[:-1] * np.diff(shown)[1:]) < 0]
        level = rng.uniform(shown.min(), shown.max())
        if number < 20 and len(inner):
            level = inner[0] + rng.choice([-1, 1]) * 1e-5 * np.ptp(shown)
        events.append(g - float(level))
        values.append(shown - level)
    found = e.simulate(2, events=events, **given).events
    for times, shown in zip(found, values, strict=True):
        certain = np.abs(shown) > 1e-7
        signs, where = np.sign(shown[certain]), dense.t[certain]
        changes = np.flatnonzero(np.diff(signs))
        counts = [sum(where[k] < t < where[k + 1] for t in times) for k in changes]
        assert all(count % 2 == 1 for count in counts), "one is missed"
        assert np.abs(CubicSpline(dense.t, shown)(times)).max(initial=0.0) < 1e-8, "one is where g is not zero"
