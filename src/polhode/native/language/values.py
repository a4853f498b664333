"""Arrays and records of native functions while they are translated."""

from __future__ import annotations

from typing import Any

from ...codegen.llvm.function import DOUBLE, POINTER, TranslationError, Value
from ..kinds import ENTRIES, Array, Struct, fields, llvm_type, offsets


class Block:
    """The index of a block of WIDTH numbers."""

    __slots__ = ("number",)

    def __init__(self, number: Value) -> None:
        self.number = number


def entry_kind(array: Value, index: Any) -> str:
    """The kind of what `array[index]` is."""
    if isinstance(index, Block):
        return array.function.block
    if array.target not in ENTRIES:
        raise TranslationError(f"a pointer to {array.target} has no entries.")
    kind = ENTRIES[array.target]
    return array.function.number if kind == DOUBLE else kind


def load_entry(array: Value, index: Any) -> Value:
    """`array[index]`."""
    kind = entry_kind(array, index)
    place = index.number if isinstance(index, Block) else index
    return array.load(place, kind, Array if kind == POINTER else None)


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
