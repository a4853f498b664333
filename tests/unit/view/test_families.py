"""Lines and points of many runs are where their values are, and failures are no values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from polhode.view.families import (
    MOST_MARKS,
    Map,
    Panel,
    Quantity,
    Shading,
    cell_edges,
    is_geometric,
    plot_families,
    plot_maps,
    plot_overlay,
    set_label,
    set_scale,
)
from polhode.view.plot import save_plot

pytest.importorskip("matplotlib")


def panel(x, y, name="lean", note=""):
    return Panel(Quantity("v", "m/s", np.array(x, float)), Quantity(name, "rad", np.array(y, float)), note)


def drawn(axes):
    """The lines with data, without the marks of failures."""
    return [line for line in axes.get_lines() if line.get_marker() != "x" and len(line.get_xdata()) > 0]


def crosses(axes):
    return [x for line in axes.get_lines() if line.get_marker() == "x" for x in line.get_xdata()]


def words(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_lines_are_sorted_coloured_or_scaled() -> None:
    figure = plot_families([panel([3, 1, 2], [30, 10, 20])], title="three runs")
    (axes,) = figure.axes
    (line,) = drawn(axes)
    assert line.get_xdata().tolist() == [1, 2, 3] and line.get_ydata().tolist() == [10, 20, 30]
    assert axes.get_title(loc="left") == "lean  (rad)" and axes.get_xlabel() == "v, m/s"
    assert figure._suptitle.get_text() == "three runs" and not figure.legends
    v, c = np.array([1, 2, 1, 2.0]), Quantity("c", "N", np.array([5, 5, 7, 7.0]))
    figure = plot_families([panel(v, [10, 20, 30, 40])], c)
    lines = [line for line in drawn(figure.axes[0]) if line.get_transform() == figure.axes[0].transData]
    assert [line.get_ydata().tolist() for line in lines] == [[10, 20], [30, 40]]
    assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == 2
    assert [text.get_text() for text in figure.axes[0].texts] == ["c = 5 N", "c = 7 N"]
    values = np.repeat(np.geomspace(1, 100, 9), 2)
    c = Quantity("$c$", "N", values)
    figure = plot_families([panel(np.tile([1, 2.0], 9), np.arange(18.0))], c)
    axes, bar = figure.axes
    assert len(drawn(axes)) == 9 and not axes.texts
    assert bar.get_ylabel() == "$c$, N" and bar.get_yscale() == "log" and not bar.yaxis.label.get_parse_math()
    few, many = np.arange(5.0), np.arange(MOST_MARKS + 5.0)
    alone = np.where(many == 7, 1.0, np.nan)
    alone[20:] = 2.0
    figure = plot_families([panel(few, few), panel(many, many), panel(many, alone)])
    marked = [drawn(axes)[0].get_markevery() for axes in figure.axes]
    assert marked == [[0, 1, 2, 3, 4], [], [7]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_failure_is_a_gap_and_a_cross_and_no_value(bad):
    figure = plot_families([panel([1, 2, 3, 4], [10, bad, 30, 40])], absent="1 of 4 runs without a result")
    (axes,) = figure.axes
    (line,) = drawn(axes)
    np.testing.assert_array_equal(line.get_ydata(), [10, np.nan, 30, 40])
    assert crosses(axes) == [2]
    assert words(figure) == ["1 of 4 runs without a result"]
    low, high = axes.get_ylim()
    assert low < 10 and 40 < high < 50


def test_failures_and_values_that_are_no_numbers_are_not_drawn() -> None:
    figure = plot_families([panel([1, np.nan, 3], [10, np.nan, 30])])
    assert drawn(figure.axes[0])[0].get_xdata().tolist() == [1, 3] and crosses(figure.axes[0]) == []
    values = np.linspace(0, 1, 11)
    shading = Shading(Quantity("c", "", np.append(values, np.nan)))
    assert not shading.is_few and shading.distinct.tolist() == values.tolist()
    np.testing.assert_array_equal(shading.color_of(values[[3, 0]]), [shading.colors[3], shading.colors[0]])
    refused("nothing to plot", lambda: plot_families([]))
    assert cell_edges(np.array([0.0]), geometric=False).tolist() == [-0.5, 0.5]


def test_points_are_not_joined_and_show_a_third_value():
    x, y = [1, 2, 3, 4], [10, 20, 30, np.nan]
    few = plot_families([panel(x, y)], Quantity("c", "", np.array([5, 7, 5, 7.0])), joined=False, absent="1 failed")
    lines = drawn(few.axes[0])
    assert {line.get_linestyle() for line in lines} == {"None"}
    assert [line.get_xdata().tolist() for line in lines] == [[1, 3], [2, 4]]
    assert words(few) == ["c = 5", "c = 7", "1 failed"] and crosses(few.axes[0]) == [4]
    x = np.arange(20.0)
    many = plot_families([panel(x, 2 * x)], Quantity("c", "", x), joined=False)
    (points,) = many.axes[0].collections
    assert points.get_offsets().tolist() == np.column_stack([x, 2 * x]).tolist()
    assert len(np.unique(points.get_facecolors(), axis=0)) == 20


def test_panels_share_limits_and_rounding_is_level() -> None:
    panels = [panel([1, 2], [0, 1], note="m = 1"), panel([1, 2], [0, 100], note="m = 2"), panel([1, 2], [5, 6], "roll")]
    first, second, third = plot_families(panels, columns=2).axes
    assert first.get_ylim() == second.get_ylim() != third.get_ylim()
    assert first.get_title(loc="left") == "lean  (rad)   m = 1"
    assert [bool(axes.get_xlabel()) for axes in (first, second, third)] == [False, True, True]
    axes = plot_families([panel([1, 2], [5, 5 + 1e-12])]).axes[0]
    assert np.ptp(axes.get_ylim()) > 0.1 and "varies by" in axes.get_title(loc="left")
    axes = plot_families([panel([1, 2], [5, 5 + 1e-5])]).axes[0]
    assert np.ptp(axes.get_ylim()) < 2e-5


@pytest.mark.parametrize("name", ["_hidden", "$", r"\frac{"])
def test_f43_names_are_shown_as_they_are_written(name, tmp_path):
    figure = plot_families([panel([1, 2], [1, np.nan], name)], Quantity(name, name, np.ones(2)), False, absent=name)
    assert words(figure) == [f"{name} = 1 {name}", name]
    assert not any(text.get_parse_math() for text in figure.legends[0].get_texts())
    assert save_plot(figure, tmp_path / "plot.pdf").stat().st_size > 1000


pytest.importorskip("matplotlib")


@pytest.mark.parametrize(("values", "geometric"), [
    (np.geomspace(0.01, 100, 21), True), ([4.0, 1.0, 2.0], True), ([1, 2, 5, 10, 20, 50], True),
    ([0.1, 0.3, 1, 3, 10], True), (np.linspace(0.5, 2, 16), False), (np.linspace(1, 1000, 7), False),
    ([1, 1.5, 2], False), ([1, 100], False), ([0, 1, 2, 4], False), ([-4, -2, -1], False),
    (np.geomspace(1, 1.001, 5), False), ([3.0], False), ([np.nan, 1, 2, 4], True),
])  # fmt: skip
def test_only_values_in_equal_ratios_are_geometric(values, geometric):
    from matplotlib.figure import Figure

    assert is_geometric(values) == geometric
    axes = Figure().add_subplot()
    set_scale(axes, "x", values)
    set_scale(axes, "y", [1.0, 2.0, 3.0])
    assert (axes.get_xscale(), axes.get_yscale()) == ("log" if geometric else "linear", "linear")


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=9, unique=True), st.booleans())
def test_each_cell_holds_its_own_value(values, geometric):
    known = np.unique(np.round(values, 3))
    edges = cell_edges(known, geometric)
    assert len(edges) == len(known) + 1 and (edges[:-1] < known).all() and (known < edges[1:]).all()
    assert not geometric or (edges > 0).all()


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.5, 1, 2], ["0.5", "1", "2"]),
        ([55000, 60000, 65000], ["55000", "60000", "65000"]),
        (np.linspace(0, 1, 41), None),
        ([1 / 3, 2 / 3, 1.0], None),  # too long
        ([1, 1.01, 10], None),  # too close
    ],
)
def test_few_short_values_are_ticks_themselves(values, ticks):
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    axes.plot(values, values)
    set_scale(axes, "x", values)
    axes.figure.draw_without_rendering()
    written = [label.get_text() for label in axes.get_xticklabels()]
    assert written == ticks if ticks else len(written) > 2 and len(written) < 12


def test_labels_are_written_as_they_are():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    set_label(axes, "x", Quantity("$x_1$", "m", np.zeros(1)))
    set_label(axes, "y", Quantity("speed", "", np.zeros(1)))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$x_1$, m", "speed") and not axes.xaxis.label.get_parse_math()


pytest.importorskip("matplotlib")
X, Y = Quantity("l", "m", np.array([1.0, 2.0, 4.0])), Quantity("c", "N", np.array([0.0, 1.0]))
LEAN = np.arange(6.0).reshape(3, 2)


def lean(values=LEAN, name="lean", note=""):
    return Map(Quantity(name, "rad", np.array(values, float)), note)


def mesh_of(axes):
    (mesh,) = axes.collections
    return mesh


def test_colours_are_the_results_and_cells_are_around_the_values():
    figure = plot_maps([lean()], X, Y, title="six runs")
    axes, bar = figure.axes
    mesh = mesh_of(axes)
    assert mesh.get_array().tolist() == LEAN.T.tolist() and mesh.get_clim() == (0, 5) == bar.get_ylim()
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    np.testing.assert_allclose(mesh.get_coordinates()[0, :, 0], 2 ** np.array([-0.5, 0.5, 1.5, 2.5]))
    np.testing.assert_allclose(mesh.get_coordinates()[:, 0, 1], [-0.5, 0.5, 1.5])
    np.testing.assert_allclose(axes.get_xlim(), 2 ** np.array([-0.5, 2.5]))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("l, m", "c, N") and axes.get_title(loc="left") == "lean  (rad)"
    assert not axes.patch.get_hatch() and not figure.legends


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_where_there_is_no_result_it_is_hatched(bad):
    values = LEAN.copy()
    values[2, 1] = bad
    figure = plot_maps([lean(values)], X, Y, absent="1 of 6 runs without a result")
    mesh = mesh_of(figure.axes[0])
    assert mesh.get_array().mask.tolist() == [[False] * 3, [False, False, True]] and mesh.get_clim() == (0, 4)
    assert figure.axes[0].patch.get_hatch()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["1 of 6 runs without a result"]
    assert legend.get_patches()[0].get_hatch() == figure.axes[0].patch.get_hatch()


def test_maps_of_one_result_share_their_colours_and_their_bar():
    figure = plot_maps([lean(note="m = 1"), lean(10 * LEAN, note="m = 2"), lean(name="roll")], X, Y, columns=2)
    maps, bars = [axes for axes in figure.axes if axes.get_xlabel()], [a for a in figure.axes if not a.get_xlabel()]
    assert [mesh_of(axes).get_clim() for axes in maps] == [(0, 50), (0, 50), (0, 5)]
    assert [bar.get_ylim() for bar in bars] == [(0, 50), (0, 5)]
    assert maps[1].get_title(loc="left") == "lean  (rad)   m = 2"


def test_equal_results_and_empty_maps() -> None:
    axes = plot_maps([lean(np.full((3, 2), 5.0))], X, Y).axes[0]
    low, high = mesh_of(axes).get_clim()
    assert low < 5 < high
    refused("nothing to plot", lambda: plot_maps([], X, Y))
    refused("nothing to plot", lambda: plot_overlay([0.0, 1.0], [], "l", []))


def test_a_panel_for_each_quantity_and_a_line_for_each_run_named_as_they_are_written() -> None:
    t, values = np.linspace(0, 1, 5), np.arange(15.0).reshape(3, 5)
    values[1, 3:] = np.nan
    figure = plot_overlay(t, [("$x_1$", values), ("speed", values)], "l", [0.5, 1, 2], title="three")
    first, second, bar = figure.axes
    assert [len(axes.get_lines()) for axes in (first, second)] == [3, 3] and first.get_title(loc="left") == "$x_1$"
    assert bar.get_ylabel() == "l"
