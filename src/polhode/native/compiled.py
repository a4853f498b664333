"""A program as a function of NumPy arrays."""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen.ir.program import Outline, Program
from ..errors import PolhodeError, ShapeError
from ..files.cache import ObjectCache, default_cache
from .arrays import Floats, as_floats, as_parameters, batch_size, ordered
from .backends import LANES_FROM, Backend, Native, choose
from .stored_code import CodeStore

_FLOAT64 = np.dtype(np.float64)
_REMEMBERED_SETS = 64
# Below this many instruction evaluations a second thread costs more than it saves.
_WORTH_A_THREAD = 2_000_000


def compile_program(
    program: Program, *, cache: bool | ObjectCache = True, backend: str = "auto", parameters: Any = None
) -> Compiled:
    """The program as a fast function of NumPy arrays.

    `backend` is "llvm", "c", "numpy", or "auto": the first of these that works here. `cache` stores compiled code on
    disk. `parameters` fixes the parameters, which may otherwise be given with each call.
    """
    from ..codegen.ir.ops import check_program

    check_program(program)
    # The user's cache for True, none for False, or the one given.
    store = CodeStore.of_program(program, default_cache() if cache is True else cache or None)
    chosen = choose(program, backend, store)
    compiled = Compiled(program.outline, chosen, (cache, backend), lambda: program, store)
    return compiled if parameters is None else compiled.with_parameters(parameters)


class _CallBuffer:
    """One thread's memory for calls with a single state: inputs and outputs in one buffer, and views of them."""

    def __init__(self, outline: Outline, backend: Backend) -> None:
        sizes = outline.sizes
        self.buffer = np.zeros(max(1, sum(sizes)))
        views = np.split(self.buffer[: sum(sizes)], np.cumsum(sizes)[:-1]) if sizes else []
        self.inputs = views[: len(outline.arrays)]
        self.outputs = [
            view.reshape(shape) for view, (_, shape) in zip(views[len(self.inputs) :], outline.outputs, strict=True)
        ]
        self.run: Callable[[Any], object] = backend.single(self.buffer)


class _Work:
    """The work array of one parameter set, and how the backend refers to it."""

    def __init__(self, backend: Backend, parameters: Floats) -> None:
        rows = backend.setup(parameters if parameters.ndim == 2 else parameters.reshape(1, -1))
        self.array: Floats = rows if parameters.ndim == 2 else rows[0]
        self.handle = backend.handle(self.array)


class Compiled:
    """A compiled program: call it with its arrays, by position or by name, one state (n,) or a batch (N, n) each.

    The result is the output array, or a tuple in the order of `outputs` where there are several; it has a leading axis
    when any input is a batch. Safe to call from several threads. Pickling re-creates it from the program.
    """

    def __init__(
        self,
        outline: Outline,
        backend: Backend,
        made_with: tuple[bool | ObjectCache, str],
        program: Callable[[], Program],
        store: CodeStore,
        work: _Work | None = None,
    ) -> None:
        self.outline = outline
        self.store = store
        self.arrays = tuple(array.name for array in outline.arrays)
        self.outputs = tuple(name for name, _ in outline.outputs)
        self._program = program
        self._backend = backend
        self._made_with = made_with
        self._names = frozenset(self.arrays)
        self._shapes = tuple((array.size,) for array in outline.arrays)
        self._local = threading.local()
        self._sets: dict[bytes, _Work] = {}
        self._sets_lock = threading.Lock()
        self._fixed = work
        self._fixed_parameters: Floats | None = None
        self._latest: tuple[object, Compiled] | None = None  # with the parameters that were fixed last
        if work is None and not outline.parameters:
            self._fixed = _Work(backend, np.empty(0))

    def __call__(self, *arrays: Any, parameters: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Evaluate at one state or at a batch of them; `threads` bounds the threads of a large batch."""
        if named or len(arrays) != len(self._shapes):
            if not arrays and named.keys() == self._names:
                arrays = tuple([named[name] for name in self.arrays])
            else:
                arrays = tuple(ordered(self.outline, arrays, named))
        work = self._fixed
        if work is None or parameters is not None:
            work = self._work(parameters)
        try:
            buffer: _CallBuffer = self._local.buffer
        except AttributeError:
            buffer = self._local.buffer = _CallBuffer(self.outline, self._backend)
        if work.array.ndim == 1:
            for array, view, shape in zip(arrays, buffer.inputs, self._shapes, strict=False):
                if type(array) is np.ndarray and array.dtype is _FLOAT64 and array.shape == shape:
                    view[...] = array
                else:
                    break
            else:
                buffer.run(work.handle)
                if len(buffer.outputs) == 1:
                    return buffer.outputs[0].copy()
                return tuple([output.copy() for output in buffer.outputs])
        return self._general(arrays, work, buffer, threads)

    @property
    def program(self) -> Program:
        """The instructions; for a function from the cache they are read at the first use."""
        return self._program()

    @property
    def backend(self) -> str:
        """How it runs: "llvm", "c" or "numpy"."""
        return self._backend.name

    @property
    def address(self) -> int:
        """The address of the native function of one state; see `signature`."""
        name = self.outline.name if self.backend == "c" else "ph_kernel"
        return self.native.code.address(name)

    @property
    def signature(self) -> Any:
        """The ctypes type of the function at `address`: pointers to each input, the work array, each output."""
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(self.arrays) + 1 + len(self.outputs)))

    def with_parameters(self, parameters: Any) -> Compiled:
        """The same function with its parameters fixed; nothing is compiled again."""
        array = parameters if isinstance(parameters, np.ndarray) else as_parameters(parameters, self.outline)
        key, latest = (array.shape, array.dtype, array.tobytes()), self._latest
        if latest is not None and latest[0] == key:
            return latest[1]
        values = as_parameters(array, self.outline)
        work = _Work(self._backend, values.copy())
        fixed = Compiled(self.outline, self._backend, self._made_with, self._program, self.store, work)
        fixed._fixed_parameters = values.copy()
        self._latest = key, fixed
        return fixed

    def work(self, parameters: Any = None) -> Floats:
        """The work array that the native function of one state reads."""
        return (self._work(parameters) if parameters is not None or self._fixed is None else self._fixed).array

    def time_per_call(
        self, *arrays: Any, parameters: Any = None, lanes: bool = False, seconds: float = 0.2, **named: Any
    ) -> float:
        """Nanoseconds for one evaluation, by the native loop over the batch of states given; the best of many rounds.

        Nothing is subtracted: give some hundred states, over which the cost of the call itself vanishes. With
        `lanes`, the states beyond a multiple of the number of lanes are left out.
        """
        inputs = self._converted(tuple(ordered(self.outline, arrays, named)))
        work, native = self.work(parameters), self.native
        count = batch_size([*zip(self.arrays, inputs, strict=True), ("parameters", work)]) or 1
        count -= count % native.lanes if lanes else 0
        if not count:
            raise ShapeError(f"lanes need at least {native.lanes} states.")
        outputs = self._empty(count)
        ((function, _, arguments),) = native.loops(range(count), count if lanes else 0, inputs, work, outputs)
        return _best(lambda: function(*arguments), seconds) / count

    def __reduce__(self) -> tuple[Callable[..., Compiled], tuple[Any, ...]]:
        return _again, (self.program, *self._made_with, self._fixed_parameters)

    def __repr__(self) -> str:
        return f"<{self.outline.name}({', '.join(self.arrays)}) -> {', '.join(self.outputs)}, by {self.backend}>"

    @property
    def native(self) -> Native:
        """The machine code behind it, where there is some."""
        if not isinstance(self._backend, Native):
            raise PolhodeError(f"the backend {self.backend!r} has no machine code.")
        return self._backend

    def _work(self, parameters: Any) -> _Work:
        """The work array of a parameter set, kept for the latest sets."""
        if type(parameters) is np.ndarray and parameters.dtype is _FLOAT64 and parameters.ndim == 1:
            kept = self._sets.get(parameters.tobytes())
            if kept is not None:
                return kept
        values = as_parameters(parameters, self.outline)
        work = _Work(self._backend, values.copy())
        if values.ndim == 1:
            with self._sets_lock:
                self._sets[values.tobytes()] = work
                if len(self._sets) > _REMEMBERED_SETS:
                    del self._sets[next(iter(self._sets))]
        return work

    def _converted(self, arrays: tuple[Any, ...]) -> list[Floats]:
        return [
            as_floats(array, expected.size, f"array {expected.name!r}")
            for array, expected in zip(arrays, self.outline.arrays, strict=True)
        ]

    def _empty(self, count: int) -> list[Floats]:
        return [np.empty((count, *shape)) for _, shape in self.outline.outputs]

    def _general(self, arrays: tuple[Any, ...], work: _Work, buffer: _CallBuffer, threads: int | None) -> Any:
        inputs = self._converted(arrays)
        count = batch_size([*zip(self.arrays, inputs, strict=True), ("parameters", work.array)])
        if count is None:
            for array, view in zip(inputs, buffer.inputs, strict=True):
                view[:] = array
            buffer.run(work.handle)
            results = [output.copy() for output in buffer.outputs]
        else:
            results = self._empty(count)
            self._batch(count, inputs, work.array, results, threads)
        return results[0] if len(results) == 1 else tuple(results)

    def _batch(
        self, count: int, inputs: list[Floats], work: Floats, outputs: list[Floats], threads: int | None
    ) -> None:
        spans = pieces(count, threads, count * self.outline.length)
        lanes = count >= LANES_FROM

        def one(span: range) -> None:
            self._backend.batch(span, inputs, work, outputs, lanes)

        if len(spans) == 1:
            one(spans[0])
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(len(spans)) as pool:
                list(pool.map(one, spans))


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pieces(count: int, threads: int | None, cost: float) -> list[range]:
    """States split among threads, at multiples of 16 so that lanes fall the same way however many threads there are.

    >>> pieces(40, 2, 0)
    [range(0, 32), range(32, 40)]
    """
    if threads is None:
        threads = int(cost / _WORTH_A_THREAD)
        threads = min(cores(), threads) if threads > 1 else threads
    elif threads < 1:
        raise PolhodeError(f"threads is {threads}.", "threads", "Give 1 or more, or None.", "E-CALL-NUMBER")
    size = -(-count // max(1, threads))
    size = max(16, -(-size // 16) * 16)
    return [range(start, min(start + size, count)) for start in range(0, count, size)] or [range(0)]


def _best(call: Callable[[], object], seconds: float) -> float:
    """The shortest time of a call in nanoseconds, over some seconds of trying."""
    call()
    best, end = math.inf, time.perf_counter() + seconds
    while time.perf_counter() < end or best == math.inf:
        start = time.perf_counter_ns()
        call()
        best = min(best, time.perf_counter_ns() - start)
    return best


def _again(program: Program, cache: bool | ObjectCache, backend: str, parameters: Any) -> Compiled:
    return compile_program(program, cache=cache, backend=backend, parameters=parameters)
