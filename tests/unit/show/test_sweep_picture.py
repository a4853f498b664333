"""A sweep's picture shows its results, its units and its failures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.show.sweep_picture import Runs, of_grid, of_samples
from polhode.simulate.sweep import Sweep

pytest.importorskip("matplotlib")


def made(axes: dict[str, Any], values: dict[str, Any], zipped: bool = False, **more: Any) -> Sweep:
    """A sweep of these values; members without a number have failed."""
    known = {name: np.asarray(each, dtype=float) for name, each in axes.items()}
    count = len(next(iter(known.values()))) if zipped else int(np.prod([len(each) for each in known.values()]))
    results = {name: np.asarray(each, dtype=float) for name, each in values.items()}
    flat = {name: each.reshape(count, *each.shape[1 if zipped else len(known) :]) for name, each in results.items()}
    first = next(iter(flat.values()), np.full(count, np.nan)).reshape(count, -1)[:, 0]
    status = np.where(np.isfinite(first), "done", "singular_mass_matrix")
    messages = tuple("" if each == "done" else "it is singular." for each in status)
    return Sweep(known, zipped, flat, status, messages, **more)


L, C = np.linspace(0.5, 2, 6), np.geomspace(0.1, 3.2, 6)
UNITS = {"units": {"l": "m", "c": "N"}, "result_units": {"lean": "rad"}, "system": "pendulum"}


@pytest.fixture
def plane() -> Sweep:
    lean = np.add.outer(L, C)
    lean[5, 4:] = np.nan
    return made({"l": L, "c": C}, {"lean": lean, "roll": -lean}, **UNITS)


def data(figure: Any) -> list[tuple[list[float], list[float]]]:
    """The points of the lines of the first panel."""
    lines = [each for each in figure.axes[0].get_lines() if each.get_transform() == figure.axes[0].transData]
    return [(each.get_xdata().tolist(), each.get_ydata().tolist()) for each in lines]


def title(figure: Any) -> str:
    return figure._suptitle.get_text()


def told(figure: Any) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_one_axis_is_a_line_in_a_panel_for_each_measure() -> None:
    sweep = made({"l": C[::-1]}, {"lean": [1, 2, np.nan, 4, 5, 6], "roll": np.arange(6)}, **UNITS)
    figure = sweep.plot()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["lean  (rad)", "roll"]
    np.testing.assert_array_equal(data(figure)[0], [C, [6, 5, 4, np.nan, 2, 1]])
    assert figure.axes[0].get_xscale() == "log" and figure.axes[1].get_xlabel() == "l, m"
    assert title(figure) == "pendulum: 6 runs" and told(figure) == ["1 of 6 runs without a result"]


def test_two_axes_are_a_map_for_each_measure_and_two_axes_are_lines_or_slices(plane: Sweep) -> None:
    figure = plane.plot()
    first = figure.axes[0]
    assert (first.get_xscale(), first.get_yscale()) == ("linear", "log")
    assert (first.get_xlabel(), first.get_ylabel()) == ("l, m", "c, N")
    shown = first.collections[0].get_array().filled(np.nan)
    np.testing.assert_array_equal(shown, plane["lean"].T)
    assert told(figure) == ["2 of 36 runs without a result"]
    np.testing.assert_array_equal(
        plane.plot(measures="roll", x="c").axes[0].collections[0].get_array().filled(np.nan), plane["roll"]
    )
    figure = plane.plot(measures=["lean"], by="c")
    assert data(figure) == [(L.tolist(), pytest.approx(plane["lean"][:, k].tolist(), nan_ok=True)) for k in range(6)]
    assert [text.get_text() for text in figure.axes[0].texts][:2] == ["c = 0.1 N", "c = 0.2 N"]
    crosses = [each for each in figure.axes[0].get_lines() if each.get_marker() == "x"]
    assert crosses[0].get_xdata().tolist() == [2.0, 2.0]
    figure = plane.plot(measures="lean", at={"c": 0.4000000001})
    assert data(figure) == [(L.tolist(), plane["lean"][:, 2].tolist())]
    assert title(figure) == "pendulum: 6 of 36 runs, c = 0.4 N" and not told(figure)


def test_three_axes_have_columns_of_maps_and_samples_are_points_over_each_value() -> None:
    lean = np.arange(72.0).reshape(2, 6, 6)
    sweep = made({"m": [1, 2], "l": L, "c": C}, {"lean": lean}, **UNITS)
    first, second, _bar = sweep.plot().axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["lean  (rad)   m = 1", "lean  (rad)   m = 2"]
    np.testing.assert_array_equal(second.collections[0].get_array(), lean[1].T)
    lines = data(sweep.plot(x="l", by="m"))  # c is cut at its middle
    assert lines == [(L.tolist(), lean[k, :, 3].tolist()) for k in range(2)]
    assert title(sweep.plot(x="l", by="m")) == "pendulum: 12 of 72 runs, c = 0.8 N"
    a, b, lean = np.random.default_rng(1).random((3, 30))
    lean[3] = np.nan
    sweep = made({"a": a, "b": b}, {"lean": lean, "roll": lean}, zipped=True)
    figure = sweep.plot()
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "a", "b"]
    for axes, column in zip(figure.axes[:2], (a, b), strict=True):
        points, crosses = axes.get_lines()
        assert sorted(points.get_xdata()) == sorted(column) and points.get_linestyle() == "None"
        assert crosses.get_xdata().tolist() == [column[3]]
    (only, bar) = sweep.plot(measures="lean", x="b", by="a").axes
    assert only.get_xlabel() == "b" and bar.get_ylabel() == "a"
    few = made({"a": a, "b": b, "c": np.arange(30) % 2}, {"lean": lean}, zipped=True)
    assert len(few.plot(x="a", at={"c": 1}).axes[0].get_lines()[0].get_xdata()) == 15


def test_samples_over_a_speed_that_others_follow_are_lines() -> None:
    v, c = (each.ravel().astype(float) for each in np.meshgrid([15, 20, 25, 30], [55, 60, 65]))
    sweep = made({"V": v, "c": c, "d(spin)(0)": v / 0.31}, {"yaw": v * c}, zipped=True)
    assert data(sweep.plot(x="V", by="c")) == [
        ([15, 20, 25, 30], [15 * k, 20 * k, 25 * k, 30 * k]) for k in (55, 60, 65)
    ]
    assert data(sweep.plot(x="speed:spin", by="c"))[0][1] == data(sweep.plot(x="V", by="c"))[0][1]


def test_numbers_of_an_array_are_drawn_each_if_they_are_few() -> None:
    few, many = np.arange(12.0).reshape(4, 3), np.arange(80.0).reshape(4, 20)
    sweep = made({"l": [1, 2, 3, 4]}, {"tip": few, "history": many})
    assert [axes.get_title(loc="left") for axes in sweep.plot().axes] == ["tip.0", "tip.1", "tip.2"]
    assert data(sweep.plot(measures=["history.19"])) == [([1, 2, 3, 4], many[:, 19].tolist())]
    for call in (lambda: sweep.plot(measures="history"), made({"l": [1, 2, 3, 4]}, {"history": many}).plot):
        with pytest.raises(ph.PolhodeError, match=r"'history' has 20 numbers[\s\S]*history\.0"):
            call()


def test_as_many_results_are_drawn_unasked_as_one_can_look_at() -> None:
    sweep = made({"l": [1, 2, 3]}, {f"q{k}": np.arange(3) for k in range(28)}, **UNITS)
    figure = sweep.plot()
    assert len(figure.axes) == 12 and title(figure) == "pendulum: 3 runs, 12 of 28 results"
    assert len(sweep.plot(measures=list(sweep.values)).axes) == 28


def test_axes_are_called_as_they_were_given(pendulum: ph.Equations, tmp_path: Path) -> None:
    vary = {"l": [0.5, 1, 2], "hinge": [0.1, 0.2]}
    sweep = pendulum.sweep(vary, 0.1, measure=["max:hinge", "energy"], samples=3, workers=1)
    figures = [sweep.plot(x="l", by=name) for name in ("hinge", "start:hinge", "hinge(0)")]
    assert all(data(figure) == [([0.5, 1, 2], [0.1] * 3), ([0.5, 1, 2], [0.2] * 3)] for figure in figures)
    assert [axes.get_title(loc="left") for axes in figures[0].axes] == ["max:hinge  (rad)", "energy  (J)"]
    sweep.plot(tmp_path / "runs.svg")
    assert "svg" in (tmp_path / "runs.svg").read_text(encoding="utf-8")[:300]
    found = Sweep.load(sweep.save(tmp_path / "runs.npz"))
    assert data(found.plot(at={"hinge": 0.2})) == [([0.5, 1, 2], [0.2] * 3)]


def test_whole_trajectories_are_drawn_over_time(pendulum: ph.Equations) -> None:
    sweep = pendulum.sweep({"l": [1, 2]}, 0.1, measure=None, start={"hinge": 0.2}, samples=5, workers=1)
    assert len(sweep.plot().axes[0].get_lines()) == 2 and sweep.plot().axes[1].get_xlabel() == "time, s"
    refused("drawn over time", lambda: sweep.plot(x="l"))
    assert "<img" not in sweep._repr_html_()


@pytest.mark.parametrize(("options", "message"), [
    ({"measures": "laen"}, r"no result 'laen'\.\s+Did you mean 'lean'\?.*E-BATCH-NAME"),
    ({"measures": [5]}, "no result 5"), ({"measures": 5}, "5 is not a list of measures"),
    ({"measures": []}, "no measure is named"),
    ({"x": "lenght"}, r"plot x: there is no varied value 'lenght'.*\s.*E-BATCH-NAME"),
    ({"by": "k"}, r"plot by: there is no varied value 'k'.*\s+Known: l, c"),
    ({"at": {"k": 1}}, "plot at: there is no varied value 'k'"),
    ({"at": {"l": 0.6}}, r"no run with l = 0\.6\.\s+There are runs with 0\.5, 0\.8, 1\.1, 1\.4, 1\.7 and 2"),
    ({"at": {"l": np.nan}}, "nan is not a number"), ({"at": {"l": "long"}}, "'long' is not a number"),
    ({"at": "l"}, "'l' is not values by name"), ({"at": {"l": 0.5, "c": 0.1}}, "nothing is left to draw over"),
    ({"x": "l", "by": "l"}, "'l' is given twice, in x and in by"),
    ({"by": "l", "at": {"l": 0.5}}, "'l' is given twice, in at and in by"),
    ({"path": "runs.bmp"}, "no way to save a plot as 'bmp'"), ({"path": 5}, "5 is not a path"),
])  # fmt: skip
def test_what_cannot_be_drawn_gets_a_sentence(plane: Sweep, options: dict[str, Any], message: str) -> None:
    refused(message, lambda: plane.plot(**options))


def test_a_sweep_without_results_says_why() -> None:
    for sweep in (made({"l": [1, 2]}, {}), made({"l": [1, 2]}, {"lean": [np.nan, np.nan]})):
        with pytest.raises(ph.PolhodeError, match=r"none of the 2 runs has a result\.\s+The first.*it is singular"):
            sweep.plot()
        assert "<img" not in sweep._repr_html_()
    partly = made({"l": [1, 2], "c": [1, 2]}, {"lean": [[np.nan, np.nan], [1, 2]]})
    refused("none of the 2 runs has a result", lambda: partly.plot(at={"l": 1}))


def test_cells_have_a_table_and_few_rows(plane: Sweep) -> None:
    cell = plane._repr_mimebundle_()
    assert 'src="data:image/png;base64,' in cell["text/html"] and "<table" in cell["text/html"]
    assert "<img" not in cell["text/plain"] and "0.4" in cell["text/plain"]
    count = 3000
    sweep = made({"l": np.arange(count)}, {"lean": np.arange(count)})
    asked: list[int] = []
    object.__setattr__(sweep, "at", lambda k: asked.append(k) or {"l": float(k)})
    assert "and 2960 more" in sweep._repr_mimebundle_()["text/plain"]
    assert asked == list(range(40))


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


@pytest.mark.parametrize(("lengths", "x", "by", "drawn", "beside", "cut"), [
    ({"a": 3, "b": 9, "c": 8}, None, None, ("b", "c", None), "a", {}),
    ({"a": 9, "b": 8, "c": 7}, None, None, ("a", "b", None), None, {"c": 4.0}),
    ({"a": 9, "b": 8, "c": 3}, "c", "a", ("c", None, "a"), None, {"b": 5.0}),
    ({"a": 9, "b": 8, "c": 3, "d": 2}, None, None, ("a", "b", None), "c", {"d": 2.0}),
    ({"a": 9, "b": 8, "c": 3}, None, "c", ("a", None, "c"), None, {"b": 5.0}),
])  # fmt: skip
def test_a_third_axis_is_columns_of_panels_or_is_cut(
    lengths: dict[str, int], x: str, by: str, drawn: tuple[str, str, str], beside: str, cut: Mapping[str, float]
) -> None:
    made = of_grid(grid(**lengths), x, by, [])
    assert (made.over[0], made.y, made.by) == drawn and (made.beside, made.cut) == (beside, cut)
    assert made.columns == (lengths[beside] if beside else 1)
    left = np.prod([count for name, count in lengths.items() if name not in cut])
    assert len(made.runs) == left and all((made.runs.columns[name] == value).all() for name, value in cut.items())


def test_samples_are_points_or_lines_over_few_values() -> None:
    a, b = np.random.default_rng(1).random((2, 20))
    made = of_samples(samples(a=a, wheel=3 * a + 1, b=b, fixed=np.ones(20)), None, None)
    assert list(made.over) == ["a", "b"] and not made.joined and made.columns == 2
    v = np.linspace(10, 40, 7)
    for x in (None, "v", "wheel"):
        made = of_samples(samples(v=v, wheel=v / 0.31, fixed=np.ones(7)), x, None)
        assert list(made.over) == [x or "v"] and made.joined
    v, c = (each.ravel() for each in np.meshgrid([15, 20, 25, 30], [55, 60, 65]))
    runs = samples(v=v, c=c, wheel=v / 0.31)
    assert of_samples(runs, "v", "c").joined
    assert of_samples(runs, None, "c").joined and list(of_samples(runs, None, "c").over) == ["v"]
    assert not of_samples(runs, "v", None).joined
    columns = dict(zip("abcdef", np.random.default_rng(1).random((6, 30)), strict=True))
    assert list(of_samples(samples(**columns), None, None).over) == ["a", "b", "c", "d"]
    runs = samples(a=[1, 2, np.nan, 4, np.inf], b=[1, 1, 1, 1, 1])
    assert runs.distinct("a").tolist() == [1, 2, 4] and runs.varying == ["a"] and of_samples(runs, None, None).joined
