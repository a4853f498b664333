"""Eigenvalues as pictures: over a parameter, and in the complex plane along a gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..view.plot import INK, QUIET, SETTINGS, figure_class, frame, matplotlib_of, nothing_to_plot, one_line, put_title
from ..view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_branches(
    values: ArrayLike, eigenvalues: ArrayLike, name: str, unit: str = "", marks: Sequence[float] = ()
) -> Figure:
    """Draw real and imaginary parts of eigenvalues (N, n) over N values; `marks` are where one crosses into growth."""
    along, branches = np.asarray(values, dtype=float), np.asarray(eigenvalues, dtype=complex)
    _check(branches)
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        figure: Figure = figure_class()(figsize=(8.0, 5.6), layout="constrained", facecolor="white")
        first: Any = None
        parts = ((branches.real, "Real parts"), (branches.imag, "Imaginary parts"))
        for row, (part, words) in enumerate(parts, start=1):
            panel = figure.add_subplot(2, 1, row, sharex=first)
            first = first or panel
            frame(panel)
            panel.axhline(0.0, color=QUIET, linewidth=0.8)
            for k, branch in enumerate(part.T):
                panel.plot(along, branch, color=PALETTE[k % len(PALETTE)], linewidth=1.5)
            for mark in marks:
                panel.axvline(mark, color=INK, linewidth=0.8, linestyle=":")
            panel.set_title(f"{words}  (1/s)", loc="left", fontsize=9.5, color=INK, pad=6)
        label = ", ".join(filter(None, [one_line(name), one_line(unit)]))
        figure.axes[-1].set_xlabel(label, color=QUIET, fontsize=9, loc="right", parse_math=False)
        put_title(figure, "Eigenvalues")
    return figure


def plot_locus(gains: ArrayLike, poles: ArrayLike, zeros: ArrayLike, title: str = "") -> Figure:
    """Draw poles (N, n) along N gains in the complex plane, × where the first gain has them, ○ for the zeros."""
    k, branches, nulls = np.asarray(gains, float), np.asarray(poles, complex), np.asarray(zeros, complex)
    _check(branches)
    matplotlib = matplotlib_of()
    with matplotlib.rc_context(SETTINGS):
        figure: Figure = figure_class()(figsize=(6.4, 5.6), layout="constrained", facecolor="white")
        panel = figure.add_subplot()
        frame(panel)
        panel.axhline(0.0, color=QUIET, linewidth=0.8)
        panel.axvline(0.0, color=QUIET, linewidth=0.8)
        for index, branch in enumerate(branches.T):
            color = PALETTE[index % len(PALETTE)]
            panel.plot(branch.real, branch.imag, color=color, linewidth=1.5)
            panel.plot(branch.real[:1], branch.imag[:1], "x", color=color, markersize=7)
        panel.plot(nulls.real, nulls.imag, "o", color=INK, markersize=7, fillstyle="none")
        panel.set_xlabel("real part, 1/s", color=QUIET, fontsize=9, loc="right")
        panel.set_ylabel("imaginary part, 1/s", color=QUIET, fontsize=9, loc="top")
        panel.set_title(f"gain from {k[0]:g} (×) to {k[-1]:g}; zeros ○", loc="left", fontsize=9.5, color=INK, pad=6)
        put_title(figure, title)
    return figure


def _check(branches: Any) -> None:
    if not branches.size:
        raise nothing_to_plot("Give at least one eigenvalue.")
