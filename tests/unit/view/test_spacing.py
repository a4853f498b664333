"""Scales, ticks and cells follow from how values are spaced."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.view.spacing import Quantity, cell_edges, is_geometric, set_label, set_scale

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("values", "geometric"),
    [
        (np.geomspace(0.01, 100, 21), True),
        ([4.0, 1.0, 2.0], True),
        ([1, 2, 5, 10, 20, 50], True),
        ([0.1, 0.3, 1, 3, 10], True),
        (np.linspace(0.5, 2, 16), False),
        (np.linspace(1, 1000, 7), False),
        ([1, 1.5, 2], False),
        ([1, 100], False),
        ([0, 1, 2, 4], False),
        ([-4, -2, -1], False),
        (np.geomspace(1, 1.001, 5), False),
        ([3.0], False),
        ([np.nan, 1, 2, 4], True),
    ],
)
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
    assert len(edges) == len(known) + 1
    assert (edges[:-1] < known).all() and (known < edges[1:]).all()
    assert not geometric or (edges > 0).all()


def test_the_cell_of_a_single_value_has_a_width():
    assert cell_edges(np.array([0.0]), geometric=False).tolist() == [-0.5, 0.5]


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
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$x_1$, m", "speed")
    assert not axes.xaxis.label.get_parse_math()
