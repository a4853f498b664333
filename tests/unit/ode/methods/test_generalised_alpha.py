"""The generalised-α method on the linear oscillator, in native code and in plain Python."""

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.native.arrays import Floats
from polhode.ode.linear import Factors
from polhode.ode.methods import generalised_alpha as method
from polhode.ode.methods.generalised_alpha import SecondOrderMemory, SecondOrderSystem
from polhode.ode.native_run import NativeRun
from polhode.ode.record import ACCEPTED, Memory, Reason, Run
from polhode.simulate.integrators.other_variables import system_of

STEP = 0.01


@pytest.fixture(scope="module")
def oscillator() -> ph.Equations:
    s = ph.System("oscillator", gravity=(0, 0, 0))
    s.joint_spring(s.joint("x", s.ground, s.body("m", 1), ph.Prismatic("x"), speeds=["v"]), s.parameter("k", 1))
    return s.derive()


def system(equations: ph.Equations, stiffness: float = 1.0) -> SecondOrderSystem:
    given = {"k": stiffness} if "k" in equations.system.parameters else None
    return system_of(equations.compile(), given, np.zeros(len(equations.tau)), np.zeros(0))


def amplification(radius: float, frequency: float) -> Floats:
    """Chung and Hulbert's amplification matrix of (x, h v, h² a), for a frequency in units of 1/h."""
    alpha_m, alpha_f, gamma, beta = method.coefficients(radius).values()
    square = frequency**2
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - alpha_f) * square, 0, 1 - alpha_m]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-alpha_f * square, 0, -alpha_m]])
    return np.linalg.solve(new, old)


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.8, 1.0])
def test_the_spectral_radius_is_that_of_the_closed_form(oscillator: ph.Equations, radius: float) -> None:
    for frequency in np.logspace(-3, 6, 19):
        memory = SecondOrderMemory(system(oscillator, (frequency / STEP) ** 2), radius)
        found = np.zeros((3, 3))
        for column, (x, v, a) in enumerate(np.eye(3)):
            run = NativeRun("generalised_alpha", np.array([x, v / STEP]), rtol=1.0, atol=1.0)
            run.remember(memory)
            run.record.is_fixed, run.record.h, run.record.t_end, run.record.h_cap = 1, STEP, np.inf, np.inf
            run.f[:] = v / STEP, -((frequency / STEP) ** 2) * x
            memory.arrays["a_next"][0] = a / STEP**2
            memory.record.is_known, memory.record.t_new, memory.record.taken = 1, 0.0, STEP
            assert run.advance(np.inf, 1) in (Reason.BUDGET, Reason.LOOK)
            found[:, column] = run.x[0], run.x[1] * STEP, memory.arrays["a_next"][0] * STEP**2
        exact = amplification(radius, frequency)
        assert np.poly(found) == pytest.approx(np.poly(exact), abs=1e-13)
        # three eigenvalues meet at -radius for fast oscillations: there the root of an error is the error of a root
        assert spectral_radius(found) == pytest.approx(spectral_radius(exact), abs=2e-5)
    assert spectral_radius(exact) == pytest.approx(radius, abs=2e-4)


def spectral_radius(matrix: Floats) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def record_in_python(memory: SecondOrderMemory) -> Any:
    """The record of the method for plain Python: NumPy's arrays, and functions that are called with none of theirs."""

    def called(function: Any) -> Any:
        taken, filled = memory.arrays_of(function)

        def at(_: Any) -> None:
            made = function(*taken)
            for out, value in zip(filled, made if isinstance(made, tuple) else (made,), strict=True):
                out[:] = np.ravel(value)

        return at

    functions = {name: called(getattr(memory.system, name)) for name in ("rates", "residual")}
    factors = Factors(**memory.square, **memory.sizes)
    return method.GeneralisedAlpha(**memory.arrays, **memory.numbers, **functions, factors=factors)


def stepped_in_python(record: Any, x: Floats, f: Floats, steps: int) -> Floats:
    """Steps by the functions of the method as they stand."""
    arrays: dict[str, Any] = Memory(dict.fromkeys(("x", "f", "y", "k"), 1), len(x)).arrays
    arrays["x"][: len(x)], arrays["f"][: len(x)] = x, f
    run = Run(**arrays, memory=record, size=len(x), is_fixed=1, h=STEP)
    for number in range(steps):
        run.number, run.t = number, number * STEP
        assert method.attempt(run, STEP) == ACCEPTED
        arrays["x"][:], arrays["f"][:] = run.y, run.rate
    return np.array(arrays["x"][: len(x)])


def test_native_code_does_what_the_functions_do_in_python() -> None:
    s = ph.System("double pendulum")
    upper = s.body("upper", 1, (0, 0, -0.5), (0.1, 0.1, 0.1))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, s.body("lower", 1, (0, 0, -0.5)), ph.Revolute("y"), at=(0, 0, -1))
    equations = s.derive()
    rates = equations.compile().state_rates
    x = np.array([1.0, 0.5, 0.0, -2.0])
    run = NativeRun("generalised_alpha", x, rtol=1.0, atol=1.0)
    run.use(run.python(lambda t, x: rates(x)))
    run.remember(native := SecondOrderMemory(system(equations), 0.8))
    run.record.is_fixed, run.record.h = 1, STEP
    run.begin(np.inf)
    run.advance(np.inf, 100)
    plain = record_in_python(SecondOrderMemory(system(equations), 0.8))
    assert run.x == pytest.approx(stepped_in_python(plain, x, rates(x), 100), abs=1e-11)
    assert native.record.matrices == plain.matrices < 50


def test_a_step_that_does_not_converge_ends_a_run_of_fixed_steps() -> None:
    s = ph.System("cusp", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("m", 1), ph.Prismatic("x"))
    s.joint_force(slide, ph.exp(50 * slide.q[0] ** 2))
    equations = s.derive()
    run = NativeRun("generalised_alpha", np.array([0.0, 0.0]), rtol=1.0, atol=1.0)
    run.use(run.python(lambda t, x: equations.compile().state_rates(x)))
    run.remember(SecondOrderMemory(system(equations), 0.8))
    run.record.is_fixed, run.record.h = 1, 1.0
    run.begin(np.inf)
    assert run.advance(np.inf, 10) == Reason.NOT_FOUND


def test_oscillators_beside_each_other_move_alike() -> None:
    s = ph.System("oscillators", gravity=(0, 0, 0))
    for name in "abc":
        s.joint_spring(s.joint(name, s.ground, s.body(f"m {name}", 1), ph.Prismatic("x")), 1)
    run = s.derive().simulate(1, start=dict.fromkeys("abc", 1.0), method="generalised_alpha", step=0.1)
    assert np.ptp(run.q, axis=1).max() < 1e-14
