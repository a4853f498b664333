"""Kinds of values in native code, and records: fields of 8 bytes that native code and Python share.

    class Clock(Struct):
        t: float
        ticks: int
        states: Array

A field is a number (float, int), an array (`Array` of doubles, `Integers`, `Pointers`), a function behind a pointer
(`Code`) or another record. `Clock.structure()` is the same record for ctypes. An instance of the class itself is the
record of plain Python: its arrays are NumPy's, its functions Python's.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Protocol, get_type_hints

from ..codegen.llvm.function import DOUBLE, INTEGER, POINTER, TRUTH


class Array(Protocol):
    """Doubles behind a pointer: `x[i]` is one of them, `x[block]` a block."""

    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...


class Integers(Array, Protocol):
    """Integers of 64 bits behind a pointer."""


class Pointers(Array, Protocol):
    """Arrays of doubles behind a table of pointers."""


class Code(Protocol):
    """A function behind a pointer, called by `call`."""

    def __call__(self, *arguments: Any) -> Any: ...


#: What an entry is of an array of this kind.
ENTRIES = {Array: DOUBLE, Integers: INTEGER, Pointers: POINTER}
_NUMBERS: dict[Any, str] = {float: DOUBLE, int: INTEGER, bool: TRUTH}
_CTYPES: dict[str, Any] = {DOUBLE: ctypes.c_double, INTEGER: ctypes.c_int64, POINTER: ctypes.c_void_p}


class Struct:
    """A record; see the module."""

    def __init__(self, **values: Any) -> None:
        struct: Any = type(self)
        for name, kind in fields(struct).items():
            setattr(self, name, values.pop(name, {float: 0.0, int: 0}.get(kind)))
        if values:
            raise TypeError(f"{type(self).__name__} has no field {next(iter(values))!r}.")

    @classmethod
    def structure(cls) -> type[ctypes.Structure]:
        """The record for ctypes."""
        struct: Any = cls
        return _structure(struct)

    @classmethod
    def native(cls, **values: Any) -> Any:
        """A record for ctypes with these values; see `fill`."""
        return fill(cls.structure()(), **values)


def fill(record: Any, **values: Any) -> Any:
    """Give fields of a record for ctypes values; of arrays, tables and records it has addresses, and keeps them."""
    for name, value in values.items():
        if not isinstance(value, int | float):
            value = value.ctypes.data if hasattr(value, "ctypes") else ctypes.addressof(value)
        setattr(record, name, value)
    vars(record).setdefault("alive", {}).update(values)
    return record


@cache
def fields(struct: Any) -> dict[str, Any]:
    """The fields of a record and their kinds, in order."""
    return {name: kind for name, kind in get_type_hints(struct).items() if not name.startswith("_")}


@cache
def offsets(struct: Any) -> dict[str, int]:
    """The position of each field, in units of 8 bytes."""
    return {name: number for number, name in enumerate(fields(struct))}


@cache
def _structure(struct: Any) -> type[ctypes.Structure]:
    entries = [(name, _CTYPES[llvm_type(kind)]) for name, kind in fields(struct).items()]
    return type(struct.__name__, (ctypes.Structure,), {"_fields_": entries})


def llvm_type(kind: Any) -> str:
    """The type in LLVM IR of a kind that an annotation names."""
    return _NUMBERS.get(kind, POINTER)


def is_runtime(kind: Any) -> bool:
    """True if values of this kind exist when native code runs; others are known when it is translated."""
    return kind in _NUMBERS or kind in ENTRIES or kind is Code or (isinstance(kind, type) and issubclass(kind, Struct))
