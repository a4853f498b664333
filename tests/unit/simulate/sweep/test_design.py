"""Designs: which run is at which point of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import LimitError, PolhodeError, ShapeError
from polhode.simulate.sweep.design import Design, design_of


def of(equations: ph.Equations, vary: Any, zipped: bool = False, **options: Any) -> Design:
    return design_of(equations.record, vary, zipped, options)


def test_a_grid_has_a_run_for_each_combination(pendulum: ph.Equations) -> None:
    design = of(pendulum, {"l": [1, 2], "hinge": [0.1, 0.2, 0.3], "F": 5.0})
    assert design.shape == (2, 3, 1)
    assert list(design.axes) == ["l", "hinge(0)", "F"]
    runs = [design.members.member(i) for i in range(6)]
    assert [(run["parameters"]["l"], run["start"]["hinge"]) for run in runs] == [
        (l, a) for l in (1, 2) for a in (0.1, 0.2, 0.3)
    ]
    assert all(run["inputs"] == {"F": 5.0} for run in runs)


def test_samples_are_taken_together(pendulum: ph.Equations) -> None:
    design = of(pendulum, {"l": [1, 2], "m": [3, 4]}, zipped=True)
    assert design.shape == (2,)
    assert [design.members.member(i)["parameters"] for i in range(2)] == [{"l": 1, "m": 3}, {"l": 2, "m": 4}]


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
        ([1, 2], {}, PolhodeError, "says not what to vary"),
        ({"l": [1]}, {"parameters": {"m": [1, 2]}}, PolhodeError, "parameters 'm': an array of values"),
        ({"F": [1]}, {"inputs": abs}, PolhodeError, "given by a function"),
        ({"hinge": [1]}, {"start": [1.0, 2.0]}, ShapeError, "expected 1 numbers"),
    ],
)
def test_what_cannot_be_varied_is_told(
    pendulum: ph.Equations, vary: Any, options: dict[str, Any], kind: type[PolhodeError], told: str
) -> None:
    with pytest.raises(kind, match=told):
        of(pendulum, vary, **options)


def test_samples_of_different_lengths_are_told(pendulum: ph.Equations) -> None:
    with pytest.raises(ShapeError, match="'l' has 2 and 'm' has 3"):
        of(pendulum, {"l": [1, 2], "m": [1, 2, 3]}, zipped=True)
