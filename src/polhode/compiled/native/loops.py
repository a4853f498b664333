"""The loop of a fixed-step method around a kernel: in native code, or in Python where there is none."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from polhode.codegen.step_loop import INLINE, Tableau, step_module
from polhode.compiled.native.arrays import Floats
from polhode.compiled.native.compiled import Compiled, pieces
from polhode.compiled.native.stored_code import Code, Entry

Counts = npt.NDArray[np.int64]
#: From this many initial states on, they run in lanes.
LANES_FROM = 16

_WHOLE, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_STEPS = ctypes.CFUNCTYPE(None, *[_WHOLE] * 4, *[_REAL] * 2, *[_POINTER] * 4, _WHOLE, _POINTER, _WHOLE, _POINTER)


@dataclass(frozen=True)
class Run:
    """A call of the loop: the same for the native loop and for the one in Python."""

    x: Floats
    inputs: list[Floats]
    work: Floats
    t0: float
    h: float
    threads: int | None


class Loop(Protocol):
    """Takes all states of a run through `records · every` steps, in place; see `codegen.step_loop` for the rest."""

    def advance(self, run: Run, records: int, every: int, start: int, record: Floats, counts: Counts) -> None: ...


class NativeLoop:
    """`ph_steps` of `codegen.step_loop`, for one state at a time and, made when first wanted, in lanes."""

    def __init__(self, rhs: Compiled, tableau: Tableau, normalise: tuple[tuple[int, int], ...]) -> None:
        self._rhs, self._tableau, self._normalise = rhs, tableau, normalise
        self._loaded: dict[int, tuple[Code, Callable[..., object]]] = {}
        self._lock = threading.Lock()

    def advance(self, run: Run, records: int, every: int, start: int, record: Floats, counts: Counts) -> None:
        lanes = self._lanes() if len(run.x) >= LANES_FROM else 1
        cost = len(run.x) * records * every * self._rhs.outline.length * len(self._tableau.b)
        spans = pieces(len(run.x), run.threads, cost)

        def one(span: range) -> None:
            bulk = len(span) // lanes * lanes
            for part, width in ((span[:bulk], lanes), (span[bulk:], 1)):
                if len(part):
                    self._call(self._function(width), run, part, records, every, start, record, counts)

        if len(spans) == 1:
            one(spans[0])
        else:
            with ThreadPoolExecutor(len(spans)) as pool:
                list(pool.map(one, spans))

    def _small(self) -> bool:
        return self._rhs.outline.length <= INLINE

    def _lanes(self) -> int:
        """A small kernel waits for its own results: twice the machine's lanes keep it busy."""
        from polhode.compiled.native.engine import host

        return host().lanes * (2 if self._small() else 1)

    def _function(self, lanes: int) -> Callable[..., object]:
        with self._lock:
            if lanes not in self._loaded:
                self._loaded[lanes] = self._load(lanes)
            return self._loaded[lanes][1]

    def _load(self, lanes: int) -> tuple[Code, Callable[..., object]]:
        from polhode.compiled.native import engine

        def make() -> Entry:
            host = engine.host()
            text = step_module(
                self._rhs.program, self._tableau, self._normalise, lanes=lanes, fused=host.fused, width=host.lanes
            )
            return Entry().with_object_code(engine.object_code(text, thorough=self._small()))

        code = self._rhs.store.code(f"steps {self._tableau} {self._normalise} {lanes}", make)
        return code, _STEPS(code.address("ph_steps"))

    def _call(
        self,
        function: Callable[..., object],
        run: Run,
        span: range,
        records: int,
        every: int,
        start: int,
        record: Floats,
        counts: Counts,
    ) -> None:
        first = span.start
        strides = [array.shape[1] if array.ndim == 2 else 0 for array in run.inputs]
        ins = [a.ctypes.data + 8 * first * stride for a, stride in zip(run.inputs, strides, strict=True)]
        width = run.work.shape[1] if run.work.ndim == 2 else 0
        function(
            len(span),
            records,
            every,
            start,
            run.t0,
            run.h,
            run.x.ctypes.data + first * run.x.strides[0],
            (_POINTER * len(ins))(*ins),
            (_WHOLE * len(strides))(*strides),
            run.work.ctypes.data + 8 * first * width,
            width,
            record.ctypes.data + first * record.strides[0],
            record.strides[0] // 8,
            counts.ctypes.data + 8 * first,
        )


def runge_kutta_step(tableau: Tableau, rate: Callable[[float, Floats], Floats], x: Floats, h: float) -> Floats:
    """One explicit step of length h from x, one state or many; `rate(c, x)` is ẋ at the part c of the step.

    Should it overflow, the next look at it will tell.
    """

    def moved(weights: Sequence[float]) -> Floats:
        with np.errstate(all="ignore"):
            step = sum((weight * made for weight, made in zip(weights, rates, strict=True)), np.zeros_like(x))
            return np.asarray(x + h * step)

    rates: list[Floats] = []
    for c, row in zip(tableau.c, tableau.a, strict=True):
        rates.append(rate(c, moved(row)))
    return moved(tableau.b)


class PythonLoop:
    """The same loop in Python around any backend, all states at once."""

    def __init__(self, rhs: Compiled, tableau: Tableau, normalise: tuple[tuple[int, int], ...]) -> None:
        self._rhs, self._tableau, self._normalise = rhs, tableau, normalise

    def advance(self, run: Run, records: int, every: int, start: int, record: Floats, counts: Counts) -> None:
        alive = counts >= 0
        for number in range(records):
            for k in range(every):
                new = self._step(run, start + number * every + k)
                alive &= np.isfinite(new).all(axis=1)
                run.x[alive] = new[alive]
                counts[alive] += 1
            record[:, number] = run.x

    def _step(self, run: Run, k: int) -> Floats:
        with np.errstate(all="ignore"):
            new = runge_kutta_step(
                self._tableau, lambda c, x: self._rate(run, run.t0 + (k + c) * run.h, x), run.x, run.h
            )
            for start, length in self._normalise:
                part = new[:, start : start + length]
                part /= np.linalg.norm(part, axis=1, keepdims=True)
        return new

    def _rate(self, run: Run, t: float, x: Floats) -> Floats:
        others = iter(run.inputs)
        special = {"t": np.array([t]), "x": x}
        arrays = [special[name] if name in special else next(others) for name in self._rhs.arrays]
        return self._rhs.at_work(arrays, run.work)
