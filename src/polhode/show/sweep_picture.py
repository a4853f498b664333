"""The results of a sweep as a figure: how runs are arranged over their values, in colours, lines, cells or points.

A run is an index into flat columns of values. Grids and samples differ only in their default arrangement.
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, by_name, fault_at, listed, number, understood, unknown
from ..simulate.initial_state import Floats
from ..simulate.sweep.measures import axis_named
from ..simulate.sweep.results import Sweep
from ..view.families import Quantity

fault = fault_at("plot")

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
        values = np.unique(self.columns[name])
        return values[np.isfinite(values)]

    @property
    def varying(self) -> list[str]:
        """Columns that differ between runs."""
        return [name for name in self.columns if len(self.distinct(name)) > 1]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Runs over one value or several, a panel each: cells where `y` is named, else lines if `joined`, else points."""

    runs: Runs
    over: Sequence[str]
    y: str | None = None
    by: str | None = None
    joined: bool = True
    beside: str | None = None
    cut: Mapping[str, float] = field(default_factory=dict)

    @property
    def columns(self) -> int:
        """Number of panels of one result."""
        return len(self.over) if self.beside is None else len(self.runs.distinct(self.beside))


def of_grid(runs: Runs, x: str | None, by: str | None, cut: Sequence[str]) -> Arrangement:
    """Cells over the two longest axes, or lines where one of these is short or `by` is named."""
    lengths = {name: len(runs.distinct(name)) for name in runs.columns}
    longest = sorted((name for name in runs.varying if name not in (x, by)), key=lambda name: -lengths[name])
    drawn = [] if x is None else [x]
    drawn += longest[: 2 - len(drawn) - (by is not None)]
    if x is None:
        drawn = sorted(drawn, key=[*runs.columns].index)
        drawn = drawn or [name for name in runs.columns if name != by and name not in cut][:1]  # of one value each
        if not drawn:
            message = "every value that was varied is held, so that nothing is left to draw over."
            raise fault(message, "Leave one of them out of at.", "E-BATCH-MISSING")
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


def of_samples(runs: Runs, x: str | None, by: str | None) -> Arrangement:
    """Points over each value that does not follow from another; lines where all follow from what is drawn."""
    leaders: list[str] = []
    for name in runs.varying:
        if not any(_follows(runs, name, other) for other in leaders):
            leaders.append(name)
    over = [x] if x is not None else [name for name in leaders if by is None or not _follows(runs, name, by)]
    over = over[:_MOST_SCATTERED] or [next(iter(runs.columns))]
    shown = [*over, *([] if by is None else [by])]
    joined = len(over) == 1 and all(any(_follows(runs, name, other) for other in shown) for name in leaders)
    return Arrangement(runs, over, by=by, joined=joined)


def _follows(runs: Runs, name: str, other: str) -> bool:
    """Whether one value is a linear function of another, as the speeds of wheels are of that of a car."""
    values, reference = runs.columns[name], runs.columns[other]
    finite = np.isfinite(values) & np.isfinite(reference)
    if not finite.any() or not np.ptp(reference[finite]) > 0:
        return name == other
    along = reference[finite] - reference[finite].mean()
    left = values[finite] - values[finite].mean()
    left = left - along * (along @ left) / (along @ along)
    return bool(np.abs(left).max() <= 1e-9 * np.ptp(values[finite]))


#: Results that are drawn unasked, and panels of all of them.
_MOST_RESULTS, _MOST_PANELS = 12, 24
#: The same in a cell of a notebook, which should not take long.
_MOST_IN_CELL = 4, 4
#: A result of more numbers than these is not drawn as a whole.
_MOST_NUMBERS = 6
#: How near a value must be to that of a run, as a part of its size or of the range of values.
_NEAR = 1e-6


def plotted(
    sweep: Sweep,
    path: str | os.PathLike[str] | None,
    measures: str | Sequence[str] | None,
    x: str | None,
    by: str | None,
    at: Mapping[str, float] | None,
) -> Any:
    """The figure, saved to `path` if given; whole trajectories are drawn over time."""
    from ..view.plot import saved

    if sweep.trajectories is not None:
        if any(option is not None for option in (measures, x, by, at)):
            cure = "Leave measures, x, by and at out, or sweep with a measure."
            raise fault("whole trajectories are drawn over time, all of them.", cure, "E-BATCH-UNSUPPORTED")
        return sweep.trajectories.plot(path)
    return saved(figure_of(sweep, measures, x, by, at), path)


def figure_of(
    sweep: Sweep,
    measures: str | Sequence[str] | None = None,
    x: str | None = None,
    by: str | None = None,
    at: Mapping[str, float] | None = None,
    most: tuple[int, int] = (_MOST_RESULTS, _MOST_PANELS),
) -> Any:
    """Draw results over the axes of a sweep; if none are named, at most `most` results and panels."""
    runs = Runs.of(sweep)
    over, shaded = (None if name is None else _axis(runs, name, word) for name, word in ((x, "x"), (by, "by")))
    held = _held(runs, at)
    _check_once({"x": over, "by": shaded}, held)
    runs = runs.where(held)
    arranged = of_samples(runs, over, shaded) if sweep.zipped else of_grid(runs, over, shaded, [*held])
    quantities = _chosen(sweep, measures)
    results = quantities if measures is not None else quantities[: min(most[0], max(1, most[1] // arranged.columns))]
    return _drawn(sweep, arranged, results, _title(sweep, arranged, held, (len(results), len(quantities))))


def markup_of(sweep: Sweep) -> str:
    """The first results as a picture in a cell of a notebook; nothing where there is none to draw, or matplotlib."""
    if sweep.trajectories is not None:
        return ""
    try:
        content = b64encode(figure_of(sweep, most=_MOST_IN_CELL)._repr_png_()).decode("ascii")
    except PolhodeError:  # the cell says why runs have no result
        return ""
    return f'<img alt="results of the sweep" style="max-width:100%" src="data:image/png;base64,{content}">'


# ---- what is asked for -------------------------------------------------------------------------------------------


def _axis(runs: Runs, name: Any, word: str) -> str:
    axis = axis_named(runs.columns, name)
    if axis is None:
        raise unknown("varied value", name, runs.columns, place=f"plot {word}", code="E-BATCH-NAME")
    return axis


def _held(runs: Runs, at: Any) -> dict[str, float]:
    """The values that the runs in the picture had, by name."""
    held: dict[str, float] = {}
    for key, value in by_name(at, "plot at").items():
        name = _axis(runs, key, "at")
        wanted = number(value, place=f"plot at '{name}'")
        values = runs.where(held).distinct(name)
        apart = np.abs(values - wanted)
        if not len(values) or not apart.min() <= _NEAR * max(abs(wanted), float(np.ptp(values))):
            cure = f"There are runs with {listed(f'{value:g}' for value in values)}."
            raise PolhodeError(f"there is no run with {name} = {wanted:g}.", "plot at", cure, "E-BATCH-NAME")
        held[name] = float(values[apart.argmin()])
    return held


def _check_once(named: Mapping[str, str | None], held: Mapping[str, float]) -> None:
    """Raise where one value is to serve twice."""
    places: dict[str, str] = dict.fromkeys(held, "at")
    for word, name in named.items():
        if name in places:
            raise fault(f"'{name}' is given twice, in {places[name]} and in {word}.", "Give it once.", "E-BATCH-TWICE")
        if name is not None:
            places[name] = word


def _chosen(sweep: Sweep, measures: Any) -> list[Quantity]:
    """The results that a user names, or all that are not too long; a number of an array is named `name.0`, …"""
    tables = _quantities(sweep)
    if not tables:
        raise _nothing(sweep, len(sweep))
    if measures is None:
        short = [table for table in tables.values() if len(table) <= _MOST_NUMBERS]
        if not short:
            raise _long(*next(iter(tables.items())))
        return [quantity for table in short for quantity in table]
    with understood("a list of measures", measures, place="plot measures"):
        names = [measures] if isinstance(measures, str) else list(measures)
    single = {quantity.name: quantity for table in tables.values() for quantity in table}
    quantities: list[Quantity] = []
    for name in names:
        if not isinstance(name, str) or (name not in tables and name not in single):
            raise unknown("result", name, [*tables, *single], place="plot measures", code="E-BATCH-NAME")
        table = tables[name] if name in tables else [single[name]]
        if len(table) > _MOST_NUMBERS:
            raise _long(name, table)
        quantities += table
    if not quantities:
        raise PolhodeError("no measure is named.", place="plot measures", cure="Name one.", code="E-BATCH-MISSING")
    return quantities


def _quantities(sweep: Sweep) -> dict[str, list[Quantity]]:
    """Each result by its name: one number of each run, or several."""
    from ..view.families import Quantity

    units = sweep.result_units
    return {
        name: [Quantity(label, units.get(name, ""), column) for label, column in columns.items()]
        for name, columns in sweep.columns.items()
    }


def _long(name: str, quantities: Sequence[Quantity]) -> PolhodeError:
    message = f"'{name}' has {len(quantities):,} numbers for each run, too many for a picture."
    return PolhodeError(message, "plot measures", f"Name some: measures=['{name}.0', '{name}.1'].", "E-BATCH-SIZE")


def _nothing(sweep: Sweep, count: int) -> PolhodeError:
    first = next(iter(sweep.failures.values()), "")
    cure = f"The first that failed says: {first}" if first else "Sweep with a measure that gives a number."
    return fault(f"none of the {count} runs has a result.", cure, "E-BATCH-MISSING")


# ---- what is drawn -----------------------------------------------------------------------------------------------


def _drawn(sweep: Sweep, arranged: Arrangement, results: Sequence[Quantity], title: str) -> Any:
    """The figure of an arrangement."""
    from ..view.families import Map, Panel, Quantity, plot_families, plot_maps

    def varied(name: str, values: Floats) -> Quantity:
        return Quantity(name, sweep.units.get(name, ""), values)

    def result(quantity: Quantity, values: Floats) -> Quantity:
        return Quantity(quantity.name, quantity.unit, values)

    finite = np.isfinite([quantity.values[arranged.runs.places] for quantity in results])
    if not finite.any():
        raise _nothing(sweep, len(arranged.runs))
    missing = int((~finite.all(axis=0)).sum())
    absent = f"{missing} of {len(arranged.runs)} runs without a result" if missing else ""
    parts, name = [(arranged.runs, "")], arranged.beside  # of each column of panels, and what is written above it
    if name is not None:
        values = arranged.runs.distinct(name)
        parts = [(arranged.runs.where({name: value}), _equals(sweep, name, value)) for value in values]
    if arranged.y is not None:
        x, y = arranged.over[0], arranged.y
        maps = [Map(result(q, _cells(part, x, y, q.values)), note) for q in results for part, note in parts]
        across = arranged.columns if arranged.beside is not None else 2 if len(results) == 4 else min(len(results), 3)
        axes = varied(x, arranged.runs.distinct(x)), varied(y, arranged.runs.distinct(y))
        return plot_maps(maps, *axes, columns=across, title=title, absent=absent)
    panels = [
        Panel(varied(name, part.columns[name]), result(quantity, quantity.values[part.places]), note)
        for quantity in results
        for part, note in parts
        for name in arranged.over
    ]
    shade = None if arranged.by is None else varied(arranged.by, parts[0][0].columns[arranged.by])
    across = arranged.columns if arranged.columns > 1 else 1 + (len(results) > 4)
    return plot_families(panels, shade, arranged.joined, across, title, absent)


def _cells(runs: Runs, x: str, y: str, values: Floats) -> Floats:
    """A result of each run as a matrix over two of its values; nan where there is none."""
    rows, columns = runs.distinct(x), runs.distinct(y)
    cells = np.full((len(rows), len(columns)), np.nan)
    placed = np.isfinite(runs.columns[x]) & np.isfinite(runs.columns[y])
    i = np.searchsorted(rows, runs.columns[x][placed])
    k = np.searchsorted(columns, runs.columns[y][placed])
    cells[i, k] = values[runs.places[placed]]
    return cells


def _title(sweep: Sweep, arranged: Arrangement, held: Mapping[str, float], results: tuple[int, int]) -> str:
    """The system, and which of its runs and results are drawn."""
    runs = f"{len(arranged.runs)} of {len(sweep)} runs" if len(arranged.runs) < len(sweep) else f"{len(sweep)} runs"
    counts = [runs, *([f"{results[0]} of {results[1]} results"] if results[0] < results[1] else [])]
    values = [_equals(sweep, name, value) for name, value in {**held, **arranged.cut}.items()]
    return f"{sweep.system or 'sweep'}: {', '.join([*counts, *values])}"


def _equals(sweep: Sweep, name: str, value: float) -> str:
    return f"{name} = {value:g} {sweep.units.get(name, '')}".rstrip()
