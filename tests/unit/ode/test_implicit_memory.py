"""Rodas5P and Radau on stiff problems: beside SciPy, in plain Python, and with samples that show what a step missed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from polhode.ode import loop
from polhode.ode.linear import FIELDS, Factors
from polhode.ode.methods.jacobian import Implicit
from polhode.ode.methods.registry import method_named
from polhode.ode.methods.tableaux import PAIRS
from polhode.ode.native_run import NativeRun
from polhode.ode.record import GROWTH, Reason, Run, padded
from polhode.ode.right_side import checked_rates

METHODS = ["Rodas5P", "Radau"]
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
    """A run, begun, and its samples."""
    rates, x, t_end = PROBLEMS[problem]
    return begun(method, rates, x, t_end, tolerance, samples, has_defect, [(0, 4)] if problem == "top" else [])


def begun(
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_samples_are_those_of_scipy(method: str, problem: str) -> None:
    run, states = native(method, problem, 1e-6, 41)
    assert run.advance(PROBLEMS[problem][2], 10**6) == Reason.DONE
    theirs = by_scipy(problem)
    # where van der Pol's motion is steep it is off by its delay times its slope
    is_flat = np.abs(theirs[:, 1]) < 0.1 if problem == "van der Pol" else np.full(41, fill_value=True)
    assert np.abs(states - theirs)[is_flat] == pytest.approx(0.0, abs=1e-4)


# ---- plain Python ----------------------------------------------------------------------------------------------------


def in_python(method: str, problem: str, tolerance: float) -> Run:
    """The same run in plain Python, begun."""
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


@pytest.mark.parametrize("method", METHODS)
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
    assert other.t == pytest.approx(one.record.t, rel=1e-7)
    assert other.rejected == one.record.rejected
    t, state = 0.5 * (other.t_old + other.t), np.zeros_like(other.x)
    other.state_at(other, t, state)
    assert state[: one.size] == pytest.approx(one.state_at(t), rel=1e-7, abs=1e-12)


# ---- what samples show -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
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


@pytest.mark.parametrize("method", [*PAIRS, *METHODS])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-9])
def test_a_short_push_between_two_long_steps_is_seen(method: str, tolerance: float) -> None:
    def pushed(t: float, x: np.ndarray) -> np.ndarray:
        return np.array([x[1], 100 * np.exp(-(((t - 1) / 0.005) ** 2))])

    run, states = begun(method, pushed, np.zeros(2), 2.0, tolerance, 200)
    assert run.advance(2.0, 10**6) == Reason.DONE
    assert states[-1, 1] == pytest.approx(0.5 * np.sqrt(np.pi), abs=40 * tolerance)


@pytest.mark.parametrize("method", METHODS)
def test_samples_of_what_is_exact_at_the_ends_of_long_steps_alone_are_exact(method: str) -> None:
    def followed(t: float, x: np.ndarray) -> np.ndarray:
        """Prothero and Robinson: the error is damped away at the end of each step, and no estimate shows it."""
        return -1e6 * (x - np.cos(t)) - np.sin(t)

    run, states = begun(method, followed, np.ones(1), 5.0, 1e-6, 101)
    assert run.advance(5.0, 10**6) == Reason.DONE
    assert np.abs(states[:, 0] - np.cos(np.linspace(0, 5, 101))).max() < 6e-5
