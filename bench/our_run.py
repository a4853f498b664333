"""Our simulation of a motion, with two times: of the native stepping alone, and from the call to the trajectory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from polhode.errors import PolhodeError
from polhode.ode.native_run import NativeRun
from polhode.simulate import Trajectory

from .motions import Motion
from .plain_tree import Floats

#: No relative tolerance below this is taken; the absolute one goes on.
_LEAST_RTOL = 1e-13


class Ours:
    """A motion by `simulate` with one method and tolerance, with all of its functions compiled before."""

    def __init__(self, motion: Motion, method: str, tolerance: float, samples: int = 2) -> None:
        self.motion = motion
        self.functions = motion.equations.compile()
        self.options: dict[str, Any] = {
            "method": method, "rtol": max(tolerance, _LEAST_RTOL), "atol": tolerance, "samples": samples,
            "progress": False, "start": dict(motion.coordinates) or None, "speeds": dict(motion.speeds) or None,
            "functions": self.functions, "max_steps": 10**8,
        }  # fmt: skip
        # A drift of energy is what the errors show.
        self.options["watch_energy"] = samples > 2

    def trajectory(self) -> Trajectory:
        return self.motion.equations.simulate(self.motion.duration, **self.options)

    def __call__(self) -> Floats:
        """The last state."""
        run = self.trajectory()
        return np.concatenate([np.asarray(run.q)[-1], np.asarray(run.u)[-1]])

    def seconds_in_the_run(self) -> float:
        """Processor seconds that one run spends in native steps."""
        with clocked(time.process_time) as spent:
            self.trajectory()
        if not spent:
            raise PolhodeError("no step of it was native.", place=str(self.options["method"]), code="E-BENCH-012")
        return sum(spent)


@contextmanager
def clocked(clock: Callable[[], float]) -> Iterator[list[float]]:
    """Seconds of each entry into native steps by a clock, while this lasts."""
    spent: list[float] = []

    def timed(entry: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(entry)
        def call(*given: Any) -> Any:
            start = clock()
            try:
                return entry(*given)
            finally:
                spent.append(clock() - start)

        return call

    kept = {name: getattr(NativeRun, name) for name in ("begin", "advance")}
    for name, entry in kept.items():
        setattr(NativeRun, name, timed(entry))
    try:
        yield spent
    finally:
        for name, entry in kept.items():
            setattr(NativeRun, name, entry)
