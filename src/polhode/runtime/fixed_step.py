"""Fixed-step integration in one native loop, run in chunks so that Python can look in between."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from polhode.codegen.program import Program
from polhode.codegen.step_loop import INLINE, Tableau, method_named, step_module
from polhode.errors import PolhodeError, ShapeError
from polhode.runtime.arrays import Floats, as_floats, batch_size, ordered
from polhode.runtime.backends import Code
from polhode.runtime.cache import default_cache
from polhode.runtime.compiled import Compiled, compile_program, pieces

_CHUNK_SECONDS = 0.05
_FIRST_CHUNK = 1000
#: From this many initial states on, they run in lanes.
LANES_FROM = 16


@dataclass(frozen=True)
class Steps:
    """What a run gave: with a batch of N initial states, `states` is (N, R, n) and `completed` (N,).

    `states[..., 0, :]` is the initial state; records after the last completed step are NaN.
    """

    time: Floats
    states: Floats
    completed: Any
    final: Floats

    @property
    def ok(self) -> bool:
        """Whether every state stayed finite to the end."""
        return bool(np.isfinite(self.states[..., -1, :]).all())


@dataclass(frozen=True)
class _Run:
    """A call of the loop: the same for the native loop and for the one in Python."""

    x: Floats
    inputs: list[Floats]
    work: Floats
    t0: float
    h: float
    threads: int | None


class _Loop(Protocol):
    def advance(
        self, run: _Run, records: int, every: int, start: int, record: Floats, counts: npt.NDArray[np.int64]
    ) -> None: ...


class FixedStep:
    """Explicit fixed-step integration of x' = xdot(t, x, ...), compiled.

    The program has an array `x`, optionally `t` (length 1), others that stay constant over a run, and one output of
    x's length. `method` is rk4, heun, midpoint or euler. `normalise` lists (start, length) of parts of x, such as unit
    quaternions, that are brought back to unit length after every step.
    """

    def __init__(
        self,
        program: Program,
        method: str = "rk4",
        normalise: Sequence[tuple[int, int]] = (),
        *,
        cache: bool = True,
        backend: str = "auto",
    ) -> None:
        self.program, self.method = program, method
        self.tableau = method_named(method)
        self.normalise = tuple((int(start), int(length)) for start, length in normalise)
        self.size = _state_size(program, self.normalise)
        self.rhs: Compiled = compile_program(program, cache=cache, backend=backend)
        self._options = (cache, backend)
        self._loop: _Loop
        if self.rhs.backend == "llvm":
            self._loop = _NativeLoop(program, self.tableau, self.normalise, cache)
        else:
            self._loop = _PythonLoop(self.rhs, self.tableau, self.normalise)

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
                asked, into = (
                    pieces_now * every,
                    record[:, done // every + 1 : done // every + 1 + pieces_now],
                )
                self._loop.advance(run, pieces_now, every, start + done, into, counts)
            else:
                # A long way to the next record is cut, so that an interrupt is heard.
                asked = min(budget, every - done % every, steps - done)
                into = np.empty((len(run.x), 1, self.size))
                self._loop.advance(run, 1, asked, start + done, into, counts)
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
        for row, taken in zip(record, completed, strict=True):
            row[taken // every + 1 :] = np.nan
        times = t0 + (start + np.arange(steps // every + 1) * every) * h
        if single:
            return Steps(times, record[0], int(completed[0]), run.x[0])
        return Steps(times, record, completed, run.x)

    def __reduce__(self) -> tuple[Callable[..., FixedStep], tuple[Any, ...]]:
        return _again, (self.program, self.method, self.normalise, *self._options)

    def _prepare(
        self, first: Floats, arrays: dict[str, Any], parameters: Any, t0: float, h: float, threads: int | None
    ) -> _Run:
        program = self.program
        blanks = {array.name: np.zeros(array.size) for array in program.arrays if array.name in ("t", "x")}
        found = ordered(program, (), blanks | arrays)
        names = [array.name for array in program.arrays]
        inputs = {
            name: as_floats(value, array.size, f"array {name!r}")
            for name, value, array in zip(names, found, program.arrays, strict=True)
            if name not in blanks
        }
        work = self.rhs.work(parameters)
        count = batch_size([("x", first), *inputs.items(), ("parameters", work)]) or (
            0 if first.ndim == 2 and not len(first) else 1
        )
        x = np.array(np.broadcast_to(first, (count, self.size)))
        return _Run(x, list(inputs.values()), work, float(t0), float(h), threads)


class _NativeLoop:
    """`ph_steps` of `codegen.step_loop`, for one state at a time and, made when first wanted, in lanes."""

    def __init__(
        self, program: Program, tableau: Tableau, normalise: tuple[tuple[int, int], ...], cache: bool
    ) -> None:
        self._program, self._tableau, self._normalise, self._cache = program, tableau, normalise, cache
        self._loaded: dict[int, tuple[Code, Callable[..., object]]] = {}

    def advance(
        self, run: _Run, records: int, every: int, start: int, record: Floats, counts: npt.NDArray[np.int64]
    ) -> None:
        lanes = self._lanes() if len(run.x) >= LANES_FROM else 1
        cost = len(run.x) * records * every * len(self._program.run) * len(self._tableau.b)
        spans = pieces(len(run.x), run.threads, cost)

        def one(span: range) -> None:
            bulk = len(span) // lanes * lanes
            for part, width in ((span[:bulk], lanes), (span[bulk:], 1)):
                if len(part):
                    self._call(self._function(width), run, part, records, every, start, record, counts)

        if len(spans) == 1:
            one(spans[0])
        else:
            for width in {1, lanes}:
                self._function(width)
            with ThreadPoolExecutor(len(spans)) as pool:
                list(pool.map(one, spans))

    def _small(self) -> bool:
        return len(self._program.run) <= INLINE

    def _lanes(self) -> int:
        """A small kernel waits for its own results: twice the machine's lanes keep it busy."""
        from polhode.runtime.engine import host

        return host().lanes * (2 if self._small() else 1)

    def _function(self, lanes: int) -> Callable[..., object]:
        if lanes not in self._loaded:
            from polhode.runtime import engine

            text = step_module(
                self._program, self._tableau, self._normalise, lanes=lanes, fused=engine.host().fused
            )
            code = engine.load(text, default_cache() if self._cache else None, thorough=self._small())
            whole, real, pointer = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
            kinds = [whole] * 4 + [real] * 2 + [pointer] * 4 + [whole, pointer, whole, pointer]
            self._loaded[lanes] = code, ctypes.CFUNCTYPE(None, *kinds)(code.address("ph_steps"))
        return self._loaded[lanes][1]

    def _call(
        self,
        function: Callable[..., object],
        run: _Run,
        span: range,
        records: int,
        every: int,
        start: int,
        record: Floats,
        counts: npt.NDArray[np.int64],
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
            (ctypes.c_void_p * len(ins))(*ins),
            (ctypes.c_int64 * len(strides))(*strides),
            run.work.ctypes.data + 8 * first * width,
            width,
            record.ctypes.data + first * record.strides[0],
            record.strides[0] // 8,
            counts.ctypes.data + 8 * first,
        )


class _PythonLoop:
    """The same loop in Python around any backend, all states at once."""

    def __init__(self, rhs: Compiled, tableau: Tableau, normalise: tuple[tuple[int, int], ...]) -> None:
        self._rhs, self._tableau, self._normalise = rhs, tableau, normalise

    def advance(
        self, run: _Run, records: int, every: int, start: int, record: Floats, counts: npt.NDArray[np.int64]
    ) -> None:
        alive = counts >= 0
        for number in range(records):
            for k in range(every):
                new = self._step(run, start + number * every + k)
                alive &= np.isfinite(new).all(axis=1)
                run.x[alive] = new[alive]
                counts[alive] += 1
            record[:, number] = run.x

    def _step(self, run: _Run, k: int) -> Floats:
        rates: list[Floats] = []
        with np.errstate(all="ignore"):
            for c, row in zip(self._tableau.c, self._tableau.a, strict=True):
                stage = run.x + run.h * sum(
                    (a * rate for a, rate in zip(row, rates, strict=True)), np.zeros_like(run.x)
                )
                rates.append(self._rate(run, run.t0 + (k + c) * run.h, stage))
            new: Floats = run.x + run.h * sum(
                (b * rate for b, rate in zip(self._tableau.b, rates, strict=True)), np.zeros_like(run.x)
            )
            for start, length in self._normalise:
                part = new[:, start : start + length]
                part /= np.linalg.norm(part, axis=1, keepdims=True)
        return new

    def _rate(self, run: _Run, t: float, x: Floats) -> Floats:
        others = iter(run.inputs)
        special = {"t": np.array([t]), "x": x}
        arrays = [special[name] if name in special else next(others) for name in self._rhs.arrays]
        return self._rhs.at_work(arrays, run.work)


def _state_size(program: Program, normalise: tuple[tuple[int, int], ...]) -> int:
    sizes = {array.name: array.size for array in program.arrays}
    place = f"program {program.name!r}"
    if "x" not in sizes or sizes.get("t", 1) != 1:
        raise ShapeError("a right-hand side has an array x and, if it has t, t of length 1.", place=place)
    if len(program.outputs) != 1 or len(program.outputs[0].slots) != sizes["x"]:
        raise ShapeError(f"a right-hand side has one output, of x's length {sizes['x']}.", place=place)
    for start, length in normalise:
        if start < 0 or length < 1 or start + length > sizes["x"]:
            raise ShapeError(
                f"normalise has ({start}, {length}), which is not inside x of length {sizes['x']}."
            )
    return sizes["x"]


def _check_run(h: float, steps: int, every: int, t0: float) -> None:
    if not np.isfinite(h) or h == 0.0 or not np.isfinite(t0):
        raise PolhodeError(
            f"the step size is {h} and the start time {t0}; both must be finite, the step not zero."
        )
    if steps < 0 or every < 1:
        raise PolhodeError(f"steps is {steps} and every is {every}.", cure="Give steps >= 0 and every >= 1.")


def _again(
    program: Program, method: str, normalise: tuple[tuple[int, int], ...], cache: bool, backend: str
) -> FixedStep:
    return FixedStep(program, method, normalise, cache=cache, backend=backend)
