"""Running batches: all members in native code where that is possible, else one by one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...errors import LimitError, PolhodeError, ShapeError, SimulationError, listed, warn
from ..control.actuation import options_in_python
from ..initial_state import Floats
from ..progress import reporting
from ..run import simulate
from ..settings import MOST_BYTES, row_width, times_of
from ..trajectory.trajectory import Trajectory
from .batch import INTERRUPTED, NOT_RUN, REFUSED, WHOLE, Batch, stacked
from .members import Members, columns_of, labelled, words
from .native_batch import run_natively

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: So many different warnings of the members are repeated.
_MOST_WARNINGS = 3


def simulate_batch(derivation: Derivation, duration: float, members: Members) -> Batch:
    """Run all members; one that fails has its message in the batch."""
    check_size(derivation, duration, members)
    notices = _under_lock(members)
    for notice in notices:
        warn(notice)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        batch = replace(run_members(derivation, duration, members), notices=notices)
    _warn_once(caught, len(batch))
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
    """A notice where Python functions make members run one by one."""
    names = options_in_python(members.shared)
    if not names:
        return ()
    have = "has a Python function" if len(names) == 1 else "have Python functions"
    return (
        f"the {members.count} runs go one by one, under the interpreter's lock: "
        f"{listed(map(repr, names))} {have}. As expressions they"
        " would leave all cores to native code; a sweep runs them in several processes.",
    )


def run_members(derivation: Derivation, duration: float, members: Members, threads: int | None = None) -> Batch:
    """Run every member, in this process; a member's bits do not depend on which others are run with it."""
    options = dict(members.shared)
    functions = options.get("functions") or Functions(derivation)
    with reporting(options.get("progress"), f"running {members.count} members", members.count, "runs") as report:
        try:
            outcome = run_natively(
                derivation, duration, members, functions, lambda part: report(part * members.count), threads
            )
        except KeyboardInterrupt:  # before the first run, while members were assembled
            first = _nowhere(derivation, INTERRUPTED, "the run was interrupted.", functions, {})
            return _batch({0: first}, derivation, duration, members, functions)
        again = range(members.count) if outcome is None else outcome[1].tolist()
        runs: dict[int, Trajectory] = {}
        for i in again:
            runs[i] = _one(derivation, duration, members.member(i, functions))
            if outcome is None:
                report(i + 1)
            if runs[i].status == INTERRUPTED:
                break
    if outcome is None:
        return _batch(runs, derivation, duration, members, functions)
    return outcome[0].with_runs(runs) if runs else outcome[0]


def _one(derivation: Derivation, duration: float, options: dict[str, Any]) -> Trajectory:
    """A member's trajectory; if it fails, the part before."""
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
        parameters = dict(options.get("parameters") or {})
        return _nowhere(derivation, REFUSED, message, options["functions"], parameters)


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
    """Batches of some members each, by the index of their first, as one; members that are in none were not run."""
    runs = {first + k: replace(run, functions=functions) for first, part in parts.items() for k, run in enumerate(part)}
    return _batch(runs, derivation, duration, members, functions)


def _batch(
    runs: Mapping[int, Trajectory], derivation: Derivation, duration: float, members: Members, functions: Functions
) -> Batch:
    """Runs by their numbers as a batch; members that are not among them were not run."""
    missing = _nowhere(derivation, NOT_RUN, "it was not run.", functions, {})
    times = sample_times(derivation, duration, members.shared)
    every = [runs.get(i, missing) for i in range(members.count)]
    return stacked(every, times, labelled(derivation.equations, members), functions, members.parameters)


def _warn_once(caught: Sequence[warnings.WarningMessage], members: int) -> None:
    """Repeat the warnings of all runs: each sentence once, and not more than a few of them."""
    texts = [str(warning.message) for warning in caught if warning.category is UserWarning]
    for warning in caught:
        if warning.category is not UserWarning:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    distinct = list(dict.fromkeys(texts))
    for text in distinct[:_MOST_WARNINGS]:
        count = texts.count(text)
        warn(f"in {count if count > 1 else 'one'} of {members} runs: {text}")
    if len(distinct) > _MOST_WARNINGS:
        warn(f"{len(distinct) - _MOST_WARNINGS} more warnings like these are in the notices of each member.")


# ---- samples -------------------------------------------------------------------------------------------------
# The samples that all runs of a batch share, and how many of them memory is thought to hold.


def sample_times(derivation: Derivation, duration: float, options: Mapping[str, Any]) -> Floats:
    """The times of the samples that all runs with these options share."""
    return times_of(duration, options.get("samples"), options.get("rate"), row_width(derivation.synopsis))


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
