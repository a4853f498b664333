"""Steps of one state or many, a call at a time, for a loop of one's own: everything lies ready before the first call.

Members of a batch are independent, so that one has the same bits alone and among others: explicit fixed steps with
nothing between them are taken in lanes, a single state's too, others one member after the other. Threads share them.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

import numpy as np

from ..native.arrays import Floats
from ..native.compiled import Compiled, pieces
from ..native.kinds import fill
from .methods.inlined_steps import INLINE, Rows
from .methods.registry import method_named
from .native_code import inlined_steps
from .native_members import MemberRows
from .native_run import NativeRun, WatchedLimits
from .record import Memory, Reason

#: A call that took less, in seconds, is not worth a thread of its own to be interrupted.
_QUICK = 0.02
_Go = Callable[[float], int]


class Stepping(Protocol):
    """Members x (N, n) at times t, and arrays of what acts on them; all may be written into."""

    x: Floats
    t: Floats
    shares_time: bool  # whether time counts, and is one time for all members
    memory: list[Any]  # arrays that it goes on from

    @property
    def step(self) -> _Go:
        """Takes every member that has not stopped a time further, and says how many have."""

    @property
    def reasons(self) -> Any:
        """Why each member has stopped; 0 for one that goes on."""

    def revive(self, members: Any) -> None:
        """Let members go on from states and times that were written into x and t."""


def _shared(calls: Sequence[_Go]) -> _Go:
    """Calls for parts of a batch as one: at the same time, in threads that stay, and without the interpreter's lock."""
    if len(calls) == 1:
        return calls[0]
    pool = ThreadPoolExecutor(len(calls) - 1)

    def call(dt: float) -> int:
        others = [pool.submit(other, dt) for other in calls[1:]]
        return calls[0](dt) + sum(other.result() for other in others)

    return call


class RowSteps:
    """Some explicit fixed steps a call, of a compiled function, in lanes (`methods.inlined_steps`)."""

    def __init__(
        self,
        function: Compiled,
        method: str,
        groups: tuple[tuple[int, int], ...],
        count: int,
        work: Floats,
        substeps: int,
        threads: int | None,
        limits: WatchedLimits,
    ) -> None:
        # a short kernel waits for its own results: twice the lanes keep it busy
        lanes = function.native.lanes * (2 if function.outline.length <= INLINE else 1)
        stages = len(method_named(method).static[0].b)
        filled = -(-count // lanes) * lanes
        whole = {each.name: np.zeros((filled, each.size)) for each in function.outline.arrays if each.name != "t"}
        self.arrays: Mapping[str, Floats] = {name: array[:count] for name, array in whole.items()}
        self.x, self.shares_time = self.arrays["x"], "t" in function.arrays
        times, self._marks = np.zeros(filled), np.zeros(filled, dtype=np.int64)
        self.t = times[:count]
        code = inlined_steps(function, method, groups, lanes, rows=True)
        go = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_double)(code.address("ph_rows"))
        own = np.concatenate([work, np.repeat(work[-1:], filled - count, axis=0)]) if work.ndim == 2 else None
        rows = [*(whole.get(name) for name in function.arrays), own]
        sizes = [*(array.size for array in function.outline.arrays), work.shape[-1]]
        self._kept: list[Any] = [code, go, rows, times, limits]
        calls = []
        for span in pieces(count, threads, count * substeps * function.outline.length * stages):
            memory = [Memory({"all": 1}, max(1, size) * lanes).arrays["all"] for size in sizes]
            if work.ndim == 1:
                memory[-1][: len(work) * lanes] = np.repeat(work, lanes)
            given = [(0, 0) if row is None else (1, row.ctypes.data + row.strides[0] * span.start) for row in rows]
            arguments, beside = np.array(given).ravel(), np.array([each.ctypes.data for each in memory])
            alive = np.zeros(lanes, dtype=np.int64)
            record = Rows.native(
                count=len(span), steps=substeps, times=times[span.start :], marks=self._marks[span.start :],
                arguments=arguments, beside=beside, alive=alive, limit_count=len(limits.places),
                limit_places=limits.places, limits=limits.rows[span.start :], limits_noted=limits.noted[span.start :],
            )  # fmt: skip
            self._kept += [memory, record]
            calls.append(partial(go, ctypes.addressof(record)))
        self.step, self.memory = _shared(calls), [self.x, self.t, self._marks]

    @property
    def reasons(self) -> Any:
        return np.where(self._marks[: len(self.t)] < 0, int(Reason.NONFINITE), 0)

    def revive(self, members: Any) -> None:
        self._marks[: len(self.t)][members] = 0


class MemberSteps:
    """Steps by the loop of a run, one member after the other; `make` gives the run of each thread."""

    shares_time = False

    def __init__(
        self,
        make: Callable[[], NativeRun],
        members: MemberRows,
        substeps: int,
        most_steps: int,
        threads: int | None,
        cost: float,
    ) -> None:
        self.members, self.x, count = members, members.starts, len(members.starts)
        self.t, self.bounds, self._lengths = np.zeros(count), np.full(count, np.inf), np.zeros(count)
        self.reasons = members.reasons
        self._sides = np.zeros((count, 0 if members.logs is None else 2 * len(members.logs.effects)))
        self.runs, calls = list[NativeRun](), []
        for span in pieces(count, threads, cost):
            run = make()
            record = run.begin_members(members)
            record.first, record.end, record.substeps, record.most_steps = span.start, span.stop, substeps, most_steps
            fill(
                record, times=self.t, bounds=self.bounds, lengths=self._lengths, sides=self._sides,
                noted=np.zeros((len(members.limits.places), 2)), run=run.address,
            )  # fmt: skip
            self.runs.append(run)
            calls.append(partial(run.loop.step_members, ctypes.addressof(record)))
        self._at_once, self._quick = _shared(calls), 0.0
        self._aside: ThreadPoolExecutor | None = None
        self.memory = [self.x, self.t, self.reasons, self._lengths, self._sides, members.signs]

    def step(self, dt: float) -> int:
        """Take members a time further; how many have stopped."""
        return self._at_once(dt) if dt <= self._quick else self._interruptible(dt)

    def _interruptible(self, dt: float) -> int:
        """The same where it may take long: an interrupt leaves members that are not there yet where they were."""
        if self.runs[0].calls_python or threading.current_thread() is not threading.main_thread():
            return self._at_once(dt)
        began = time.perf_counter()
        self._aside = self._aside or ThreadPoolExecutor(1)
        future = self._aside.submit(self._at_once, dt)
        try:
            stopped = future.result()
        except KeyboardInterrupt:
            for run in self.runs:
                run.record.interrupted = 1
            future.result()
            for run in self.runs:
                run.record.interrupted = 0
            self.reasons[self.reasons == Reason.INTERRUPTED] = 0
            raise
        if time.perf_counter() - began < _QUICK:
            self._quick = dt
        return stopped

    def revive(self, members: Any) -> None:
        for array in (self.reasons, self._lengths, self._sides):
            array[members] = 0
