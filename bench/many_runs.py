"""Ten thousand double pendulums: beside SciPy's DOP853 on one core, and what a second core gains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from polhode import Equations
from polhode.compiled.functions import Functions
from polhode.errors import PolhodeError

from .clock import least_times, seconds_of
from .motions import DOUBLE_PENDULUM, double_pendulum
from .native_build import SOURCES, compile_with, kept, key_of
from .plain_tree import Floats
from .table import Timing
from .work_precision import BASE, SECTION

MEMBERS = 10_000
_DURATION = 5.0
_BASE_MEMBERS = 50
_LEAST_RATIO = 150.0
_LEAST_SHARE = 0.9
#: Where two copies of a plain loop gain less, somebody else has the second core.
_LEAST_GAIN_OF_COPIES = 1.5
_ROUNDS = 150_000_000


def starts(count: int) -> dict[str, Floats]:
    """Angles of many members, the first fifty of any count the same."""
    dice = np.random.default_rng(4)
    angles = dice.uniform(-2.0, 2.0, (count, 2))
    return {"q1": angles[:, 0].copy(), "q2": angles[:, 1].copy()}


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's tables."""
    say("many double pendulums")
    equations = DOUBLE_PENDULUM.equations
    functions = equations.compile()
    members = 500 if quick else MEMBERS
    some, case = starts(_BASE_MEMBERS), f"{members:,} double pendulums"

    def base() -> None:
        for q1, q2 in zip(some["q1"], some["q2"], strict=True):
            equations.simulate(
                _DURATION, start={"q1": q1, "q2": q2}, method=BASE, functions=functions, samples=2, progress=False,
                watch_energy=False,
            )  # fmt: skip

    def ours() -> None:
        _batch(equations, functions, members)

    theirs = least_times({"base": partial(seconds_of, base)}, 2)["base"] * members / _BASE_MEMBERS
    what, peer = f"{_DURATION:g} s each, one core", "SciPy's DOP853 by simulate, fifty of them scaled"
    try:
        least = least_times({"ours": partial(seconds_of, ours)}, 3)["ours"]
    except PolhodeError as problem:
        return [Timing(SECTION, case, what, None, peer, theirs, _LEAST_RATIO, note=f"no batch ran: {problem}"[:90])]
    return [Timing(SECTION, case, what, least, peer, theirs, _LEAST_RATIO), *_two_cores(members, case, say)]


def _batch(equations: Equations, functions: Functions, members: int) -> None:
    equations.simulate(
        _DURATION, start=starts(members), functions=functions, samples=2, progress=False, watch_energy=False
    )


def _two_cores(members: int, case: str, say: Callable[[str], None]) -> list[Timing]:
    """Seconds on the wall with one core and with two, by turns with one and two copies of a plain loop in C."""
    cores = sorted(all_cores())
    if len(cores) < 2:
        return []
    say("two cores")
    loop = _plain_loop(say)
    one, two = cores[:1], cores[:2]
    least = least_times(
        {
            "one": partial(_batch_on, one, members),
            "two": partial(_batch_on, two, members),
            "copy": partial(_copies, loop, one),
            "copies": partial(_copies, loop, two),
        },
        5,
    )
    gain, most = least["one"] / least["two"], 2 * least["copy"] / least["copies"]
    busy = most < _LEAST_GAIN_OF_COPIES
    asked = "the other core was busy, so that nothing is judged" if busy else "0.9 of that is asked"
    return [
        Timing(
            SECTION, case, "on two cores, on the wall", least["two"], "ours on one", least["one"],
            least_ratio=None if busy else round(_LEAST_SHARE * most, 2),
            note=f"gain {gain:.2f}; two copies of a plain loop in C gain {most:.2f}; {asked}",
        )
    ]  # fmt: skip


def all_cores() -> set[int]:
    """The cores of a process that nobody bound to one."""
    status = Path("/proc/1/status")
    try:
        allowed = next(line for line in status.read_text().splitlines() if line.startswith("Cpus_allowed_list"))
    except (OSError, StopIteration):
        return set(range(os.cpu_count() or 1))
    ranges = (part.split("-") for part in allowed.split()[1].split(","))
    return {core for first, *last in ranges for core in range(int(first), int((last or [first])[0]) + 1)}


def _batch_on(cores: Sequence[int], members: int) -> float:
    """Seconds on the wall of a batch in a fresh process that has these cores."""
    command = [sys.executable, "-m", "bench.many_runs", str(members), *map(str, cores)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(run.stdout))


def _copies(loop: Path, cores: Sequence[int]) -> float:
    """Seconds on the wall of a copy of the loop on each core."""
    start = time.perf_counter()
    copies = [
        subprocess.Popen(
            [str(loop), str(_ROUNDS)], stdout=subprocess.DEVNULL, preexec_fn=partial(os.sched_setaffinity, 0, {core})
        )
        for core in cores
    ]
    for copy in copies:
        copy.wait()
    return time.perf_counter() - start


def _plain_loop(say: Callable[[str], None]) -> Path:
    source = SOURCES / "plain_loop.c"

    def make(path: Path) -> None:
        compile_with("gcc", ["-O2", str(source), "-o", str(path)], "plain_loop", say)

    return kept(f"plain_loop-{key_of(source.read_text(encoding='utf-8'))}", make)


def main(members: int, cores: set[int]) -> float:
    """Least seconds on the wall of three batches on some cores, everything warm."""
    os.sched_setaffinity(0, cores)
    equations = double_pendulum().derive()
    functions = equations.compile()
    least = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        _batch(equations, functions, members)
        least = min(least, time.perf_counter() - start)
    return least


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), set(map(int, sys.argv[2:])))))
