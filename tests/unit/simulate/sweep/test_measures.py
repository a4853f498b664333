"""Measures: what is kept of a run is what the trajectory says."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import LimitError, PolhodeError, ShapeError
from polhode.simulate import Trajectory
from polhode.simulate.sweep.measures import (
    MEASURES,
    REDUCTIONS,
    Design,
    MeasureFailed,
    Measuring,
    design_of,
    read_measures,
)


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


@pytest.mark.parametrize(("given", "cure"), [
    ("fnal", "'final'"), ("max:hige", "'max:hinge'"), ("mx:hinge", "'max:hinge'"), ("max", "'max:"),
    (5, "Give a name"),
])  # fmt: skip
def test_an_unknown_measure_is_told_with_those_that_are_like_it(swing: Trajectory, given: Any, cure: str) -> None:
    assert cure in refused("", lambda: measured(swing, given))


def test_an_unknown_reduction_of_an_expression_is_told(swing: Trajectory, pendulum: ph.Equations) -> None:
    refused("no measure 'most'", lambda: measured(swing, ("most", pendulum.q[0])))


@pytest.mark.parametrize(("function", "told"), [
    (lambda run: run["elbow"], "raised PolhodeError: Trajectory: the trajectory has no value 'elbow'"),
    (lambda run: None, "returned None, which is no real number"), (lambda run: "high", "returned 'high'"),
    (lambda run: [[1], [2, 3]], "which is no real number"),
])  # fmt: skip
def test_a_function_that_fails_is_told(swing: Trajectory, function: Any, told: str) -> None:
    refused(told, lambda: measured(swing, function), MeasureFailed)


def of(equations: ph.Equations, vary: Any, zipped: bool = False, **options: Any) -> Design:
    return design_of(equations.record, vary, zipped, options)


def test_a_grid_has_a_run_for_each_combination(pendulum: ph.Equations) -> None:
    design = of(pendulum, {"l": [1, 2], "hinge": [0.1, 0.2, 0.3], "F": 5.0})
    assert design.shape == (2, 3, 1) and list(design.axes) == ["l", "hinge(0)", "F"]
    runs = [design.members.member(i) for i in range(6)]
    assert [(run["parameters"]["l"], run["start"]["hinge"]) for run in runs] == [
        (l, a) for l in (1, 2) for a in (0.1, 0.2, 0.3)
    ]
    assert all(run["inputs"] == {"F": 5.0} for run in runs)


def test_samples_are_taken_together_and_have_one_length(pendulum: ph.Equations) -> None:
    design = of(pendulum, {"l": [1, 2], "m": [3, 4]}, zipped=True)
    assert design.shape == (2,)
    assert [design.members.member(i)["parameters"] for i in range(2)] == [{"l": 1, "m": 3}, {"l": 2, "m": 4}]
    refused("'l' has 2 and 'm' has 3", lambda: of(pendulum, {"l": [1, 2], "m": [1, 2, 3]}, zipped=True), ShapeError)


def test_a_prefix_says_which_of_two_is_meant(pendulum: ph.Equations) -> None:
    design = of(pendulum, {"start:hinge": [0.1], "speed:hinge": [2], "tau:hinge": [3], "parameter:l": [4]})
    assert list(design.axes) == ["hinge(0)", "d(hinge)(0)", "tau(hinge)", "l"]
    assert design.members.member(0) == {
        "start": {"hinge": 0.1}, "speeds": {"hinge": 2.0}, "tau": {"hinge": 3.0}, "parameters": {"l": 4.0},
    }  # fmt: skip


@pytest.mark.parametrize("start", ["aside", {"hinge": 0.4}, [0.4], ([0.4], [0.0])])
def test_a_varied_speed_leaves_the_start_that_was_given(pendulum: ph.Equations, start: Any) -> None:
    run = of(pendulum, {"speed:hinge": [1, 2]}, start=start).members.member(1)
    assert (run["start"], run["speeds"]) == ({"hinge": 0.4}, {"hinge": 2.0})


@pytest.mark.parametrize(
    ("vary", "options", "kind", "told"),
    [
        ({"lenght": [1]}, {}, PolhodeError, "no parameter, input, coordinate or speed 'lenght'"),
        ({"hige": [1]}, {}, PolhodeError, "Did you mean 'hinge'"),
        ({"speed:hige": [1]}, {}, PolhodeError, "Did you mean 'speed:hinge'"),
        ({"l": ["a"]}, {}, ShapeError, "not a list of numbers"),
        ({"l": [[1, 2]]}, {}, ShapeError, "not a list of numbers"),
        ({"l": [[1], [2, 3]]}, {}, ShapeError, "not a list of numbers"),
        ({"l": []}, {}, ShapeError, "there are no values"),
        ({"l": np.zeros(4000), "m": np.zeros(4000)}, {}, LimitError, "16,000,000 points"),
        ({"l": [1], "parameter:l": [2]}, {}, PolhodeError, "name one value twice"),
        ([1, 2], {}, PolhodeError, "is no mapping of values to vary"),
        ({"l": [1]}, {"parameters": {"m": [1, 2]}}, PolhodeError, "parameters 'm': an array of values"),
        ({"F": [1]}, {"inputs": abs}, PolhodeError, "given by a function"),
        ({"hinge": [1]}, {"start": [1.0, 2.0]}, ShapeError, "expected 1 numbers"),
    ],
)
def test_what_cannot_be_varied_is_told(
    pendulum: ph.Equations, vary: Any, options: dict[str, Any], kind: type[PolhodeError], told: str
) -> None:
    refused(told, lambda: of(pendulum, vary, **options), kind)


def test_forces_slip_and_gaps_of_contacts_are_measured() -> None:
    """A block on a floor is braked by μ m g; with the speed v it stops after v/μg."""
    s = ph.System("block", gravity=(0, 0, -10))
    path = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
    s.joint("path", s.ground, s.body("block", 2), path, coordinates=["x", "z"], speeds=["vx", "vz"])
    s.contact("sole", "block", s.surface("floor", s.ground, ph.Shape.plane()), friction=s.parameter("mu", 0.4))
    wanted = ["max:normal(sole)", "max:friction(sole)", "final:slip(sole)", "max:gap(sole)"]
    swept = s.derive().sweep({"mu": [0.2, 0.4]}, 0.5, measure=wanted, speeds={"vx": 2})
    for name, values in zip(wanted, ([20, 20], [4, 8], [1, 0], [0, 0]), strict=True):
        np.testing.assert_allclose(swept[name], values, atol=1e-6)
    refused("max:norml", lambda: s.derive().sweep({"mu": [0.2]}, 1, measure="max:norml(sole)"))
