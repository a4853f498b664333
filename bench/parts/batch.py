"""Ten thousand double pendulums for 5 s each on one core, beside SciPy's DOP853 on fifty of them, scaled; then on two
cores, on the wall, beside the gain of two copies of a plain loop there.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ..fresh import fresh
from ..harness import Row, Say, least_times, measure, timing
from ..mechanisms import double_pendulum
from ..work_precision import BASE

PEERS = ()
_DURATION, _FEW = 5.0, 50
#: Where two copies of a plain loop gain less, another process has the second core, and there is no goal.
_LEAST_GAIN, _LEAST_SHARE = 1.5, 0.9
_LOOP = "x = 0\nfor k in range(15_000_000): x += k"


def batch(members: int, method: str = "auto") -> Callable[[], None]:
    """A batch of members, or one run after the other by SciPy; the first fifty starts of any number are the same."""
    equations = double_pendulum().derive()
    given = {"functions": equations.compile(), "samples": 2, "progress": False, "watch_energy": False}
    q1, q2 = np.random.default_rng(4).uniform(-2.0, 2.0, (members, 2)).T.copy()

    def run() -> None:
        for a, b in [(q1, q2)] if method == "auto" else zip(q1, q2, strict=True):
            equations.simulate(_DURATION, start={"q1": a, "q2": b}, method=method, **given)

    return run


def rows(quick: bool, say: Say) -> Iterator[Row]:
    """One core and two."""
    members = 500 if quick else 10_000
    case, what = f"{members:,} double pendulums", f"{_DURATION:g} s each, one core"
    theirs = least_times({"theirs": measure(batch(_FEW, BASE))}, 2)["theirs"] * members / _FEW
    ours = least_times({"ours": measure(batch(members))}, 3)["ours"]
    yield timing(case, what, ours, "SciPy's DOP853 by simulate, fifty of them scaled", theirs, 150)
    cores = sorted(os.sched_getaffinity(os.getppid()))[:2]  # this process is bound to one
    if len(cores) < 2:
        return
    say("two cores")
    measures = {"copy": partial(_copies, cores[:1]), "copies": partial(_copies, cores)}
    for name, chosen in (("one", cores[:1]), ("two", cores)):
        measures[name] = partial(_seconds_on, list(map(str, chosen)), members)
    least = least_times(measures, 2 if quick else 5)
    gain, most = least["one"] / least["two"], 2 * least["copy"] / least["copies"]
    goal = round(_LEAST_SHARE * most, 2) if most > _LEAST_GAIN else None
    note = f"gain {gain:.2f}; two copies of a plain loop gain {most:.2f}, {_LEAST_SHARE} of which is the goal above 1.5"
    yield timing(case, "on two cores, on the wall", least["two"], "ours on one", least["one"], goal, note=note)


def _seconds_on(cores: Sequence[str], members: int) -> float:
    return float(fresh("many_pendulums", str(members), *cores)["seconds"])


def _copies(cores: Sequence[int]) -> float:
    """Seconds on the wall of a copy of the loop on each core."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _LOOP]
    copies = [subprocess.Popen(command, preexec_fn=partial(os.sched_setaffinity, 0, {core})) for core in cores]
    for copy in copies:
        copy.wait()
    return time.perf_counter() - start
