"""Pictures of eigenvalues."""

from __future__ import annotations

import pytest

from polhode.errors import PolhodeError
from polhode.linear.eigenvalue_plots import plot_branches, plot_locus


def test_a_branch_is_a_line_in_each_panel() -> None:
    figure = plot_branches([0, 1], [[1 + 2j, 1 - 2j], [3 + 4j, 3 - 4j]], "$v_0$")
    real, imaginary = figure.axes
    assert real.lines[1].get_ydata().tolist() == [1, 3]
    assert imaginary.lines[2].get_ydata().tolist() == [-2, -4]
    assert imaginary.get_xlabel() == "$v_0$"
    assert not imaginary.xaxis.label.get_parse_math()


def test_a_locus_begins_at_its_crosses() -> None:
    figure = plot_locus([0, 3], [[-1 + 0j, -2], [-3, -4]], [5j])
    lines = figure.axes[0].lines
    assert [line.get_marker() for line in lines][2:] == ["None", "x", "None", "x", "o"]
    assert lines[2].get_xdata().tolist() == [-1, -3]


def test_nothing_to_plot_gets_a_sentence() -> None:
    for draw in (lambda: plot_branches([], [], "v"), lambda: plot_locus([], [], [])):
        with pytest.raises(PolhodeError, match="there is nothing to plot"):
            draw()
