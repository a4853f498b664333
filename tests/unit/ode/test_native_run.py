"""Native integrators on plain right-hand sides: errors, dense output, resuming, and what they come back for."""

import signal
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import solve_ivp
from tests.trials.frozen_cases import linkage

import polhode as ph
from polhode.errors import SimulationError
from polhode.ode import loop
from polhode.ode.linear import FIELDS, Factors
from polhode.ode.methods.jacobian import Implicit
from polhode.ode.methods.registry import method_named
from polhode.ode.methods.tableaux import PAIRS
from polhode.ode.native_events import Effect, EventMemory
from polhode.ode.native_run import NativeRun
from polhode.ode.record import GROWTH, Reason, Run, padded
from polhode.ode.right_side import checked_rates
from polhode.simulate import Trajectory
from polhode.simulate import run as run_module

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
        assert run.advance(10.0, 10**6) == Reason.DONE and run.record.t == 10.0
        errors.append(max(np.abs(states[k] - exact(t)).max() for k, t in enumerate(times)))
        assert errors[-1] < 100 * tolerance
    assert errors[1] < 0.05 * errors[0]


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
    assert np.array_equal(whole.x, broken.x) and whole.record.steps == broken.record.steps


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
    assert run.advance(1.0, 100) == Reason.DONE and run.x[0] == pytest.approx(1.0)


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


IMPLICIT_METHODS = ["Rodas5P", "Radau"]
Rates = Callable[[float, np.ndarray], np.ndarray]


def van_der_pol(t: float, x: np.ndarray) -> np.ndarray:
    return np.array([x[1], 1e3 * (1 - x[0] ** 2) * x[1] - x[0]])


def robertson(t: float, x: np.ndarray) -> np.ndarray:
    slow, fast, last = 0.04 * x[0], 3e7 * x[1] ** 2, 1e4 * x[1] * x[2]
    return np.array([last - slow, slow - last - fast, fast])


def chain(t: float, x: np.ndarray) -> np.ndarray:
    """Four masses one after the other, with stiff springs and dampers between them, driven."""
    d, v = np.diff(x[:4], prepend=0.0), np.diff(x[4:], prepend=0.0)
    force = 1e5 * (d + d**3) + 200 * v
    return np.concatenate([x[4:], np.append(force[1:], 0.0) - force - 9.81 * np.sin(x[:4]) + np.sin(3 * t)])


def top(t: float, x: np.ndarray) -> np.ndarray:
    """A quaternion that turns, with a stiff spring against its turn."""
    e, w = x[:4], x[4:]
    matrix = np.array([[-e[1], -e[2], -e[3]], [e[0], -e[3], e[2]], [e[3], e[0], -e[1]], [-e[2], e[1], e[0]]])
    return np.concatenate([0.5 * matrix @ w, -1e4 * e[1:] - 50 * w + np.sin(t)])


PROBLEMS: dict[str, tuple[Rates, np.ndarray, float]] = {
    "van der Pol": (van_der_pol, np.array([2.0, 0.0]), 900.0),
    "robertson": (robertson, np.array([1.0, 0.0, 0.0]), 1e4),
    "chain": (chain, np.concatenate([0.075 * np.arange(1, 5), np.zeros(4)]), 0.5),
    "top": (top, np.array([0.9, 0.3, 0.3, 0.1, 1.0, 2.0, 20.0]), 1.0),
}


def native(
    method: str, problem: str, tolerance: float, samples: int = 201, has_defect: bool = True
) -> tuple[NativeRun, np.ndarray]:
    """A run that has begun, and its samples."""
    rates, x, t_end = PROBLEMS[problem]
    return begun_implicit(method, rates, x, t_end, tolerance, samples, has_defect, [(0, 4)] if problem == "top" else [])


def begun_implicit(
    method: str, rates: Rates, x: np.ndarray, t_end: float, tolerance: float, samples: int,
    has_defect: bool = True, groups: list[tuple[int, int]] | None = None,
) -> tuple[NativeRun, np.ndarray]:  # fmt: skip
    atol = 1e-4 * tolerance if rates is robertson else tolerance
    run = NativeRun(method, x, rtol=tolerance, atol=atol, groups=groups or [])
    run.use(run.python(rates))
    run.record.has_defect = int(has_defect)
    states = np.zeros((samples, len(x)))
    run.sample(np.linspace(0, t_end, samples), states)
    run.begin(t_end)
    return run, states


@cache
def by_scipy(problem: str) -> np.ndarray:
    """Samples of a run by SciPy; with quaternions of any length, which turn as those of unit length do."""
    rates, x, t_end = PROBLEMS[problem]

    def scaled(t: float, x: np.ndarray) -> np.ndarray:
        length = np.linalg.norm(x[:4])
        return rates(t, np.append(x[:4] / length, x[4:])) * np.repeat([length, 1.0], [4, len(x) - 4])

    stepped = scaled if problem == "top" else rates
    found: np.ndarray = solve_ivp(stepped, (0, t_end), x, "Radau", np.linspace(0, t_end, 41), rtol=1e-8, atol=1e-11).y.T
    return found


@pytest.mark.parametrize("method", IMPLICIT_METHODS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_samples_are_those_of_scipy(method: str, problem: str) -> None:
    run, states = native(method, problem, 1e-6, 41)
    assert run.advance(PROBLEMS[problem][2], 10**6) == Reason.DONE
    theirs = by_scipy(problem)
    # where van der Pol's motion is steep it is off by its delay times its slope
    is_flat = np.abs(theirs[:, 1]) < 0.1 if problem == "van der Pol" else np.full(41, fill_value=True)
    assert np.abs(states - theirs)[is_flat] == pytest.approx(0.0, abs=1e-4)


def in_python(method: str, problem: str, tolerance: float) -> Run:
    """The same run in plain Python, which has begun."""
    rates, x, t_end = PROBLEMS[problem]
    made, size, width = method_named(method), len(x), padded(len(x))
    module = import_module(f"polhode.ode.methods.{made.module}")
    names = ("x", "x_old", "f", "f_old", "y", "unit")
    arrays = {name: np.zeros(width) for name in names}
    arrays |= {"k": np.zeros(made.stages * width), "dense": np.zeros(made.dense_rows * width)}
    arrays["x"][:size] = x
    functions = {name: partial(getattr(module, name), *made.static) for name in ("attempt", "state_at", "defect")}
    scale = made.scaled(tolerance, tolerance)

    def at(arguments: list[np.ndarray]) -> None:
        arguments[1][:size] = rates(float(run.clock), arguments[0][:size])

    matrices = {
        name: Factors(
            size=size, blocks=width // 4, upper=np.zeros(size * parts * width), lower=np.zeros(size * parts * width),
            reciprocals=np.zeros(parts * width), exchanged=np.zeros(size, dtype=np.int64),
        )
        for name, parts in FIELDS.items()
    }  # fmt: skip
    memory = Implicit(
        x_index=-1, jacobian=np.zeros(size * width), in_time=np.zeros(width), stretch=np.ones(width), **matrices
    )
    run = Run(
        size=size, blocks=width // 4, t_end=t_end, budget=10**6, h_max=np.inf, growth=GROWTH, bound=1e12,
        error_scale=scale, rtol=scale * tolerance, atol=scale * (1e-4 if rates is robertson else 1.0) * tolerance,
        begin_method=partial(module.begin, *made.static), memory=memory, rates=checked_rates, at=at,
        arguments=[None, None], out_index=1, groups=[0, 4], group_count=int(problem == "top"), lengths=np.ones(1),
        **arrays, **functions,
    )  # fmt: skip
    loop.begin(run)
    return run


@pytest.mark.parametrize("method", IMPLICIT_METHODS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_plain_python_steps_as_native_code_does(method: str, problem: str) -> None:
    _, _, t_end = PROBLEMS[problem]
    one, _ = native(method, problem, 1e-4, samples=2)
    other = in_python(method, problem, 1e-4)
    # Jacobians by differences have eight digits, and so has the length of a step that the error bounds
    one.record.h_max, other.h_max, other.budget = 3e-4, 3e-4, 20
    with np.errstate(divide="ignore", invalid="ignore"):
        found = loop.advance(other)
    assert one.advance(t_end, 20) == found == Reason.BUDGET
    assert other.x[: one.size] == pytest.approx(one.x, rel=1e-7, abs=1e-12)
    assert other.t == pytest.approx(one.record.t, rel=1e-7) and other.rejected == one.record.rejected
    t, state = 0.5 * (other.t_old + other.t), np.zeros_like(other.x)
    other.state_at(other, t, state)
    assert state[: one.size] == pytest.approx(one.state_at(t), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("method", IMPLICIT_METHODS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("tolerance", [1e-4, 1e-7])
def test_no_step_of_a_stiff_problem_is_undone_and_samples_change_no_bits(
    method: str, problem: str, tolerance: float
) -> None:
    ends = []
    for has_defect in (True, False):
        run, states = native(method, problem, tolerance, 301, has_defect)
        run.advance(PROBLEMS[problem][2], 10**6)
        ends.append((states.tolist(), run.record.steps, run.record.rejected))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("method", [*PAIRS, *IMPLICIT_METHODS])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-9])
def test_a_short_push_between_two_long_steps_is_seen(method: str, tolerance: float) -> None:
    def pushed(t: float, x: np.ndarray) -> np.ndarray:
        return np.array([x[1], 100 * np.exp(-(((t - 1) / 0.005) ** 2))])

    run, states = begun_implicit(method, pushed, np.zeros(2), 2.0, tolerance, 200)
    assert run.advance(2.0, 10**6) == Reason.DONE
    assert states[-1, 1] == pytest.approx(0.5 * np.sqrt(np.pi), abs=40 * tolerance)


@pytest.mark.parametrize("method", IMPLICIT_METHODS)
def test_samples_of_what_is_exact_at_the_ends_of_long_steps_alone_are_exact(method: str) -> None:
    def followed(t: float, x: np.ndarray) -> np.ndarray:
        """Prothero and Robinson: the error is damped away at the end of each step, and no estimate shows it."""
        return -1e6 * (x - np.cos(t)) - np.sin(t)

    run, states = begun_implicit(method, followed, np.ones(1), 5.0, 1e-6, 101)
    assert run.advance(5.0, 10**6) == Reason.DONE
    assert np.abs(states[:, 0] - np.cos(np.linspace(0, 5, 101))).max() < 6e-5


timed = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer here")


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


@timed
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


@timed
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


@timed
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


@timed
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


@timed
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


@timed
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
