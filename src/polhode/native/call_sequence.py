"""Native loops over batches that are bound to their memory and entered together, by one call from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..errors import PolhodeError
from ..files.cache import default_cache
from ..files.version import key_of
from .arrays import Floats
from .backends import Native
from .compiled import Compiled
from .kinds import Array, Integers, Pointers, Struct
from .kinds import Code as NativeCode
from .stored_code import Code, CodeStore, Entry

#: Longer programs run one row after the other: code in lanes would take longer to compile than it saves.
_LONG = 5_000


class _Call(Struct):
    """A loop over a batch (`codegen.llvm.module`), and its arguments."""

    function: NativeCode
    count: int
    ins: Pointers
    strides: Integers
    work: Array
    work_stride: int
    outs: Pointers


_CALL = _Call.structure()


@cache
def _code() -> Code:
    def make() -> Entry:
        from . import engine
        from .language import Module, at, call, native, record_at

        @native
        def run_calls(count: int, calls: Integers) -> None:
            for number in range(count):
                c = record_at(_Call, at(calls, number * (ctypes.sizeof(_CALL) // 8)))
                call(c.function, c.count, c.ins, c.strides, c.work, c.work_stride, c.outs)

        module = Module()
        module.add(run_calls, name="ph_sequence")
        return Entry().with_object_code(engine.object_code(module.text))

    return CodeStore(default_cache(), key_of("call sequence")).code("call sequence", make)


class BoundLoop:
    """A compiled function for the first `count` rows of its arrays; an array of one dimension is shared by all rows."""

    def __init__(
        self,
        compiled: Compiled,
        inputs: Sequence[Floats],
        outputs: Sequence[Floats],
        count: int,
        parameters: Any = None,
    ) -> None:
        self.compiled, self.inputs, self.outputs, self.count = compiled, tuple(inputs), tuple(outputs), count
        self._parameters, self._work = parameters, compiled.work(parameters)
        self.calls: list[tuple[int, Any]] | None = None  # addresses and arguments, where there is machine code
        try:
            self.calls = self._native(compiled.native)
        except (PolhodeError, OSError):
            self.calls = None

    def _native(self, native: Native) -> list[tuple[int, Any]]:
        pays = native.in_lanes and native.lanes > 1 and self.compiled.outline.length <= _LONG
        bulk = self.count // native.lanes * native.lanes if pays else 0
        loops = native.loops(range(self.count), bulk, self.inputs, self._work, self.outputs)
        return [(address, arguments) for _, address, arguments in loops]

    def run(self) -> None:
        """Compute all rows, by any backend."""
        arrays = [array[: self.count] if array.ndim == 2 else array for array in self.inputs]
        results = self.compiled(*arrays, parameters=self._parameters)
        for into, result in zip(self.outputs, results if isinstance(results, tuple) else (results,), strict=True):
            into[: self.count] = result


def sequence_of(loops: Sequence[BoundLoop]) -> Callable[[], object]:
    """A function that runs loops one after the other, each on the memory that it is bound to."""
    wanted = [loop for loop in loops if any(output[:1].size for output in loop.outputs)]
    try:
        code = _code() if all(loop.calls is not None for loop in wanted) else None
    except OSError:  # LLVM does not work here
        code = None
    if code is None:

        def by_any_backend() -> None:
            for loop in wanted:
                loop.run()

        return by_any_backend
    calls = [call for loop in wanted for call in loop.calls or ()]
    pointed = ctypes.addressof
    table = (_CALL * len(calls))(*(
        _CALL(address, count, pointed(ins), pointed(strides), work, work_stride, pointed(outs))
        for address, (count, ins, strides, work, work_stride, outs) in calls
    ))  # fmt: skip
    # A call of some microseconds is cheaper with the interpreter's lock held.
    enter = ctypes.PYFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(code.address("ph_sequence"))
    at, size = ctypes.addressof(table), len(calls)
    held = wanted, calls, table

    def run() -> object:
        enter(size, at)
        return held

    return run
