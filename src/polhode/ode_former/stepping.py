"""Steps of one state or many, a call at a time, for a loop of one's own: everything lies ready before the first call.

Members of a batch are independent, so that one has the same bits alone and among others: fixed steps are taken in
lanes, whose number is that of a single state's too, steps to a tolerance one member after the other. Threads share
the members.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, Protocol

import numpy as np

from ..files.cache import default_cache
from ..files.version import key_of
from ..native.arrays import Floats
from ..native.compiled import Compiled, pieces
from ..native.stored_code import Code, CodeStore, Entry
from .batch_steps import BATCH
from .fixed_step import Counts, FixedStep, Run
from .run_record import RUN, padded
from .stepper import stepper_code

_RECORD = np.dtype([(name, np.float64 if kind == "double" else np.int64) for name, kind in RUN.kinds.items()])
#: What an adaptive step of a member costs beside evaluations, in instructions.
_STEP_COST = 500


class Stepping(Protocol):
    """Members x (N, n) at times t, with what acts on them, arrays (N, k) by name; all may be written into."""

    x: Floats
    t: Floats
    arrays: Mapping[str, Floats]
    shares_time: bool  # whether time counts, and is one time for all members

    @property
    def failed(self) -> Any:
        """Which members have stopped, and stay so until they are revived."""

    @property
    def step(self) -> Callable[[float], int]:
        """Takes every member that has not failed a time further, and says how many have failed."""

    def revive(self, members: Any) -> None:
        """Let members go on from states and times that were written into x and t."""


def _given_arrays(rhs: Compiled, count: int) -> dict[str, Floats]:
    """Arrays of zeros, a row for each member, for what a right-hand side takes beside state and time."""
    return {array.name: np.zeros((count, array.size)) for array in rhs.outline.arrays if array.name not in ("x", "t")}


_BATCH = BATCH.structure()
_Go = Callable[[float], int]


@cache
def _functions() -> tuple[Code, Callable[..., int], Callable[..., int]]:
    """`ph_each` and `ph_fixed` of `ode.batch_steps`."""

    def make() -> Entry:
        from ..native import engine
        from .batch_steps import batch_steps_module

        return Entry().with_object_code(engine.object_code(batch_steps_module(fused=engine.host().fused)))

    code = CodeStore(default_cache(), key_of("members")).code("members", make)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_double)
    return code, kind(code.address("ph_each")), kind(code.address("ph_fixed"))


def _shared(calls: Sequence[_Go]) -> _Go:
    """Calls for parts of a batch as one: at the same time, in threads that stay, and without the interpreter's lock."""
    if len(calls) == 1:
        return calls[0]
    pool = ThreadPoolExecutor(len(calls) - 1)

    def call(dt: float) -> int:
        others = [pool.submit(other, dt) for other in calls[1:]]
        return calls[0](dt) + sum(other.result() for other in others)

    return call


class FixedStepping:
    """Some fixed steps a call, in one native loop with lanes; in Python where there is no native code."""

    def __init__(self, loop: FixedStep, count: int, parameters: Any, substeps: int, threads: int | None) -> None:
        rhs, native = loop.rhs, loop.native_loop
        lanes = native.lanes() if native is not None else 1
        rows = -(-count // lanes) * lanes
        self._x, self._given = np.zeros((rows, loop.size)), _given_arrays(rhs, rows)
        self.x = self._x[:count]
        self.arrays: Mapping[str, Floats] = {name: array[:count] for name, array in self._given.items()}
        self.t = np.zeros(count)
        self.shares_time = "t" in rhs.arrays
        self._marks: Counts = np.zeros(rows, dtype=np.int64)
        self._record = np.zeros((rows, 1, loop.size))
        self._substeps, self._loop = substeps, loop
        work = rhs.work(parameters)
        self._work = work if work.ndim == 1 else np.concatenate([work, np.repeat(work[-1:], rows - count, axis=0)])
        spans = pieces(rows, threads, rows * substeps * rhs.outline.length * len(loop.tableau.b))
        self._kept: list[Any] = []
        self.step: _Go = (
            self._in_python if native is None else _shared([self._call(native.function(lanes), span) for span in spans])
        )

    @property
    def failed(self) -> Any:
        return self._marks[: len(self.t)] < 0

    def revive(self, members: Any) -> None:
        marks = self._marks[: len(self.t)]
        marks[members] = 0

    def _call(self, function: Any, span: range) -> _Go:
        """A call for some rows; they may end with some that fill the lanes, of which there are no times."""
        first, size = span.start, self._x.shape[1]
        strides = np.array([array.shape[1] for array in self._given.values()], dtype=np.int64)
        arrays = np.array([_addresses(array)[first] for array in self._given.values()], dtype=np.int64)
        width = self._work.shape[1] if self._work.ndim == 2 else 0
        batch = _BATCH()
        batch.steps = ctypes.cast(function, ctypes.c_void_p).value
        batch.rows, batch.count = len(span), min(len(self.t), span.stop) - first
        batch.every, batch.work_stride, batch.record_stride = self._substeps, width, size
        batch.times, batch.marks = self.t.ctypes.data + 8 * first, self._marks.ctypes.data + 8 * first
        batch.x, batch.record = (array.ctypes.data + 8 * first * size for array in (self._x, self._record))
        batch.arrays, batch.strides = arrays.ctypes.data, strides.ctypes.data
        batch.work = self._work.ctypes.data + 8 * first * width
        code, _, fixed = _functions()
        self._kept += [batch, strides, arrays, function, code]
        return partial(fixed, ctypes.addressof(batch))

    def _in_python(self, dt: float) -> int:
        run = Run(self._x, list(self._given.values()), self._work, float(self.t[0]), dt / self._substeps, 1)
        self._loop.loop.advance(run, 1, self._substeps, 0, self._record, self._marks)
        self._marks -= self._substeps
        self.t[self._marks == 0] += dt
        return int((self._marks < 0).sum())


class AdaptiveStepping:
    """Steps to a tolerance: a record of a native run for each member, which keeps the length of its steps."""

    def __init__(
        self,
        rhs: Compiled,
        method: str,
        count: int,
        parameters: Any,
        *,
        rtol: float,
        atol: float,
        groups: Sequence[tuple[int, int]] = (),
        most_steps: int = 100_000,
        threads: int | None = None,
    ) -> None:
        size = next(array.size for array in rhs.outline.arrays if array.name == "x")
        self._stepper, self._most_steps = stepper_code(method), most_steps
        self._records = np.zeros(count, dtype=_RECORD)
        self._marks: Counts = np.zeros(count, dtype=np.int64)
        self.t: Floats = self._records["t"]
        self.arrays: Mapping[str, Floats] = _given_arrays(rhs, count)
        self.shares_time = False
        self._work = rhs.work(parameters)
        self._kept: list[Any] = [rhs, rhs.native.code]
        rows = {"x": 1, "x_old": 1, "f": 1, "y": 1, "unit": 1, "k": self._stepper.stages}
        memory = self._laid_out(rows | {"dense": self._stepper.dense_rows}, padded(size), count)
        self.x: Floats = memory[:, :size]
        records = self._records
        records["size"], records["blocks"] = size, padded(size) // 4
        records["allowance"] = times = self._stepper.allowance(rtol, atol)
        records["rtol"], records["atol"] = times * rtol, times * atol
        records["h_max"], records["growth"], records["bound"] = np.inf, 6.0, np.inf
        self._groups = np.array([entry for group in groups for entry in group], dtype=np.int64)
        self._lengths = np.ones((count, max(1, len(groups))))
        records["groups"], records["group_count"] = self._groups.ctypes.data, len(groups)
        records["lengths"] = _addresses(self._lengths)
        self._table = self._tables(rhs)
        cost = count * (self._stepper.stages * rhs.outline.length + _STEP_COST)
        self.step: _Go = _shared([self._call(span) for span in pieces(count, threads, cost)])

    def _laid_out(self, rows: Mapping[str, int], width: int, count: int) -> Floats:
        """Memory of the members, one after the other, each with its arrays."""
        memory = np.zeros((count, width * sum(rows.values())))
        first = _addresses(memory)
        for name, number in rows.items():
            self._records[name] = first
            first = first + 8 * width * number
        return memory

    def _tables(self, rhs: Compiled) -> Any:
        """For each member the pointers that its right-hand side is called with."""
        columns: list[Any] = []
        for name in rhs.arrays:
            if name == "x":
                columns.append(0)
            elif name == "t":
                columns.append(_addresses(self._records) + 8 * RUN.offsets["clock"])
            else:
                columns.append(_addresses(self.arrays[name]))
        columns += [_addresses(self._work) if self._work.ndim == 2 else self._work.ctypes.data, 0]
        table = np.zeros((len(self._records), len(columns)), dtype=np.int64)
        for place, column in enumerate(columns):
            table[:, place] = column
        records = self._records
        records["at"], records["arguments"] = rhs.native.code.address("ph_at"), _addresses(table)
        records["x_index"], records["out_index"] = rhs.arrays.index("x"), len(columns) - 1
        return table

    def _call(self, span: range) -> _Go:
        batch, stepper = _BATCH(), self._stepper.code
        batch.count, batch.marks = len(span), self._marks.ctypes.data + 8 * span.start
        batch.runs, batch.run_size = int(_addresses(self._records)[span.start]), _RECORD.itemsize // 8
        batch.begin, batch.advance = stepper.address("ph_begin"), stepper.address("ph_advance")
        batch.budget = self._most_steps
        code, each, _ = _functions()
        self._kept += [batch, code]
        return partial(each, ctypes.addressof(batch))

    @property
    def failed(self) -> Any:
        return self._marks < 0

    def revive(self, members: Any) -> None:
        self._marks[members] = 0
        self._records["h"][members] = 0.0
        self._records["after_rejection"][members] = 0


def _addresses(array: Any) -> Any:
    """Where the rows of an array begin."""
    return array.ctypes.data + array.strides[0] * np.arange(len(array), dtype=np.int64)
