"""Measuring on a machine that others use too: one core, interleaved passes, and the least time seen."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping

#: Makes one measurement and returns seconds.
Measure = Callable[[], float]


def stay_on_one_core() -> None:
    """Bind this process and its children to one core, where the system allows it."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds_of(call: Callable[[], object]) -> float:
    """Processor seconds that a call takes, with the garbage of earlier calls swept before.

    On a quiet machine this is the time on the wall; on a busy one it leaves out the others' share.
    """
    gc.collect()
    return seconds_of_one(call)


def seconds_of_one(call: Callable[[], object]) -> float:
    """Processor seconds that a call takes, as it is."""
    start = time.process_time()
    call()
    return time.process_time() - start


def least_times(measures: Mapping[str, Measure], passes: int) -> dict[str, float]:
    """The least seconds of each measure over passes in which they take turns, so that all meet the same weather.

    >>> least_times({"a": lambda: 2.0, "b": lambda: 3.0}, passes=2)
    {'a': 2.0, 'b': 3.0}
    """
    least = dict.fromkeys(measures, float("inf"))
    for _ in range(passes):
        for name, measure in measures.items():
            least[name] = min(least[name], measure())
    return least
