"""Ten thousand double pendulums for 5 s each on one core, beside SciPy's DOP853 on fifty of them, scaled; then on two
cores, on the wall.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ..harness import Row, Say, fresh, least_times, measure, timing
from ..mechanisms import double_pendulum
from ..work_precision import BASE

PEERS = ()
_DURATION, _FEW = 5.0, 50


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
    measures = {str(len(each)): partial(_seconds_on, each, members) for each in (cores[:1], cores)}
    one, two = least_times(measures, 2 if quick else 5).values()
    note = "two cores that are free gain nearly 2"
    yield timing(case, "on two cores, on the wall", two, "ours on one", one, note=note)


def _seconds_on(cores: Sequence[int], members: int) -> float:
    """Least seconds on the wall of three batches in a fresh process on some cores, everything compiled before."""
    before = f"import os; from bench.parts.batch import batch\nos.sched_setaffinity(0, {set(cores)})\n"
    stages = {"before": f"{before}run = batch({members}); run()"} | {f"run {k}": "run()" for k in range(3)}
    return min(wall for _, wall in list(fresh(stages).values())[1:])
