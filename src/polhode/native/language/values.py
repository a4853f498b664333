"""Values of a native function while it is translated: numbers, vectors, conditions and pointers, with operators.

A value has no truth and no equality in Python: a condition on it becomes a branch of the native function, which only
the translator can write. `bool(value)` and `value == other` therefore raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ...codegen.llvm.sincos import suffix, vector_type
from ..kinds import DOUBLE, ENTRIES, INTEGER, POINTER, TRUTH, Struct, fields, llvm_type, offsets

if TYPE_CHECKING:
    from .function import Function

_FLOAT_OPS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INTEGER_OPS = {"+": "add", "-": "sub", "*": "mul", "//": "sdiv", "%": "srem"}
_FLOAT_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INTEGER_TESTS = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}


class TranslationError(TypeError):
    """A function of native code has something in it that is not of the language."""


def places_of(kind: str) -> int:
    """The number of entries of a value of this kind."""
    return int(kind[1:].split(" ", 1)[0]) if kind.startswith("<") else 1


def is_condition(kind: str) -> bool:
    """True for a truth value, or one for each lane."""
    return kind.endswith(("i1", "i1>"))


class Value:
    """A number, vector, condition or pointer; of a pointer, `target` is the kind of what it points to."""

    __slots__ = ("function", "kind", "name", "target")

    def __init__(self, function: Function, kind: str, name: str, target: Any = None) -> None:
        self.function, self.kind, self.name, self.target = function, kind, name, target

    def __bool__(self) -> bool:
        _refuse("if, while, and, or, not of Python")

    def __eq__(self, other: object) -> bool:
        _refuse("== of Python")

    def __ne__(self, other: object) -> bool:
        _refuse("!= of Python")

    __hash__ = None  # type: ignore[assignment]  # as Python's own types without equality

    def binary(self, op: str, other: Any, flipped: bool = False) -> Value:
        """The result of an operator."""
        one, two = self.function.alike(self, other)
        if flipped:
            one, two = two, one
        ops = _INTEGER_OPS if one.kind == INTEGER else _FLOAT_OPS
        if op not in ops or one.kind == POINTER or is_condition(one.kind):
            raise TranslationError(f"{op} is not defined for values of kind {one.kind}.")
        return self.function.emit(one.kind, f"{ops[op]} {one.kind} {one.name}, {two.name}")

    def compare(self, relation: str, other: Any) -> Value:
        """The condition of a comparison; with nan it is false, but for !=."""
        one, two = self.function.alike(self, other)
        if is_condition(one.kind) and relation in ("==", "!="):
            differ = self.function.emit(one.kind, f"xor {one.kind} {one.name}, {two.name}")
            return differ.inverted() if relation == "==" else differ
        if one.kind == INTEGER:
            return self.function.emit(TRUTH, f"icmp {_INTEGER_TESTS[relation]} i64 {one.name}, {two.name}")
        kind = vector_type(places_of(one.kind), TRUTH)
        return self.function.emit(kind, f"fcmp {_FLOAT_TESTS[relation]} {one.kind} {one.name}, {two.name}")

    def negative(self) -> Value:
        """-value."""
        if self.kind == INTEGER:
            return self.binary("-", 0, flipped=True)
        return self.function.emit(self.kind, f"fneg {self.kind} {self.name}")

    def inverted(self) -> Value:
        """The opposite of a condition."""
        places = places_of(self.kind)
        all_true = "true" if places == 1 else f"<{', '.join(['i1 true'] * places)}>"
        return self.function.emit(self.kind, f"xor {self.kind} {self.name}, {all_true}")

    def joined(self, word: str, other: Value) -> Value:
        """Both conditions ("and"), or one of them ("or")."""
        return self.function.emit(self.kind, f"{word} {self.kind} {self.name}, {other.name}")

    # ---- memory ------------------------------------------------------------------------------------------------

    def address(self, index: Any, kind: str) -> str:
        """The address of an entry of an array."""
        place = self.function.of_kind(INTEGER, index)
        return self.function.emit(POINTER, f"getelementptr {kind}, ptr {self.name}, i64 {place.name}").name

    def entry_kind(self, index: Any) -> str:
        """The kind of what `self[index]` is."""
        if isinstance(index, Block):
            return self.function.block
        if self.target not in ENTRIES:
            raise TranslationError(f"a pointer to {self.target} has no entries.")
        kind = ENTRIES[self.target]
        return self.function.number if kind == DOUBLE else kind

    def load(self, index: Any) -> Value:
        """`self[index]`."""
        kind = self.entry_kind(index)
        place = index.number if isinstance(index, Block) else index
        from ..kinds import Array

        return self.function.load(kind, self.address(place, kind), Array if kind == POINTER else None)

    def store(self, index: Any, value: Any) -> None:
        """`self[index] = value`."""
        kind = self.entry_kind(index)
        place = index.number if isinstance(index, Block) else index
        self.function.store(kind, value, self.address(place, kind))


class Block:
    """The index of a block of WIDTH numbers."""

    __slots__ = ("number",)

    def __init__(self, number: Value) -> None:
        self.number = number


class Variable:
    """A name that changes: memory on the stack, which LLVM turns into a register."""

    __slots__ = ("address", "function", "kind", "target")

    def __init__(self, function: Function, kind: str, address: str, target: Any = None) -> None:
        self.function, self.kind, self.address, self.target = function, kind, address, target

    def read(self) -> Value:
        """Its value now."""
        return self.function.load(self.kind, self.address, self.target, is_record=True)

    def write(self, value: Any) -> None:
        """Give it another value, of the same kind."""
        self.function.store(self.kind, value, self.address, is_record=True)


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
        return kinds[name], self.pointer.address(offsets(self.struct)[name], DOUBLE)

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


def _refuse(what: str) -> NoReturn:
    raise TranslationError(f"a value of native code was used with {what} while the function is translated.")


__all__ = [
    "Block",
    "Record",
    "TranslationError",
    "Value",
    "Variable",
    "as_record",
    "is_condition",
    "places_of",
    "suffix",
]
