"""Results of many runs over a value that was varied: lines or points, coloured by another; what failed is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.view.plot import (
    INK,
    PANEL_HEIGHT,
    SETTINGS,
    few_ticks,
    figure_class,
    frame,
    label_ends,
    limits,
    matplotlib_of,
    nothing_to_plot,
    one_line,
    put_heading,
    put_title,
)
from polhode.view.scene import PALETTE, Channel, Floats
from polhode.view.shading import MARKERS, Shading, explain
from polhode.view.spacing import Quantity, set_label, set_scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A line through more points than these has no marks at them.
MOST_MARKS = 30
#: Results that differ by less than this part of their size are drawn as equal.
LEVEL = 1e-8
_BOTTOM = 0.05  # where failures are marked, of a panel's height


@dataclass(frozen=True, eq=False)
class Panel:
    """A result of each run over a value of each run; `note` is written beside the result's name."""

    over: Quantity
    of: Quantity
    note: str = ""


def plot_families(
    panels: Sequence[Panel],
    shade: Quantity | None = None,
    joined: bool = True,
    columns: int = 1,
    title: str = "",
    absent: str = "",
) -> Figure:
    """Draw results over a value, a line (or without `joined`, points) for each value of `shade`.

    Results that are no finite numbers are no points of a line: crosses at the foot of the panel show where they would
    be, and `absent` says what a cross means. Panels go from left to right; those of one result have the same limits.

        figure = plot_families([Panel(Quantity("l", "m", lengths), Quantity("period", "s", periods))])
    """
    if not panels:
        raise nothing_to_plot("Give at least one result.")
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        rows = -(-len(panels) // columns)
        width = {1: 8.0, 2: 11.0}.get(columns, 1.5 + 3.6 * columns)
        height = PANEL_HEIGHT * rows + (0.9 if title else 0.5) + (0.25 if absent else 0.0)
        spacing = matplotlib.layout_engine.ConstrainedLayoutEngine(hspace=0.07, h_pad=0.08, w_pad=0.08)
        figure: Figure = figure_class()(figsize=(width, height), layout=spacing, facecolor="white")
        shading = None if shade is None else Shading(shade)
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, place + 1)
            _draw(axes, panel, shading, joined)
            same = [each.of.values for each in panels if each.of.name == panel.of.name]
            ends = _bounded(axes, panel, same)
            if shading is not None and shading.is_few and joined and (place + 1) % columns == 0:
                _name_lines(axes, panel, shading, ends)
            if place + columns >= len(panels) or panels[place + columns].over.name != panel.over.name:
                set_label(axes, "x", panel.over)
            else:
                axes.tick_params(labelbottom=False)
        marks = [] if shading is None or joined else _kinds(shading)
        explain(figure, [*marks, (_line(marker="x", color=INK), absent)] if absent else marks)
        if shading is not None:
            shading.put_bar(figure, figure.axes)
        put_title(figure, title)
    return figure


def _draw(axes: Any, panel: Panel, shading: Shading | None, joined: bool) -> None:
    frame(axes)
    few_ticks(axes.yaxis)
    set_scale(axes, "x", panel.over.values)
    x, y = panel.over.values, np.where(np.isfinite(panel.of.values), panel.of.values, np.nan)
    placed = np.isfinite(x)
    if shading is not None and not shading.is_few and not joined:
        chosen = np.flatnonzero(placed & np.isfinite(shading.quantity.values))
        colors = shading.color_of(shading.quantity.values[chosen])
        axes.scatter(x[chosen], y[chosen], s=20, c=colors, linewidths=0, alpha=0.9)
    else:
        for place, members in enumerate([placed] if shading is None else _groups(shading)):
            chosen = np.flatnonzero(members & placed)
            chosen = chosen[np.argsort(x[chosen], kind="stable")]
            color = PALETTE[0] if shading is None else shading.colors[place]
            marker = MARKERS[place if shading is not None and shading.is_few else 0]
            style: dict[str, Any] = {"linestyle": "none", "markersize": 4.5, "alpha": 0.8, "markeredgewidth": 0}
            if joined:
                style = {"linewidth": 1.5, "markersize": 3.5, "markevery": _marked(y[chosen])}
            axes.plot(x[chosen], y[chosen], color=color, marker=marker, **style)
    failed = placed & np.isnan(y)
    if failed.any():
        foot = np.full(int(failed.sum()), _BOTTOM)
        axes.plot(x[failed], foot, "x", color=INK, markersize=5, transform=axes.get_xaxis_transform(), zorder=4)


def _groups(shading: Shading) -> list[Any]:
    return [shading.quantity.values == value for value in shading.distinct]


def _marked(values: Floats) -> list[int]:
    """The points of a line that have a mark: all, if they are few, else those that no line reaches."""
    known = np.isfinite(values)
    if len(values) > MOST_MARKS:
        around = np.concatenate([[False], known, [False]])
        known &= ~around[:-2] & ~around[2:]
    return [int(place) for place in np.flatnonzero(known)]


def _bounded(axes: Any, panel: Panel, same: Sequence[Floats]) -> tuple[float, float]:
    """Set the limits of a panel, and write its heading."""
    low, high, change = limits([np.concatenate(same)], LEVEL)
    if not np.isfinite(np.concatenate(same)).all():
        low -= 0.1 * (high - low)  # room for the marks of failures
    axes.set_ylim(low, high)
    axes.margins(x=0.03)
    told = f"{change} {one_line(panel.of.unit)}".rstrip() if change else ""
    put_heading(axes, "   ".join(filter(None, [panel.of.heading, one_line(panel.note), told])))
    return low, high


def _name_lines(axes: Any, panel: Panel, shading: Shading, ends: tuple[float, float]) -> None:
    """Write the values that lines belong to where these end."""
    members = []
    for place, group in enumerate(_groups(shading)):
        order = np.argsort(panel.over.values[group], kind="stable")
        values = panel.of.values[group][order]
        members.append(Channel(shading.label(place), "", np.where(np.isfinite(values), values, np.nan)))
    label_ends(axes, members, shading.colors, *ends)


def _kinds(shading: Shading) -> list[tuple[Any, str]]:
    """What points of each colour are, where colours are few."""
    if not shading.is_few:
        return []
    return [
        (_line(marker=MARKERS[place], color=color), shading.label(place)) for place, color in enumerate(shading.colors)
    ]


def _line(**style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", markersize=5, **style)
