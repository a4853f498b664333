"""How runs of a sweep are arranged in a picture: over which of their values, in which colours, lines, cells or points.

Each run is a place in flat columns of values. Grids and samples differ only in what is drawn unasked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError
from ..initial_state import Floats

if TYPE_CHECKING:
    from .results import Sweep

#: An axis of fewer values than these makes a line for each rather than rows of a map.
_FEWEST_ROWS = 4
#: A third axis of not more values than these makes a column of panels for each.
_MOST_COLUMNS = 5
#: Samples are drawn over so many of their values at most.
_MOST_SCATTERED = 4


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of a sweep: their places in it, and the values that each had, by name."""

    columns: Mapping[str, Floats]
    places: NDArray[np.intp]

    @classmethod
    def of(cls, sweep: Sweep) -> Runs:
        """All runs of a sweep."""
        axes = sweep.axes
        columns = axes if sweep.zipped else dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
        return cls({name: values.ravel() for name, values in columns.items()}, np.arange(len(sweep)))

    def __len__(self) -> int:
        return len(self.places)

    def where(self, values: Mapping[str, float]) -> Runs:
        """The runs that had these values."""
        chosen = np.ones(len(self), dtype=bool)
        for name, value in values.items():
            chosen &= self.columns[name] == value
        return Runs({name: column[chosen] for name, column in self.columns.items()}, self.places[chosen])

    def distinct(self, name: str) -> Floats:
        """The values that runs had, in increasing order."""
        known = np.unique(self.columns[name])
        return known[np.isfinite(known)]

    @property
    def varying(self) -> list[str]:
        """What is not the same in all runs."""
        return [name for name in self.columns if len(self.distinct(name)) > 1]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Runs over one value or several, a panel each: cells where `y` is named, else lines if `joined`, else points.

    `by` is told by colours, `beside` by columns of panels; `cut` are the values at which runs were chosen unasked.
    """

    runs: Runs
    over: Sequence[str]
    y: str | None = None
    by: str | None = None
    joined: bool = True
    beside: str | None = None
    cut: Mapping[str, float] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        """How many panels of one result there are."""
        return len(self.over) if self.beside is None else len(self.runs.distinct(self.beside))


def of_grid(runs: Runs, x: str | None, by: str | None, cut: Sequence[str]) -> Arrangement:
    """Cells over the two longest axes, or lines where one of these is short or `by` is named.

    Of the other axes, one with few values stands in columns of panels; the rest is cut at its middle value.
    """
    lengths = {name: len(runs.distinct(name)) for name in runs.columns}
    longest = sorted((name for name in runs.varying if name not in (x, by)), key=lambda name: -lengths[name])
    drawn = [] if x is None else [x]
    drawn += longest[: 2 - len(drawn) - (by is not None)]
    if x is None:
        drawn = sorted(drawn, key=[*runs.columns].index) or _single(runs, by, cut)
    y = None
    if len(drawn) == 2 and min(lengths[name] for name in drawn) >= _FEWEST_ROWS:
        y = drawn[1]
    elif len(drawn) == 2:
        x, by = drawn if x is not None else sorted(drawn, key=lambda name: -lengths[name])
        drawn = [x]
    rest = [name for name in runs.varying if name not in (*drawn, by)]
    beside = next((name for name in rest if lengths[name] <= _MOST_COLUMNS), None)
    middles = {name: float(runs.distinct(name)[lengths[name] // 2]) for name in rest if name != beside}
    return Arrangement(runs.where(middles), drawn[:1], y, by, beside=beside, cut=middles)


def _single(runs: Runs, by: str | None, cut: Sequence[str]) -> list[str]:
    """An axis to draw over where none has several values."""
    found = [name for name in runs.columns if name != by and name not in cut]
    if not found:
        raise PolhodeError(
            "every value that was varied is held, so that nothing is left to draw over.",
            place="plot",
            cure="Leave one of them out of at.",
            code="E-SWEEP-097",
        )
    return found[:1]


def of_samples(runs: Runs, x: str | None, by: str | None) -> Arrangement:
    """Points over each value that does not follow from another; lines where all follow from what is drawn."""
    own: list[str] = []
    for name in runs.varying:
        if not any(_follows(runs, name, other) for other in own):
            own.append(name)
    over = [x] if x is not None else [name for name in own if by is None or not _follows(runs, name, by)]
    over = over[:_MOST_SCATTERED] or [next(iter(runs.columns))]
    told = [*over, *([] if by is None else [by])]
    joined = len(over) == 1 and all(any(_follows(runs, name, other) for other in told) for name in own)
    return Arrangement(runs, over, by=by, joined=joined)


def _follows(runs: Runs, name: str, other: str) -> bool:
    """Whether one value is a linear function of another, as the speeds of wheels are of that of a car."""
    values, given = runs.columns[name], runs.columns[other]
    known = np.isfinite(values) & np.isfinite(given)
    if not known.any() or not np.ptp(given[known]) > 0:
        return name == other
    along = given[known] - given[known].mean()
    left = values[known] - values[known].mean()
    left = left - along * (along @ left) / (along @ along)
    return bool(np.abs(left).max() <= 1e-9 * np.ptp(values[known]))
