"""Ctrl-C at random moments of runs that call Python: how many end the run, at once, with the trajectory so far.

    python -m bench.interrupts [--tries 50] [--seed 0]

Each kind of run has a process of its own. SIGINT comes at a moment drawn from the time that the run takes undisturbed:
by a timer of the system, which hits native code and Python alike, and by a thread, which gets the interpreter's lock
when native code runs, so that the interrupt rises where a callback begins. Right is SimulationError within a second,
with a trajectory "interrupted" whose rows are those of the undisturbed run. Fails if one is not right.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

import polhode as ph
from polhode.errors import SimulationError

from .frozen_cases import chain, linkage, pendulum

OUTCOMES = ("right", "late", "other numbers", "no trajectory", "swallowed", "after the end", "crashed")
_LATE = 1.0  # s


def _effort(t: float, q: Any, u: Any) -> Any:
    return -3.0 * q - 0.5 * u + np.sin(5.0 * t)


def _event(t: float, q: Any, u: Any) -> float:
    return float(q[0] - 0.3)


def _everything(t: float, q: Any, u: Any) -> dict[str, float]:
    return {"omega": -2.0 * q[0] - u[0] + np.sin(9.0 * t)}


def kinds() -> dict[str, Callable[[], Any]]:
    """Runs of some tenths of a second that call Python: efforts, controllers, held functions, events; one does not."""
    bent: dict[str, Any] = {"start": {"q0": 0.7, "q1": -0.3}, "samples": 101, "progress": False}
    turned: dict[str, Any] = {"start": {"crank": 0.3}, "samples": 101, "progress": False}
    run, swing, turn = chain().simulate, pendulum().simulate, linkage().simulate
    free: dict[str, Any] = {"start": {"theta": 1.0}, "samples": 101, "progress": False}
    return {
        "effort, auto": partial(run, 20, tau=_effort, **bent),
        "effort, DOP853": partial(run, 20, tau=_effort, method="DOP853", **bent),
        "effort, Radau": partial(run, 5, tau=_effort, method="Radau", **bent),
        "effort, rk4": partial(run, 2, tau=_effort, method="rk4", step=1e-3, **bent),
        "effort, scipy.DOP853": partial(run, 8, tau=_effort, method="scipy.DOP853", **bent),
        "effort, constraints": partial(turn, 2, tau=_effort, **turned),
        "controller": partial(swing, 20, tau=_everything, **free),
        "held function": partial(swing, 20, tau=ph.held(_everything, every=0.001), **free),
        "event": partial(run, 5000, events=[_event], **bent),
        "event, constraints": partial(turn, 500, events=[_event], **turned),
        "no Python": partial(swing, 900, **free | {"method": "RK23", "rtol": 1e-9, "watch_energy": False}),
    }


def _rows_agree(run: Any, whole: Any) -> bool:
    """Whether the rows of an interrupted run are those of the whole, but for the last, which is where it ended."""
    _, here, there = np.intersect1d(run.t, whole.t, return_indices=True)
    return len(here) >= len(run.t) - 1 and np.array_equal(run.x[here], whole.x[there])


@contextmanager
def signalled(moment: float, by_thread: bool) -> Iterator[None]:
    """Interrupt this process after `moment` seconds, unless that is left before."""
    timer = threading.Timer(moment, os.kill, (os.getpid(), signal.SIGINT))
    if by_thread:
        timer.start()
    else:
        signal.setitimer(signal.ITIMER_REAL, moment)
    try:
        yield
    finally:
        timer.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def outcome_of(run: Callable[[], Any], whole: Any, moment: float, by_thread: bool) -> str:
    """Run with a signal after `moment` seconds."""
    begin = time.perf_counter()
    seconds, result = 0.0, None
    try:
        with signalled(moment, by_thread):
            try:
                result = run()
            finally:
                seconds = time.perf_counter() - begin
    except SimulationError as error:
        result = error.trajectory
    except KeyboardInterrupt:
        return "no trajectory"
    if result is None or result.status != "interrupted":
        return "swallowed" if seconds > moment else "after the end"
    if seconds - moment > _LATE:
        return "late"
    return "right" if _rows_agree(result, whole) else "other numbers"


def tries_of(kind: str, tries: int, seed: int) -> None:
    """Print an outcome a line; called in a process of its own."""
    warnings.simplefilter("ignore")
    run = kinds()[kind]
    run()
    begin = time.perf_counter()
    whole = run()
    seconds = time.perf_counter() - begin
    for number in (signal.SIGALRM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    for k, moment in enumerate(np.random.default_rng(seed).uniform(0.001, 0.8 * seconds, tries)):
        print(outcome_of(run, whole, float(moment), by_thread=k % 2 == 1), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the outcomes by kind of run."""
    parser = argparse.ArgumentParser(prog="python -m bench.interrupts", description=__doc__)
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", help="the tries of one kind, in this process")
    options = parser.parse_args(arguments)
    if options.kind:
        tries_of(options.kind, options.tries, options.seed)
        return 0
    names = list(kinds())
    shares = [options.tries // len(names) + (k < options.tries % len(names)) for k in range(len(names))]
    totals: Counter[str] = Counter()
    print(f"{'':24}" + "".join(f"{name:>15}" for name in OUTCOMES))
    for k, (name, share) in enumerate(zip(names, shares, strict=True)):
        command = [sys.executable, "-m", "bench.interrupts", "--kind", name, "--tries", str(share)]
        command += ["--seed", str(options.seed + k)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        counts = Counter(line for line in ended.stdout.splitlines() if line in OUTCOMES)
        counts["crashed"] = share - counts.total()
        totals += counts
        print(f"{name:24}" + "".join(f"{counts[outcome]:15}" for outcome in OUTCOMES), flush=True)
    print(f"{'all':24}" + "".join(f"{totals[outcome]:15}" for outcome in OUTCOMES))
    return int(totals["right"] + totals["after the end"] < options.tries)


if __name__ == "__main__":
    sys.exit(main())
