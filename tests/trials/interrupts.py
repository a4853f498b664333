"""Ctrl-C at random moments of runs that call Python: how many end the run, at once, with the trajectory so far.

    python -m tests.trials.interrupts [--tries 50] [--seed 0]

Each kind of run has a process of its own. SIGINT comes at a moment drawn from the time that the run takes undisturbed:
from another process, as Ctrl-C does, and from a thread, which gets the interpreter's lock when native code runs, so
that it comes where a callback begins. A third of the tries is by a timer whose handler raises KeyboardInterrupt
wherever Python is. Right is SimulationError within a second, with a trajectory "interrupted" whose rows are those of
the undisturbed run. Before the first state is known there is no trajectory: KeyboardInterrupt is right ("before"). A
signal that was sent when the run was over counts as "after". Fails if one try is wrong.
"""

from __future__ import annotations

import argparse
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

import polhode as ph
from polhode.errors import SimulationError

from .frozen_cases import chain, linkage, pendulum

OUTCOMES = ("right", "before", "after", "late", "other numbers", "no trajectory", "swallowed", "crashed")
_FINE = ("right", "before", "after")
_SENDERS = ("process", "thread", "timer")
_BEGUN = {"go", "integrate", "_trajectory", "check_energy"}  # functions that are called when the first state is known
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
def signalled(moment: float, sender: str) -> Iterator[Callable[[], float]]:
    """Interrupt this process after `moment` seconds, unless that is left before; a function gives when it was sent."""
    begin, sent = time.perf_counter(), [np.inf]

    def send(process: int) -> None:
        sent[0] = time.perf_counter()
        os.kill(process, signal.SIGINT)

    def ring(number: int, frame: Any) -> None:
        sent[0] = time.perf_counter()
        raise KeyboardInterrupt

    timer = threading.Timer(moment, send, (os.getpid(),))
    reading, writing = os.pipe()
    child = 0
    if sender == "thread":
        timer.start()
    elif sender == "timer":
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, moment)
    else:
        parent, child = os.getpid(), os.fork()
        if not child:
            time.sleep(max(0.0, moment - (time.perf_counter() - begin)))
            os.write(writing, struct.pack("d", time.perf_counter()))
            os.kill(parent, signal.SIGINT)
            os._exit(0)
    try:
        yield lambda: sent[0]
    finally:
        timer.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        if child:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        elif sender == "thread":
            timer.join()
        os.close(writing)
        received = os.read(reading, 8)
        os.close(reading)
        if received:
            sent[0] = struct.unpack("d", received)[0]


def outcome_of(run: Callable[[], Any], whole: Any, moment: float, sender: str) -> str:
    """Run with a signal after `moment` seconds."""
    ended, result, sent, has_begun = np.inf, None, lambda: np.inf, False
    try:
        with signalled(moment, sender) as sent:
            try:
                result = run()
            except SimulationError as error:
                result = error.trajectory
            except KeyboardInterrupt as error:
                frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
                has_begun = frames[-1] in ("execute", "outcome_of") or not _BEGUN.isdisjoint(frames)
            ended = time.perf_counter()
    except KeyboardInterrupt:  # after the run
        ended = ended if ended < np.inf else time.perf_counter()
    if sent() > ended and result is not None and result.status == whole.status:
        return "after"
    if result is None:
        return "no trajectory" if has_begun else "before"
    if result.status != "interrupted":
        return "swallowed"
    if ended - sent() > _LATE:
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
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for k, moment in enumerate(np.random.default_rng(seed).uniform(0.001, 0.8 * seconds, tries)):
        print(outcome_of(run, whole, float(moment), _SENDERS[k % 3]), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the outcomes by kind of run."""
    parser = argparse.ArgumentParser(prog="python -m tests.trials.interrupts", description=__doc__)
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
        command = [sys.executable, "-m", "tests.trials.interrupts", "--kind", name, "--tries", str(share)]
        command += ["--seed", str(options.seed + k)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        counts = Counter(line for line in ended.stdout.splitlines() if line in OUTCOMES)
        counts["crashed"] = share - counts.total()
        totals += counts
        print(f"{name:24}" + "".join(f"{counts[outcome]:15}" for outcome in OUTCOMES), flush=True)
    print(f"{'all':24}" + "".join(f"{totals[outcome]:15}" for outcome in OUTCOMES))
    return int(sum(totals[outcome] for outcome in _FINE) < options.tries)


if __name__ == "__main__":
    sys.exit(main())
