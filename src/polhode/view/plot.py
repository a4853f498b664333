"""Plots over time as small multiples: one panel a group, one shared time axis, lines named where they end.

matplotlib is asked for only when a plot is made. Names are shown as they are written: no `$`, `_` or
backslash in them is read as mathematics.
"""

from __future__ import annotations

import io
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import PolhodeError, ShapeError, path_of
from polhode.files.writing import replace_file
from polhode.view.scene import PALETTE, WORDS, Channel, Floats, checked_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, QUIET, HAIR = "#14181d", "#5d6670", "#e2e5e9"
MOST_DIRECT_LABELS = 6
LONGEST_NAME = 40
PANEL_HEIGHT = 1.75  # inches
LABEL_SIZE = 8.5  # points
_BROKEN = ("--", ":", "-.")  # of runs beside the first

_NO_PATHS: Mapping[str, tuple[ArrayLike, ArrayLike]] = MappingProxyType({})

#: What a plot must not inherit: a user's TeX would read names as TeX; the salt keeps SVG files reproducible.
SETTINGS = {"text.usetex": False, "svg.hashsalt": "polhode", "axes.formatter.use_mathtext": False}


def plot_channels(
    time: ArrayLike,
    groups: Sequence[tuple[str, str, Mapping[str, ArrayLike]]],
    title: str = "",
    columns: int = 1,
    paths: Mapping[str, tuple[ArrayLike, ArrayLike]] = _NO_PATHS,
    beside: Sequence[tuple[ArrayLike, Sequence[tuple[str, str, Mapping[str, ArrayLike]]]]] = (),
    marks: Sequence[float] = (),
) -> Figure:
    """Draw groups of quantities over time; a group is its title, its unit and its values by name.

    Groups `beside` these, each set with its own times, are broken lines in the panels of the same title. A quantity
    that changes by less than one part in ten thousand is drawn level, with its change in the heading. Panels go down
    one column after the other. Paths (x, y), if there are any, are drawn in a last panel as seen from above. Thin
    vertical lines are at the times `marks`.

        figure = plot_channels(t, [("Angles", "rad", {"shoulder": q1, "elbow": q2})], title="Free swing")
    """
    times = checked_times(time, "plot")
    panels = _panels(times, groups)
    if not panels:
        raise nothing_to_plot("Give at least one group.")
    sets = [(checked_times(t, "plot"), panels) for t, panels in beside]
    others = [(t, {name: members for name, _, members in _panels(t, panels)}) for t, panels in sets]
    count = len(panels) + bool(paths)
    rows = -(-count // columns)
    with picture(1.5 + 6.5 * columns, PANEL_HEIGHT * rows + (0.9 if title else 0.5), title, 0.07) as figure:
        first: Any = None
        for i, (name, unit, members) in enumerate(panels):
            row, column = i % rows, i // rows
            axes = figure.add_subplot(rows, columns, row * columns + column + 1, sharex=first)
            first = first or axes
            _panel(axes, times, name, unit, members, [(t, columns[name]) for t, columns in others if name in columns])
            for t in marks:
                axes.axvline(t, color=QUIET, linewidth=0.5, alpha=0.4, zorder=1)
            if row == rows - 1 or i == len(panels) - 1:
                axes.set_xlabel("time, s", color=QUIET, fontsize=9, loc="right")
            else:
                axes.tick_params(labelbottom=False)
        if times[-1] > times[0]:
            first.set_xlim(times[0], times[-1])
        if paths:
            row, column = (count - 1) % rows, (count - 1) // rows
            _above(figure.add_subplot(rows, columns, row * columns + column + 1), paths)
    return figure


def save_plot(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Save a figure as .png, .svg or .pdf, whole or not at all; the same figure gives the same file."""
    kind = plot_format(path)
    content = io.BytesIO()
    with matplotlib_of().rc_context(SETTINGS):
        figure.savefig(content, format=kind, dpi=200, metadata=_DATES[kind])
    return replace_file(path, content.getvalue())


def saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """A figure, which is also saved if a path is given."""
    if path is not None:
        save_plot(figure, path)
    return figure


def plot_format(path: str | os.PathLike[str]) -> str:
    """The format of a plot by its file's suffix."""
    kind = path_of(path).suffix.lower().removeprefix(".")
    if kind not in _DATES:
        cure = "Name the file .png, .svg or .pdf."
        raise PolhodeError(f"there is no way to save a plot as {kind!r}.", os.fspath(path), cure, "E-PICTURE-NAME")
    return kind


def nothing_to_plot(cure: str) -> PolhodeError:
    """The error of a picture of nothing."""
    return PolhodeError("there is nothing to plot.", place="plot", cure=cure, code="E-PICTURE-MISSING")


def put_title(figure: Figure, title: str) -> None:
    """Write the title at the upper left, if there is one, in two lines at most, no longer than the figure is wide."""
    if title:
        longest = int(8.5 * figure.get_figwidth())
        lines = wrap(one_line(title, 4 * longest), longest, max_lines=2, placeholder=" …")
        words: dict[str, Any] = {"fontsize": 13, "fontweight": "bold", "color": INK} | _AS_WRITTEN
        figure.suptitle("\n".join(lines), x=0.012, ha="left", **words)


_AS_WRITTEN: dict[str, Any] = {"parse_math": False, "usetex": False}
#: The formats of files, and what would make each file another every day.
_DATES: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def matplotlib_of() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.layout_engine
        import matplotlib.ticker
    except ImportError as error:
        message = "matplotlib, which draws the plots, is not installed."
        cure = 'Install it with: pip install "polhode[plot]"'
        raise PolhodeError(message, "plot", cure, "E-PICTURE-MISSING") from error
    return matplotlib


def figure_class() -> Any:
    """The class of figures that a notebook shows by itself."""
    from polhode.view.figure import NotebookFigure

    return NotebookFigure


@contextmanager
def picture(width: float, height: float, title: str = "", hspace: float | None = None) -> Iterator[Figure]:
    """An empty figure, in inches, with the settings of all plots; the title is written when all is drawn."""
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        wide = matplotlib.layout_engine.ConstrainedLayoutEngine(hspace=hspace, h_pad=0.08, w_pad=0.08)
        layout = "constrained" if hspace is None else wide
        figure: Figure = figure_class()(figsize=(width, height), layout=layout, facecolor="white")
        yield figure
        put_title(figure, title)


def _panels(
    times: Floats, groups: Sequence[tuple[str, str, Mapping[str, ArrayLike]]]
) -> list[tuple[str, str, list[Channel]]]:
    """Title, unit and channels of each group."""
    panels = [
        (name, unit, [Channel(key, unit, np.asarray(x, dtype=float)) for key, x in members.items()])
        for name, unit, members in groups
    ]
    for channel in (channel for _, _, members in panels for channel in members):
        if len(channel.values) != len(times):
            message, place = f"it has {len(channel.values)} values for {len(times)} times.", f"channel {channel.name!r}"
            raise ShapeError(message, place, "Give one value for each time.", "E-PICTURE-SHAPE")
    return panels


def _above(axes: Any, paths: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> None:
    """Paths on the ground, one metre as long along as across."""
    frame(axes)
    for (name, (x, y)), color in zip(paths.items(), PALETTE * len(paths), strict=False):
        along, across = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        axes.plot(along, across, color=color, linewidth=1.5)
        axes.annotate(
            one_line(name), (along[-1], across[-1]), xytext=(5, 0), textcoords="offset points", color=color,
            va="center", fontsize=LABEL_SIZE, annotation_clip=False, **_AS_WRITTEN,
        )  # fmt: skip
    axes.set_aspect("equal", adjustable="datalim")
    put_heading(axes, heading_of("Path, from above", "m"))
    axes.set_xlabel("x, m", color=QUIET, fontsize=9, loc="right")


def frame(axes: Any) -> None:
    """The grid and the one line that a panel has."""
    axes.set_facecolor("white")
    axes.grid(True, color=HAIR, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=QUIET, labelsize=LABEL_SIZE, length=0, pad=5)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set(color=QUIET, linewidth=0.8)


def _panel(
    axes: Any,
    time: Floats,
    name: str,
    unit: str,
    members: Sequence[Channel],
    others: Sequence[tuple[Floats, Sequence[Channel]]],
) -> None:
    frame(axes)
    few_ticks(axes.yaxis)
    words, steps = WORDS.get(unit, ()), "steps-post" if unit in WORDS else "default"
    if words:
        axes.set_yticks(range(len(words)), words)
    heading = heading_of(name, unit)
    colors = [PALETTE[index % len(PALETTE)] for index in range(len(members))]
    styles = ["-" if index < len(PALETTE) else "--" for index in range(len(members))]
    for channel, color, style in zip(members, colors, styles, strict=True):
        drawn_as = {"color": color, "linestyle": style, "drawstyle": steps}
        axes.plot(time, channel.values, linewidth=1.5, solid_joinstyle="round", **drawn_as)
    color_of = dict(zip((channel.name for channel in members), colors, strict=True))
    for k, (times, channels) in enumerate(others):
        broken = _BROKEN[k % len(_BROKEN)]
        for channel in channels:
            drawn_as = {"color": color_of.get(channel.name, QUIET), "linestyle": broken, "drawstyle": steps}
            axes.plot(times, channel.values, linewidth=1.2, **drawn_as)
    drawn = [channel.values for channel in members]
    drawn += [channel.values for _, channels in others for channel in channels]
    low, high, change = limits(drawn)
    axes.set_ylim(low, high)
    if change:
        heading += f"   {change} {one_line(unit)}".rstrip()
    put_heading(axes, heading)

    if len(members) <= MOST_DIRECT_LABELS:
        label_ends(axes, members, colors, low, high)
    else:
        _legend(axes, members)


def few_ticks(axis: Any) -> None:
    """Ticks at a few round numbers, written out."""
    ticker = matplotlib_of().ticker
    axis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=[1, 2, 5, 10], min_n_ticks=3))
    axis.set_major_formatter(ticker.ScalarFormatter(useOffset=False, useMathText=False))


def heading_of(name: str, unit: str) -> str:
    """The heading of a quantity above a panel."""
    return "  ".join(part for part in (drawn(name), f"({one_line(unit)})" if unit else "") if part)


def drawn(name: str) -> str:
    """A name on one line in the letters of a textbook: theta' is θ̇; what is no plain name stays.

    >>> drawn("theta_1'"), drawn("x''"), drawn("cart'"), drawn("tau_x")
    ('θ̇_1', 'ẍ', "cart'", 'τ_x')
    """
    line = one_line(name)
    plain = re.fullmatch(r"([^\W\d_]+)(\w*)('{0,2})", line)
    if plain is None:
        return line
    word, below, primes = plain.groups()
    case = "CAPITAL" if word[0].isupper() else "SMALL"
    with suppress(KeyError):  # Unicode spells lambda without its b
        spelled = word.removeprefix("var").upper().replace("LAMBDA", "LAMDA")
        word = unicodedata.lookup(f"GREEK {case} LETTER {spelled}")
    dots = {"'": "\u0307", "''": "\u0308"}.get(primes, "")
    return unicodedata.normalize("NFC", word + dots) + below if len(word) == 1 else word + below + primes


def put_heading(axes: Any, heading: str) -> None:
    """Write a heading above a panel."""
    axes.set_title(heading, loc="left", fontsize=9.5, color=INK, pad=6, **_AS_WRITTEN)


def limits(curves: Sequence[Floats], level: float = 1e-4, room: float = 0.06) -> tuple[float, float, str]:
    """The limits of a panel, and in words the change of a quantity that changes by less than `level` of its size.

    There is `room` beyond the least and the largest value, a part of their difference.

    >>> limits([np.array([0.0, 1.0])]), limits([np.array([1.0, 1.0 + 1e-9])])[2]
    ((-0.06, 1.06, ''), 'varies by 1e-09')
    """
    values = np.concatenate([np.ravel(curve) for curve in curves]) if curves else np.zeros(0)
    values = values[np.isfinite(values)]
    if not len(values):
        return -1.0, 1.0, ""
    low, high = float(values.min()), float(values.max())
    largest = max(abs(low), abs(high))
    if high - low > level * largest:
        return low - room * (high - low), high + room * (high - low), ""
    around = 0.05 * largest or 1.0
    return low - around, high + around, f"varies by {high - low:.2g}" if len(curves) == 1 and high > low else ""


def label_ends(axes: Any, members: Sequence[Channel], colors: Sequence[str], low: float, high: float) -> None:
    """Write the names of lines at the right of a panel, each near the end of its line."""
    ends = []
    for channel in members:
        finite = channel.values[np.isfinite(channel.values)]
        ends.append((float(finite[-1]) - low) / (high - low) if len(finite) else 0.5)
    gap = 1.3 * LABEL_SIZE / (72 * PANEL_HEIGHT * 0.72)
    for channel, color, end, height in zip(members, colors, ends, spread(ends, gap), strict=True):
        style = {"transform": axes.transAxes, "color": color, "clip_on": False}
        axes.plot([1.003, 1.022], [end, height], linewidth=0.8, alpha=0.7, **style)
        axes.text(1.027, height, drawn(channel.name), va="center", fontsize=LABEL_SIZE, **style, **_AS_WRITTEN)


def _legend(axes: Any, members: Sequence[Channel]) -> None:
    legend = axes.legend(
        axes.get_lines()[: len(members)],
        # A label that begins with an underscore would be left out; the name is set as text afterwards.
        ["line"] * len(members),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.06),
        frameon=False,
        fontsize=LABEL_SIZE,
        handlelength=1.4,
        labelspacing=0.25,
        ncols=1 + (len(members) - 1) // 8,
    )
    for text, channel in zip(legend.get_texts(), members, strict=True):
        text.set(text=drawn(channel.name), color=INK, **_AS_WRITTEN)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved apart to at least `gap`, in their order, about as far up as down.

    >>> spread([0.5, 0.5], 0.2)
    [0.4, 0.6]
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    # Crowded labels form blocks; a block sits at the mean of what its members asked for.
    blocks: list[list[int]] = []
    for index in order:
        blocks.append([index])
        while len(blocks) > 1 and (
            _bottom(blocks[-2], heights, gap) + gap * len(blocks[-2]) > _bottom(blocks[-1], heights, gap) + 1e-12
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    moved = list(heights)
    for block in blocks:
        for step, index in enumerate(block):
            moved[index] = round(_bottom(block, heights, gap) + step * gap, 12)
    return moved


def _bottom(block: Sequence[int], heights: Sequence[float], gap: float) -> float:
    return sum(heights[index] for index in block) / len(block) - gap * (len(block) - 1) / 2


def one_line(words: str, longest: int = LONGEST_NAME) -> str:
    """One printable line of the words, cut with an ellipsis where they run on."""
    line = "".join(letter if letter.isprintable() else " " for letter in words).strip()
    return line if len(line) <= longest else line[: longest - 1] + "…"
