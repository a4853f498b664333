"""Object code as an image: linked once, when it is made, so that to load it is to copy it.

An image is the sections of an object file in a row, with the references among them resolved. They are relative, and so
hold wherever the image lies. Functions of the C library are reached through a table behind the code, one row each:

    jmp *[rip + 2]        FF 25 02 00 00 00 CC CC
    address               8 bytes, filled in when the image is loaded

This is for x86-64 and ELF, whose two kinds of relative references are all that our code has; other object code is left
to LLVM's own loader, which takes longer to start.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import PolhodeError

_FILE = struct.Struct("<16s H H I Q Q Q I H H H H H H")
_SECTION = struct.Struct("<I I Q Q Q Q I I Q Q")
_SYMBOL = struct.Struct("<I B B H Q Q")
_REFERENCE = struct.Struct("<Q I I q")
_WORD = struct.Struct("<i")
_ADDRESS = struct.Struct("<Q")

_IDENTITY = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian
_RELOCATABLE, _X86_64 = 1, 62
_WRITTEN, _LOADED = 1, 2  # section flags
_CONTENT, _SYMBOLS, _REFERENCES, _ABSENT = 1, 2, 4, 8  # section types
_RELATIVE = (2, 4)  # R_X86_64_PC32, R_X86_64_PLT32
_UNDEFINED, _ORDINARY = 0, 0xFF00  # section numbers of symbols

_PAGE = 4096
_JUMP = bytes.fromhex("ff2502000000cccc")
_ROW = len(_JUMP) + _ADDRESS.size


@dataclass(frozen=True)
class Image:
    """Linked code, where its functions begin, and where the addresses of the functions that it calls belong."""

    code: bytes
    functions: Mapping[str, int]
    needs: Mapping[str, int]


class _Unfit(Exception):
    """The object code holds something that an image cannot."""


@dataclass(frozen=True)
class _Section:
    kind: int
    flags: int
    content: bytes
    link: int
    info: int
    alignment: int


def link(code: bytes) -> Image | None:
    """The image of object code, or None where the code is not of the kind that images are for."""
    try:
        return _linked(code)
    except (_Unfit, struct.error, IndexError, ValueError, OverflowError):
        return None


def _linked(code: bytes) -> Image:
    sections = list(_sections(code))
    offsets, image = _laid_out(sections)
    (table,) = [section for section in sections if section.kind == _SYMBOLS]
    names = sections[table.link].content
    functions: dict[str, int] = {}
    needs: dict[str, int] = {}
    values: list[int | None] = []
    for name_at, info, _, home, value, _ in _SYMBOL.iter_unpack(table.content):
        name = names[name_at : names.index(b"\0", name_at)].decode("ascii")
        if home == _UNDEFINED and name:
            _pad(image, _ROW)
            values.append(len(image))
            image += _JUMP
            needs[name] = len(image)
            image += bytes(_ADDRESS.size)
        elif home in offsets and home < _ORDINARY:
            values.append(offsets[home] + value)
            if info >> 4:  # global
                functions[name] = offsets[home] + value
        else:
            values.append(None)
    for section in sections:
        if section.kind == _REFERENCES and section.info in offsets:
            _resolve(image, offsets[section.info], section.content, values)
    return Image(bytes(image), functions, needs)


def _sections(code: bytes) -> Iterator[_Section]:
    identity, kind, machine, _, _, _, first, _, _, _, _, size, count, _ = _FILE.unpack_from(code)
    if not identity.startswith(_IDENTITY) or (kind, machine, size) != (_RELOCATABLE, _X86_64, _SECTION.size):
        raise _Unfit
    for number in range(count):
        _, kind, flags, _, start, length, linked, info, alignment, _ = _SECTION.unpack_from(code, first + number * size)
        content = b"" if kind == _ABSENT else code[start : start + length]
        fit = kind == _CONTENT and not flags & _WRITTEN and len(content) == length and alignment <= _PAGE
        if flags & _LOADED and length and not fit:
            raise _Unfit
        yield _Section(kind, flags, content, linked, info, alignment)


def _laid_out(sections: list[_Section]) -> tuple[dict[int, int], bytearray]:
    """Where each section begins in the image, and the image without its table."""
    offsets: dict[int, int] = {}
    image = bytearray()
    for number, section in enumerate(sections):
        if section.flags & _LOADED:
            _pad(image, max(1, section.alignment))
            offsets[number] = len(image)
            image += section.content
    return offsets, image


def _pad(image: bytearray, alignment: int) -> None:
    image += bytes(-len(image) % alignment)


def _resolve(image: bytearray, start: int, references: bytes, values: list[int | None]) -> None:
    """Each reference is value + addend - own offset."""
    for offset, kind, symbol, addend in _REFERENCE.iter_unpack(references):
        value = values[symbol]
        if kind not in _RELATIVE or value is None:
            raise _Unfit
        _WORD.pack_into(image, start + offset, value + addend - (start + offset))


class LoadedImage:
    """An image in memory that may be run and not written; its functions stay valid as long as it lives."""

    def __init__(self, image: Image) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("images are loaded on Linux only.")
        library = ctypes.CDLL(None, use_errno=True)
        self._functions = image.functions
        self._memory = mmap.mmap(
            -1, len(image.code), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE
        )
        self._memory[:] = image.code
        for name, offset in image.needs.items():
            _ADDRESS.pack_into(self._memory, offset, _address_of(library, name))
        # The view holds the memory where it is.
        self._view = ctypes.c_char.from_buffer(self._memory)
        self._start = ctypes.addressof(self._view)
        _make_executable(library, self._start, len(image.code))

    def address(self, name: str) -> int:
        """The address of a function of this image."""
        if name not in self._functions:
            raise PolhodeError(f"the compiled code has no function {name!r}.")
        return self._start + self._functions[name]


def check_memory() -> None:
    """Raise OSError where Linux forbids this process to execute written memory; LLVM's own loader does not check."""
    if sys.platform.startswith("linux"):
        with mmap.mmap(-1, _PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
            view = ctypes.c_char.from_buffer(memory)
            try:
                _make_executable(ctypes.CDLL(None, use_errno=True), ctypes.addressof(view), _PAGE)
            finally:
                del view  # memory that is looked at cannot be given back


def _make_executable(library: ctypes.CDLL, start: int, size: int) -> None:
    executable = mmap.PROT_READ | mmap.PROT_EXEC
    if library.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), executable):
        raise OSError(ctypes.get_errno(), "memory cannot be made executable.")


def _address_of(library: ctypes.CDLL, name: str) -> int:
    try:
        return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
    except AttributeError:
        raise OSError(f"there is no function {name!r} in this process.") from None
