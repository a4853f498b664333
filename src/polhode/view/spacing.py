"""Values along an axis: whether they are spaced by equal ratios, and the scale, ticks and cells that suit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.view.plot import QUIET, heading_of, matplotlib_of, one_line
from polhode.view.scene import Floats

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
        return ", ".join(filter(None, [one_line(self.name), one_line(self.unit)]))


def is_geometric(values: ArrayLike) -> bool:
    """Whether values are positive and spaced by nearly equal ratios rather than by equal steps.

    >>> is_geometric([0.5, 1, 2, 4]), is_geometric([1, 2, 5, 10]), is_geometric([1, 2, 3, 4])
    (True, True, False)
    """
    known = _distinct(values)
    if len(known) < 3 or known[0] <= 0:
        return False
    ratios, steps = _unevenness(np.log(known)), _unevenness(known)
    return ratios <= _EVEN and steps >= _EVEN * ratios


def cell_edges(values: Floats, geometric: bool) -> Floats:
    """Borders of cells around values that increase, halfway between neighbours; by ratios, the geometric mean.

    >>> cell_edges(np.array([1.0, 2.0, 4.0]), geometric=False).tolist()
    [0.5, 1.5, 3.0, 5.0]
    """
    known = np.log(values) if geometric else values
    if len(known) < 2:
        half = 0.5 * (abs(float(known[0])) or 1.0)
        edges = np.array([known[0] - half, known[0] + half])
    else:
        middles = (known[:-1] + known[1:]) / 2
        edges = np.concatenate([[2 * known[0] - middles[0]], middles, [2 * known[-1] - middles[-1]]])
    return np.exp(edges) if geometric else edges


def set_scale(axes: Any, letter: str, values: ArrayLike) -> None:
    """Make an axis ("x" or "y") logarithmic where values are spaced by ratios, and set its ticks."""
    if is_geometric(values):
        (axes.set_xscale if letter == "x" else axes.set_yscale)("log")
    set_ticks(axes.xaxis if letter == "x" else axes.yaxis, values)


def set_ticks(axis: Any, values: ArrayLike) -> None:
    """Ticks at the values themselves if they are few and can be written side by side, else at round numbers."""
    known, geometric = _distinct(values), is_geometric(values)
    ticker = matplotlib_of().ticker
    plain = ticker.FuncFormatter(lambda value, _: f"{value:g}")
    if _fit_as_ticks(np.log(known) if geometric else known, known):
        axis.set_major_locator(ticker.FixedLocator(known.tolist()))
        axis.set_major_formatter(plain)
    elif geometric:
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if known[-1] < 1000 * known[0] else (1,)))
        axis.set_major_formatter(plain)
    else:
        axis.set_major_locator(ticker.MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(ticker.ScalarFormatter(useOffset=False, useMathText=False))
    axis.set_minor_locator(ticker.NullLocator())


def set_label(axes: Any, letter: str, quantity: Quantity) -> None:
    """Write the name and the unit of a quantity along an axis."""
    words: dict[str, Any] = {"color": QUIET, "fontsize": 9, "parse_math": False, "usetex": False}
    if letter == "x":
        axes.set_xlabel(quantity.label, loc="right", **words)
    else:
        axes.set_ylabel(quantity.label, loc="top", **words)


def _fit_as_ticks(places: Floats, values: Floats) -> bool:
    """Whether all values can be written along an axis, side by side."""
    if not 1 <= len(values) <= _MOST_TICKS or max(len(f"{value:g}") for value in values) > _LONGEST_TICK:
        return False
    return len(values) == 1 or bool(np.diff(places).min() > 0.09 * (places[-1] - places[0]))


def _distinct(values: ArrayLike) -> Floats:
    known: Floats = np.unique(np.asarray(values, dtype=float))
    return known[np.isfinite(known)]


def _unevenness(places: Floats) -> float:
    steps = np.diff(places)
    return float(steps.max() / steps.min())
