"""Operations of the language: each is a Python function, and has a form in native code.

In plain Python a block is a whole array: `for block in blocks(run)` goes round once, with every entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...codegen.llvm.function import (
    DOUBLE,
    INTEGER,
    POINTER,
    TRUTH,
    WIDTH,
    Function,
    TranslationError,
    Value,
    Variable,
    places_of,
)
from ...codegen.llvm.sincos import vector_type
from ..kinds import ENTRIES, Array, Code, Struct, fields, llvm_type, offsets

__all__ = [
    "INFINITY", "NAN", "absolute", "any_lane", "are_set", "at", "blocks", "call", "call_named", "cos", "counted",
    "entry", "exp", "fma", "greatest", "is_nan", "largest", "local", "log", "power", "record_at", "row", "set_marks",
    "side_by_side", "sin", "smallest", "sqrt", "take_next", "total", "vector",
]  # fmt: skip


class Block:
    """The index of a block of WIDTH numbers."""

    __slots__ = ("number",)

    def __init__(self, number: Value) -> None:
        self.number = number


def entry_kind(array: Value, index: Any) -> str:
    """The kind of `array[index]`."""
    if isinstance(index, Block):
        return array.function.block
    if array.target not in ENTRIES:
        raise TranslationError(f"a pointer to {array.target} has no entries.")
    kind = ENTRIES[array.target]
    return array.function.number if kind == DOUBLE else kind


def load_entry(array: Value, index: Any) -> Value:
    """`array[index]`."""
    kind = entry_kind(array, index)
    number = index.number if isinstance(index, Block) else index
    return array.load(number, kind, Array if kind == POINTER else None)


def store_entry(array: Value, index: Any, value: Any) -> None:
    """`array[index] = value`."""
    array.store(index.number if isinstance(index, Block) else index, value, entry_kind(array, index))


class Record:
    """The record that a pointer points to."""

    __slots__ = ("pointer", "struct")

    def __init__(self, struct: Any, pointer: Value) -> None:
        self.struct, self.pointer = struct, pointer

    def field(self, name: str) -> tuple[Any, str]:
        """The kind and address of a field."""
        kinds = fields(self.struct)
        if name not in kinds:
            raise TranslationError(f"{self.struct.__name__} has no field {name!r}.")
        return kinds[name], self.pointer.at(offsets(self.struct)[name], DOUBLE).name

    def read(self, name: str) -> Any:
        """The value of a field."""
        kind, address = self.field(name)
        value = self.pointer.function.load(llvm_type(kind), address, kind, is_record=True)
        return as_record(kind, value)

    def write(self, name: str, value: Any) -> None:
        """Give a field another value."""
        kind, address = self.field(name)
        self.pointer.function.store(llvm_type(kind), value, address, is_record=True)


def as_record(kind: Any, value: Value) -> Any:
    """A pointer to a record as the record, any other value as it is."""
    return Record(kind, value) if isinstance(kind, type) and issubclass(kind, Struct) else value


class Operation:
    """A function of the language: called in plain Python, written by `native(function, …)` when it is translated."""

    def __init__(self, plain: Callable[..., Any], native: Callable[..., Any]) -> None:
        self.plain, self.native, self.__doc__ = plain, native, plain.__doc__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.plain(*arguments, **options)


def _operation(native: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    return lambda plain: Operation(plain, native)


def _intrinsic(name: str) -> Callable[..., Any]:
    return lambda f, *operands: f.intrinsic(name, *operands)


def _library(name: str) -> Callable[..., Any]:
    return lambda f, *operands: f.library(name, *operands)


@_operation(Function.fma)
def fma(a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once where the machine can."""
    return a * b + c


#: √x (nan for a negative number) and |x|; the larger and the smaller of two numbers, of nan and a number the number.
sqrt, absolute = Operation(np.sqrt, _intrinsic("sqrt")), Operation(np.abs, _intrinsic("fabs"))
largest, smallest = Operation(np.fmax, _intrinsic("maxnum")), Operation(np.fmin, _intrinsic("minnum"))
#: x to a power, eˣ, the natural logarithm, sine and cosine, as the C library has them.
power = Operation(lambda x, exponent: np.float64(x) ** exponent, _library("pow"))
exp, log, sin, cos = (Operation(getattr(np, name), _library(name)) for name in ("exp", "log", "sin", "cos"))


def _as_value(x: Any) -> Any:
    return x.read() if isinstance(x, Variable) else x


@_operation(lambda f, x: _as_value(x).compare("!=", _as_value(x)))
def is_nan(x: Any) -> Any:
    """True for nan."""
    return x != x


# ---- blocks ------------------------------------------------------------------------------------------------------


class Blocks:
    """The blocks of arrays of the state's length from one of them on, for a loop over them."""

    def __init__(self, count: Any, first: Any) -> None:
        self.count, self.first = count, first


@_operation(lambda f, run, first=0: Blocks(run.read("blocks") if isinstance(run, Record) else run.blocks, first))
def blocks(run: Any, first: int = 0) -> Iterable[Any]:
    """The blocks of an array of the state's length from one on; in plain Python one slice, with all of them."""
    return (slice(WIDTH * first, WIDTH * run.blocks),)


class Counted:
    """The integers below a number that is known at translation, for a loop at run time."""

    first = 0

    def __init__(self, count: int) -> None:
        self.count = count


@_operation(lambda f, count: Counted(count))
def counted(count: int) -> Iterable[int]:
    """The integers below a number: a loop that is not unrolled."""
    return range(count)


@_operation(lambda f, value: f.variable(f.of_kind(f.block, value)))
def vector(value: float) -> Any:
    """A variable that is a block, with the same number in each place."""
    return value


def _in_pairs(join: Callable[[Function, Value, Value], Value]) -> Callable[[Function, Any], Value]:
    """The four numbers of a block joined in pairs, and the results."""

    def native(f: Function, block: Any) -> Value:
        whole_block = f.of_kind(f.block, block)
        a, b, c, d = (f.number_of(whole_block, lane) for lane in range(WIDTH))
        return join(f, join(f, a, b), join(f, c, d))

    return native


@_operation(_in_pairs(lambda f, a, b: a + b))
def total(block: Any) -> Any:
    """The sum of a block: (0 + 1) + (2 + 3)."""
    return np.sum(block)


@_operation(_in_pairs(_intrinsic("maxnum")))
def greatest(block: Any) -> Any:
    """The largest entry of a block, without nan."""
    return np.fmax.reduce(np.atleast_1d(block))


# ---- memory ------------------------------------------------------------------------------------------------------


def _at(f: Function, array: Any, index: Any) -> Any:
    array = _as_value(array)
    return array.at(index, entry_kind(array, 0))


@_operation(_at)
def at(array: Any, index: int) -> Any:
    """The array from an entry on."""
    return array[index:]


def _row(f: Function, array: Any, run: Any, number: Any) -> Value:
    count = f.of_kind(INTEGER, run.read("blocks") if isinstance(run, Record) else run.blocks)
    return Value(f, POINTER, _as_value(array).at(count * number, f.block).name, Array)


@_operation(_row)
def row(array: Any, run: Any, number: int) -> Any:
    """One of several arrays of the state's length, padded to whole blocks, that lie one after the other."""
    width = WIDTH * run.blocks
    return array[number * width : (number + 1) * width]


@_operation(lambda f, struct, pointer: as_record(struct, _as_value(pointer)))
def record_at(struct: type[Struct], pointer: Any) -> Any:
    """The record that a pointer points to."""
    return pointer


def _entry(f: Function, array: Any, index: Any, kind: Any) -> Any:
    return as_record(kind, _as_value(array).load(index, llvm_type(kind), kind))


@_operation(_entry)
def entry(table: Any, index: int, kind: Any) -> Any:
    """An entry of a table of pointers, of this kind."""
    return table[index]


def _local(f: Function, size: int) -> Value:
    name = f"%{f.fresh('local')}"
    f._entry.append(f"  {name} = alloca {f.number}, i64 {int(size)}, align {max(64, 8 * f.lanes)}")
    return Value(f, POINTER, name, Array)


@_operation(_local)
def local(size: int) -> Any:
    """An array of so many numbers, known at translation, of this call alone."""
    return np.zeros(size)


def _call(f: Function, function: Any, *arguments: Any, returns: Any = None) -> Any:
    operands = []
    for argument in arguments:
        value = argument.pointer if isinstance(argument, Record) else _as_value(argument)
        if not isinstance(value, Value):
            kind = INTEGER if isinstance(value, int) and not isinstance(value, bool) else DOUBLE
            value = f.of_kind(kind, value)
        operands.append(value)
    address = _as_value(function)
    if address.target is not Code:
        raise TranslationError("call needs a field of kind Code.")
    return f.call(address.name, "void" if returns is None else llvm_type(returns), *operands, target=returns)


@_operation(_call)
def call(function: Any, *arguments: Any, returns: Any = None) -> Any:
    """Call the function behind a pointer."""
    return function(*arguments)


@_operation(lambda f, name, *arguments: f.call(f"@{name}", "void", *map(_as_value, arguments)))
def call_named(name: str, *arguments: Any) -> None:
    """Call a function of the module that is not written in this language, such as the kernel of a program."""
    raise TranslationError(f"{name} exists in native code only.")


@_operation(lambda f, x: f.emit(INTEGER, f"atomicrmw add ptr {_as_value(x).name}, i64 1 monotonic, align 8"))
def take_next(counter: Any) -> int:
    """Atomic fetch-and-add of 1; returns the old value."""
    old = int(counter[0])
    counter[0] = old + 1
    return old


# ---- lanes ---------------------------------------------------------------------------------------------------------


def _no_lanes(*arguments: Any) -> Any:
    """Lanes exist in native code alone."""
    raise TranslationError("lanes exist in native code alone.")


def _are_set(f: Function, array: Any) -> Value:
    kind = vector_type(f.lanes, INTEGER)
    zero = "0" if f.lanes == 1 else "zeroinitializer"
    marks = f.load(kind, _as_value(array).name)
    return f.emit(vector_type(f.lanes, TRUTH), f"icmp ne {kind} {marks.name}, {zero}")


def _set_marks(f: Function, array: Any, condition: Value) -> None:
    kind = vector_type(f.lanes, INTEGER)
    mask = f.emit(kind, f"zext {condition.kind} {condition.name} to {kind}")
    f.store(kind, mask, _as_value(array).name)


def _any_lane(f: Function, condition: Value) -> Value:
    places = places_of(condition.kind)
    if places == 1:
        return condition
    bits = f.emit(f"i{places}", f"bitcast {condition.kind} {condition.name} to i{places}")
    return f.emit(TRUTH, f"icmp ne i{places} {bits.name}, 0")


#: The lanes in which an integer of an array, one for each lane, is not zero; write 1 and 0 for a condition; whether a
#: condition holds in some lane.
are_set, set_marks, any_lane = (Operation(_no_lanes, operation) for operation in (_are_set, _set_marks, _any_lane))


class SideBySide:
    """The runs of all lanes as one: their times and steps are numbers, their arrays and settings those of the first."""

    _OF_EACH = ("t", "t_old", "h", "taken", "step")

    def __init__(self, function: Function, lanes: Record, runs: list[Record]) -> None:
        self._function, self.lanes, self._runs = function, lanes, runs

    def __getattr__(self, name: str) -> Any:
        if name in self._OF_EACH:
            return self._function.beside([run.read(name) for run in self._runs])
        return self._runs[0].read(name)


def _side_by_side(f: Function, lanes: Record, struct: type[Struct]) -> SideBySide:
    table = lanes.read("runs")
    return SideBySide(f, lanes, [_entry(f, table, lane, struct) for lane in range(f.lanes)])


side_by_side = Operation(_no_lanes, _side_by_side)


# ---- conversions, by the names that Python has for them ------------------------------------------------------------


def to_float(f: Function, value: Any) -> Any:
    """float(value)."""
    value = _as_value(value)
    if not isinstance(value, Value):
        return float(value)
    return value.as_double() if value.kind == INTEGER else value


def to_int(f: Function, value: Any) -> Any:
    """int(value): towards zero; 1 for a condition that holds."""
    value = _as_value(value)
    if not isinstance(value, Value):
        return int(value)
    if value.kind == INTEGER:
        return value
    if value.kind == "i1":
        return f.emit(INTEGER, f"zext i1 {value.name} to i64")
    return f.emit(INTEGER, f"fptosi double {value.name} to i64")


INFINITY, NAN = math.inf, math.nan
