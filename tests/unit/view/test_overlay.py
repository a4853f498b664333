"""Many runs in one plot."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.view.overlay import plot_overlay


def test_a_panel_for_each_quantity_and_a_line_for_each_run_named_as_they_are_written() -> None:
    t, values = np.linspace(0, 1, 5), np.arange(15.0).reshape(3, 5)
    values[1, 3:] = np.nan
    figure = plot_overlay(t, [("$x_1$", values), ("speed", values)], "l", [0.5, 1, 2], title="three")
    first, second, bar = figure.axes
    assert [len(axes.get_lines()) for axes in (first, second)] == [3, 3]
    assert first.get_title(loc="left") == "$x_1$"
    assert bar.get_ylabel() == "l"


def test_nothing_to_plot_is_told() -> None:
    with pytest.raises(PolhodeError, match="nothing to plot"):
        plot_overlay([0.0, 1.0], [], "l", [])
