"""Results of many runs over two values that were varied: coloured maps, hatched where there is no result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.view.families import LEVEL, Quantity, cell_edges, explain, is_geometric, put_bar, set_label, set_scale
from polhode.view.plot import (
    SETTINGS,
    few_ticks,
    figure_class,
    frame,
    limits,
    matplotlib_of,
    nothing_to_plot,
    one_line,
    put_heading,
    put_title,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAP = "viridis"
_SIZE = (4.3, 3.3)  # inches
_NARROWEST = 6.4
_EMPTY: dict[str, Any] = {"facecolor": "#eef0f2", "edgecolor": "#a2a9b0", "hatch": "////", "linewidth": 0}


@dataclass(frozen=True, eq=False)
class Map:
    """A result (X, Y) over two values; `note` is written beside its name."""

    of: Quantity
    note: str = ""


def plot_maps(
    maps: Sequence[Map], x: Quantity, y: Quantity, columns: int = 1, title: str = "", absent: str = ""
) -> Figure:
    """Draw results (X, Y) as colours over values x (X,) and y (Y,), which increase; `absent` says what is hatched.

    Maps go from left to right; those of one result follow each other, with the same colours.

        figure = plot_maps([Map(Quantity("lean", "rad", lean))], Quantity("a", "m", a), Quantity("w", "rad/s", w))
    """
    if not maps:
        raise nothing_to_plot("Give at least one result.")
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        rows = -(-len(maps) // columns)
        size = (max(_NARROWEST, _SIZE[0] * columns), _SIZE[1] * rows + (0.4 if title else 0.0))
        spacing = matplotlib.layout_engine.ConstrainedLayoutEngine(hspace=0.05, h_pad=0.08, w_pad=0.08)
        figure: Figure = figure_class()(figsize=size, layout=spacing, facecolor="white")
        drawn: list[Any] = []  # of one result, with one bar
        for place, each in enumerate(maps):
            axes = figure.add_subplot(rows, columns, place + 1)
            mesh = _draw(axes, each, [one.of.values for one in maps if one.of.name == each.of.name], x, y)
            set_label(axes, "x", x)
            set_label(axes, "y", y)
            drawn.append(axes)
            if place + 1 == len(maps) or maps[place + 1].of.name != each.of.name:
                few_ticks(put_bar(figure, mesh, drawn, aspect=25).ax.yaxis)
                drawn = []
        explain(figure, [(_patch(), absent)] if absent else [])
        put_title(figure, title)
    return figure


def _draw(axes: Any, each: Map, same: Sequence[Any], x: Quantity, y: Quantity) -> Any:
    frame(axes)
    axes.grid(False)
    axes.spines["bottom"].set_visible(False)
    low, high, change = limits([np.concatenate([values.ravel() for values in same])], LEVEL, room=0.0)
    shown = np.ma.masked_invalid(each.of.values.T)
    edges = [cell_edges(axis.values, is_geometric(axis.values)) for axis in (x, y)]
    mesh = axes.pcolormesh(*edges, shown, cmap=_MAP, vmin=low, vmax=high, rasterized=True)
    if np.ma.getmaskarray(shown).any():
        axes.patch.set(**_EMPTY)
    for letter, axis, (first, *_, last) in zip("xy", (x, y), edges, strict=True):
        set_scale(axes, letter, axis.values)
        (axes.set_xlim if letter == "x" else axes.set_ylim)(first, last)
    told = f"{change} {one_line(each.of.unit)}".rstrip() if change else ""
    put_heading(axes, "   ".join(filter(None, [each.of.heading, one_line(each.note), told])))
    return mesh


def _patch() -> Any:
    from matplotlib.patches import Patch

    return Patch(**_EMPTY)
