"""Time events in native memory, and the states that a run had at those that it has passed."""

from __future__ import annotations

import ctypes

import numpy as np

from ..native.arrays import Floats
from .native_run import NativeRun
from .record import Schedule
from .sampled_law import SampledLaw

_STRUCTURE = Schedule.structure()


class ScheduleMemory:
    """Time events of a run that ends at a time, and a sampled law that acts at them."""

    def __init__(self, times: Floats, before: Floats, end: float, size: int, sampled: SampledLaw | None = None) -> None:
        self._times, self._before, self._end = np.ascontiguousarray(times), np.ascontiguousarray(before), end
        self.states = np.empty((len(times), size))
        self._sampled = sampled
        self.record = _STRUCTURE(
            times=self._times.ctypes.data, before=self._before.ctypes.data, states=self.states.ctypes.data,
            count=len(times), end=end, **({} if sampled is None else sampled.fields()),
        )  # fmt: skip

    @property
    def passed(self) -> int:
        """How many time events were passed."""
        return min(int(self.record.next), len(self._times))

    def connect(self, run: NativeRun) -> None:
        """Let a run pass them."""
        run.record.schedule, run.record.has_schedule = ctypes.addressof(self.record), 1

    def measure(self, run: NativeRun) -> None:
        """Let the law measure the state of a run."""
        if self._sampled is not None:
            self._sampled.measure(run.x)

    def goal(self, passed: int) -> float:
        """Where the segment behind so many time events ends."""
        self.record.next = passed
        return float(self._before[passed]) if passed < len(self._before) else self._end
