"""Efforts and inputs that cannot be used: one sentence each, and nothing lost."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import SimulationError


def cart() -> ph.System:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    s.joint_force(slide, s.input("F"))
    return s


@pytest.fixture(scope="module")
def equations() -> ph.Equations:
    return cart().derive()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inputs": {"F": ([0.0, 1.0, 1.0], [1.0, 2.0, 3.0])}}, "must ascend"),
        ({"inputs": {"F": ([0.0, 1.0], [1.0, 2.0, 3.0])}}, "2 entries and values has 3"),
        ({"inputs": {"F": ([0.0, 1.0], [1.0, np.nan])}}, "not a finite number"),
        ({"inputs": {"F": ([0.0, 1.0], ["a", "b"])}}, "not a finite number"),
        ({"inputs": {"F": [1.0, 2.0]}}, "has no times"),
        ({"inputs": {"F": np.nan}}, "not finite"),
        ({"inputs": {"F": 1j}}, "no type of real numbers"),
        ({"inputs": {"F": None}}, "no type of real numbers"),
        ({"inputs": {"F": "2*y"}}, "nothing called 'y'"),
        ({"inputs": {"F": "2*"}}, "stops where a value should follow"),
        ({"inputs": {"F": "__import__('os')"}}, "F"),
        ({"inputs": {"F": ph.symbol("y")}}, "which this run does not have"),
        ({"inputs": {"F": ph.table(([0, 1], [0, 1]), [[0, 1], [1, 2]])}}, "takes 2 arguments"),
        ({"inputs": {"f": 1}}, "inputs: there is no input 'f'"),
        ({"tau": {"slid": 1}}, "Did you mean 'slide'"),
        ({"tau": {"v": lambda a, b: 0}}, "takes neither t nor"),
        ({"tau": {"v": lambda *, t: 0}}, "takes neither t nor"),
        ({"tau": ["x", "x"]}, "expected 1 numbers"),
        ({"tau": {"v": ph.held(lambda t: 0, every=1e-12)}}, "would be called"),
        ({"tau": {"v": 1, "slide": 2}}, "tau: 'v' and 'slide' are one effort"),
        ({"tau": {"slide": 1, "tau_v": lambda t: 2}}, "tau: 'slide' and 'tau_v' are one effort"),
        ({"inputs": {"F": 1, ph.symbol("F", "input"): 2}}, "inputs: 'F' and 'F' are one input"),
        ({"hold": ["y"]}, "simulate hold: there is no coordinate 'y'"),
        ({"until": "x"}, "until: 'x' is no event"),
        ({"until": ph.symbol("y")}, "until: an event depends on"),
        ({"on": {"x": {"v": 0}}}, "on: 'x' is no event"),
        ({"events": ["x"]}, "events: 'x' is no event"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(equations: ph.Equations, options: Any, words: str) -> None:
    with pytest.raises(ph.PolhodeError) as caught:
        equations.simulate(1, **options)
    assert words in str(caught.value)
    problem = caught.value.problems[0]
    assert problem.place and problem.cure and problem.code


@pytest.mark.parametrize("every", [0, -0.1, np.nan, np.inf, None, "often", True])
def test_a_sample_time_is_a_positive_number(every: Any) -> None:
    refused("is not a sample time > 0", lambda: ph.held(lambda t: 0, every))


def test_only_functions_are_held() -> None:
    refused("is not a function", lambda: ph.held(3, 0.1))  # type: ignore[arg-type]


@pytest.mark.parametrize(("given", "code"), [
    (([1, 2],), "E-FUNCTION-TWICE"), (([1, 2], [1, 2], "spline"), "E-FUNCTION-NAME"),
    (([1, 2], [1, 2], ["held"]), "E-FUNCTION-NAME"), ((3, 4), "E-FUNCTION-TYPE"),
])  # fmt: skip
def test_samples_that_are_none_are_told(given: Any, code: str) -> None:
    refused(code, lambda: ph.sampled(*given))


@pytest.mark.parametrize("rate", [0, -1, np.inf, "fast"])
def test_a_rate_is_a_positive_number(rate: Any) -> None:
    refused("sampled", lambda: ph.sampled([1, 2], rate=rate))


def failing(t: float) -> float | None:
    if t > 0.5:
        raise RuntimeError("out of order")
    return 1.0


@pytest.mark.parametrize("method", ["DOP853", "scipy.DOP853", "scipy.LSODA", "rk4"])
@pytest.mark.parametrize("every", [None, 0.1])
def test_a_function_that_raises_ends_the_run_with_what_there_is(
    equations: ph.Equations, method: str, every: float | None
) -> None:
    function = failing if every is None else ph.held(failing, every)
    with pytest.raises(
        SimulationError, match="the function of 'F' in inputs raised RuntimeError: out of order"
    ) as caught:
        equations.simulate(1, inputs={"F": function}, method=method, step=0.01)
    run = caught.value.trajectory
    assert run.status == "controller" and 0.45 < run.t[-1] <= 0.61
    assert run["v"][:40] == pytest.approx(run.t[:40], abs=1e-9)


@pytest.mark.parametrize(("given", "words"), [
    (None, "returned None; it must return a number"), ("a", "no type of real numbers"), (np.inf, "not finite"),
])  # fmt: skip
@pytest.mark.parametrize("hold", [False, True])
def test_a_function_that_gives_no_number_is_told(equations: ph.Equations, given: Any, words: str, hold: bool) -> None:
    function = ph.held(lambda t: given, 0.1) if hold else lambda t: given
    message = refused("the function of 'v' in tau", lambda: equations.simulate(1, tau={"v": function}), SimulationError)
    assert words in message


@pytest.mark.parametrize("method", ["DOP853", "scipy.DOP853", "rk4"])
def test_a_law_that_is_no_number_somewhere_is_named(equations: ph.Equations, method: str) -> None:
    with pytest.raises(SimulationError, match="the law of effort 'v' gave no finite number") as caught:
        equations.simulate(1, tau={"v": "sqrt(0.5 - t)"}, method=method, step=0.01)
    assert caught.value.trajectory.t[-1] == pytest.approx(0.5, abs=0.02)
