"""A batch: many runs of one mechanism, each with values of its own for parameters, start, inputs or efforts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...compiled.functions import Functions
from ...errors import FormatError, PolhodeError, shown, unknown
from ...files.archives import readable
from ...notebook import Cell, Shown, Table
from ..initial_state import Floats
from ..trajectory.column_names import KINDS, NAMES, check_unambiguous, variable_names
from ..trajectory.datasets import Dataset, Named
from ..trajectory.files import plain_info, read_info, strings
from ..trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from ...surface.equations import Equations
    from ..control.controlled import ClosedLoop

#: The status of a member that could not start, and of one that was not reached before the batch was interrupted.
REFUSED, NOT_RUN, INTERRUPTED = "refused", "not_run", "interrupted"
WHOLE = ("done", "event")


@dataclass(frozen=True, eq=False)
class Batch(Shown):
    """Trajectories of one mechanism: `t` (T,), `q` (N, T, coordinates), `u` (N, T, speeds); `batch[i]` is one of them.

    Behind the last sample of a member that stopped early its rows are nan; `failures` says why. `batch["elbow"]` is a
    coordinate of all members, (N, T), and `varied` what they were given one by one. A batch of a file
    has the `equations` that it is given; files have a `path`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    >>> batch = s.derive().simulate(1, parameters={"l": [1, 2]}, start={"hinge": 0.1}, samples=5)
    >>> batch.q.shape, batch.u.shape, batch.z.shape, batch.coordinates, batch.speeds, batch.failures
    ((2, 5, 1), (2, 5, 1), (2, 5, 0), ('hinge',), ('hinge',), {})
    >>> batch.at([0.1, 0.2]).q.shape, batch.values(s.joints["hinge"].q[0]).shape, batch.to_xarray().sizes["time"]
    ((2, 2, 1), (2, 1, 5), 5)
    """

    t: Floats
    arrays: Mapping[str, Floats]
    reached: NDArray[np.int64]  # how many of the common samples each member has
    status: NDArray[np.str_]
    messages: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]  # of the columns of each array
    varied: Mapping[str, Floats] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    infos: Sequence[Mapping[str, Any]] = ()
    own: Mapping[int, Trajectory] = field(default_factory=dict)  # members that are more than their common samples
    functions: Functions | None = field(default=None, repr=False)
    interpolant_of: Callable[[int], Callable[[Floats], Floats]] | None = field(default=None, repr=False)
    loop: ClosedLoop | None = field(default=None, repr=False)
    notices: tuple[str, ...] = ()  # warnings; those of a run are `batch[i].notices`

    @property
    def q(self) -> Floats:
        """Coordinates (N, T, …)."""
        return self.arrays["q"]

    @property
    def u(self) -> Floats:
        """Speeds (N, T, …)."""
        return self.arrays["u"]

    @property
    def z(self) -> Floats:
        """First-order states (N, T, …)."""
        return self.arrays["z"]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates."""
        return self.names["q"]

    @property
    def speeds(self) -> tuple[str, ...]:
        """The names of the speeds."""
        return self.names["u"]

    @property
    def failures(self) -> dict[int, str]:
        """Why members did not get to their end, by their numbers."""
        return {i: self.messages[i] for i, status in enumerate(self.status) if status not in WHOLE}

    # ---- members ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.status)

    def __iter__(self) -> Iterator[Trajectory]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> Trajectory: ...
    @overload
    def __getitem__(self, which: str) -> Floats: ...
    @overload
    def __getitem__(self, which: slice) -> Batch: ...
    def __getitem__(self, which: int | str | slice) -> Trajectory | Floats | Batch:
        """A member's trajectory, a coordinate or speed of all by its name (N, T), or a batch of some."""
        if isinstance(which, str):
            return self._column_named(which)
        if isinstance(which, slice):
            return self._part(range(len(self))[which])
        try:
            i = range(len(self))[which]
        except (IndexError, TypeError):
            message = f"there is no member {shown(which)}: the batch has {len(self)} members, from 0 on."
            cure = "Give the number of one, a slice, or the name of a coordinate or speed."
            raise PolhodeError(message, "batch", cure, "E-BATCH-NAME") from None
        return self.own[i] if i in self.own else self._rows(i)

    def _rows(self, i: int) -> Trajectory:
        reached = int(self.reached[i])
        parts: dict[str, Any] = {name: array[i, :reached] for name, array in self.arrays.items()}
        parts |= {NAMES[name]: names for name, names in self.names.items()}
        parameters = {name: float(x[i]) if np.ndim(x) else x for name, x in self.parameters.items()}
        return Trajectory(
            self.t[:reached], status=str(self.status[i]), message=self.messages[i], info=self.infos[i],
            functions=self.functions, parameters=parameters, loop=self.loop,
            interpolant=None if self.interpolant_of is None else self.interpolant_of(i), **parts,
        )  # fmt: skip

    def _part(self, chosen: range) -> Batch:
        indices, interpolant_of = list(chosen), self.interpolant_of
        parameters = {n: np.asarray(v)[indices] if np.ndim(v) else v for n, v in self.parameters.items()}
        return replace(
            self,
            interpolant_of=None if interpolant_of is None else lambda i: interpolant_of(indices[i]),
            arrays={name: array[indices] for name, array in self.arrays.items()},
            reached=self.reached[indices],
            status=self.status[indices],
            messages=tuple(self.messages[i] for i in indices),
            varied={name: values[indices] for name, values in self.varied.items()},
            parameters=parameters,
            infos=tuple(self.infos[i] for i in indices),
            own={k: self.own[i] for k, i in enumerate(indices) if i in self.own},
        )

    def _column_named(self, name: str) -> Floats:
        exact = [column for kind in ("q", "z", "inputs") if kind in self.arrays for column in self.names[kind]]
        check_unambiguous(name, exact, self.speeds)
        for kind in ("q", "z", "inputs", "u"):
            if kind in self.arrays and name in self.names[kind]:
                return self.arrays[kind][:, :, self.names[kind].index(name)]
        if self.functions is None:
            all_names = [column for names in self.names.values() for column in names]
            raise unknown("coordinate, state, input or speed", name, all_names, code="E-BATCH-NAME")
        return self._along(lambda run: run[name][None])[:, 0]

    def with_runs(self, runs: Mapping[int, Trajectory]) -> Batch:
        """The same with other runs for some members."""
        arrays = {name: np.array(array) for name, array in self.arrays.items()}
        reached, status = self.reached.copy(), self.status.astype(object)
        messages, own_runs = list(self.messages), dict(self.own)
        for i, run in runs.items():
            reached[i] = _fill(arrays, i, run, self.t)
            status[i], messages[i], own_runs[i] = run.status, run.message, run
        infos, changed = self.infos, {i: run.info for i, run in runs.items()}
        if isinstance(infos, RunInfos):
            infos = replace(infos, own={**infos.own, **changed})
        else:
            infos = tuple(changed.get(i, info) for i, info in enumerate(infos))
        return replace(
            self, arrays=arrays, reached=reached, status=status.astype(np.str_), messages=tuple(messages), infos=infos,
            own=own_runs,
        )  # fmt: skip

    def with_own(self, samples: Mapping[int, Mapping[str, Any]]) -> Batch:
        """The same with other samples for some members: `t` and all that is held at each of them."""
        own_runs = {i: replace(self._rows(i), **parts) for i, parts in samples.items()}
        return replace(self, own=own_runs)

    def without_mechanism(self) -> Batch:
        """The same samples, which another process can be sent without deriving again."""
        own_runs = {
            i: replace(run, functions=None, acted=None, interpolant=None)
            for i, run in self.own.items()
            if len(run) > self.reached[i]
        }
        return replace(self, functions=None, interpolant_of=None, own=own_runs)

    # ---- along the runs --------------------------------------------------------------------------------------

    def values(self, *expressions: Any) -> Floats:
        """Expressions of the state at the common samples, (N, expressions, T); see `Trajectory.values`."""
        from ..trajectory.values import compiled_values

        if self.functions is None:
            message = "this batch came from a file and has no mechanism."
            raise PolhodeError(message, cure="Say which: Batch.load(path, equations).", code="E-BATCH-MISSING")
        return self._along(compiled_values(self.functions, expressions), len(expressions))

    def _along(self, values: Callable[[Trajectory], Floats], rows: int = 1) -> Floats:
        """Values (rows, samples) of every run at the common samples, (N, rows, T)."""
        table = np.full((len(self), rows, len(self.t)), np.nan)
        for i, run in enumerate(self):
            if len(run):
                table[i, :, : self.reached[i]] = values(run)[:, np.isin(run.t, self.t)]
        return table

    def at(self, t: ArrayLike) -> Batch:
        """The batch at other times; values after a member's end are nan. See `Trajectory.at`."""
        from ..trajectory.between_samples import read_times

        times = read_times(t)
        if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise PolhodeError("the times must increase.", "at", "Sort them, each once.", "E-RUN-NUMBER")
        runs = []
        for run in self:
            reached = times[times <= run.t[-1]] if len(run) else times[:0]
            runs.append(run.at(reached) if len(reached) else cut(run))
        return stacked(runs, times, self.varied, self.functions, self.parameters)

    # ---- files and pictures ----------------------------------------------------------------------------------

    def to_xarray(self, contacts: str | Sequence[str] = ()) -> Any:
        """An xarray.Dataset over `member` and `time`, what was varied as coordinates of the members.

        Of contacts, stops and dry friction that are named it has gap, forces, slip and mode, as `Trajectory.to_xarray`.
        """
        from ..contact.results import columns_of_contacts
        from ..trajectory.datasets import to_xarray

        first = max(self, key=lambda run: len(run.contact_names), default=None) if contacts else None
        labels = [] if first is None else [f"{what}({name})" for what, name, *_ in columns_of_contacts(first, contacts)]

        def values_of(run: Trajectory) -> Floats:
            unknown = [np.full(len(run), np.nan)] * len(labels)  # of one that ended at its start
            return np.stack([values for *_, values in columns_of_contacts(run, contacts)] or unknown)

        columns = self._along(values_of, len(labels)) if labels else np.zeros((len(self), 0, 0))
        return to_xarray(as_dataset(self, labels)).assign(
            {label: (_RUN, columns[:, k]) for k, label in enumerate(labels)}
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything but the mechanism as NetCDF (.nc), Zarr (.zarr) or a NumPy archive (.npz)."""
        from ..trajectory.datasets import write

        return write(as_dataset(self), path)

    @staticmethod
    def load(path: str | os.PathLike[str], equations: Equations | None = None) -> Batch:
        """Read what `save` wrote; nothing in the file is ever run."""
        from ..trajectory.datasets import read

        return of_dataset(read(path), path, None if equations is None else equations.compile())

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Every coordinate, state and speed over time, all members in one panel, as a matplotlib figure."""
        from ...view.families import plot_overlay
        from ...view.plot import saved

        speeds = [f"d({name})" if name in self.coordinates else name for name in self.speeds]
        groups = ((self.coordinates, self.q), (self.names["z"], self.z), (speeds, self.u))
        panels = [(name, values[:, :, k]) for names, values in groups for k, name in enumerate(names)]
        name = self.functions.equations.system.name if self.functions else "batch"
        label, shade = next(((n, v) for n, v in self.varied.items() if v.ndim == 1), ("member", np.arange(len(self))))
        return saved(plot_overlay(self.t, panels, label, shade, title=f"{name}: {len(self)} runs"), path)

    def _cell(self) -> Cell:
        """What was varied and where each member ends."""
        varied = {name: values for name, values in self.varied.items() if values.ndim == 1}
        ends = self.q[:, -1, :] if len(self.t) else np.zeros((len(self), 0))
        rows = [
            (k, *(f"{values[k]:.6g}" for values in varied.values()), *(f"{end:.6g}" for end in ends[k]), self.status[k])
            for k in range(len(self))
        ]
        head = ["", *varied, *(f"{name} at the end" for name in self.coordinates[: ends.shape[1]]), "status"]
        return Cell(repr(self).splitlines()[0], [Table(head, rows, numbers_from=0), *repr(self).splitlines()[1:]])

    def __repr__(self) -> str:
        failed = len(self.failures)
        note = f", {failed} of them not to the end" if failed else ""
        varied = f" over {', '.join(self.varied)}" if self.varied else ""
        lines = [f"Batch({len(self)} runs{varied}{note}; {len(self.t)} samples of {', '.join(self.coordinates)})"]
        return "\n".join(lines + [f"  {i}: {message}" for i, message in list(self.failures.items())[:10]])


def stacked(
    runs: Sequence[Trajectory],
    t: Floats,
    varied: Mapping[str, Floats],
    functions: Functions | None,
    parameters: Mapping[str, Any],
) -> Batch:
    """Trajectories as one batch over common samples."""
    widths = {name: [array.shape[1] for run in runs if (array := getattr(run, name)) is not None] for name in NAMES}
    arrays = {name: np.full((len(runs), len(t), max(sizes)), np.nan) for name, sizes in widths.items() if sizes}
    reached = np.array([_fill(arrays, i, run, t) for i, run in enumerate(runs)], dtype=np.int64)
    longest = max(runs, key=len)
    return Batch(
        t, arrays, reached, np.array([run.status for run in runs], dtype=np.str_), tuple(run.message for run in runs),
        {name: getattr(longest, NAMES[name]) for name in arrays}, dict(varied), dict(parameters),
        tuple(run.info for run in runs), dict(enumerate(runs)), functions, loop=longest.loop,
    )  # fmt: skip


def _fill(arrays: Mapping[str, Floats], i: int, run: Trajectory, t: Floats) -> int:
    """Put the samples of a run at common times into the arrays of a batch; return their number."""
    common = np.isin(run.t, t)
    reached = int(common.sum())
    for name, array in arrays.items():
        values = getattr(run, name)
        array[i] = np.nan
        if values is not None and len(values):
            array[i, :reached] = values[common]
    return reached


def cut(run: Trajectory) -> Trajectory:
    """The run without its samples."""
    parts: dict[str, Any] = {name: None if (rows := getattr(run, name)) is None else rows[:0] for name in NAMES}
    return replace(run, t=run.t[:0], acted=None, interpolant=None, **parts)


Info = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class RunInfos(Sequence[Info]):
    """Infos of runs, each made when it is read: shared entries, columns of entries that differ, whole infos of some."""

    shared: Info
    columns: Mapping[str, NDArray[Any]]
    own: Mapping[int, Info] = field(default_factory=dict)
    more: Callable[[int], Info] | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, which: int) -> Info: ...
    @overload
    def __getitem__(self, which: slice) -> Sequence[Info]: ...
    def __getitem__(self, which: int | slice) -> Info | Sequence[Info]:
        if isinstance(which, slice):
            return tuple(self[i] for i in range(len(self))[which])
        i = range(len(self))[which]
        if i in self.own:
            return self.own[i]
        more = {} if self.more is None else self.more(i)
        return {**self.shared, "notices": [], **{n: column[i].item() for n, column in self.columns.items()}, **more}


_KIND = "polhode batch"
_MEMBER, _RUN, _OWN = ("member",), ("member", "time"), ("own_sample",)
#: Names in a dataset that a user cannot take.
TAKEN = ("member", "time", "status", "message", "notice", "own_sample", "own_member", "own_time")


def as_dataset(batch: Batch, taken: Collection[str] = ()) -> Dataset:
    """Coordinates and states by name, speeds as `d(name)`, inputs as `input(name)` and efforts as `tau(name)`."""
    names = [(field, name) for field in batch.arrays for name in batch.names[field]]
    spelled = [(KINDS[field][0], name, KINDS[field][1].format(name)) for field, name in names]
    individual = [(f"own_{kind}", name, f"own_{spelling}") for kind, name, spelling in spelled]
    varied = [("varied", name, name) for name in batch.varied]
    chosen, titles = variable_names([*spelled, *individual, *varied], (*TAKEN, *taken))
    labels = iter(chosen)
    columns, own_columns = ({field: [next(labels) for _ in batch.names[field]] for field in batch.arrays} for _ in "ab")
    varied_names = dict(zip(batch.varied, labels, strict=True))
    variables: dict[str, Named] = {
        label: (_RUN, batch.arrays[field][:, :, k])
        for field, labels in columns.items()
        for k, label in enumerate(labels)
    }
    variables["status"] = (_MEMBER, batch.status)
    variables["message"] = (_MEMBER, np.array(batch.messages, dtype=np.str_))
    runs = {i: run for i, run in batch.own.items() if len(run) > batch.reached[i]}
    if runs:
        members = np.fromiter(runs, dtype=np.int64)
        variables["own_member"] = (_OWN, np.repeat(members, [len(run) for run in runs.values()]))
        variables["own_time"] = (_OWN, np.concatenate([run.t for run in runs.values()]))
        for field, named in own_columns.items():
            pairs = [(len(run), getattr(run, field)) for run in runs.values()]
            rows = [np.full((size, len(named)), np.nan) if x is None else x for size, x in pairs]
            variables |= {label: (_OWN, np.concatenate(rows)[:, k]) for k, label in enumerate(named)}
    coordinates: dict[str, Named] = {"member": (_MEMBER, np.arange(len(batch))), "time": (("time",), batch.t)}
    coordinates |= {label: (_MEMBER, batch.varied[name].astype(np.float64)) for name, label in varied_names.items()}
    about = {
        "names": batch.names,
        "columns": columns,
        "own": own_columns,
        "varied": varied_names,
        "parameters": {name: np.asarray(value, dtype=np.float64).tolist() for name, value in batch.parameters.items()},
        "reached": batch.reached.tolist(),
        "infos": [plain_info(info) for info in batch.infos],
        "notices": list(batch.notices),
    }
    titles = {name: title for name, title in titles.items() if name in variables or name in coordinates}
    return Dataset(coordinates, variables, {"kind": f"{_KIND} 2", "about": json.dumps(about)}, titles)


def of_dataset(dataset: Dataset, path: str | os.PathLike[str], functions: Functions | None) -> Batch:
    """The batch that a dataset was made of."""
    check_is(_KIND, dataset, "a saved batch", "Batch.save", path)
    with readable(path, "a saved batch", "Batch.save"):
        about = json.loads(dataset.attributes["about"])
        names = {field: strings(value) for field, value in about["names"].items()}
        columns: Mapping[str, list[str]] = about["columns"]
        titles = about.get("own") or {field: [f"own_{label}" for label in labels] for field, labels in columns.items()}
        counts = [{field: len(labels) for field, labels in table.items()} for table in (names, columns, titles)]
        if not {"q", "u", "z"} <= columns.keys() <= KINDS.keys() or counts != counts[:1] * 3:
            raise ValueError("its columns and their names differ")
        t, status = dataset.array("time", ("time",)), dataset.array("status", _MEMBER, "U")
        reached, infos = np.array(about["reached"], dtype=np.int64), tuple(map(read_info, about["infos"]))
        if not len(status) == len(infos) == len(reached) or not ((reached >= 0) & (reached <= len(t))).all():
            raise ValueError("its members are not as many as it says")
        values = {name: np.array(value, dtype=np.float64) for name, value in about["parameters"].items()}
        if any(x.shape not in ((), status.shape) for x in values.values()):
            raise ValueError("a parameter does not have a value for each member")
        parameters = {name: x if x.ndim else float(x) for name, x in values.items()}
        varied = about["varied"] if isinstance(about["varied"], dict) else {name: name for name in about["varied"]}
        batch = Batch(
            t, _stacked(dataset, columns, _RUN, (len(status), len(t))), reached, status,
            tuple(dataset.array("message", _MEMBER, "U").tolist()), names,
            {name: dataset.array(label, _MEMBER) for name, label in varied.items()},
            parameters, infos,
            functions=functions, notices=tuple(map(str, about.get("notices", ()))),
        )  # fmt: skip
        return batch.with_own(_individual_samples(batch, dataset, titles))


def check_is(kind: str, dataset: Dataset, what: str, writer: str, path: str | os.PathLike[str]) -> None:
    """Raise where a dataset is of another kind, or of a version to come."""
    stored = dataset.attributes.get("kind", "")
    if stored not in (f"{kind} 1", f"{kind} 2"):
        cure = f"Give a file that {writer} wrote."
        raise FormatError(f"this is not {what}: its kind is {shown(stored)}.", os.fspath(path), cure, "E-FILE-READ")


def _stacked(
    dataset: Dataset, columns: Mapping[str, list[str]], dims: tuple[str, ...], shape: tuple[int, ...]
) -> dict[str, Floats]:
    """Arrays whose last axis are the columns."""
    return {
        field: np.stack([dataset.array(label, dims) for label in labels], axis=-1) if labels else np.zeros((*shape, 0))
        for field, labels in columns.items()
    }


def _individual_samples(batch: Batch, dataset: Dataset, columns: Mapping[str, list[str]]) -> dict[int, dict[str, Any]]:
    """The samples of members that have their own, by the members' numbers."""
    if "own_member" not in dataset.variables:
        return {}
    members, t = dataset.array("own_member", _OWN, "i"), dataset.array("own_time", _OWN)
    arrays = {"t": t, **_stacked(dataset, columns, _OWN, t.shape)}
    if not ((members >= 0) & (members < len(batch))).all():
        raise ValueError("it has samples of a member that is not there")
    order = np.argsort(members, kind="stable")
    present, starts = np.unique(members[order], return_index=True)
    parts = {field: np.split(array[order], starts[1:]) for field, array in arrays.items()}
    return {int(i): {field: rows[k] for field, rows in parts.items()} for k, i in enumerate(present)}
