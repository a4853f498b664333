"""A figure has its own picture, and room for its title."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from polhode.equilibria.branch import plot_branches
from polhode.errors import ModelError
from polhode.linear.eigenvalue_plots import plot_branches as plot_eigenvalues
from polhode.linear.eigenvalue_plots import plot_locus
from polhode.view.plot import plot_channels, save_plot

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
    assert title.get_text().endswith("…")
    assert title.get_window_extent().x1 < figure.bbox.x1


def test_a_path_that_is_none_gets_a_sentence() -> None:
    with pytest.raises(ModelError, match="5 is not a path"):
        save_plot(FIGURES["channels"](), 5)  # type: ignore[arg-type] # that is the point
