"""What is drawn over what, unasked and asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from polhode.simulate.sweep.arrangement import Runs, of_grid, of_samples


def grid(**lengths: int) -> Runs:
    axes = {name: np.arange(1.0, 1 + count) for name, count in lengths.items()}
    columns = {k: v.ravel() for k, v in zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True)}
    return Runs(columns, np.arange(len(next(iter(columns.values())))))


def samples(**columns: Any) -> Runs:
    made = {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    return Runs(made, np.arange(len(next(iter(made.values())))))


@pytest.mark.parametrize(
    ("lengths", "x", "by", "over", "y", "told"),
    [
        ({"a": 9}, None, None, "a", None, None),
        ({"a": 9, "b": 1}, None, None, "a", None, None),
        ({"a": 1}, None, None, "a", None, None),
        ({"a": 5, "b": 9}, None, None, "a", "b", None),  # cells
        ({"a": 5, "b": 9}, "b", None, "b", "a", None),
        ({"a": 5, "b": 9}, None, "b", "a", None, "b"),  # lines
        ({"a": 5, "b": 9}, "b", "a", "b", None, "a"),
        ({"a": 3, "b": 9}, None, None, "b", None, "a"),  # too few rows for cells
        ({"a": 9, "b": 3}, "b", None, "b", None, "a"),
        ({"a": 2, "b": 2}, None, None, "a", None, "b"),
    ],
)
def test_one_axis_makes_lines_and_two_make_cells(
    lengths: dict[str, int], x: str, by: str, over: str, y: str, told: str
) -> None:
    made = of_grid(grid(**lengths), x, by, [])
    assert (list(made.over), made.y, made.by) == ([over], y, told)
    assert made.beside is None and not made.cut and len(made.runs) == np.prod(list(lengths.values()))


@pytest.mark.parametrize(
    ("lengths", "x", "by", "drawn", "beside", "cut"),
    [
        ({"a": 3, "b": 9, "c": 8}, None, None, ("b", "c", None), "a", {}),
        ({"a": 9, "b": 8, "c": 7}, None, None, ("a", "b", None), None, {"c": 4.0}),
        ({"a": 9, "b": 8, "c": 3}, "c", "a", ("c", None, "a"), None, {"b": 5.0}),
        ({"a": 9, "b": 8, "c": 3, "d": 2}, None, None, ("a", "b", None), "c", {"d": 2.0}),
        ({"a": 9, "b": 8, "c": 3}, None, "c", ("a", None, "c"), None, {"b": 5.0}),
    ],
)
def test_a_third_axis_is_columns_of_panels_or_is_cut(
    lengths: dict[str, int], x: str, by: str, drawn: tuple[str, str, str], beside: str, cut: Mapping[str, float]
) -> None:
    made = of_grid(grid(**lengths), x, by, [])
    assert (made.over[0], made.y, made.by) == drawn
    assert (made.beside, made.cut) == (beside, cut)
    assert made.columns == (lengths[beside] if beside else 1)
    left = np.prod([count for name, count in lengths.items() if name not in cut])
    assert len(made.runs) == left and all((made.runs.columns[name] == value).all() for name, value in cut.items())


def test_samples_are_drawn_over_each_value_that_is_their_own() -> None:
    a, b = np.random.default_rng(1).random((2, 20))
    made = of_samples(samples(a=a, wheel=3 * a + 1, b=b, fixed=np.ones(20)), None, None)
    assert list(made.over) == ["a", "b"] and not made.joined and made.columns == 2


def test_samples_that_all_follow_one_value_are_a_line() -> None:
    v = np.linspace(10, 40, 7)
    for x in (None, "v", "wheel"):
        made = of_samples(samples(v=v, wheel=v / 0.31, fixed=np.ones(7)), x, None)
        assert list(made.over) == [x or "v"] and made.joined


def test_samples_of_a_grid_are_lines_once_both_values_are_told() -> None:
    v, c = (each.ravel() for each in np.meshgrid([15, 20, 25, 30], [55, 60, 65]))
    runs = samples(v=v, c=c, wheel=v / 0.31)
    assert of_samples(runs, "v", "c").joined
    assert of_samples(runs, None, "c").joined and list(of_samples(runs, None, "c").over) == ["v"]
    assert not of_samples(runs, "v", None).joined


def test_samples_are_drawn_over_four_values_at_most() -> None:
    columns = dict(zip("abcdef", np.random.default_rng(1).random((6, 30)), strict=True))
    assert list(of_samples(samples(**columns), None, None).over) == ["a", "b", "c", "d"]


def test_values_that_are_no_numbers_count_for_nothing() -> None:
    runs = samples(a=[1, 2, np.nan, 4, np.inf], b=[1, 1, 1, 1, 1])
    assert runs.distinct("a").tolist() == [1, 2, 4] and runs.varying == ["a"]
    assert of_samples(runs, None, None).joined
