"""A workspace as a picture: sampled points, and its boundary over them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from polhode.view.plot import INK, SETTINGS, figure_class, frame, matplotlib_of, nothing_to_plot, put_title
from polhode.view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PANEL = 4.2  # inches


def plot_workspace(
    points: ArrayLike, boundary: ArrayLike, centre: ArrayLike, axes: ArrayLike, title: str = ""
) -> Figure:
    """Draw points (N, 3) and boundary points (M, 3): along each of the `axes` that span them, two at a time.

    figure = plot_workspace(w.points, w.boundary, w.centre, w.axes, title="An arm's reach")
    """
    inner, outer, span = (np.asarray(each, dtype=float) for each in (points, boundary, axes))
    if not len(inner):
        raise nothing_to_plot("Give at least one point.")
    upright = [np.flatnonzero(np.abs(axis) > 1 - 1e-9) for axis in span]
    named = [f"{'xyz'[int(k[0])]}, m" if len(k) else f"axis {i + 1}, m" for i, k in enumerate(upright)]
    shift = np.where(np.array([len(k) > 0 for k in upright]), 0.0, span @ np.asarray(centre, dtype=float))
    inner, outer = (each @ span.T - shift for each in (inner, outer))
    views = list(combinations(range(len(span)), 2)) or [(0, 0)] * bool(len(span))
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        size = (_PANEL * max(len(views), 1), _PANEL + (0.5 if title else 0.1))
        figure: Figure = figure_class()(figsize=size, layout="constrained", facecolor="white")
        for place, (i, k) in enumerate(views, start=1):
            panel = figure.add_subplot(1, len(views), place)
            frame(panel)
            panel.plot(inner[:, i], inner[:, k], ".", color=PALETTE[0], markersize=1.2, alpha=0.25, rasterized=True)
            if len(outer) and len(span) < 3:  # in space, the boundary would cover what is behind it
                panel.plot(outer[:, i], outer[:, k], ".", color=INK, markersize=2.2)
            panel.set_aspect("equal", adjustable="datalim")
            panel.set_xlabel(named[i], fontsize=9, loc="right")
            panel.set_ylabel(named[k], fontsize=9, loc="top")
        put_title(figure, title)
    return figure
