"""Native integrators on plain right-hand sides: errors, dense output, resuming, and what they come back for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from polhode.ode.methods.tableaux import PAIRS
from polhode.ode.native_events import Effect, EventMemory
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason

METHODS = [*PAIRS, "Rodas5P", "Radau"]

#: An oscillator beside a decay: five numbers, more than a block.
MATRIX = np.zeros((5, 5))
MATRIX[0, 1], MATRIX[1, 0], MATRIX[2, 3], MATRIX[3, 2], MATRIX[4, 4] = 1.0, -1.0, 2.0, -2.0, -0.5
START = np.array([1.0, 0.0, 0.3, 0.4, 2.0])


def exact(t: float) -> np.ndarray:
    c, s, c2, s2 = np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)
    return np.array([c, -s, 0.3 * c2 + 0.4 * s2, 0.4 * c2 - 0.3 * s2, 2 * np.exp(-t / 2)])


def begun(method: str, tolerance: float, t_end: float = 10.0) -> NativeRun:
    run = NativeRun(method, START, rtol=tolerance, atol=tolerance)
    run.use(run.python(lambda t, x: MATRIX @ x))
    run.begin(t_end)
    return run


@pytest.mark.parametrize("method", METHODS)
def test_the_error_follows_the_tolerance_also_between_steps(method: str) -> None:
    tolerances = (1e-4, 1e-6) if method == "RK23" else (1e-6, 1e-9)
    errors = []
    for tolerance in tolerances:
        run = begun(method, tolerance)
        times, states = np.linspace(0.1, 10.0, 43), np.zeros((43, 5))
        run.sample(times, states)
        assert run.advance(10.0, 10**6) == Reason.DONE
        assert run.record.t == 10.0
        errors.append(max(np.abs(states[k] - exact(t)).max() for k, t in enumerate(times)))
        assert errors[-1] < 100 * tolerance
    assert errors[1] < 0.05 * errors[0]


def orbit(t: float, x: np.ndarray) -> np.ndarray:
    """A planet: with these units it is back after 2 π."""
    cube = np.hypot(x[0], x[1]) ** 3
    return np.array([x[2], x[3], -x[0] / cube, -x[1] / cube])


def test_tp86_needs_three_quarters_of_the_evaluations_of_dop853_for_the_same_error() -> None:
    start = np.array([0.5, 0.0, 0.0, np.sqrt(3.0)])

    def evaluations(method: str) -> float:
        """To be back with an error of 1e-9, from a line through runs at several tolerances."""
        errors, counts = [], []
        for tolerance in 10.0 ** -np.arange(8, 12, 0.5):
            run = NativeRun(method, start, rtol=tolerance, atol=tolerance)
            run.use(run.python(orbit))
            run.begin(2 * np.pi)
            run.advance(2 * np.pi, 10**6)
            errors.append(np.log10(np.abs(run.x - start).max()))
            counts.append(np.log10(run.record.evaluations))
        return float(10 ** np.polyval(np.polyfit(errors, counts, 1), -9.0))

    assert evaluations("TP86") < 0.75 * evaluations("DOP853")


def test_it_steps_as_often_as_scipy() -> None:
    run = begun("DOP853", 1e-9)
    run.advance(10.0, 10**6)
    theirs = integrate.solve_ivp(lambda t, x: MATRIX @ x, (0, 10), START, method="DOP853", rtol=1e-9, atol=1e-9)
    assert run.record.evaluations < 1.2 * theirs.nfev


@pytest.mark.parametrize("method", METHODS)
def test_a_run_broken_off_after_each_step_is_the_same_bit_for_bit(method: str) -> None:
    whole, broken = begun(method, 1e-7), begun(method, 1e-7)
    whole.advance(10.0, 10**6)
    while broken.advance(10.0, 1) != Reason.DONE:
        pass
    assert np.array_equal(whole.x, broken.x)
    assert whole.record.steps == broken.record.steps


@pytest.mark.parametrize("method", PAIRS)
def test_a_first_step_far_beyond_stability_is_refused(method: str) -> None:
    run = NativeRun(method, np.array([1.0, 1.0]), rtol=1e-8, atol=1e-8)
    run.use(run.python(lambda t, x: np.array([-1e9, -1.0]) * x))
    run.record.h = 1.0
    run.begin(2.0)
    run.advance(2.0, 1)
    assert np.abs(run.x).max() <= 1.0


def test_quaternions_are_used_at_unit_length_and_turn_whatever_their_length() -> None:
    turn = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]], dtype=float)
    seen = []

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        seen.append(float(np.linalg.norm(x)))
        return turn @ x

    run = NativeRun("DOP853", np.array([2.0, 0, 0, 0]), rtol=1e-10, atol=1e-10, groups=[(0, 4)])
    run.use(run.python(rates))
    run.begin(1.0)
    run.advance(1.0, 10**6)
    assert seen == pytest.approx(np.ones(len(seen)), abs=1e-15)
    assert run.x == pytest.approx(2 * np.array([np.cos(1.0), np.sin(1.0), 0, 0]), abs=1e-9)


def test_rates_that_end_are_told_from_steps_that_underflow() -> None:
    run = NativeRun("DOP853", np.array([1.0]), rtol=1e-9, atol=1e-9)
    run.use(run.python(lambda t, x: np.where(x > 2.0, np.nan, 1.0)))
    run.begin(10.0)
    assert run.advance(10.0, 10**6) in (Reason.NONFINITE, Reason.UNDERFLOW)
    assert run.x[0] == pytest.approx(2.0, abs=1e-6)
    run = NativeRun("DOP853", np.array([1.0]), rtol=1e-9, atol=1e-9)
    run.use(run.python(lambda t, x: x * x))
    run.begin(10.0)
    assert run.advance(10.0, 10**6) in (Reason.LOOK, Reason.UNDERFLOW)
    assert run.record.t == pytest.approx(1.0, abs=1e-6)


def test_what_a_right_hand_side_raises_comes_out_of_the_call_and_the_run_can_go_on() -> None:
    run = NativeRun("RK45", np.array([0.0]), rtol=1e-6, atol=1e-6)
    fails = [False]

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        if fails[0]:
            raise ZeroDivisionError("as asked")
        return np.ones(1)

    run.use(run.python(rates))
    run.begin(1.0)
    fails[0] = True
    with pytest.raises(ZeroDivisionError, match="as asked"):
        run.advance(1.0, 100)
    fails[0] = False
    assert run.advance(1.0, 100) == Reason.DONE
    assert run.x[0] == pytest.approx(1.0)


def test_the_log_of_events_has_the_state_where_the_run_goes_on() -> None:
    run = NativeRun("DOP853", START, rtol=1e-10, atol=1e-10)
    run.use(run.python(lambda t, x: MATRIX @ x))
    run.watch(EventMemory(lambda t, x: [x[0]], [Effect()], 5, run.clock, callback=run.callback))
    run.begin(6.0)
    assert run.advance(6.0, 10**6) == Reason.DONE
    rows = [*run.events.entries(0)]
    np.testing.assert_allclose([t for t, *_ in rows], [np.pi / 2, 3 * np.pi / 2], rtol=1e-9)
    for t, _, _, _, before, after in rows:
        np.testing.assert_allclose(before, exact(t), atol=1e-8)
        assert after is None


@pytest.mark.parametrize("effect", [None, Effect(ends=True), Effect(by_python=True)])
def test_what_a_projection_raises_inside_a_step_is_raised(effect: Effect | None) -> None:
    """At a sample, at the end of a run, and behind an event that changed the state."""
    run = begun("DOP853", 1e-10)

    def projected(t: float, x: np.ndarray) -> np.ndarray:
        if t == 0.5 or (effect is not None and x[0] < 1e-6):
            raise ArithmeticError("there is no such state")
        return x

    run.project_by(projected)
    if effect is None:
        run.sample(np.array([0.5]), np.zeros((1, 5)))
    else:
        run.watch(EventMemory(lambda t, x: [x[0] - 1e-6], [effect], 5, run.clock, callback=run.callback))
        run.begin(10.0)
    with pytest.raises(ArithmeticError, match="no such state"):
        reason = run.advance(10.0, 10**6)
        assert reason == Reason.EVENT
        run.x[0] = 0.0
        run.continue_after_event()
