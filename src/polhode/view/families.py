"""Results of many runs over a value that was varied: lines or points, coloured by another; what failed is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.view.plot import (
    INK,
    LABEL_SIZE,
    MOST_DIRECT_LABELS,
    PANEL_HEIGHT,
    QUIET,
    drawn,
    few_ticks,
    frame,
    heading_of,
    label_ends,
    limits,
    matplotlib_of,
    nothing_to_plot,
    one_line,
    picture,
    put_heading,
)
from polhode.view.scene import PALETTE, Channel, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_overlay(
    time: ArrayLike, panels: Sequence[tuple[str, ArrayLike]], label: str, shade: ArrayLike, title: str = ""
) -> Figure:
    """Draw quantities (N, T) over time; a line's shade is its place in `shade` (N,), of which `label` is the name."""
    if not panels:
        raise nothing_to_plot("Give at least one quantity.")
    times, shades = np.asarray(time, dtype=float), np.asarray(shade, dtype=float)
    with picture(8.0, PANEL_HEIGHT * len(panels) + (0.9 if title else 0.5), title, 0.02) as figure:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        scale = Normalize(float(np.nanmin(shades)), float(np.nanmax(shades)))
        colors = matplotlib_of().colormaps[_MAP](scale(shades))
        axes: Any = None
        everyone = []
        for row, (name, values) in enumerate(panels):
            axes = figure.add_subplot(len(panels), 1, row + 1, sharex=axes)
            everyone.append(axes)
            frame(axes)
            for line, color in zip(np.asarray(values, dtype=float), colors, strict=True):
                axes.plot(times, line, color=color, linewidth=0.8)
            axes.set_title(drawn(name), loc="left", fontsize=9.5, pad=6, parse_math=False)
        axes.set_xlabel("time, s", fontsize=9, loc="right")
        bar = figure.colorbar(ScalarMappable(scale, _MAP), ax=everyone, aspect=40, fraction=0.03)
        bar.set_label(one_line(label), parse_math=False)
    return figure


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
    """Draw results (X, Y) as colours over values x (X,) and y (Y,), which increase; `absent` says what is hatched."""
    if not maps:
        raise nothing_to_plot("Give at least one result.")
    rows = -(-len(maps) // columns)
    height = _SIZE[1] * rows + (0.4 if title else 0.0)
    with picture(max(_NARROWEST, _SIZE[0] * columns), height, title, 0.05) as figure:
        drawn: list[Any] = []  # of one result, with one bar
        for index, chart in enumerate(maps):
            axes = figure.add_subplot(rows, columns, index + 1)
            mesh = _draw_map(axes, chart, [one.of.values for one in maps if one.of.name == chart.of.name], x, y)
            set_label(axes, "x", x)
            set_label(axes, "y", y)
            drawn.append(axes)
            if index + 1 == len(maps) or maps[index + 1].of.name != chart.of.name:
                few_ticks(put_bar(figure, mesh, drawn, aspect=25).ax.yaxis)
                drawn = []
        from matplotlib.patches import Patch

        explain(figure, [(Patch(**_EMPTY), absent)] if absent else [])
    return figure


def _draw_map(axes: Any, chart: Map, same: Sequence[Any], x: Quantity, y: Quantity) -> Any:
    frame(axes)
    axes.grid(False)
    axes.spines["bottom"].set_visible(False)
    low, high, change = limits([np.concatenate([values.ravel() for values in same])], LEVEL, room=0.0)
    shown = np.ma.masked_invalid(chart.of.values.T)
    edges = [cell_edges(axis.values, is_geometric(axis.values)) for axis in (x, y)]
    mesh = axes.pcolormesh(*edges, shown, cmap=_MAP, vmin=low, vmax=high, rasterized=True)
    if np.ma.getmaskarray(shown).any():
        axes.patch.set(**_EMPTY)
    for letter, axis, (first, *_, last) in zip("xy", (x, y), edges, strict=True):
        set_scale(axes, letter, axis.values)
        (axes.set_xlim if letter == "x" else axes.set_ylim)(first, last)
    note = f"{change} {one_line(chart.of.unit)}".rstrip() if change else ""
    put_heading(axes, "   ".join(filter(None, [chart.of.heading, one_line(chart.note), note])))
    return mesh


_MOST_TICKS = 8
_LONGEST_TICK = 6  # letters
#: Steps are even where the largest is not longer than the smallest by more than this: 1, 2, 5, 10 are, by their ratios.
_EVEN = 1.5


@dataclass(frozen=True, eq=False)
class Quantity:
    """Values with a name and a unit."""

    name: str
    unit: str
    values: Floats

    @property
    def heading(self) -> str:
        """As it is written above a panel: `elbow  (rad)`."""
        return heading_of(self.name, self.unit)

    @property
    def label(self) -> str:
        """As it is written along an axis: `elbow, rad`."""
        return ", ".join(filter(None, [drawn(self.name), one_line(self.unit)]))


def is_geometric(values: ArrayLike) -> bool:
    """Whether values are positive and spaced by nearly equal ratios rather than by equal steps."""
    distinct = _distinct(values)
    if len(distinct) < 3 or distinct[0] <= 0:
        return False
    ratios, steps = _unevenness(np.log(distinct)), _unevenness(distinct)
    return ratios <= _EVEN and steps >= _EVEN * ratios


def cell_edges(values: Floats, geometric: bool) -> Floats:
    """Borders of cells around values that increase, halfway between neighbours; by ratios, the geometric mean."""
    levels = np.log(values) if geometric else values
    if len(levels) < 2:
        half = 0.5 * (abs(float(levels[0])) or 1.0)
        edges = np.array([levels[0] - half, levels[0] + half])
    else:
        middles = (levels[:-1] + levels[1:]) / 2
        edges = np.concatenate([[2 * levels[0] - middles[0]], middles, [2 * levels[-1] - middles[-1]]])
    return np.exp(edges) if geometric else edges


def set_scale(axes: Any, letter: str, values: ArrayLike) -> None:
    """Make an axis ("x" or "y") logarithmic where values are spaced by ratios, and set its ticks."""
    if is_geometric(values):
        (axes.set_xscale if letter == "x" else axes.set_yscale)("log")
    set_ticks(axes.xaxis if letter == "x" else axes.yaxis, values)


def set_ticks(axis: Any, values: ArrayLike) -> None:
    """Ticks at the values themselves if they are few and can be written side by side, else at round numbers."""
    distinct, geometric = _distinct(values), is_geometric(values)
    ticker = matplotlib_of().ticker
    plain = ticker.FuncFormatter(lambda value, _: f"{value:g}")
    places = np.log(distinct) if geometric else distinct
    fits = 1 <= len(distinct) <= _MOST_TICKS and max(len(f"{value:g}") for value in distinct) <= _LONGEST_TICK
    if fits and (len(distinct) == 1 or np.diff(places).min() > 0.09 * (places[-1] - places[0])):
        locator, form = ticker.FixedLocator(distinct.tolist()), plain
    elif geometric:
        locator, form = ticker.LogLocator(subs=(1, 2, 5) if distinct[-1] < 1000 * distinct[0] else (1,)), plain
    else:
        locator = ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10])
        form = ticker.ScalarFormatter(useOffset=False, useMathText=False)
    axis.set_major_locator(locator)
    axis.set_major_formatter(form)
    axis.set_minor_locator(ticker.NullLocator())


def set_label(axes: Any, letter: str, quantity: Quantity) -> None:
    """Write the name and the unit of a quantity along an axis."""
    words: dict[str, Any] = {"color": QUIET, "fontsize": 9, "parse_math": False, "usetex": False}
    if letter == "x":
        axes.set_xlabel(quantity.label, loc="right", **words)
    else:
        axes.set_ylabel(quantity.label, loc="top", **words)


def _distinct(values: ArrayLike) -> Floats:
    distinct: Floats = np.unique(np.asarray(values, dtype=float))
    return distinct[np.isfinite(distinct)]


def _unevenness(places: Floats) -> float:
    steps = np.diff(places)
    return float(steps.max() / steps.min())


MARKERS = ("o", "s", "^", "D", "v", "P")
#: The scale of colours, which does not go as far as yellow, hard to see as a line on white.
_MAP, _BRIGHTEST = "viridis", 0.92


class Shading:
    """The colour of each distinct value of a quantity, which may be the same for all."""

    def __init__(self, quantity: Quantity) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, LogNorm, Normalize

        self.quantity = quantity
        distinct = np.unique(quantity.values)
        self.distinct: Floats = distinct[np.isfinite(distinct)]
        self.is_few = len(self.distinct) <= MOST_DIRECT_LABELS
        self._scale: Any = None
        if self.is_few:
            self.colors: list[Any] = list(PALETTE[: len(self.distinct)])
        else:
            kind = LogNorm if is_geometric(self.distinct) else Normalize
            shades = matplotlib_of().colormaps[_MAP](np.linspace(0, _BRIGHTEST, 256))
            self._scale = ScalarMappable(kind(self.distinct[0], self.distinct[-1]), ListedColormap(shades))
            self.colors = list(self._scale.to_rgba(self.distinct))

    def color_of(self, values: Floats) -> Any:
        """The colour of each value, of which there may be many."""
        return np.array(self.colors)[np.searchsorted(self.distinct, values)]

    def label(self, place: int) -> str:
        """A distinct value in words."""
        return f"{self.quantity.name} = {self.distinct[place]:g} {self.quantity.unit}".rstrip()

    def put_bar(self, figure: Any, panels: Sequence[Any]) -> None:
        """Draw the bar that explains the scale, where there is one."""
        if self._scale is not None:
            bar = put_bar(figure, self._scale, panels, aspect=40, fraction=0.03)
            set_ticks(bar.ax.yaxis, self.distinct)
            bar.set_label(self.quantity.label, fontsize=9, color=QUIET, parse_math=False, usetex=False)


def put_bar(figure: Any, colored: Any, panels: Any, **shape: float) -> Any:
    """Draw a bar of colours beside panels."""
    bar = figure.colorbar(colored, ax=panels, pad=0.02, **shape)
    bar.outline.set_visible(False)
    bar.ax.tick_params(which="both", colors=QUIET, labelsize=LABEL_SIZE, length=2)
    return bar


def explain(figure: Any, marks: Sequence[tuple[Any, str]]) -> None:
    """Say below all panels what marks mean."""
    if not marks:
        return
    columns = max(1, int(figure.get_figwidth() / (0.5 + 0.075 * max(len(words) for _, words in marks))))
    legend = figure.legend(
        [mark for mark, _ in marks],
        ["mark"] * len(marks),  # a label that begins with an underscore would be left out; words are set as text
        loc="outside lower left",
        ncols=min(columns, len(marks)),
        frameon=False,
        fontsize=LABEL_SIZE,
        handlelength=1.6,
    )
    for text, (_, words) in zip(legend.get_texts(), marks, strict=True):
        text.set(text=one_line(words, 80), color=INK, parse_math=False, usetex=False)


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
    """Draw results over a value, a line (or without `joined`, points) for each value of `shade`."""
    if not panels:
        raise nothing_to_plot("Give at least one result.")
    rows = -(-len(panels) // columns)
    width = {1: 8.0, 2: 11.0}.get(columns, 1.5 + 3.6 * columns)
    height = PANEL_HEIGHT * rows + (0.9 if title else 0.5) + (0.25 if absent else 0.0)
    with picture(width, height, title, 0.07) as figure:
        shading = None if shade is None else Shading(shade)
        for index, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, index + 1)
            _draw(axes, panel, shading, joined)
            same = [other.of.values for other in panels if other.of.name == panel.of.name]
            ends = _bounded(axes, panel, same)
            if shading is not None and shading.is_few and joined and (index + 1) % columns == 0:
                _name_lines(axes, panel, shading, ends)
            if index + columns >= len(panels) or panels[index + columns].over.name != panel.over.name:
                set_label(axes, "x", panel.over)
            else:
                axes.tick_params(labelbottom=False)
        marks = []  # what points of each colour are, where colours are few
        if shading is not None and shading.is_few and not joined:
            named = enumerate(zip(MARKERS, shading.colors, strict=False))
            marks = [(_line(marker=marker, color=color), shading.label(k)) for k, (marker, color) in named]
        explain(figure, [*marks, (_line(marker="x", color=INK), absent)] if absent else marks)
        if shading is not None:
            shading.put_bar(figure, figure.axes)
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
        for index, members in enumerate([placed] if shading is None else _groups(shading)):
            chosen = np.flatnonzero(members & placed)
            chosen = chosen[np.argsort(x[chosen], kind="stable")]
            color = PALETTE[0] if shading is None else shading.colors[index]
            marker = MARKERS[index if shading is not None and shading.is_few else 0]
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
    finite = np.isfinite(values)
    if len(values) > MOST_MARKS:
        around = np.concatenate([[False], finite, [False]])
        finite &= ~around[:-2] & ~around[2:]
    return [int(index) for index in np.flatnonzero(finite)]


def _bounded(axes: Any, panel: Panel, same: Sequence[Floats]) -> tuple[float, float]:
    """Set the limits of a panel, and write its heading."""
    low, high, change = limits([np.concatenate(same)], LEVEL)
    if not np.isfinite(np.concatenate(same)).all():
        low -= 0.1 * (high - low)  # room for the marks of failures
    axes.set_ylim(low, high)
    axes.margins(x=0.03)
    note = f"{change} {one_line(panel.of.unit)}".rstrip() if change else ""
    put_heading(axes, "   ".join(filter(None, [panel.of.heading, one_line(panel.note), note])))
    return low, high


def _name_lines(axes: Any, panel: Panel, shading: Shading, ends: tuple[float, float]) -> None:
    """Write the values of lines at their ends."""
    members = []
    for index, group in enumerate(_groups(shading)):
        order = np.argsort(panel.over.values[group], kind="stable")
        values = panel.of.values[group][order]
        members.append(Channel(shading.label(index), "", np.where(np.isfinite(values), values, np.nan)))
    label_ends(axes, members, shading.colors, *ends)


def _line(**style: Any) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", markersize=5, **style)
