"""A batch: many runs of one mechanism, each with values of its own for parameters, start, inputs or efforts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compiled.functions import Functions
from ..errors import PolhodeError, SimulationError, understood, unknown, warn
from .batch_samples import check_size, sample_times
from .energy import is_conservative
from .initial_state import Floats
from .inputs import read_efforts, read_inputs
from .members import Members, labelled
from .native_batch import Made, run_natively
from .progress import reporting
from .run import simulate
from .trajectory import Trajectory

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation
    from ..surface.equations import Equations

#: What a trajectory holds at every sample, besides the time.
FIELDS = ("q", "u", "z", "inputs", "tau")
#: Where a trajectory has the names of their columns.
_NAMES = {"q": "coordinates", "u": "speeds", "z": "states", "inputs": "input_names", "tau": "efforts"}
#: The status of a member that could not start, and of one that was not reached before the batch was interrupted.
REFUSED, NOT_RUN, INTERRUPTED = "refused", "not_run", "interrupted"
_WHOLE = ("done", "event")
#: So many different warnings of the members are told.
_MOST_TOLD = 3


@dataclass(frozen=True, eq=False)
class Batch:
    """Trajectories of one mechanism: `t` (T,), `q` (N, T, coordinates), `u` (N, T, speeds), `batch[i]` each alone.

    Behind the last sample of a member that stopped early its rows are nan; `failures` says why. `batch["elbow"]` is a
    coordinate of all members, (N, T), and `varied` what they were given one by one.
    """

    t: Floats
    arrays: Mapping[str, Floats]
    reached: NDArray[np.int64]  # how many of the common samples each member has
    status: NDArray[np.str_]
    messages: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]  # of the columns of each array
    varied: Mapping[str, Floats] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    infos: tuple[Mapping[str, Any], ...] = ()
    own: Mapping[int, Trajectory] = field(default_factory=dict)  # members that are more than their common samples
    functions: Functions | None = field(default=None, repr=False)

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
        """States without mass (N, T, …)."""
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
        """Why members did not get to their end, by their places."""
        return {i: self.messages[i] for i, status in enumerate(self.status) if status not in _WHOLE}

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
            return self._named(which)
        if isinstance(which, slice):
            return self._part(range(len(self))[which])
        with understood("the place of a member", which, place="batch"):
            place = range(len(self))[which]
        return self.own[place] if place in self.own else self._rows(place)

    def _rows(self, i: int) -> Trajectory:
        reached = int(self.reached[i])
        parts: dict[str, Any] = {name: array[i, :reached] for name, array in self.arrays.items()}
        parts |= {_NAMES[name]: names for name, names in self.names.items()}
        parameters = {name: _of_member(value, i) for name, value in self.parameters.items()}
        return Trajectory(
            self.t[:reached], status=str(self.status[i]), message=self.messages[i], info=self.infos[i],
            functions=self.functions, parameters=parameters, **parts,
        )  # fmt: skip

    def _part(self, chosen: range) -> Batch:
        places = list(chosen)
        parameters = {n: np.asarray(v)[places] if np.ndim(v) else v for n, v in self.parameters.items()}
        return replace(
            self,
            arrays={name: array[places] for name, array in self.arrays.items()},
            reached=self.reached[places],
            status=self.status[places],
            messages=tuple(self.messages[i] for i in places),
            varied={name: values[places] for name, values in self.varied.items()},
            parameters=parameters,
            infos=tuple(self.infos[i] for i in places),
            own={k: self.own[i] for k, i in enumerate(places) if i in self.own},
        )

    def _named(self, name: str) -> Floats:
        for kind in ("q", "z", "inputs", "u"):
            if kind in self.arrays and name in self.names[kind]:
                return self.arrays[kind][:, :, self.names[kind].index(name)]
        if self.functions is None:
            known = [each for names in self.names.values() for each in names]
            raise unknown("coordinate, state, input or speed", name, known, code="E-BATCH-005")
        made = np.full((len(self), len(self.t)), np.nan)
        for i, run in enumerate(self):
            if len(run):
                made[i, : self.reached[i]] = run[name][np.isin(run.t, self.t)]
        return made

    def with_runs(self, runs: Mapping[int, Trajectory]) -> Batch:
        """The same with other runs for some members."""
        arrays = {name: np.array(array) for name, array in self.arrays.items()}
        reached, status = self.reached.copy(), self.status.astype(object)
        messages, infos, own = list(self.messages), list(self.infos), dict(self.own)
        for i, run in runs.items():
            common = np.isin(run.t, self.t)
            reached[i] = common.sum()
            for name, array in arrays.items():
                values = getattr(run, name)
                array[i] = np.nan
                if values is not None and len(values):
                    array[i, : reached[i]] = values[common]
            status[i], messages[i], infos[i], own[i] = run.status, run.message, run.info, run
        return replace(
            self, arrays=arrays, reached=reached, status=status.astype(np.str_), messages=tuple(messages),
            infos=tuple(infos), own=own,
        )  # fmt: skip

    def with_own(self, samples: Mapping[int, Mapping[str, Any]]) -> Batch:
        """The same with other samples for some members: `t` and all that is held at each of them."""
        own = {i: replace(self._rows(i), **parts) for i, parts in samples.items()}
        return replace(self, own=own)

    def without_mechanism(self) -> Batch:
        """The same samples, which another process can be sent without deriving again."""
        own = {
            i: replace(run, functions=None, acted=None, interpolant=None)
            for i, run in self.own.items()
            if len(run) > self.reached[i]
        }
        return replace(self, functions=None, own=own)

    # ---- along the runs --------------------------------------------------------------------------------------

    def values(self, *expressions: Any) -> Floats:
        """Expressions of the state at the common samples, (N, expressions, T); see `Trajectory.values`."""
        from .trajectory_values import compiled_values

        if self.functions is None:
            raise PolhodeError(
                "this batch came from a file and does not know its mechanism.",
                cure="Say which: Batch.load(path, equations).",
                code="E-BATCH-006",
            )
        along = compiled_values(self.functions, expressions)
        made = np.full((len(self), len(expressions), len(self.t)), np.nan)
        for i, run in enumerate(self):
            if len(run):
                made[i, :, : self.reached[i]] = along(run)[:, np.isin(run.t, self.t)]
        return made

    def at(self, t: ArrayLike) -> Batch:
        """The batch at other times; what lies behind a member's end is nan. See `Trajectory.at`."""
        with understood("an array of times", t, place="at", cure="Give a time in seconds, or several."):
            times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise PolhodeError("the times must increase.", place="at", code="E-BATCH-009")
        runs = []
        for run in self:
            reached = times[times <= run.t[-1]] if len(run) else times[:0]
            runs.append(run.at(reached) if len(reached) else _cut(run))
        return stacked(runs, times, self.varied, self.functions, self.parameters)

    # ---- files and pictures ----------------------------------------------------------------------------------

    def to_xarray(self) -> Any:
        """An xarray.Dataset over `member` and `time`, what was varied as coordinates of the members."""
        from .batch_files import as_dataset
        from .datasets import to_xarray

        return to_xarray(as_dataset(self))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write everything but the mechanism as NetCDF (.nc), Zarr (.zarr) or a NumPy archive (.npz)."""
        from .batch_files import as_dataset
        from .datasets import write

        return write(as_dataset(self), path)

    @staticmethod
    def load(path: str | os.PathLike[str], equations: Equations | None = None) -> Batch:
        """Read what `save` wrote; nothing in the file is ever run."""
        from .batch_files import of_dataset
        from .datasets import read

        return of_dataset(read(path), path, None if equations is None else equations.compile())

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Every coordinate, state and speed over time, all members in one panel, as a matplotlib figure."""
        from ..view.overlay import plot_overlay
        from ..view.plot import save_plot

        panels = [(name, self.q[:, :, k]) for k, name in enumerate(self.coordinates)]
        panels += [(name, self.z[:, :, k]) for k, name in enumerate(self.names["z"])]
        told = [f"d({name})" if name in self.coordinates else name for name in self.speeds]
        panels += [(name, self.u[:, :, k]) for k, name in enumerate(told)]
        name = self.functions.equations.system.name if self.functions else "batch"
        label, shade = next(((n, v) for n, v in self.varied.items() if v.ndim == 1), ("member", np.arange(len(self))))
        figure = plot_overlay(self.t, panels, label, shade, title=f"{name}: {len(self)} runs")
        if path is not None:
            save_plot(figure, path)
        return figure

    def __repr__(self) -> str:
        failed = len(self.failures)
        told = f", {failed} of them not to the end" if failed else ""
        varied = f" over {', '.join(self.varied)}" if self.varied else ""
        lines = [f"Batch({len(self)} runs{varied}{told}; {len(self.t)} samples of {', '.join(self.coordinates)})"]
        return "\n".join(lines + [f"  {i}: {message}" for i, message in list(self.failures.items())[:10]])


# ---- making one ----------------------------------------------------------------------------------------------


def simulate_batch(derivation: Derivation, duration: float, members: Members) -> Batch:
    """Run all members; one that fails leaves its sentence in its place.

    Where none can start, the first one's error is raised: then it is not the values that are wrong.
    """
    check_size(derivation, duration, members)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        batch = run_members(derivation, duration, members)
    _tell(told, len(batch))
    if (batch.status == REFUSED).all():
        simulate(derivation, duration, **members.member(0))
    if INTERRUPTED in batch.status:
        done = int(np.isin(batch.status, _WHOLE).sum())
        raise SimulationError(
            f"the batch was interrupted after {done} of {len(batch)} runs.", trajectory=batch, code="E-SIM-INTERRUPTED"
        )
    return batch


def run_members(derivation: Derivation, duration: float, members: Members, threads: int | None = None) -> Batch:
    """Run every member, in this process; a member's bits do not depend on which others are run with it.

    Native code runs all that it can, in as many `threads` as there are cores; where it has to ask Python, members are
    run one by one, under the lock.
    """
    options = dict(members.shared)
    functions = options.get("functions") or Functions(derivation)
    with reporting(options.get("progress"), f"running {members.count} members", members.count, "runs") as report:
        made = run_natively(
            derivation, duration, members, functions, lambda part: report(part * members.count), threads
        )
        if made is not None:
            return _of_native(made, derivation, duration, members, functions)
        runs: list[Trajectory] = []
        for i in range(members.count):
            runs.append(_one(derivation, duration, _given(members, i, functions)))
            report(i + 1)
            if runs[-1].status == INTERRUPTED:
                break
    runs += [replace(_cut(runs[0]), status=NOT_RUN, message="it was not run.")] * (members.count - len(runs))
    return _batch(runs, derivation, duration, members, functions)


def _given(members: Members, i: int, functions: Functions) -> dict[str, Any]:
    """The options of one run."""
    return members.member(i) | {"functions": functions, "progress": False}


def _of_native(made: Made, derivation: Derivation, duration: float, members: Members, functions: Functions) -> Batch:
    """What native code made, as a batch; members that it could not bring to their end are run once more by Python."""
    equations, count = derivation.equations, members.count
    q, u, z = np.split(made.states, np.cumsum([len(equations.q), len(equations.u)]), axis=2)
    arrays = {"q": q, "u": u, "z": z, "inputs": made.inputs, "tau": made.tau}
    parameters = {**(members.shared.get("parameters") or {})}
    parameters |= {str(name): rows for (option, name), rows in members.varied.items() if option == "parameters"}
    names = {
        "q": tuple(equations.coordinates), "u": tuple(equations.speeds), "z": tuple(equations.states),
        "inputs": tuple(equations.system.inputs), "tau": tuple(equations.tree.speeds),
    }  # fmt: skip
    batch = Batch(
        made.times, arrays, np.full(count, len(made.times)), np.full(count, "done", dtype="<U32"), ("",) * count,
        names, labelled(equations, members), parameters, tuple(made.info(i) for i in range(count)), {}, functions,
    )  # fmt: skip
    again = np.flatnonzero(~made.done)
    if members.shared.get("watch_energy", True):
        again = np.union1d(again, _losing(batch, made, functions))
    if not len(again):
        return batch
    runs = {int(i): _one(derivation, duration, _given(members, int(i), functions)) for i in again}
    return batch.with_runs(runs)


def _losing(batch: Batch, made: Made, functions: Functions) -> NDArray[np.int64]:
    """Members of which a run alone might have to tell that energy was lost."""
    signals = read_efforts(functions.equations, None), read_inputs(functions.equations, None, made.inputs[0, 0])
    varies = made.tau.any() or (made.inputs != made.inputs[:, :1]).any()
    if varies or not is_conservative(functions, *signals):
        return np.zeros(0, dtype=np.int64)
    count, samples = batch.q.shape[:2]
    given: dict[str, Any] = {name: np.repeat(v, samples) if np.ndim(v) else v for name, v in batch.parameters.items()}
    q, u = batch.q.reshape(count * samples, -1), batch.u.reshape(count * samples, -1)
    inputs = np.repeat(made.inputs, samples, axis=0)
    kinetic, potential = functions.energy(q, u, parameters=given, inputs=inputs)
    kinetic, potential = (
        np.broadcast_to(each, count * samples).reshape(count, samples) for each in (kinetic, potential)
    )
    total = kinetic + potential
    off = np.abs(total - total[:, :1]).max(axis=1)
    in_play = kinetic.max(axis=1) + np.ptp(potential, axis=1)
    return np.flatnonzero(off > float(batch.infos[0]["rtol"]) * in_play)


def _one(derivation: Derivation, duration: float, options: dict[str, Any]) -> Trajectory:
    """A member's trajectory; of one that fails, as far as it got."""
    try:
        return simulate(derivation, duration, **options)
    except SimulationError as error:
        run = error.trajectory
        if not isinstance(run, Trajectory):
            raise
        # A run that got to its end and did not pass its audit did not succeed either.
        return replace(run, status="audit", message=error.problems[0].message) if run.is_whole else run
    except PolhodeError as error:
        problem = error.problems[0]
        message = f"{problem.place}: {problem.message}" if problem.place else problem.message
        given = dict(options.get("parameters") or {})
        return _nowhere(derivation, REFUSED, message, options["functions"], given)


def _nowhere(
    derivation: Derivation, status: str, message: str, functions: Functions, parameters: Mapping[str, Any]
) -> Trajectory:
    """The trajectory of a run that did not start."""
    equations = derivation.equations
    return Trajectory(
        np.zeros(0), np.zeros((0, len(equations.q))), np.zeros((0, len(equations.u))), tuple(equations.coordinates),
        tuple(equations.speeds), status, message, functions=functions, parameters=parameters,
        states=tuple(equations.states),
    )  # fmt: skip


def stacked(
    runs: Sequence[Trajectory],
    t: Floats,
    varied: Mapping[str, Floats],
    functions: Functions | None,
    parameters: Mapping[str, Any],
) -> Batch:
    """Trajectories as one batch over common samples."""
    arrays = {
        name: np.full((len(runs), len(t), width), np.nan)
        for name in FIELDS
        if (width := max((each.shape[1] for run in runs if (each := getattr(run, name)) is not None), default=None))
        is not None
    }
    reached = np.zeros(len(runs), dtype=np.int64)
    for i, run in enumerate(runs):
        common = np.isin(run.t, t)
        reached[i] = common.sum()
        for name, array in arrays.items():
            values = getattr(run, name)
            if values is not None and len(run):
                array[i, : reached[i]] = values[common]
    whole = max(runs, key=len)
    return Batch(
        t, arrays, reached, np.array([run.status for run in runs], dtype=np.str_), tuple(run.message for run in runs),
        {name: getattr(whole, _NAMES[name]) for name in arrays}, dict(varied), dict(parameters),
        tuple(run.info for run in runs), dict(enumerate(runs)), functions,
    )  # fmt: skip


def joined(
    parts: Mapping[int, Batch], derivation: Derivation, duration: float, members: Members, functions: Functions
) -> Batch:
    """Batches of some members each, by the place of their first, as one; members that are in none were not run."""
    missing = _nowhere(derivation, NOT_RUN, "it was not run.", functions, {})
    runs = [missing] * members.count
    for first, part in parts.items():
        runs[first : first + len(part)] = [replace(run, functions=functions) for run in part]
    return _batch(runs, derivation, duration, members, functions)


def _batch(
    runs: Sequence[Trajectory], derivation: Derivation, duration: float, members: Members, functions: Functions
) -> Batch:
    parameters = {**(members.shared.get("parameters") or {})}
    parameters |= {str(name): rows for (option, name), rows in members.varied.items() if option == "parameters"}
    times = sample_times(derivation, duration, members.shared)
    return stacked(runs, times, labelled(derivation.equations, members), functions, parameters)


def _cut(run: Trajectory) -> Trajectory:
    """The run without its samples."""
    parts: dict[str, Any] = {name: None if (rows := getattr(run, name)) is None else rows[:0] for name in FIELDS}
    return replace(run, t=run.t[:0], acted=None, interpolant=None, **parts)


def _of_member(value: Any, i: int) -> Any:
    return float(value[i]) if np.ndim(value) else value


def _tell(told: Sequence[warnings.WarningMessage], members: int) -> None:
    """Tell the warnings of all runs together: each sentence once, and not more than a few of them."""
    ours = [str(each.message) for each in told if each.category is UserWarning]
    for each in told:
        if each.category is not UserWarning:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    distinct = list(dict.fromkeys(ours))
    for text in distinct[:_MOST_TOLD]:
        count = ours.count(text)
        warn(f"in {count} of {members} runs: {text}" if count > 1 else f"in one of {members} runs: {text}")
    if len(distinct) > _MOST_TOLD:
        warn(f"{len(distinct) - _MOST_TOLD} more warnings like these are in the notices of each member.")
