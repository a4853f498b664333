"""The ways to run a program: native code by LLVM or the system's C compiler, or NumPy, one instruction at a time."""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..codegen.ir.program import Outline, Program
from ..errors import PolhodeError, unknown, warn
from .arrays import Floats, address_of
from .stored_code import LANES, ONE_STATE, Code, CodeStore, Entry, count

if TYPE_CHECKING:
    from ..expr.opaque.user import UserFunction
    from ..files.cache import ObjectCache

#: What LLVM's symbols point to lives as long as the process: loaded code may call it at any time.
_LINKED: dict[str, tuple[int, Any]] = {}
_LOCK = threading.Lock()


class FunctionWarning(UserWarning):
    """A user's function runs slowly through Python, or failed there."""


def _link_user_functions(program: Program, cache: ObjectCache | None) -> None:
    """Let LLVM find the users' functions that a program calls."""
    from ..codegen.ir.calls import user_functions
    from ..codegen.llvm.calls import user_symbol

    for _, function in user_functions(program):
        import llvmlite.binding as llvm

        llvm.add_symbol(user_symbol(function), _address_of_function(function, cache))


def _address_of_function(function: UserFunction, cache: ObjectCache | None) -> int:
    """Where a user's function lies: that of its C source, or one that calls its Python callable back."""
    with _LOCK:
        if function.digest not in _LINKED:
            _LINKED[function.digest] = _from_c(function, cache) or _from_python(function)
        return _LINKED[function.digest][0]


def _user_functions_over_arrays(program: Program, cache: ObjectCache | None) -> dict[str, Callable[..., Any]]:
    """Functions that are given in C alone, as functions of NumPy arrays."""
    from ..codegen.ir.calls import user_functions

    over_arrays: dict[str, Callable[..., Any]] = {}
    for op, function in user_functions(program):
        if function.python is None:
            native = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.arity)(
                _address_of_function(function, cache)
            )
            over_arrays[op] = np.vectorize(native, otypes=[np.float64])
    return over_arrays


def _from_c(function: UserFunction, cache: ObjectCache | None) -> tuple[int, Any] | None:
    """The compiled source; None where there is none, or no compiler for it while there is a callable."""
    from .c_compiler import compiler, load_source

    if not function.source:
        return None
    try:
        compiler()
    except PolhodeError:
        if function.python is None:
            raise
        return None
    try:
        library = load_source(function.name, f"#include <math.h>\n{function.source}\n", cache)
    except PolhodeError as error:
        message = f"its C source cannot be compiled: {error.problems[0].message}"
        cure = "Mend the source given as c=."
        raise PolhodeError(message, f"function '{function.name}'", cure, "E-FUNCTION-FAILED") from error
    try:
        return library.address(function.name), library
    except AttributeError:
        message = "its C source compiles but does not export it."
        cure = "Leave out `static` and `inline`."
        raise PolhodeError(message, f"function '{function.name}'", cure, "E-FUNCTION-FAILED") from None


def _from_python(function: UserFunction) -> tuple[int, Any]:
    reason = "there is no C compiler" if function.source else "it has no C source"
    warn(
        f"function '{function.name}' is called back in Python from native code, which is slow: {reason}.",
        FunctionWarning,
    )
    callback = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * function.arity)(_guarded(function))
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0), callback


def _guarded(function: UserFunction) -> Callable[..., float]:
    """The callable, giving nan where it fails: an exception cannot cross native code, and 0 would be a lie."""

    def guarded(*args: float) -> float:
        try:
            return function.at(*args)
        except Exception as error:
            with suppress(Warning):  # which a filter may have made an error
                message = f"function '{function.name}' failed and gives nan: {error!r}"
                warn(message, FunctionWarning)
            return math.nan

    return guarded


#: From this many states on, a batch runs in lanes. A fixed number, so that the same call gives the same bits.
LANES_FROM = 256
#: Lanes pay where there are so many instructions for each number that is turned from rows to lanes and back: measured
#: on five robots, for programs whose single state fills vectors by itself, and for others.
_PACKED, _PLAIN = 20, 3


def are_lanes_faster(outline: Outline, is_packed: bool) -> bool:
    """Whether many states are computed faster side by side than one after the other."""
    return outline.length > (_PACKED if is_packed else _PLAIN) * sum(outline.sizes)


class BackendWarning(UserWarning):
    """The chosen backend does not work here; the next one is used."""


_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64
_BATCH = ctypes.CFUNCTYPE(None, _COUNT, _POINTER, _POINTER, _POINTER, _COUNT, _POINTER)


class Native:
    """Machine code with the signatures of `codegen.llvm.module`; the code in lanes is compiled at its first use."""

    def __init__(
        self,
        name: str,
        saved: int,
        code: Code,
        lane_code: Callable[[], Code] | None = None,
        lanes: int = 1,
        in_lanes: bool = True,
        rounds_alike: bool = False,
    ) -> None:
        self.name, self.code, self.lanes = name, code, lanes
        self.in_lanes = in_lanes  # whether lanes are the faster way for many states
        self.rounds_alike = rounds_alike  # whether a state in lanes has the bits that it has alone
        self._lane_code = lane_code
        self._lock = threading.Lock()
        self._setup = ctypes.CFUNCTYPE(None, _COUNT, _POINTER, _POINTER)(code.address("ph_setup_batch"))
        # A call of well under a microsecond is cheaper with the interpreter's lock held.
        self._single = ctypes.PYFUNCTYPE(None, _POINTER, _POINTER)(code.address("ph_single"))
        self._scalar = code, _BATCH(code.address("ph_batch")), code.address("ph_batch")
        self._in_lanes: tuple[Code, Callable[..., object], int] | None = None
        self._saved = saved
        self.loaded: dict[str, Any] = {}  # what else was read or made of the function, by its part

    @functools.cached_property
    def at(self) -> int:
        """The address of the function with a table of pointers as its argument."""
        return self.code.address("ph_at")

    def setup(self, parameters: Floats) -> Floats:
        """Rows of parameters to rows of the work array."""
        work = np.empty((len(parameters), self._saved))
        self._setup(len(parameters), parameters.ctypes.data, work.ctypes.data)
        return work

    def handle(self, work: Floats) -> int:
        """The first argument of the function that `single` returns, for a work array."""
        return int(work.ctypes.data)

    def single(self, buffer: Floats) -> Callable[[int], object]:
        """A function of a work handle that computes one state in the buffer: all inputs, then all outputs."""
        function, address = self._single, int(buffer.ctypes.data)
        return lambda work: function(address, work)

    def batch(
        self, span: range, inputs: Sequence[Floats], work: Floats, outputs: Sequence[Floats], lanes: bool
    ) -> None:
        """Compute the states in `span`; an input or work array of one dimension is shared by all states."""
        bulk = len(span) // self.lanes * self.lanes if lanes and self.in_lanes and self._lane_code else 0
        if bulk:
            try:
                self.code_in_lanes()
            except OSError as problem:  # code from the cache runs where LLVM does not
                self._lane_code, bulk = None, 0
                say_once(f"the backend {self.name!r} makes no code in lanes here: {_sentence(problem)}")
        for function, _, arguments in self.loops(span, bulk, inputs, work, outputs):
            function(*arguments)

    def loops(
        self, span: range, bulk: int, inputs: Sequence[Floats], work: Floats, outputs: Sequence[Floats]
    ) -> list[tuple[Callable[..., object], int, tuple[Any, ...]]]:
        """Native loops over the first `bulk` states, in lanes, and the others, each with its address and arguments."""
        base, width = address_of(work), work.shape[1] if work.ndim == 2 else 0
        strides = [array.shape[1] if array.ndim == 2 else 0 for array in inputs]
        starts = [(array.__array_interface__["data"][0], stride) for array, stride in zip(inputs, strides, strict=True)]
        ends = [(address_of(array), math.prod(array.shape[1:])) for array in outputs]
        pointers, counts = _array_of(_POINTER, len(starts)), _array_of(_COUNT, len(starts))(*strides)
        calls: list[tuple[Callable[..., object], int, tuple[Any, ...]]] = []
        for part, lanes in ((span[:bulk], True), (span[bulk:], False)):
            if len(part):
                _, function, address = self._loaded_lanes() if lanes else self._scalar
                first = 8 * part.start
                ins = pointers(*[start + first * stride for start, stride in starts])
                outs = _array_of(_POINTER, len(ends))(*[start + first * size for start, size in ends])
                calls.append((function, address, (len(part), ins, counts, base + first * width, width, outs)))
        return calls

    def code_in_lanes(self) -> Code:
        """The code in lanes, compiled at the first call; raises OSError where LLVM does not work."""
        return self._loaded_lanes()[0]

    def _loaded_lanes(self) -> tuple[Code, Callable[..., object], int]:
        if self._in_lanes is None:
            if self._lane_code is None:
                raise PolhodeError(f"the backend {self.name!r} has no lanes.")
            with self._lock:
                code = self._lane_code() if self._in_lanes is None else self._in_lanes[0]
                self._in_lanes = code, _BATCH(code.address("ph_lanes")), code.address("ph_lanes")
        return self._in_lanes


@functools.cache
def _array_of(kind: Any, count: int) -> Any:
    """The ctypes type of an array, kept: ctypes makes it anew where no array of it is alive."""
    return kind * count


_NUMPY: Mapping[str, Callable[..., Any]] = MappingProxyType({
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "atan2": np.arctan2, "exp": np.exp, "log": np.log, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "abs": np.abs, "sign": np.sign, "min": np.minimum, "max": np.maximum, "pow": np.float_power,
    "floor": np.floor, "where": lambda side, a, b: np.where(side > 0.0, a, b),
})  # fmt: skip


class Vectorised:
    """NumPy, one instruction after the other over all states: slow for one state, fair for many, always there."""

    name = "numpy"

    def __init__(self, program: Program, store: CodeStore) -> None:
        from ..codegen.ir.calls import on_arrays

        self.program = program
        self._meaning = {**_NUMPY, **on_arrays(program), **_user_functions_over_arrays(program, store.cache)}
        self._constants = [np.float64(value) for value in program.constants]

    def setup(self, parameters: Floats) -> Floats:
        return parameters

    def handle(self, work: Floats) -> Floats:
        return work

    def single(self, buffer: Floats) -> Callable[[Floats], object]:
        sizes = [array.size for array in self.program.arrays]
        sizes += [len(output.slots) for output in self.program.outputs]
        views = np.split(buffer[: sum(sizes)], np.cumsum(sizes)[:-1])
        count = len(self.program.arrays)
        outputs = [
            view.reshape(1, *output.shape) for view, output in zip(views[count:], self.program.outputs, strict=True)
        ]

        def run(work: Floats) -> None:
            self.batch(range(1), views[:count], work, outputs, False)

        return run

    def batch(
        self, span: range, inputs: Sequence[Floats], work: Floats, outputs: Sequence[Floats], lanes: bool
    ) -> None:
        from ..codegen.ir.interpreter import evaluate

        rows = slice(span.start, span.stop)

        def columns(array: Floats) -> list[Any]:
            return list(array[rows].T) if array.ndim == 2 else list(array)

        entries = [entry for array in inputs for entry in columns(array)]
        with np.errstate(all="ignore"):
            results = evaluate(self.program, self._constants, entries, columns(work), self._meaning)
        for output, into in zip(self.program.outputs, outputs, strict=True):
            flat = into[rows].reshape(len(span), len(output.slots))
            for k, entry in enumerate(results[output.name]):
                flat[:, k] = entry


Backend: TypeAlias = Native | Vectorised


def llvm_backend(program: Program, store: CodeStore) -> Native:
    """Native code by LLVM."""
    from . import engine

    engine.host()  # raises where LLVM does not work
    _link_user_functions(program, store.cache)
    return stored_native(lambda: program, store, len(program.saved))


def stored_native(program: Callable[[], Program], store: CodeStore, saved: int) -> Native:
    """Native code of the program that a store is of, which is called for only where that code is not stored."""

    def read(entry: Entry) -> Native:
        facts, of_lanes = entry.facts, functools.partial(lane_code, program, store)
        in_lanes, rounds_alike = facts["in lanes"] is True, facts["rounds alike"] is True
        return Native("llvm", saved, entry.load(), of_lanes, count(facts["lanes"]), in_lanes, rounds_alike)

    return store.read_or_make(ONE_STATE, lambda: _scalar_entry(program()), read)


def _scalar_entry(program: Program) -> Entry:
    """An entry with the object code of a program for one state at a time, and whether lanes are faster for many."""
    from ..codegen.llvm.kernels import chooses
    from ..codegen.llvm.module import scalar_module
    from . import engine

    host = engine.host()
    module = scalar_module(program, fused=host.fused)
    in_lanes = are_lanes_faster(program.outline, module.is_packed)
    facts = {"lanes": host.lanes, "in lanes": in_lanes, "rounds alike": module.rounds_alike}
    is_huge = len(module.text) > engine.HUGE and chooses(program)
    return Entry(facts).with_object_code(engine.object_code(module.text, effort=0 if is_huge else 2))


def lane_code(program: Callable[[], Program], store: CodeStore) -> Code:
    """The same program over as many states at once as the machine has lanes."""

    def make() -> Entry:
        from ..codegen.llvm.module import lane_module
        from . import engine

        host = engine.host()
        text = lane_module(program(), host.lanes, fused=host.fused)
        return Entry().with_object_code(engine.object_code(text))

    return store.code(LANES, make)


def c_backend(program: Program, store: CodeStore) -> Native:
    """Native code by the system's C compiler."""
    from ..codegen.printers.c99 import print_c, print_loops
    from .c_compiler import load_source

    files = print_c(program)
    code = load_source(files.name, files.source + print_loops(program), store.cache, files.header)
    return Native("c", len(program.saved), code)


BACKENDS: Mapping[str, Callable[[Program, CodeStore], Backend]] = MappingProxyType({
    "llvm": llvm_backend,
    "c": c_backend,
    "numpy": Vectorised,
})  # fmt: skip


def check_backend(backend: str) -> None:
    """Raise unless there is a backend of this name."""
    if not isinstance(backend, str) or backend not in ("auto", *BACKENDS):
        raise unknown("backend", backend, ("auto", *BACKENDS), place="backend", code="E-CODE-NAME")


def choose(program: Program, backend: str, store: CodeStore) -> Backend:
    """The named backend, or with "auto" the first that works here; a warning names those that failed.

    Whatever keeps LLVM from working is found by `engine.host` before anything is compiled. A `PolhodeError` on the way
    to LLVM is of a user's function, which no other backend would cure, and is raised.
    """
    check_backend(backend)
    if backend != "auto":
        try:
            return BACKENDS[backend](program, store)
        except PolhodeError:
            raise
        except Exception as problem:
            message = f"the backend {backend!r} does not work here: {_sentence(problem)}"
            raise PolhodeError(message, "backend", 'Take backend="auto".', "E-CODE-UNSUPPORTED") from problem
    chosen: Backend | None = None
    failures: list[str] = []
    for name in ("llvm", "c"):
        try:
            chosen = BACKENDS[name](program, store)
            break
        except Exception as problem:
            if name == "llvm" and isinstance(problem, PolhodeError):
                raise
            failures.append(f"{name!r} does not work here: {_sentence(problem)}")
    chosen = chosen or Vectorised(program, store)
    if failures:
        say_once(f"the backend {chosen.name!r} is used. {' '.join(failures)}")
    return chosen


@functools.cache
def say_once(message: str) -> None:
    """Warn that a backend does not work, once in a process."""
    warn(message, BackendWarning)


def _sentence(problem: Exception) -> str:
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text[:300] if text.endswith(".") else f"{text[:300]}."
