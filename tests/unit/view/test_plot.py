"""Plots show names as they are written and values as they are."""

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

from polhode.equilibria.branch import plot_branches
from polhode.errors import ModelError
from polhode.linear.eigenvalue_branches import plot_branches as plot_eigenvalues
from polhode.linear.eigenvalue_branches import plot_locus
from polhode.view.plot import plot_channels, save_plot, spread

pytest.importorskip("matplotlib")
TIME = np.linspace(0, 1, 50)


def words(figure):
    import matplotlib.text

    return {text.get_text(): text for text in figure.findobj(matplotlib.text.Text) if text.get_text()}


@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("name", ["$x_1$", "_hidden", r"\frac{", "$", "a_b^c", r"\input{secret}"])
def test_f43_a_name_is_shown_as_it_is_written(name, count, tmp_path):
    members = {name: TIME} | {f"other {k}": TIME * k for k in range(count)}
    figure = plot_channels(TIME, [(name, name, members)], title=name)
    shown = words(figure)
    assert name in shown and f"{name}  ({name})" in shown
    assert not any(text.get_parse_math() or text.get_usetex() for key, text in shown.items() if name in key)
    assert save_plot(figure, tmp_path / "plot.png").stat().st_size > 1_000


def test_panels_limits_and_drifts() -> None:
    figure = plot_channels(TIME, [("Angle", "rad", {"q": TIME}), ("Rate", "rad/s", {"u": TIME**2})])
    first, second = figure.axes
    assert first.get_xlim() == second.get_xlim() == (0.0, 1.0)
    assert np.array_equal(second.get_lines()[0].get_ydata(), TIME**2)
    figure = plot_channels(TIME, [("Energy", "J", {"total": 5 + 1e-9 * TIME})])
    low, high = figure.axes[0].get_ylim()
    assert high - low > 0.1
    assert any("varies by 1e-09 J" in text for text in words(figure))
    values = np.sin(40 * TIME) * 1e6
    low, high = plot_channels(TIME, [("F", "N", {"F": values})]).axes[0].get_ylim()
    assert low < values.min() < values.max() < high
    values = np.where(TIME < 0.5, TIME, np.nan)
    figure = plot_channels(TIME, [("x", "m", {"x": values, "never": np.full(50, np.nan)}), ("none", "", {})])
    assert len(figure.axes) == 2


def test_labels_are_moved_apart_and_keep_their_order():
    moved = spread([0.5, 0.52, 0.51, 0.9, 0.0], 0.1)
    order = np.argsort(moved)
    assert list(order) == [4, 0, 2, 1, 3] and np.diff(np.array(moved)[order]).min() >= 0.1 - 1e-9
    assert (moved[3], moved[4]) == (0.9, 0.0)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_plot_is_the_same_file(kind, tmp_path):
    figures = [plot_channels(TIME, [("x", "m", {"x": TIME})]) for _ in range(2)]
    first, second = (save_plot(f, tmp_path / f"{n}.{kind}").read_bytes() for n, f in enumerate(figures))
    assert first == second
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"0.{kind}", f"1.{kind}"]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: plot_channels(TIME, []), "nothing to plot"),
    (lambda: plot_channels(TIME, [("x", "m", {"x": [1.0, 2.0]})]), "2 values for 50 times"),
    (lambda: plot_channels(TIME[::-1], [("x", "m", {"x": TIME})]), "backwards"),
    (lambda: save_plot(plot_channels(TIME, [("x", "m", {"x": TIME})]), "plot.bmp"), "'bmp'"),
    (
        lambda: save_plot(plot_channels(TIME, [("x", "m", {"x": TIME})]), "no/such/p.png"),
        "cannot be written",
    ),
])  # fmt: skip
def test_what_cannot_be_plotted_is_refused_in_words(call, message):
    refused(message, call)


def test_without_matplotlib_the_cure_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **more)

    for name in [m for m in sys.modules if m.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    refused(r'pip install "polhode\[plot\]"', lambda: plot_channels(TIME, [("x", "m", {"x": TIME})]))


def test_panels_go_down_the_columns_and_paths_are_seen_from_above(tmp_path):
    groups = [(f"Panel {k}", "m", {"x": k * TIME}) for k in range(4)]
    figure = plot_channels(TIME, groups, columns=2, paths={"$car$": (3 * TIME, TIME**2)})
    *panels, above = figure.axes
    figure.draw_without_rendering()
    places = [axes.get_subplotspec() for axes in figure.axes]
    assert [(s.rowspan.start, s.colspan.start) for s in places] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]
    assert {axes.get_xlim() for axes in panels} == {(0.0, 1.0)}
    assert [bool(axes.get_xlabel()) for axes in panels] == [False, False, True, True]
    assert above.get_aspect() == 1.0 and np.array_equal(above.get_lines()[0].get_xdata(), 3 * TIME)
    shown = words(figure)
    assert not shown["$car$"].get_parse_math()
    assert save_plot(figure, tmp_path / "plot.svg").stat().st_size > 1_000


FIGURES: dict[str, Callable[[], Any]] = {
    "channels": lambda: plot_channels([0.0, 1.0], [("Angles", "rad", {"elbow": [0.0, 1.0]})]),
    "branches": lambda: plot_branches("v", [([0, 1], ["stable"] * 2, {"lean": [0, 1]})]),
    "eigenvalues": lambda: plot_eigenvalues([0, 1], [[1j], [2j]], "v"),
    "locus": lambda: plot_locus([0, 1], [[1j], [2j]], []),
}


@pytest.mark.parametrize("kind", FIGURES)
def test_a_plot_shows_itself_without_a_display_or_a_backend(kind: str) -> None:
    assert FIGURES[kind]()._repr_png_().startswith(b"\x89PNG")


def test_a_title_is_not_longer_than_the_figure_is_wide() -> None:
    figure = plot_channels(
        [0.0, 1.0], [("Angles", "rad", {"elbow": [0.0, 1.0]})], title="A long name of a system, " * 9
    )
    figure.draw_without_rendering()
    title = figure._suptitle
    assert title.get_text().endswith("…") and title.get_window_extent().x1 < figure.bbox.x1


def test_a_path_that_is_none_gets_a_sentence() -> None:
    refused("5 is not a path", lambda: save_plot(FIGURES["channels"](), 5), ModelError)  # type: ignore[arg-type] # that is the point
