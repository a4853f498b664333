"""Pictures of branches."""

from __future__ import annotations

import pytest

from polhode.equilibria.branch_plots import plot_branches
from polhode.errors import PolhodeError


def test_lines_tell_what_is_stable_and_marks_what_is_special() -> None:
    line = ([0, 1, 2, 3], ["stable", "stable", "unstable", "unstable"], {"a": [0, 0, 0, 0]})
    figure = plot_branches("v", [line], [("fold", 1.5, {"a": 0})], title="a $strange_name")
    styles = [each.get_linestyle() for each in figure.axes[0].lines[:2]]
    assert styles == ["-", ":"] and figure.axes[0].lines[2].get_marker() == "v"


def test_nothing_is_not_drawn() -> None:
    with pytest.raises(PolhodeError, match="nothing to plot"):
        plot_branches("v", [])
