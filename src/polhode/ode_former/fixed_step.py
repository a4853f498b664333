"""Fixed-step integration in one loop, native or in Python, run in chunks so that Python can look in between."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..codegen.fixed_steps import Tableau, method_named
from ..codegen.ir.program import Outline, Program
from ..errors import PolhodeError, ShapeError, understood
from ..files.cache import ObjectCache
from ..native.arrays import Floats, as_floats, batch_size, ordered
from ..native.compiled import Compiled, compile_program, pieces
from ..native.stored_code import Code, Entry

_CHUNK_SECONDS = 0.05
_FIRST_CHUNK = 1000
Counts = npt.NDArray[np.int64]
#: From this many initial states on, they run in lanes.
LANES_FROM = 16

_WHOLE, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_STEPS = ctypes.CFUNCTYPE(None, *[_WHOLE] * 4, *[_REAL] * 2, *[_POINTER] * 4, _WHOLE, _POINTER, _WHOLE, _POINTER)


@dataclass(frozen=True)
class Steps:
    """What a run gave: with a batch of N initial states, `states` is (N, R, n) and `completed` (N,).

    `states[..., 0, :]` is the initial state; records after the last completed step are NaN.
    """

    time: Floats
    states: Floats
    completed: Any
    final: Floats


class FixedStep:
    """Explicit fixed-step integration of x' = xdot(t, x, ...), compiled.

    The program, compiled or not, has an array `x`, optionally `t` (length 1), others that stay constant over a run, and
    one output of x's length. `method` is rk4, heun, midpoint or euler. `normalise` lists (start, length) of parts of x,
    such as unit quaternions, that are brought back to unit length after every step.
    """

    def __init__(
        self,
        program: Program | Compiled,
        method: str = "rk4",
        normalise: Sequence[tuple[int, int]] = (),
        *,
        cache: bool | ObjectCache = True,
        backend: str = "auto",
    ) -> None:
        self.method, self.tableau = method, method_named(method)
        with understood("a list of pairs (first, length)", normalise, place="normalise"):
            self.normalise = tuple((int(start), int(length)) for start, length in normalise)
        self.size = _state_size(program.outline, self.normalise)
        self.rhs = program if isinstance(program, Compiled) else compile_program(program, cache=cache, backend=backend)
        self.loop: Loop = (NativeLoop if self.rhs.backend == "llvm" else PythonLoop)(
            self.rhs, self.tableau, self.normalise
        )

    def run(
        self,
        x0: Any,
        *,
        h: float,
        steps: int,
        every: int = 1,
        t0: float = 0.0,
        start: int = 0,
        parameters: Any = None,
        threads: int | None = None,
        on_chunk: Callable[[int, int], object] | None = None,
        **arrays: Any,
    ) -> Steps:
        """Take `steps` steps of size h from x0 (n,) or (N, n) and record every `every`-th state.

        Step k begins at t0 + (start + k)·h: a run continued with `start` set to the steps already taken gives the same
        bits as one run. `on_chunk(done, steps)` is called a few times a second. A state that becomes non-finite stops;
        `completed` says after how many steps.
        """
        _check_run(h, steps, every, t0)
        first = as_floats(x0, self.size, "array 'x'")
        run = self._prepare(first, arrays, parameters, t0, h, threads)
        single = first.ndim == 1 and len(run.x) == 1 and all(a.ndim == 1 for a in (*run.inputs, run.work))
        record = np.empty((len(run.x), steps // every + 1, self.size))
        record[:, 0] = run.x
        counts = np.zeros(len(run.x), dtype=np.int64)
        completed = counts.copy()
        budget, done = max(1, _FIRST_CHUNK // max(1, len(run.x))), 0
        while done < steps and (counts >= 0).any():
            began = time.perf_counter()
            if done % every == 0 and every <= min(budget, steps - done):
                pieces_now = min(budget, steps - done) // every
                asked, into = pieces_now * every, record[:, done // every + 1 :][:, :pieces_now]
                self.loop.advance(run, pieces_now, every, start + done, into, counts)
            else:
                # A long way to the next record is cut, so that an interrupt is heard.
                asked = min(budget, every - done % every, steps - done)
                into = np.empty((len(run.x), 1, self.size))
                self.loop.advance(run, 1, asked, start + done, into, counts)
                if (done + asked) % every == 0:
                    record[:, (done + asked) // every] = run.x
            alive = counts >= 0
            completed[alive] += counts[alive]
            counts = np.where(alive & (counts == asked), 0, -1)
            done += asked
            if time.perf_counter() - began < _CHUNK_SECONDS:
                budget *= 2
            if on_chunk is not None:
                on_chunk(done, steps)
        for number in np.flatnonzero(completed < steps):
            record[number, completed[number] // every + 1 :] = np.nan
        times: Floats = np.asarray(t0 + (start + np.arange(steps // every + 1) * every) * h, dtype=np.float64)
        if single:
            return Steps(times, record[0], int(completed[0]), run.x[0])
        return Steps(times, record, completed, run.x)

    @property
    def native_loop(self) -> NativeLoop | None:
        """The loop in native code, where there is one."""
        return self.loop if isinstance(self.loop, NativeLoop) else None

    def __reduce__(self) -> tuple[Callable[..., FixedStep], tuple[Any, ...]]:
        return FixedStep, (self.rhs, self.method, self.normalise)

    def _prepare(
        self, first: Floats, arrays: dict[str, Any], parameters: Any, t0: float, h: float, threads: int | None
    ) -> Run:
        outline = self.rhs.outline
        blanks = {array.name: np.zeros(array.size) for array in outline.arrays if array.name in ("t", "x")}
        found = ordered(outline, (), blanks | arrays)
        inputs = {
            array.name: as_floats(value, array.size, f"array {array.name!r}")
            for value, array in zip(found, outline.arrays, strict=True)
            if array.name not in blanks
        }
        work = self.rhs.work(parameters)
        count = batch_size([("x", first), *inputs.items(), ("parameters", work)]) or (
            0 if first.ndim == 2 and not len(first) else 1
        )
        x = np.array(np.broadcast_to(first, (count, self.size)))
        return Run(x, list(inputs.values()), work, float(t0), float(h), threads)


def _state_size(program: Outline, normalise: tuple[tuple[int, int], ...]) -> int:
    sizes = {array.name: array.size for array in program.arrays}
    place = f"program {program.name!r}"
    if "x" not in sizes or sizes.get("t", 1) != 1:
        raise ShapeError("a right-hand side has an array x and, if it has t, t of length 1.", place=place)
    if len(program.outputs) != 1 or prod(program.outputs[0][1]) != sizes["x"]:
        raise ShapeError(f"a right-hand side has one output, of x's length {sizes['x']}.", place=place)
    for start, length in normalise:
        if start < 0 or length < 1 or start + length > sizes["x"]:
            raise ShapeError(f"normalise has ({start}, {length}), which is not inside x of length {sizes['x']}.")
    return sizes["x"]


def _check_run(h: float, steps: int, every: int, t0: float) -> None:
    if not np.isfinite(h) or h == 0.0 or not np.isfinite(t0):
        raise PolhodeError(f"the step size is {h} and the start time {t0}; both must be finite, the step not zero.")
    if steps < 0 or every < 1:
        raise PolhodeError(f"steps is {steps} and every is {every}.", cure="Give steps >= 0 and every >= 1.")


# ---- loops ----------------------------------------------------------------------------------------------------


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
    """Takes all states of a run through `records · every` steps, in place; see `ode.step_loop`."""

    def advance(self, run: Run, records: int, every: int, start: int, record: Floats, counts: Counts) -> None: ...


class NativeLoop:
    """`ph_steps` of `ode.step_loop`, for one state at a time and, made when first wanted, in lanes."""

    def __init__(self, rhs: Compiled, tableau: Tableau, normalise: tuple[tuple[int, int], ...]) -> None:
        self._rhs, self._tableau, self._normalise = rhs, tableau, normalise
        self._loaded: dict[int, tuple[Code, Callable[..., object]]] = {}
        self._lock = threading.Lock()

    def advance(self, run: Run, records: int, every: int, start: int, record: Floats, counts: Counts) -> None:
        lanes = self.lanes() if len(run.x) >= LANES_FROM else 1
        cost = len(run.x) * records * every * self._rhs.outline.length * len(self._tableau.b)
        spans = pieces(len(run.x), run.threads, cost)

        def one(span: range) -> None:
            bulk = len(span) // lanes * lanes
            for part, width in ((span[:bulk], lanes), (span[bulk:], 1)):
                if len(part):
                    self._call(self.function(width), run, part, records, every, start, record, counts)

        if len(spans) == 1:
            one(spans[0])
        else:
            with ThreadPoolExecutor(len(spans)) as pool:
                list(pool.map(one, spans))

    def _small(self) -> bool:
        from .step_loop import INLINE

        return self._rhs.outline.length <= INLINE

    def lanes(self) -> int:
        """A small kernel waits for its own results: twice the machine's lanes keep it busy."""
        from ..native.engine import host

        return host().lanes * (2 if self._small() else 1)

    def function(self, lanes: int) -> Callable[..., object]:
        with self._lock:
            if lanes not in self._loaded:
                self._loaded[lanes] = self._load(lanes)
            return self._loaded[lanes][1]

    def _load(self, lanes: int) -> tuple[Code, Callable[..., object]]:
        from ..native import engine

        def make() -> Entry:
            from .step_loop import step_module

            fused = engine.host().fused
            text = step_module(self._rhs.program, self._tableau, self._normalise, lanes=lanes, fused=fused)
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
