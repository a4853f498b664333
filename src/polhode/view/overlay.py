"""Many runs in one plot: a panel for each quantity, a line for each run, shaded by what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.view.plot import (
    PANEL_HEIGHT,
    SETTINGS,
    figure_class,
    frame,
    matplotlib_of,
    nothing_to_plot,
    one_line,
    put_title,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAP = "viridis"


def plot_overlay(
    time: ArrayLike, panels: Sequence[tuple[str, ArrayLike]], label: str, shade: ArrayLike, title: str = ""
) -> Figure:
    """Draw quantities (N, T) over time; a line's shade is its place in `shade` (N,), of which `label` is the name.

    figure = plot_overlay(t, [("hinge", q[:, :, 0])], "l", lengths, title="A hundred pendulums")
    """
    if not panels:
        raise nothing_to_plot("Give at least one quantity.")
    times, shades = np.asarray(time, dtype=float), np.asarray(shade, dtype=float)
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        height = PANEL_HEIGHT * len(panels) + (0.9 if title else 0.5)
        figure: Figure = figure_class()(figsize=(8.0, height), layout="constrained", facecolor="white")
        scale = Normalize(float(np.nanmin(shades)), float(np.nanmax(shades)))
        colors = matplotlib.colormaps[_MAP](scale(shades))
        axes: Any = None
        everyone = []
        for row, (name, values) in enumerate(panels):
            axes = figure.add_subplot(len(panels), 1, row + 1, sharex=axes)
            everyone.append(axes)
            frame(axes)
            for line, color in zip(np.asarray(values, dtype=float), colors, strict=True):
                axes.plot(times, line, color=color, linewidth=0.8)
            axes.set_title(one_line(name), loc="left", fontsize=9.5, pad=6, parse_math=False)
        axes.set_xlabel("time, s", fontsize=9, loc="right")
        bar = figure.colorbar(ScalarMappable(scale, _MAP), ax=everyone, aspect=40, fraction=0.03)
        bar.set_label(one_line(label), parse_math=False)
        put_title(figure, title)
    return figure
