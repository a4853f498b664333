"""The results of a sweep: arrays over its grid or its samples, statuses, and the sentences of runs that failed."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError, path_of, unknown
from ...files.archives import readable
from ...files.writing import replace_file
from ...notebook import MOST_ROWS, Cell, Shown, Table
from ...registry import registered
from ..batch.batch import TAKEN, Batch, as_dataset, check_is, of_dataset
from ..initial_state import Floats
from ..trajectory.column_names import check_meant, distinct, variable_names
from ..trajectory.datasets import Dataset, Named, read, to_xarray, write
from ..trajectory.files import encoded
from .measures import MEMBER, Measured, shape_of

if TYPE_CHECKING:
    from ...surface.equations import Equations

_KIND = "polhode sweep"


@dataclass(frozen=True, eq=False)
class Sweep(Shown):
    """Results of a sweep: `sweep["max:hinge"]` over the grid, `failures`, `plot`, `to_csv`, `to_xarray()`, `save`.

    `axes` are the values that were varied, by name: the axes of a grid, or with `zipped` one value for each sample.
    `status`, `messages` and `texts` of notices are flat, member after member, the last axis fastest; `trajectories` are
    there without a measure. Files have a `path`; trajectories of a file have the `equations` that they are given.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    >>> sweep = s.derive().sweep({"l": [1, 2, 3]}, 1, measure="max:hinge", start={"hinge": 0.1}, workers=1)
    >>> sweep.shape, sweep.dimensions, sweep.failures, sweep.notices, sweep.is_whole, sweep.at(1)
    ((3,), ('l',), {}, {}, True, {'l': 2.0})
    """

    axes: Mapping[str, Floats]
    zipped: bool
    values: Measured
    status: NDArray[np.str_]
    messages: tuple[str, ...]
    texts: tuple[str, ...] = ()
    trajectories: Batch | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""  # the name of the mechanism
    units: Mapping[str, str] = field(default_factory=dict)  # of what was varied
    result_units: Mapping[str, str] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes of the grid, or the number of samples."""
        return shape_of(self.axes, self.zipped)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the axes."""
        return (MEMBER,) if self.zipped else tuple(self.axes)

    @property
    def failures(self) -> dict[int, str]:
        """Why members have no result, by their numbers in the flat order."""
        return {i: self.messages[i] for i, status in enumerate(self.status) if status not in ("done", "event")}

    @property
    def notices(self) -> dict[int, str]:
        """Notices of members by their numbers: a drift of energy, a changed start, …"""
        return {i: text for i, text in enumerate(self.texts) if text}

    @property
    def is_whole(self) -> bool:
        """Whether every member ran, to its end or until it failed."""
        return "not_run" not in self.status

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> Floats:
        """A measure over the grid or the samples; nan where a member failed."""
        if name not in self.values:
            check_meant(name, self.values)
            raise unknown("result", name, self.values, place="sweep", code="E-BATCH-NAME")
        values = self.values[name]
        return values.reshape(*self.shape, *values.shape[1:])

    def at(self, member: int) -> dict[str, float]:
        """The values that a member had, by name."""
        if self.zipped:
            return {name: float(values[member]) for name, values in self.axes.items()}
        indices = np.unravel_index(member, self.shape)
        return {name: float(values[k]) for (name, values), k in zip(self.axes.items(), indices, strict=True)}

    @property
    def columns(self) -> dict[str, dict[str, Floats]]:
        """Columns (N,) of each result by name: `name`, or `name.0`, `name.1`, … if it has several numbers."""
        tables = {}
        for name, values in self.values.items():
            flat = values.reshape(len(self), -1).T
            names = [name] if values.ndim == 1 else [f"{name}.{k}" for k in range(len(flat))]
            tables[name] = dict(zip(names, flat, strict=True))
        return tables

    # ---- pictures --------------------------------------------------------------------------------------------

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        measures: str | Sequence[str] | None = None,
        *,
        x: str | None = None,
        by: str | None = None,
        at: Mapping[str, float] | None = None,
    ) -> Any:
        """Results over what was varied as a matplotlib figure, saved to `path` if given; whole trajectories over time.

        measures        results to draw, by name; a number of an array as `name.0`; the first twelve by default
        x               what to draw over
        by              what colours stand for: a line or points for each of its values
        at              values that the runs in the picture had, by name, as {"c": 0.5}

        One axis makes lines. Two make a map of colours, or lines where one of them has three values or fewer, or `by`
        is given. Of more, the two longest are drawn; a third of five values or fewer makes a column of panels for each,
        and the others are cut at their middle value, given in the title. Samples are points over each of their values.
        Axes are logarithmic where values are spaced by ratios. Runs without a result are crosses, or hatched.
        """
        return registered("Sweep.plot")(self, path, measures, x, by, at)

    # ---- files -----------------------------------------------------------------------------------------------

    def to_xarray(self) -> Any:
        """An xarray.Dataset with the grid's dimensions (or `member`), statuses and messages."""
        return to_xarray(self._dataset())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write as NetCDF (.nc), Zarr (.zarr) or a NumPy archive (.npz)."""
        if path_of(path).suffix.lower() == ".csv":
            message = "a sweep is not saved as '.csv', from which it could not be loaded."
            cure = "Name it .nc, .zarr or .npz; to_csv writes a table of its measures."
            raise PolhodeError(message, os.fspath(path), cure, "E-FILE-WRITE")
        return write(self._dataset(), path)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a row for each run as comma-separated text: what was varied, what was measured, `status`, `message`.

        A measure of several numbers has a column for each, `name.0`, `name.1`, …; units follow names, as in `l [m]`.
        """
        columns = {name: values for table in self.columns.values() for name, values in table.items()}
        axes = distinct([(name, f"{name} (varied)") for name in self.axes], ("status", "message"))
        results = distinct([(name, f"{name} (result)") for name in columns], (*axes, "status", "message"))
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        units = [self.units.get(name) for name in self.axes] + [self.result_units.get(name) for name in columns]
        heads = [f"{name} [{unit}]" if unit else name for name, unit in zip((*axes, *results), units, strict=True)]
        writer.writerow([*heads, "status", "message"])
        for k, (status, message) in enumerate(zip(self.status, self.messages, strict=True)):
            numbers = (*self.at(k).values(), *(float(column[k]) for column in columns.values()))
            writer.writerow([*(repr(x) for x in numbers), status, " ".join(message.split())])
        return replace_file(path, encoded(text.getvalue()))

    @staticmethod
    def load(path: str | os.PathLike[str], equations: Equations | None = None) -> Sweep:
        """Read what `save` wrote; nothing in the file is ever run."""
        return _of_dataset(read(path), path, equations)

    def _dataset(self) -> Dataset:
        axes, titles = variable_names([("varied", name, name) for name in self.axes], TAKEN)
        grid = (MEMBER,) if self.zipped else tuple(axes)
        coordinates: dict[str, Named] = {
            label: ((MEMBER,) if self.zipped else (label,), values)
            for label, values in zip(axes, self.axes.values(), strict=True)
        }
        variables: dict[str, Named] = {}
        about: dict[str, Any] = {"axes": dict(zip(self.axes, axes, strict=True)), "zipped": self.zipped}
        about |= {"system": self.system, "units": dict(self.units), "result_units": dict(self.result_units)}
        if self.trajectories is not None:
            data = as_dataset(self.trajectories, axes)
            coordinates["time"] = data.coordinates["time"]
            for name, (dims, array) in data.variables.items():
                if dims[0] == MEMBER:
                    dims, array = (*grid, *dims[1:]), array.reshape(*self.shape, *array.shape[1:])
                variables[name] = (dims, array)
            about["batch"] = data.attributes["about"]
            titles |= {name: title for name, title in data.titles.items() if name in variables}
        taken = (*TAKEN, *axes, *variables)
        spelled = [(name, f"{name} (result)" if name in taken else name) for name in self.values]
        names, more_titles = variable_names([("result", *column) for column in spelled], taken)
        about["values"] = dict(zip(self.values, names, strict=True))
        sizes = [(label, self.values[name].ndim - 1) for name, label in about["values"].items()]
        more = iter(distinct([(f"{label}_{k}",) * 2 for label, n in sizes for k in range(n)], (*taken, *names)))
        for (name, label), (_, n) in zip(about["values"].items(), sizes, strict=True):
            variables[label] = ((*grid, *(next(more) for _ in range(n))), self[name])
        variables["status"] = (grid, self.status.reshape(self.shape))
        for name, texts in (("message", self.messages), ("notice", self.texts)):
            variables[name] = (grid, np.array(texts, dtype=np.str_).reshape(self.shape))
        attributes = {"kind": f"{_KIND} 2", "about": json.dumps(about)}
        return Dataset(coordinates, variables, attributes, titles | more_titles)

    def _cell(self) -> Cell:
        """Table of varied values and measures of each run, with a picture."""
        single = {name: values for name, values in self.values.items() if values.ndim == 1}
        shown = min(len(self), MOST_ROWS)
        rows = [
            (*(f"{value:.6g}" for value in self.at(k).values()), *(f"{values[k]:.6g}" for values in single.values()))
            for k in range(shown)
        ]
        table = Table([*self.axes, *single], rows, 0, more_rows=len(self) - shown)
        return Cell(repr(self).splitlines()[0], [table, *repr(self).splitlines()[1:]], registered("Sweep.markup")(self))

    def __repr__(self) -> str:
        grid = " × ".join(f"{len(values)} {name}" for name, values in self.axes.items())
        grid = f"{len(self)} samples of {', '.join(self.axes)}" if self.zipped else grid
        failed = len(self.failures)
        note = f", {failed} of them without a result" if failed else ""
        kept = ", ".join(self.values) if self.trajectories is None else "whole trajectories"
        lines = [f"Sweep({grid}: {len(self)} runs{note}; {kept})"]
        return "\n".join(lines + [f"  {i}: {message}" for i, message in list(self.failures.items())[:10]])


class SweepInterrupted(PolhodeError):
    """A sweep was interrupted; `sweep` has what was done."""

    def __init__(self, message: str, *, sweep: Sweep, cure: str = "") -> None:
        super().__init__(message, cure=cure, code="E-RUN-INTERRUPTED")
        self.sweep = sweep


def _of_dataset(data: Dataset, path: str | os.PathLike[str], equations: Equations | None) -> Sweep:
    check_is(_KIND, data, "a saved sweep", "Sweep.save", path)
    with readable(path, "a saved sweep", "Sweep.save"):
        about = json.loads(data.attributes["about"])
        zipped = bool(about["zipped"])
        labels = about["axes"] if isinstance(about["axes"], dict) else {name: name for name in about["axes"]}
        axes = {name: data.array(label, (MEMBER if zipped else label,)) for name, label in labels.items()}
        if not axes:
            raise ValueError("nothing was varied")
        grid = (MEMBER,) if zipped else tuple(labels.values())
        shape = shape_of(axes, zipped)

        def flat(name: str, kind: str = "f") -> NDArray[Any]:
            dims = data.arrays[name][0]
            array = data.array(name, (*grid, *dims[len(grid) :]), kind)
            return array.reshape(prod(shape), *array.shape[len(shape) :])

        values = {name: flat(label) for name, label in about["values"].items()}
        status, message, notice = (data.array(name, grid, "U").ravel() for name in ("status", "message", "notice"))
        batch = None
        if "batch" in about:
            variables = {
                name: ((MEMBER, *dims[len(grid) :]), flat(name, array.dtype.kind)) if dims[: len(grid)] == grid
                else (dims, array)
                for name, (dims, array) in data.variables.items()
            }  # fmt: skip
            columns = axes.values() if zipped else (grid.ravel() for grid in np.meshgrid(*axes.values(), indexing="ij"))
            coordinates: dict[str, Named] = {"time": data.coordinates["time"]}
            varied = json.loads(about["batch"])["varied"]
            for name, column in zip(axes, columns, strict=True):
                coordinates[varied[name] if isinstance(varied, dict) else name] = ((MEMBER,), column)
            words = {"kind": "polhode batch 2", "about": about["batch"]}
            functions = None if equations is None else equations.compile()
            batch = of_dataset(Dataset(coordinates, variables, words), path, functions)
        return Sweep(
            axes, zipped, values, status, tuple(message.tolist()), tuple(notice.tolist()), batch,
            system=str(about.get("system", "")), units=dict(about.get("units", {})),
            result_units=dict(about.get("result_units", {})),
        )  # fmt: skip
