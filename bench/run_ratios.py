"""Ratios of single runs: ours in the run and from call to trajectory, beside SciPy's DOP853 stepping the same code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial

from polhode.errors import PolhodeError
from polhode.simulate import Trajectory

from .clock import least_times, seconds_of
from .motions import DOUBLE_PENDULUM, FOUR_BARS, PANDA, UR5_FALL, Motion
from .our_run import Ours
from .step_engines import scipy_run
from .table import Timing, duration
from .work_precision import BASE, SECTION

_TOLERANCE = 1e-9
_SAMPLES = 200
_PEER = "SciPy's DOP853 by simulate"
_MOST_SECONDS_TO_START = 0.2
_MOST_SECONDS_MORE = 0.15


def rows(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """The section's tables."""
    loops = FOUR_BARS[:1] if quick else FOUR_BARS
    return [
        *_beside_base(UR5_FALL, 150, 30, quick, say),
        *_beside_base(DOUBLE_PENDULUM, 100, None, quick, say),
        *(_loops(motion, goal, say) for motion, goal in zip(loops, (20, None, 10), strict=False)),
        *_first_runs(quick, say),
    ]


def _beside_base(
    motion: Motion, in_the_run: float, to_trajectory: float | None, quick: bool, say: Callable[[str], None]
) -> list[Timing]:
    say(f"{motion.name} beside SciPy's DOP853")
    ours, base = (Ours(motion, method, _TOLERANCE, _SAMPLES) for method in ("auto", BASE))
    for run in (ours, base):
        run()
    least = least_times(
        {
            "in the run": ours.seconds_in_the_run,
            "to trajectory": partial(seconds_of, ours.trajectory),
            "base": partial(seconds_of, base.trajectory),
            "bare": partial(seconds_of, scipy_run(motion, "DOP853", _TOLERANCE)),
        },
        5 if quick else 20,
    )
    what = f"{motion.duration:g} s, rtol {_TOLERANCE:g}"
    return [
        Timing(
            SECTION, motion.name, f"{what}, in the run", least["in the run"], _PEER, least["base"], in_the_run,
            note=f"a bare solve_ivp takes {duration(least['bare'])}",
        ),
        Timing(
            SECTION, motion.name, f"{what}, from call to trajectory", least["to trajectory"], _PEER, least["base"],
            to_trajectory, note=f"warm, {_SAMPLES} samples",
        ),
    ]  # fmt: skip


def _loops(motion: Motion, goal: float | None, say: Callable[[str], None]) -> Timing:
    """At default settings, drift and energy kept as a run by the base keeps them."""
    say(f"{motion.name} beside SciPy's DOP853")
    functions = motion.equations.compile()

    def run(method: str) -> Trajectory:
        return motion.equations.simulate(
            motion.duration, speeds=dict(motion.speeds), method=method, functions=functions, progress=False
        )

    made = {method: run(method) for method in ("auto", BASE)}
    kept = {method: _kept(found) for method, found in made.items()}
    least = least_times({method: partial(seconds_of, partial(run, method)) for method in made}, 2)
    note = f"{kept['auto']}; the base {kept[BASE]}"
    what = f"{motion.duration:g} s at defaults"
    return Timing(SECTION, motion.name, what, least["auto"], _PEER, least[BASE], goal, note=note)


def _kept(run: Trajectory) -> str:
    """How well a run kept its constraints and its energy."""
    stray = max(run.drift.position, run.drift.velocity)
    return f"constraints to {stray:.0e}, energy to {run.energy_drift:.0e}"


def _first_runs(quick: bool, say: Callable[[str], None]) -> list[Timing]:
    """What a user waits for: the first run in a fresh process on a warm cache, and that of a new mechanism."""
    say("first runs")
    with tempfile.TemporaryDirectory(prefix="polhode-bench-") as kept:
        warm = [_fresh("warm", kept) for _ in range(2 if quick else 6)][1:]
        new = [_fresh("new", kept) for _ in range(1 if quick else 4)]
    best = min(warm, key=lambda run: run["all"] - run["numpy"])
    scipy = "SciPy is imported" if any(run["scipy"] for run in warm) else "SciPy is not imported"
    compile_only, first = (min(run[name] for run in new) for name in ("compiled", "simulated"))
    return [
        Timing(
            SECTION, "Panda", "first simulate of 10 ms, warm cache, beyond import numpy", best["all"] - best["numpy"],
            most_seconds=_MOST_SECONDS_TO_START if not any(run["scipy"] for run in warm) else 0.0,
            note=f"import numpy takes {duration(best['numpy'])}; {scipy}; {best['modules']:.0f} modules of polhode are",
        ),
        Timing(
            SECTION, "new six-joint arm", "first simulate, beyond compiling its accelerations",
            max(first - compile_only, 0.0), most_seconds=_MOST_SECONDS_MORE,
            note=f"compiling takes {duration(compile_only)}, the first run {duration(first)}",
        ),
    ]  # fmt: skip


def _fresh(what: str, kept: str) -> dict[str, float]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-m", "bench.first_run", what, str(PANDA.path), *PANDA.locked],
        env={**env, "POLHODE_CACHE_DIR": kept}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode:
        raise PolhodeError(f"a fresh process failed: {run.stderr[-300:]}", place="bench.first_run", code="E-BENCH-014")
    return dict(json.loads(run.stdout))
