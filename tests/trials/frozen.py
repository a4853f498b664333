"""Runs that a rewrite of the engine must leave as they are, bit for bit.

    python -m tests.trials.frozen --out before.json
    python -m tests.trials.frozen --against before.json

Each run of `tests.trials.frozen_cases` has a digest of its times, states, efforts, events, limits passed, status,
message, and the numbers themselves, to show how far a run that differs is off. The second command names each run that
differs, what of it differs, and by how much, and fails if there is one. The bits depend on the processor: such a file
serves on the machine that wrote it. `--only` takes the runs whose names contain a text.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

# Sums of SciPy's linear algebra depend on the number of threads, which is read when NumPy is loaded.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

import polhode as ph
from polhode.simulate import Batch, Trajectory

from .frozen_cases import cases


@dataclass
class Outcome:
    """What a run gave: numbers as text that gives the same bits again."""

    t: list[float]
    states: list[float]
    acted: list[float]  # efforts and inputs
    events: list[list[float]]
    limits: list[str]
    status: str
    message: str
    steps: int
    width: int = 1  # numbers in a row of states

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each part that must not change."""
        kept = {name: value for name, value in asdict(self).items() if name not in ("steps", "width")}
        return {name: sha256(json.dumps(value).encode()).hexdigest() for name, value in kept.items()}


def outcome_of(case: Callable[[], Any]) -> Outcome:
    """Run a case, and record what it returns or raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _recorded(case())
    except ph.PolhodeError as error:
        run = getattr(error, "trajectory", None)
        outcome = _of_run(run) if isinstance(run, Trajectory) else _of_numbers()
        outcome.status, outcome.message = outcome.status or "refused", str(error)
        return outcome


def _recorded(result: Any) -> Outcome:
    """Results of other kinds are read by what they have: the modules that they come from may move."""
    if isinstance(result, Trajectory):
        return _of_run(result)
    if isinstance(result, Batch):
        return _joined(map(_of_run, result))
    if hasattr(result, "dq"):
        parts = [result.dq, result.du, result.dz, *(slope for event in result.event_times for slope in event)]
        ends = [result.end_time, result.end_q, result.end_u, result.end_z]
        return _joined([_of_run(result.trajectory), *map(_of_numbers, [*parts, *ends])])
    if hasattr(result, "slopes"):
        return _joined([_of_run(result.trajectory), _of_numbers([result.value]), _of_numbers(result.slopes)])
    if hasattr(result, "axes"):
        outcome = _joined(_of_numbers(result.values[name]) for name in sorted(result.values))
        outcome.status, outcome.message = " ".join(result.status), " ".join(result.messages)
        return outcome if result.trajectories is None else _joined([outcome, *map(_of_run, result.trajectories)])
    return _of_numbers(result)


def _of_run(run: Trajectory) -> Outcome:
    limits = [f"{passed.name} {passed.side} {passed.time!r} {passed.farthest!r}" for passed in run.passed_limits]
    events = [[float(t) for t in times] for times in run.events]
    acted = [number for each in (run.tau, run.inputs) if each is not None for number in each.ravel().tolist()]
    x, steps = run.x, int(run.info.get("steps", 0))
    return Outcome(
        run.t.tolist(), x.ravel().tolist(), acted, events, limits, run.status, run.message, steps, x.shape[1]
    )


def _of_numbers(values: Any = ()) -> Outcome:
    return Outcome([], np.ravel(np.asarray(values, dtype=float)).tolist(), [], [], [], "", "", 0)


def _joined(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcomes of members, one after the other."""
    joined = _of_numbers()
    for k, outcome in enumerate(outcomes):
        joined.t += outcome.t
        joined.states += outcome.states
        joined.acted += outcome.acted
        joined.events += outcome.events
        joined.limits += outcome.limits
        joined.status += ("; " if k and outcome.status else "") + outcome.status
        joined.message += outcome.message
        joined.steps += outcome.steps
    return joined


def largest_difference(before: Sequence[float], now: Sequence[float], width: int) -> float:
    """The largest difference of two lists of numbers by the largest of them; of the last rows if the lengths differ."""
    if len(before) != len(now):
        before, now = before[-width:], now[-width:]
    if len(before) != len(now):
        return float("nan")
    one, other = np.array(before), np.array(now)
    if not one.size or np.array_equal(one, other, equal_nan=True):
        return 0.0
    return float(np.nanmax(np.abs(one - other)) / max(np.nanmax(np.abs(one)), 1e-300))


def differences(before: dict[str, Outcome], now: dict[str, Outcome]) -> list[str]:
    """A line for each run that is not what it was; runs that were not there before, as by a new method, have none."""
    lines = [f"{name}: is missing" for name in before.keys() - now.keys()]
    for name in before.keys() & now.keys():
        one, other = before[name], now[name]
        parts = [part for part, digest in one.digests.items() if digest != other.digests[part]]
        if not parts:
            continue
        off = largest_difference(one.states, other.states, one.width)
        times = largest_difference([*chain(*one.events)], [*chain(*other.events)], 1)
        line = f"{name}: {', '.join(parts)} differ; states by {off:.2g}, event times by {times:.2g}"
        line += f"; {len(one.t)} rows, {len(other.t)} now; {one.steps} steps, {other.steps} now"
        if one.status != other.status:
            line += f"; {one.status!r}, {other.status!r} now"
        lines.append(line)
    return sorted(lines)


def run_all(only: str = "", seconds: dict[str, float] | None = None) -> dict[str, Outcome]:
    """The outcomes of all runs whose names contain a text; `seconds` gets what each took."""
    outcomes: dict[str, Outcome] = {}
    for name, case in cases():
        if only in name:
            begin = time.perf_counter()
            assert name not in outcomes, name
            outcomes[name] = outcome_of(case)
            if seconds is not None:
                seconds[name] = time.perf_counter() - begin
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the outcomes, or compare them with those of another tree."""
    parser = argparse.ArgumentParser(prog="python -m tests.trials.frozen", description=__doc__)
    parser.add_argument("--out", type=Path, help="a JSON file to write them to")
    parser.add_argument("--against", type=Path, help="a JSON file that was written before")
    parser.add_argument("--only", default="", help="runs whose names contain this")
    parser.add_argument("--times", action="store_true", help="name the slowest runs")
    options = parser.parse_args(arguments)
    seconds: dict[str, float] = {}
    outcomes = run_all(options.only, seconds)
    if options.times:
        for name in sorted(seconds, key=lambda name: -seconds[name])[:25]:
            print(f"{seconds[name]:8.2f} s  {name}")
    if options.out:
        table = {name: asdict(outcome) | {"digests": outcome.digests} for name, outcome in outcomes.items()}
        options.out.write_text(json.dumps(table) + "\n")
    refused = sum(outcome.status == "refused" for outcome in outcomes.values())
    print(f"{len(outcomes)} runs, {refused} of them refused, {sum(seconds.values()):.0f} s")
    if not options.against:
        return 0
    table = json.loads(options.against.read_text())
    before = {
        name: Outcome(**{key: value for key, value in entry.items() if key != "digests"})
        for name, entry in table.items()
        if options.only in name
    }
    lines = differences(before, outcomes)
    new = len(outcomes.keys() - before.keys())
    print("\n".join([*lines, f"{len(lines)} of {len(before)} runs differ" + (f"; {new} are new" if new else "")]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
