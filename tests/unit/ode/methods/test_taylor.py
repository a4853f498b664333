"""Taylor steps of plain motions: errors, samples, resuming, and what they come back for."""

from collections.abc import Sequence

import numpy as np
import pytest

from polhode.codegen.plan import plan
from polhode.expr import Expr, cos, log, sqrt, symbols
from polhode.native import compile_program
from polhode.ode.methods.taylor import LEAST_ORDER, MOST_ORDER, order_for
from polhode.ode.native_code import taylor_code
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason

t, x, y, z = symbols("t x y z")
Floats = np.ndarray


def begun(
    rates: Sequence[Expr],
    start: Sequence[float],
    tolerance: float,
    t_end: float,
    groups: Sequence[tuple[int, int]] = (),
) -> NativeRun:
    states = [x, y, z, *symbols("e0 e1 e2 e3")][: len(rates)]
    program = plan("state_rates", [("x", states), ("t", [t])], [("xdot", (len(rates),), list(rates))])
    function = compile_program(program, cache=False).with_parameters(np.zeros(0))
    run = NativeRun(taylor_code(function), np.array(start), rtol=tolerance, atol=tolerance, groups=groups)
    run.use(run.compiled(function, {}))
    run.begin(t_end)
    return run


def oscillator(tolerance: float, t_end: float = 20.0) -> NativeRun:
    """x = cos t, and z = ∫ cos² t."""
    return begun([y, -x, x * x], [1.0, 0.0, 0.0], tolerance, t_end)


def exact(time: Floats) -> Floats:
    return np.array([np.cos(time), -np.sin(time), time / 2 + np.sin(2 * time) / 4]).T


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9, 1e-12])
def test_the_error_follows_the_tolerance_also_between_steps(tolerance: float) -> None:
    run = oscillator(tolerance)
    times, states = np.linspace(0.1, 20.0, 77), np.zeros((77, 3))
    run.sample(times, states)
    assert run.advance(20.0, 10**6) == Reason.DONE and run.record.t == 20.0
    assert np.abs(states - exact(times)).max() < 30 * tolerance and np.array_equal(states[-1], run.x)


def test_tolerances_choose_orders_and_a_run_broken_off_after_each_step_is_bitwise_the_same() -> None:
    steps = []
    for tolerance in (1e-6, 1e-9, 1e-12, 1e-15):
        run = oscillator(tolerance)
        run.advance(20.0, 10**6)
        steps.append(run.record.steps)
    assert max(steps) < 40
    assert steps == sorted(steps, reverse=True), "of an entire function, which converges everywhere"
    orders = [order_for(10.0**-digits) for digits in range(20)]
    assert orders == sorted(orders)
    assert (orders[0], orders[-1], order_for(0.0)) == (LEAST_ORDER, MOST_ORDER, MOST_ORDER)
    whole, broken = oscillator(1e-9), oscillator(1e-9)
    whole.advance(20.0, 10**6)
    while broken.advance(20.0, 1) != Reason.DONE:
        pass
    assert np.array_equal(whole.x, broken.x) and whole.record.steps == broken.record.steps


def test_rates_and_time_are_those_at_the_end_of_a_step() -> None:
    run = oscillator(1e-12)
    assert run.f.tolist() == [0.0, -1.0, 1.0]
    run.advance(20.0, 3)
    assert run.f == pytest.approx([run.x[1], -run.x[0], run.x[0] ** 2], abs=1e-10)
    run = begun([cos(t), t * x], [0.0, 0.0], 1e-12, 3.0)
    assert run.advance(3.0, 10**6) == Reason.DONE
    assert run.x == pytest.approx([np.sin(3.0), np.sin(3.0) - 3.0 * np.cos(3.0)], abs=1e-11)
    run = begun([y, x * 0 - 10], [0.0, 3.0], 1e-9, 100.0)
    assert run.advance(100.0, 10**6) == Reason.DONE
    assert run.record.steps == 1 and run.x == pytest.approx([300.0 - 50_000.0, 3.0 - 1000.0], rel=1e-15)
    run = oscillator(1e-9)
    run.record.h_max = 0.125
    run.advance(20.0, 10**6)
    assert run.record.steps == 160


def test_powers_of_time_that_leave_out_orders_are_no_reason_for_a_long_step() -> None:
    run = begun([1 / (1 + t**3)], [0.0], 1e-10, 5.0)
    run.advance(5.0, 10**6)
    root = np.sqrt(3.0)
    integral = np.log(6.0) / 3 - np.log(25 - 5 + 1) / 6 + (np.arctan(9 / root) - np.arctan(-1 / root)) / root
    assert run.x[0] == pytest.approx(integral, abs=1e-9)


def test_quaternions_turn_whatever_their_length_and_a_pole_is_reached_and_told() -> None:
    e = symbols("e0 e1 e2 e3")
    square = sum((each * each for each in e[1:]), e[0] * e[0])  # one, where quaternions are used at unit length
    rates = [-e[1] * square, e[0] * square, -e[3] * square, e[2] * square]
    program = plan("state_rates", [("x", list(e))], [("xdot", (4,), rates)])
    function = compile_program(program, cache=False).with_parameters(np.zeros(0))
    run = NativeRun(taylor_code(function), np.array([2.0, 0, 0, 0]), rtol=1e-12, atol=1e-12, groups=[(0, 4)])
    run.use(run.compiled(function, {}))
    run.begin(1.0)
    assert run.advance(1.0, 10**6) == Reason.DONE
    assert run.x == pytest.approx(2 * np.array([np.cos(1.0), np.sin(1.0), 0, 0]), abs=1e-10)
    run = begun([x * x], [1.0], 1e-9, 10.0)
    assert run.advance(10.0, 10**6) in (Reason.LOOK, Reason.UNDERFLOW, Reason.NONFINITE)
    assert run.record.t == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("rate", "reason"), [(sqrt(x), Reason.NONFINITE), (log(x), Reason.UNDERFLOW)])
def test_no_step_is_taken_where_there_is_no_series(rate: Expr, reason: Reason) -> None:
    """Coefficients that are not numbers end a step nowhere; infinite ones allow none."""
    run = begun([rate], [0.0], 1e-9, 1.0)
    assert run.advance(1.0, 10**6) == reason and run.record.t == 0.0 and run.x.tolist() == [0.0]
