"""What a search begins with: every wrong guess and every wrong option is answered by a sentence."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.optimize.guess import first_variables


def slider() -> ph.Equations:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(-2, 2))
    return s.derive()


CALLS = {
    "guess word": ({"guess": "good"}, "'good' is nothing to begin with"),
    "guess unknown": ({"guess": {"y": 1}}, "there is no coordinate, speed or state 'y'"),
    "guess nan": ({"guess": {"x": [0, float("nan")]}}, "[0, nan] is not a finite number"),
    "guess text": ({"guess": {"x": "a"}}, "is not a finite number, or several"),
    "tolerance": ({"tolerance": 0}, "solve tolerance: 0 is not a number from 0 to 1"),
    "iterations": ({"iterations": 0.5}, "solve iterations: 0.5 is not a whole number"),
    "options": ({"options": 3}, "3 is not a mapping"),
    "unknown option": ({"options": {"colour": "red"}}, "IPOPT does not take these options"),
    "strange": ({"tolerances": 3}, "there is no option 'tolerances'"),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_is_told(case: str) -> None:
    given, sentence = CALLS[case]
    problem = slider().collocation(1, end={"x": 1}, inputs=["x"], nodes=5)
    with pytest.raises(PolhodeError) as told:
        problem.solve(**given)
    assert sentence in str(told.value) and told.value.problems[0].code


def test_a_solution_of_other_variables_is_no_guess_but_its_trajectory_is() -> None:
    e = slider()
    first = e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5, dynamics="implicit").solve()
    other = e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5, dynamics="explicit")
    with pytest.raises(PolhodeError, match="has the variables x, x, x, x, which are not those sought here"):
        other.solve(guess=first)
    assert other.solve(guess=first.trajectory).cost == pytest.approx(first.cost)


def test_without_ipyopt_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = slider().collocation(1, end={"x": 1}, inputs=["x"], nodes=5)
    monkeypatch.setitem(sys.modules, "ipyopt", None)
    with pytest.raises(PolhodeError, match=r"pip install \"polhode\[optimize\]\""):
        problem.solve()


def test_a_trajectory_of_one_sample_is_no_guess() -> None:
    e = slider()
    run = e.simulate(1, samples=3)
    with pytest.raises(PolhodeError, match="less than two samples"):
        short = replace(run, t=run.t[:1], q=run.q[:1], u=run.u[:1], z=run.z[:1], tau=None, inputs=None)
        e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5).solve(guess=short)


@pytest.mark.parametrize("guess", [None, "cubic", "linear", {"x": [0, 0.2, 1], "tau_x": 3}])
def test_a_convex_problem_has_one_optimum_from_any_guess(guess: object) -> None:
    problem = slider().collocation(1, end={"x": 1, "x'": 0}, inputs=["x"], nodes=5)
    assert problem.solve(guess=guess).cost == pytest.approx(12)


def test_a_run_is_a_guess() -> None:
    e = slider()
    run = e.simulate(1, tau={"x": 1.0}, samples=11)
    for dynamics in ("implicit", "explicit"):
        problem = e.collocation((0.5, 3), end={"x": 1, "x'": 0}, inputs=["x"], nodes=5, dynamics=dynamics)
        assert problem.solve(guess=run).duration == pytest.approx(3), "the slower, the less effort"


def test_a_first_guess_meets_start_and_end_in_the_middle_of_the_durations() -> None:
    ends = {"start": {"x": 0.5, "x'": 1}, "end": {"x": 1, "x'": -2}}
    problem = slider().collocation((1, 3), **ends, inputs=["x"], nodes=5, dynamics="explicit")
    *variables, duration = first_variables(problem, "cubic")
    y = np.reshape(variables, (-1, 3))[np.argsort(problem.mesh.shares)]
    assert duration == problem.first_duration == 2
    assert np.allclose(y[[0, -1], :2], [[0.5, 1], [1, -2]], rtol=0, atol=1e-14)
    assert np.allclose(y[len(y) // 2, 0], 0.75 + (1 + 2) * duration / 8), "Hermite's cubic half way"
