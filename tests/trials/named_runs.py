"""Runs that were once wrong, slow or endless: seconds, result and truth of each.

    python -m tests.trials.named_runs [--only TEXT] [--limit 60]

Each case runs in a process of its own, once to compile and once for the time, and is given up after `--limit`
seconds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from bench.mechanisms import CASSIE, pendulum

import polhode as ph
from polhode.model.samples import n_four_bar

from .ported import cam, cradle, pushed_follower, short_push, tippe_top

#: Seconds, result, truth.
Figure = tuple[float, str, str]


def timed(equations: ph.Equations, duration: float, **options: Any) -> tuple[float, Any]:
    """Seconds of a second run, and that run."""
    for _ in range(2):
        begin = time.perf_counter()
        run = equations.simulate(duration, progress=False, **options)
        seconds = time.perf_counter() - begin
    return seconds, run


def pendulum_events(method: str) -> Figure:
    """Levels just below the turning point are crossed twice in a step."""
    given: dict[str, Any] = {"start": {"hinge": 1.0}, "method": method}
    e = pendulum().derive()
    seconds, run = timed(e, 20, events=[e.q[0] - 0.999], **given)
    shown = np.signbit(e.simulate(20, samples=200_001, rtol=1e-12, atol=1e-12, **given)["hinge"] - 0.999)
    return seconds, f"{len(run.events[0])} events", f"{np.count_nonzero(shown[1:] != shown[:-1])}"


def cradle_run(method: str) -> Figure:
    """Balls never overlap, and the first and last turn back at the height at which the last began."""
    s, on, gaps = cradle()
    seconds, run = timed(s.derive(), 2.5, start={"a4": np.pi / 2}, on=on, method=method, samples=2501)
    least = float(np.min(run.values(*gaps)))
    return (
        seconds,
        f"least gap {1e3 * least:.2g} mm, drift {run.energy_drift:.1g}, {sum(map(len, run.events))} impacts, "
        f"{run.status}, a0 from {run['a0'].min():.4f}",
        "least gap 0, drift 0",
    )


def stroke(make: Callable[[], ph.System], start: dict[str, float], method: str, tolerance: float) -> Figure:
    """How far a follower that is pushed four times a second is off, against rk4 in steps of 1 µs."""
    e = make().derive()
    seconds, run = timed(e, 2, start=start, method=method, samples=2001, rtol=tolerance, atol=tolerance)
    truth = e.simulate(2, start=start, method="rk4", step=1e-6, samples=2001, watch_energy=False)
    off = np.abs(run["x"] - np.interp(run.t, truth.t, truth["x"])).max()
    return seconds, f"off by {1e3 * off:.2g} mm", f"0, of a stroke of {1e3 * np.ptp(truth['x'][100:]):.2f} mm"


def push(method: str) -> Figure:
    seconds, run = timed(short_push().derive(), 2, method=method)
    return seconds, f"v = {run.speed('v')[-1]:.6f} m/s", f"{np.sqrt(np.pi) / 2:.6f} m/s"


def tippe_tops(jumps: bool) -> Figure:
    """The law that jumps and the one that does not give one motion."""
    start: dict[str, Any] = {"start": {"fly_z": 0.16}, "speeds": {"fly_wy": 0.4, "fly_wz": 200}}
    seconds, run = timed(tippe_top(jumps).derive(), 10, **start)
    truth = tippe_top(False).derive().simulate(10, rtol=1e-12, atol=1e-12, **start)
    text = f"z = {run['fly_z'][-1]:.6f} m, {run.info['method']}, {run.info['steps']} steps"
    return seconds, text, f"z = {truth['fly_z'][-1]:.6f} m, twice the time with jumps"


def flat_four_bar(method: str) -> Figure:
    """An event behind a singular pose."""
    e = n_four_bar(1).derive()
    given: dict[str, Any] = {"speeds": {"crank 0": 0.8}, "method": method}
    seconds, run = timed(e, 0.9, events=[e.q[0] - 1.3], **given)
    until = e.simulate(0.9, until=e.q[0] - 1.3, **given)
    return seconds, f"t = {run.events[0][0]:.6f} s; until: q = {until.q[-1, 0]:.6f}", "t = 0.714060 s; q = 1.3"


def cassie(duration: float, crank: float) -> Figure:
    """Cassie from home (crank 0, a singular pose), or away from it."""
    e = ph.load(CASSIE.path).derive()
    start = {name: crank for name in e.coordinates if crank and name.endswith("tarsus-crank-joint")}
    seconds, run = timed(e, duration, start=start)
    return seconds, f"{run.status}, {run.info['steps']} steps, drift {run.energy_drift:.1g}", "done, at most 0.5 s"


def cases() -> dict[str, Callable[[], Figure]]:
    """Every case by its name."""
    methods = ("auto", "taylor", "DOP853", "Radau")
    found: dict[str, Callable[[], Figure]] = {f"pendulum, {m}": partial(pendulum_events, m) for m in methods}
    found |= {f"cradle, {m}": partial(cradle_run, m) for m in methods}
    for tolerance in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        for m in ("auto", "Radau"):
            found[f"cam, {m} {tolerance:g}"] = partial(stroke, cam, {"x": 0.1}, m, tolerance)
            found[f"pushed follower, {m} {tolerance:g}"] = partial(stroke, pushed_follower, {}, m, tolerance)
    found |= {f"short push, {m}": partial(push, m) for m in methods}
    found |= {f"tippe top, {'jumps' if jumps else 'smooth'}": partial(tippe_tops, jumps) for jumps in (False, True)}
    found |= {f"flat four-bar, {m}": partial(flat_four_bar, m) for m in ("auto", "DOP853", "Radau")}
    found |= {"cassie, cranks at -1, 2 s": partial(cassie, 2.0, -1.0), "cassie, home, 2 s": partial(cassie, 2.0, 0.0)}
    return found


def _figure(case: Callable[[], Figure], answers: Any) -> None:
    warnings.simplefilter("ignore")
    try:
        answers.put(case())
    except ph.PolhodeError as error:
        answers.put((float("nan"), str(error).partition("\n")[0][:90], ""))


def figure_of(case: Callable[[], Figure], limit: float) -> Figure:
    """The figure of a case that runs in a process of its own, and is given up after some seconds."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=_figure, args=(case, answers))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        return float("nan"), f"not done after {limit:g} s", ""
    return answers.get() if process.exitcode == 0 else (float("nan"), f"exit code {process.exitcode}", "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(prog="python -m tests.trials.named_runs", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose names contain this")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a case may take")
    options = parser.parse_args(arguments)
    for name, case in cases().items():
        if options.only in name:
            seconds, result, truth = figure_of(case, options.limit)
            print(f"{name:30} {seconds:9.4f} s  {result}" + (f"  ({truth})" if truth else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
