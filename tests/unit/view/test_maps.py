"""Maps have their results where their values are, and no colour where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.view.families import Quantity
from polhode.view.maps import Map, plot_maps

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
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("l, m", "c, N")
    assert axes.get_title(loc="left") == "lean  (rad)"
    assert not axes.patch.get_hatch() and not figure.legends


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_where_there_is_no_result_it_is_hatched(bad):
    values = LEAN.copy()
    values[2, 1] = bad
    figure = plot_maps([lean(values)], X, Y, absent="1 of 6 runs without a result")
    mesh = mesh_of(figure.axes[0])
    assert mesh.get_array().mask.tolist() == [[False] * 3, [False, False, True]]
    assert mesh.get_clim() == (0, 4)
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


def test_a_result_that_is_the_same_everywhere_has_one_colour():
    axes = plot_maps([lean(np.full((3, 2), 5.0))], X, Y).axes[0]
    low, high = mesh_of(axes).get_clim()
    assert low < 5 < high


def test_nothing_is_not_drawn():
    with pytest.raises(PolhodeError, match="nothing to plot"):
        plot_maps([], X, Y)
