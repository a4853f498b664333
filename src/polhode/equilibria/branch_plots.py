"""Branches of states over a parameter as a picture: a panel a quantity, lines that tell what is stable, marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polhode.view.plot import INK, SETTINGS, figure_class, frame, matplotlib_of, nothing_to_plot, one_line, put_title
from polhode.view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANEL = 2.4  # inches
_LINES = {"stable": "-", "unstable": ":", "neutral": "--"}
_MARKS = {"fold": "v", "branch point": "D", "Hopf point": "o"}

#: The parameter, what is stable (a word for each point), quantities by name.
Line: TypeAlias = tuple[ArrayLike, Sequence[str], Mapping[str, ArrayLike]]
#: What a point is, the parameter there, quantities by name.
Mark: TypeAlias = tuple[str, float, Mapping[str, float]]


def plot_branches(parameter: str, lines: Sequence[Line], marks: Sequence[Mark] = (), title: str = "") -> Figure:
    """Draw quantities over a parameter: full lines where states are stable, dotted where they are not, else broken.

    figure = plot_branches("v", [(v, ["stable"] * len(v), {"lean": lean})], [("fold", 2.0, {"lean": 0.1})])
    """
    names = [*dict.fromkeys(name for _, _, quantities in lines for name in quantities)]
    if not names:
        raise nothing_to_plot("Name at least one unknown.")
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        size = (8.0, _PANEL * len(names) + (0.9 if title else 0.5))
        figure: Figure = figure_class()(figsize=size, layout="constrained", facecolor="white")
        for place, name in enumerate(names, start=1):
            panel = figure.add_subplot(len(names), 1, place)
            frame(panel)
            for number, (values, stability, quantities) in enumerate(lines):
                _drawn(panel, np.asarray(values, dtype=float), stability, quantities[name], number)
            for kind, value, quantities in marks:
                panel.plot(value, quantities[name], _MARKS.get(kind, "s"), color=INK, markersize=5, zorder=5)
            panel.set_ylabel(one_line(name, 40), fontsize=9, loc="top", parse_math=False)
            if place == len(names):
                panel.set_xlabel(one_line(parameter, 40), fontsize=9, loc="right", parse_math=False)
                _explained(panel, {word for _, words, _ in lines for word in words}, {kind for kind, _, _ in marks})
        put_title(figure, title)
    return figure


def _drawn(panel: object, values: ArrayLike, stability: Sequence[str], quantity: ArrayLike, number: int) -> None:
    x, y = np.asarray(values, dtype=float), np.asarray(quantity, dtype=float)
    color = PALETTE[number % len(PALETTE)]
    for word, group in groupby(range(len(x)), key=stability.__getitem__):
        own = [*group]
        ends = slice(own[0], min(own[-1] + 2, len(x)))  # as far as where the next begins
        panel.plot(x[ends], y[ends], _LINES.get(word, "-."), color=color, linewidth=1.6)  # type: ignore[attr-defined] # matplotlib is not typed


def _explained(panel: object, words: set[str], kinds: set[str]) -> None:
    for word in sorted(words):
        panel.plot([], [], _LINES.get(word, "-."), color=INK, label=word)  # type: ignore[attr-defined] # matplotlib is not typed
    for kind in sorted(kinds):
        panel.plot([], [], _MARKS.get(kind, "s"), color=INK, label=kind)  # type: ignore[attr-defined] # matplotlib is not typed
    panel.legend(fontsize=8, frameon=False, loc="best")  # type: ignore[attr-defined] # matplotlib is not typed
