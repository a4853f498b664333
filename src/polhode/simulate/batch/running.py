"""Batches are run: all members in native code where that can be, else one by one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...errors import LimitError, PolhodeError, ShapeError, SimulationError, listed, warn
from ..control.actuation import options_in_python, read_efforts, read_inputs
from ..initial_state import Floats
from ..progress import reporting
from ..run import simulate
from ..settings import MOST_BYTES, row_width, span_of
from ..trajectory.energy import is_conservative, may_drift
from ..trajectory.trajectory import Trajectory
from .batch import INTERRUPTED, NOT_RUN, REFUSED, WHOLE, Batch, cut, stacked
from .members import Members, columns_of, labelled, words
from .native_batch import NativeRuns, run_natively, samples_of

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: So many different warnings of the members are told.
_MOST_TOLD = 3


def simulate_batch(derivation: Derivation, duration: float, members: Members) -> Batch:
    """Run all members; one that fails leaves its sentence in its place."""
    check_size(derivation, duration, members)
    notices = _under_lock(members)
    for notice in notices:
        warn(notice)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        batch = replace(run_members(derivation, duration, members), notices=notices)
    _tell(told, len(batch))
    if (batch.status == REFUSED).all():
        simulate(derivation, duration, **members.member(0))
    if INTERRUPTED in batch.status:
        done = int(np.isin(batch.status, WHOLE).sum())
        raise SimulationError(
            f"the batch was interrupted after {done} of {len(batch)} runs.",
            trajectory=batch,
            cure="error.trajectory holds the runs until then.",
            code="E-RUN-INTERRUPTED",
        )
    return batch


def _under_lock(members: Members) -> tuple[str, ...]:
    """What is told of members that ask Python, and so go one by one."""
    found = options_in_python(members.shared)
    if not found:
        return ()
    asks = "has a Python function" if len(found) == 1 else "have Python functions"
    told = listed(f"'{name}'" for name in found)
    return (
        f"the {members.count} runs go one by one, under the interpreter's lock: {told} {asks}. As expressions they"
        " would leave all cores to native code; a sweep runs them in several processes.",
    )


def run_members(derivation: Derivation, duration: float, members: Members, threads: int | None = None) -> Batch:
    """Run every member, in this process; a member's bits do not depend on which others are run with it."""
    options = dict(members.shared)
    functions = options.get("functions") or Functions(derivation)
    with reporting(options.get("progress"), f"running {members.count} members", members.count, "runs") as report:
        try:
            made = run_natively(
                derivation, duration, members, functions, lambda part: report(part * members.count), threads
            )
        except KeyboardInterrupt:  # before the first run, while members were assembled
            left = [_nowhere(derivation, NOT_RUN, "it was not run.", functions, {})] * members.count
            left[0] = replace(left[0], status=INTERRUPTED, message="the run was interrupted.")
            return _batch(left, derivation, duration, members, functions)
        if made is not None:
            return _of_native(made, derivation, duration, members, functions)
        runs: list[Trajectory] = []
        for i in range(members.count):
            runs.append(_one(derivation, duration, _given(members, i, functions)))
            report(i + 1)
            if runs[-1].status == INTERRUPTED:
                break
    runs += [replace(cut(runs[0]), status=NOT_RUN, message="it was not run.")] * (members.count - len(runs))
    return _batch(runs, derivation, duration, members, functions)


def _given(members: Members, i: int, functions: Functions) -> dict[str, Any]:
    """The options of one run."""
    return members.member(i) | {"functions": functions, "progress": False}


def _of_native(
    made: NativeRuns, derivation: Derivation, duration: float, members: Members, functions: Functions
) -> Batch:
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
    status = np.full(count, "done", dtype=f"<U{len(INTERRUPTED)}")
    batch = Batch(
        made.times, arrays, np.full(count, len(made.times)), status, ("",) * count, names,
        labelled(equations, members), parameters, made.infos, {}, functions,
        partial(RerunInterpolant, derivation, duration, members, functions), members.shared.get("controller"),
    )  # fmt: skip
    whole, batch = batch, _with_events(batch, made)
    if made.left.any():
        return _interrupted(batch, made)
    again = np.flatnonzero(~made.done)
    if members.shared.get("watch_energy", True) and not made.changes_states:
        again = np.union1d(again, _losing(whole, made, functions))
    runs: dict[int, Trajectory] = {}
    for i in again.tolist():
        runs[i] = _one(derivation, duration, _given(members, i, functions))
        if runs[i].status == INTERRUPTED:
            missing = _nowhere(derivation, NOT_RUN, "it was not run.", functions, {})
            runs |= {k: missing for k in np.flatnonzero(~made.done).tolist() if k not in runs}
            break
    return batch.with_runs(runs) if runs else batch


def _with_events(batch: Batch, made: NativeRuns) -> Batch:
    """With the samples at the events of each member, and no others behind one that ended it."""
    logs = made.logs
    if logs is None:
        return batch
    ends, own = np.cumsum([batch.q.shape[2], batch.u.shape[2]]), {}
    arrays, reached = {name: np.array(each) for name, each in batch.arrays.items()}, batch.reached.copy()
    status = np.where(made.ended, "event", batch.status)
    for i in np.flatnonzero(made.done).tolist():
        t, x, reached[i] = samples_of(batch.t, made.states[i], logs.of_member(i), bool(made.ended[i]), made.groups)
        if len(t) == reached[i]:
            continue
        q, u, z = np.split(x, ends, axis=1)
        held = {name: np.repeat(arrays[name][i, :1], len(t), axis=0) for name in ("tau", "inputs")}
        own[i] = {"t": t, "q": q, "u": u, "z": z, **held}
    for i in np.flatnonzero(made.ended).tolist():
        for array in arrays.values():
            array[i, reached[i] :] = np.nan
    return replace(batch, arrays=arrays, reached=reached, status=status).with_own(own)


def _interrupted(batch: Batch, made: NativeRuns) -> Batch:
    """What was done before an interrupt; members that it left undone, or that need another look, were not run."""
    first, undone = int(np.argmax(made.left)), ~made.done
    status, messages = batch.status.copy(), ["it was not run."] * len(batch)
    status[undone], status[first] = NOT_RUN, INTERRUPTED
    for i in np.flatnonzero(made.done).tolist():
        messages[i] = ""
    messages[first] = "the run was interrupted."
    arrays = {name: np.array(array) for name, array in batch.arrays.items()}
    for array in arrays.values():
        array[undone] = np.nan
    reached = np.where(made.done, batch.reached, 0)
    return replace(batch, arrays=arrays, status=status, messages=tuple(messages), reached=reached)


@dataclass(eq=False)
class RerunInterpolant:
    """The states of a member between its samples: it is run once more, alone, and its own interpolant asked."""

    derivation: Derivation
    duration: float
    members: Members
    functions: Functions
    number: int

    @cached_property
    def _interpolant(self) -> Callable[[Floats], Floats]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = simulate(self.derivation, self.duration, **_given(self.members, self.number, self.functions))
        return run.interpolant or (lambda t: run.at(t).x)

    def __call__(self, times: Floats) -> Floats:
        """States (T, n) at times (T,)."""
        return self._interpolant(times)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


def _losing(batch: Batch, made: NativeRuns, functions: Functions) -> NDArray[np.int64]:
    """Members of which a run alone might have to tell that energy was lost."""
    signals = read_efforts(functions.derivation, None), read_inputs(functions.derivation, None, made.inputs[0, 0])
    varies = made.tau.any() or (made.inputs.shape[2] and (made.inputs != made.inputs[:, :1]).any())
    if varies or not is_conservative(functions, *signals):
        return np.zeros(0, dtype=np.int64)
    count, samples = batch.q.shape[:2]
    given: dict[str, Any] = {name: np.repeat(v, samples) if np.ndim(v) else v for name, v in made.parameters.items()}
    q, u = batch.q.reshape(count * samples, -1), batch.u.reshape(count * samples, -1)
    inputs = made.inputs.reshape(count * samples, -1)
    kinetic, potential = functions.energy(q, u, parameters=given, inputs=inputs)
    kinetic, potential = (
        np.broadcast_to(each, count * samples).reshape(count, samples) for each in (kinetic, potential)
    )
    info = batch.infos[0]
    return np.flatnonzero(may_drift(batch.q, batch.u, kinetic, potential, info))


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


# ---- samples -------------------------------------------------------------------------------------------------
# The samples that all runs of a batch share, and how many of them memory is thought to hold.


def sample_times(derivation: Derivation, duration: float, options: Mapping[str, Any]) -> Floats:
    """The times of the samples that all runs with these options share."""
    return span_of(duration, options.get("samples"), options.get("rate"), row_width(derivation.synopsis)).times


def check_size(derivation: Derivation, duration: float, members: Members) -> None:
    """Refuse more samples of all members than memory is thought to hold, and rows of another width than a state's."""
    samples = len(sample_times(derivation, duration, members.shared))
    size = 8.0 * members.count * samples * row_width(derivation.synopsis)
    if size > MOST_BYTES:
        message = f"{members.count} runs of {samples} samples would take {size * 1e-9:.3g} GB."
        cure = "Keep fewer samples, run fewer members at once, or sweep with a measure."
        raise LimitError(message, "batch", cure, "E-BATCH-SIZE")
    for which, rows in members.varied.items():
        _, names = columns_of(which, derivation.equations)
        if rows.reshape(members.count, -1).shape[1] != len(names):
            message = f"the shape is {rows.shape}, expected ({members.count}, {len(names)})."
            raise ShapeError(message, words(which), f"Give a row for each member: {', '.join(names)}.", "E-BATCH-SHAPE")
