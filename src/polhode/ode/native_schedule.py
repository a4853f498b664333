"""Time events in native memory, and the states that a run had at those that it has passed."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .native_run import NativeRun
from .record import Schedule

Integers = NDArray[np.int64]


class SampledLaw:
    """A law, a compiled function of (x, t, states, noise), and what it was asked and gave at every sample.

    Row k of `controls` is what it gave at sample k, row k of `states` what the controller's states were then; rows may
    be filled more than once. `asks` and `acts` say, for each break of a run, which row is filled and which begins to
    hold there, negative for none.
    """

    def __init__(self, law: Compiled, times: Floats, start: Floats, noise: Floats) -> None:
        (_, (controls,)), (_, (states,)) = law.outline.outputs
        self.law, self.times, self.noise = law, np.ascontiguousarray(times), np.ascontiguousarray(noise)
        self.controls = np.full((len(times), controls), np.nan)
        self.states = np.full((len(times) + 1, states), np.nan)
        self.states[0] = start
        self.asks = self.acts = np.zeros(0, dtype=np.int64)
        self.columns, self.held = np.arange(controls), np.zeros(controls)
        self._state: Floats = np.zeros(0)

    def connect(self, held: Floats, columns: Integers, asks: Integers, acts: Integers) -> None:
        """Let controls hold in these columns of an array; and when which row is asked for and acts."""
        self.held, self.columns = held, np.ascontiguousarray(columns, dtype=np.int64)
        self.asks, self.acts = (np.ascontiguousarray(each, dtype=np.int64) for each in (asks, acts))

    # ---- by Python ---------------------------------------------------------------------------------------------

    def ask(self, row: int, x: Floats) -> Floats:
        """Fill a row at a state, and return the controls in it."""
        given = x, self.times[row : row + 1], self.states[row], self.noise[row]
        self.controls[row], self.states[row + 1] = self.law(*given)
        return np.asarray(self.controls[row])

    def act(self, row: int) -> None:
        """Let the controls of a row hold."""
        self.held[self.columns] = self.controls[row]

    # ---- by native code ----------------------------------------------------------------------------------------

    def fields(self) -> dict[str, Any]:
        """What the record of the pieces of a run has of a law."""
        law, wide = self.law, self.states.shape[1]
        bases = [np.zeros(0), self.times, self.states, self.noise, law.work(), self.controls, self.states[1:]]
        strides = [0, 1, wide, self.noise.shape[1], 0, self.controls.shape[1], wide]
        self._bases, self._alive = np.array([each.ctypes.data for each in bases], dtype=np.int64), bases
        return {
            "law": law.native.code.address("ph_at"), "table": (ctypes.c_void_p * len(bases))(), "bases": self._bases,
            "strides": np.array(strides, dtype=np.int64), "entries": len(bases), "samples": self.asks,
            "acts": self.acts, "controls": self.controls, "control_count": self.controls.shape[1],
            "columns": self.columns, "held": self.held,
        }  # fmt: skip

    def measure(self, x: Floats) -> None:
        """Measure the state that stands here."""
        self._state, self._bases[0] = x, x.ctypes.data


class ScheduleMemory:
    """Time events of a run that ends at a time, and a sampled law that acts at them."""

    def __init__(self, times: Floats, before: Floats, end: float, size: int, sampled: SampledLaw | None = None) -> None:
        self._times, self._before, self._end = np.ascontiguousarray(times), np.ascontiguousarray(before), end
        self.states = np.empty((len(times), size))
        self._sampled = sampled
        law = {} if sampled is None else sampled.fields()
        arrays = {"times": self._times, "before": self._before, "states": self.states}
        self.record: Any = Schedule.native(count=len(times), end=end, **arrays, **law)

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
