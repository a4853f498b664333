"""Measures: what is kept of a run is what the trajectory says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.simulate import Trajectory
from polhode.simulate.sweep.measures import MEASURES, REDUCTIONS, MeasureFailed, Measuring, read_measures


def measured(run: Trajectory, given: Any) -> dict[str, Any]:
    return Measuring(read_measures(given, run.mechanism.equations), run.mechanism)(run)


@pytest.fixture(scope="module")
def swing(pendulum: ph.Equations) -> Trajectory:
    return pendulum.simulate(1, start={"hinge": 0.4}, samples=41)


def test_named_measures(swing: Trajectory) -> None:
    assert measured(swing, "final") == {"hinge": swing.q[-1, 0], "d(hinge)": swing.u[-1, 0]}
    assert measured(swing, ["max:hinge", "min:d(hinge)", "range:hinge", "final:energy"]) == {
        "max:hinge": swing.q.max(),
        "min:d(hinge)": swing.u.min(),
        "range:hinge": np.ptp(swing.q),
        "final:energy": swing.energy.total[-1],
    }
    everything = measured(swing, [*MEASURES, *(f"{how}:hinge" for how in REDUCTIONS)])
    assert all(np.isfinite(value) for value in everything.values())


def test_a_mean_is_over_time_and_not_over_samples(pendulum: ph.Equations) -> None:
    run = pendulum.simulate(1, start={"hinge": 0.4}, samples=[0.0, *np.linspace(0.9, 1.0, 50)])
    fine = pendulum.simulate(1, start={"hinge": 0.4}, samples=4001)
    crowded = measured(run, "mean:hinge")["mean:hinge"]
    assert abs(crowded - run.q.mean()) > 0.1
    assert measured(fine, "mean:hinge")["mean:hinge"] == pytest.approx(fine.q.mean(), abs=1e-3)


def test_expressions_at_the_end_and_along_the_run(swing: Trajectory, pendulum: ph.Equations) -> None:
    angle, length = pendulum.q[0], pendulum.system.parameters["l"].symbol
    made = measured(swing, {"height": length * ph.cos(angle), "most": ("max", angle**2), "again": "max:hinge"})
    assert made == {
        "height": pytest.approx(np.cos(swing.q[-1, 0])),
        "most": pytest.approx((swing.q**2).max()),
        "again": swing.q.max(),
    }
    assert measured(swing, angle) == {"value": swing.q[-1, 0]}


def test_functions_of_the_trajectory(swing: Trajectory) -> None:
    def crossings(run: Trajectory) -> int:
        return int((np.diff(np.sign(run.q[:, 0])) != 0).sum())

    assert measured(swing, crossings) == {"crossings": 1}
    assert list(measured(swing, lambda run: {"a": 1, "b": [1, 2]})) == ["a", "b"]
    assert list(measured(swing, {"x": lambda run: {"a": 1}})) == ["x a"]
    np.testing.assert_array_equal(measured(swing, lambda run: run.q[:2])["value"], swing.q[:2])


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        ("fnal", "'final'"),
        ("max:hige", "'max:hinge'"),
        ("mx:hinge", "'max:hinge'"),
        ("max", "'max:"),
        (5, "Give a name"),
    ],
)
def test_an_unknown_measure_is_told_with_those_that_are_like_it(swing: Trajectory, given: Any, cure: str) -> None:
    with pytest.raises(PolhodeError) as caught:
        measured(swing, given)
    assert cure in str(caught.value)


def test_an_unknown_reduction_of_an_expression_is_told(swing: Trajectory, pendulum: ph.Equations) -> None:
    with pytest.raises(PolhodeError, match="no measure 'most'"):
        measured(swing, ("most", pendulum.q[0]))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda run: run["elbow"], "raised PolhodeError: the trajectory has no value 'elbow'"),
        (lambda run: None, "returned None, which is no real number"),
        (lambda run: "high", "returned 'high'"),
        (lambda run: [[1], [2, 3]], "which is no real number"),
    ],
)
def test_a_function_that_fails_is_told(swing: Trajectory, function: Any, told: str) -> None:
    with pytest.raises(MeasureFailed, match=told):
        measured(swing, function)
