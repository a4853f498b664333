"""The search itself, by IPOPT through ipyopt: exact first and second derivatives, progress, and a stop on Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from ..errors import PolhodeError, installed, shown
from ..simulate.progress import reporting
from .mesh import Floats
from .transcription import Transcription

#: What IPOPT's return codes mean: a word and a sentence.
_CODES: Mapping[int, tuple[str, str]] = {
    0: ("optimal", "the optimum was found."),
    1: ("acceptable", "a point was found that is optimal to a looser tolerance."),
    2: ("infeasible", "the search came to a point from which no step lessens what is violated."),
    3: ("stuck", "the steps of the search became too small."),
    4: ("diverging", "the variables grow without end."),
    5: ("interrupted", "the search was interrupted."),
    6: ("feasible", "a motion was found that keeps everything, and the cost has no part in it."),
    -1: ("iterations", "the search took as many iterations as it may."),
    -2: ("failed", "the search found no way back to what is to be kept."),
    -3: ("failed", "a step could not be computed."),
    -4: ("time", "the search took as long as it may."),
    -10: ("overdetermined", "there are more equations than variables that are free."),
    -11: ("failed", "the problem is not one that IPOPT can solve."),
    -12: ("option", "IPOPT does not know an option."),
    -13: ("invalid", "at the first guess a function or a derivative has no finite value."),
}
_INFINITE = 2e19


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers of the constraints and of the bounds, from which a search goes on."""

    constraints: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class Found:
    """Where the search ended."""

    variables: Floats
    multipliers: Multipliers
    cost: float
    status: str
    message: str
    iterations: int
    seconds: float


def check_ipyopt() -> Any:
    """The package, or what to do where it is not installed."""
    return installed("ipyopt", "optimize", "ipyopt, which brings IPOPT,", place="collocation", code="E-OPTIM-020")


def search(
    made: Transcription,
    first: Floats,
    bounds: tuple[Floats, Floats],
    row_bounds: tuple[Floats, Floats],
    *,
    tolerance: float,
    iterations: int,
    progress: bool | Callable[[float], object] | None,
    words: str,
    warm: Multipliers | None = None,
    options: Mapping[str, Any] | None = None,
) -> Found:
    """The search from the first variables; `warm` are multipliers to go on from."""
    ipyopt = check_ipyopt()
    made.prepare()
    chosen: dict[str, Any] = {"print_level": 0, "sb": "yes", "tol": tolerance, "max_iter": iterations}
    if warm is not None:
        chosen |= {
            "warm_start_init_point": "yes", "mu_init": 1e-6, "warm_start_bound_push": 1e-9,
            "warm_start_bound_frac": 1e-9, "warm_start_slack_bound_push": 1e-9, "warm_start_slack_bound_frac": 1e-9,
            "warm_start_mult_bound_push": 1e-9,
        }  # fmt: skip
    chosen |= options or {}
    multipliers = warm or Multipliers(np.zeros(made.constraints), np.zeros(made.size), np.zeros(made.size))
    multipliers = Multipliers(*(each.copy() for each in astuple(multipliers)))
    lower, upper = (np.clip(each, -_INFINITE, _INFINITE) for each in bounds)
    row_lower, row_upper = (np.clip(each, -_INFINITE, _INFINITE) for each in row_bounds)
    count = 0
    with _listening() as is_interrupted, reporting(progress, words, float(iterations), "iterations") as report:

        def step(mode: int, iteration: int, *rest: float) -> bool:
            nonlocal count
            count = iteration
            report(float(iteration))
            return not is_interrupted()

        try:
            problem = ipyopt.Problem(
                made.size, lower, upper, made.constraints, row_lower, row_upper, made.jacobian_places,
                made.curvature_places, made.cost, made.gradient, made.values, made.jacobian, made.curvature, step,
                ipopt_options=chosen,
            )  # fmt: skip
        except (TypeError, ValueError, RuntimeError) as problem_found:
            raise PolhodeError(
                f"IPOPT does not take these options: {shown(options)} ({problem_found}).",
                place="solve options",
                cure="See the list of options in IPOPT's documentation.",
                code="E-OPTIM-021",
            ) from None
        began = time.perf_counter()
        x, cost, code = problem.solve(
            np.clip(first, lower, upper),
            mult_g=multipliers.constraints,
            mult_x_L=multipliers.lower,
            mult_x_U=multipliers.upper,
        )
    status, message = _CODES.get(int(code), ("failed", f"IPOPT ended with the code {code}."))
    return Found(np.array(x), multipliers, float(cost), status, message, count, time.perf_counter() - began)


@contextmanager
def _listening() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, asked between iterations: an exception would be lost in native code."""
    pressed = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def note(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
