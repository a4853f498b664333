"""Compiled code on disk: entries as bytes, and where those of one function lie.

    line 1      what is known of the function, as JSON; under "code", how its code is loaded
    line 2      its program as text, or nothing
    the rest    its code, or nothing

What comes back needs neither its program nor a compiler; nothing in it is executed before all of it was checked.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from ..codegen.ir.program import Program
from ..files.cache import ObjectCache
from ..files.version import key_of, store_digests, version_digest
from .elf_loader import Image, LoadedImage, link

_CPU = "/proc/cpuinfo"
_SHOWN = 16_384

#: The lines of Linux's description of a processor that tell which code runs on it.
_TELLING = frozenset({
    "vendor_id", "cpu family", "model", "model name", "stepping", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features",
})  # fmt: skip


@cache
def machine() -> str:
    """Operating system, processor with all its features, and the compiler: where one differs, code is made anew."""
    return "\n".join([sys.platform, *_processor(), *_compiler()])


def _processor() -> list[str]:
    try:
        with open(_CPU, "rb", buffering=0) as file:
            text = file.read(_SHOWN).decode("utf-8", "replace")
    except OSError:
        text = ""
    lines = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    facts = {name.strip(): value.strip() for name, _, value in lines if name.strip() in _TELLING}
    if "flags" in facts or "Features" in facts:
        return [os.uname().machine, *(f"{name}={facts[name]}" for name in sorted(facts))]
    from .engine import host

    try:
        return [f"{name}={value}" for name, value in sorted(vars(host()).items())]
    except OSError:  # nothing that LLVM made is stored, or found, on such a machine
        return [platform.machine(), platform.processor()]


def _compiler() -> list[str]:
    """The version of llvmlite and the size of its library; nothing where there is none."""
    try:
        spec = find_spec("llvmlite")
        if spec is None or spec.origin is None:
            return []
        folder = os.path.dirname(spec.origin)
        with (
            open(os.path.join(folder, "_version.py"), encoding="utf-8") as file,
            os.scandir(f"{folder}/binding") as entries,
        ):
            libraries = [f"{entry.name} {entry.stat().st_size}" for entry in entries if "llvmlite" in entry.name]
            return [file.read(), *sorted(libraries)]
    except (ImportError, OSError, ValueError):
        return []


T = TypeVar("T")

#: The parts of a function that everybody needs: its program, and its code; others are code in lanes, and steps.
PROGRAM, ONE_STATE, LANES = "program", "one state", "lanes"
#: The rooms whose source each part follows from, where they are not those of steps.
_ROOMS = {PROGRAM: "program", ONE_STATE: "code", LANES: "code", "library": "code"}


class Code(Protocol):
    """Loaded machine code."""

    def address(self, name: str) -> int: ...


@dataclass(frozen=True)
class Entry:
    """What is stored of a function, or of a part of it."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    program: bytes = b""
    code: bytes = b""

    @property
    def payload(self) -> bytes:
        """The entry as bytes."""
        return b"\n".join((json.dumps(self.facts).encode(), self.program, self.code))

    @classmethod
    def read(cls, payload: bytes) -> Entry:
        """The entry of these bytes; raises ValueError or TypeError where they are none."""
        line, program, code = payload.split(b"\n", 2)
        return cls(dict(json.loads(line)), program, code)

    def with_object_code(self, code: bytes) -> Entry:
        """With object code: linked where it can be loaded so, for LLVM's own loader elsewhere."""
        image = link(code)
        try:
            if image is not None and LoadedImage(image):
                facts = {"form": "image", "functions": image.functions, "needs": image.needs}
                return Entry({**self.facts, "code": facts}, self.program, image.code)
        except OSError:
            pass
        return Entry({**self.facts, "code": {"form": "object"}}, self.program, code)

    def load(self) -> Code:
        """The code in memory; raises one of the cache's `UNREADABLE` where there is none, or none that runs here."""
        facts, code = self.facts["code"], self.code
        if facts["form"] == "image":
            functions, needs = _offsets(facts["functions"], len(code)), _offsets(facts["needs"], len(code) - 7)
            return LoadedImage(Image(code, functions, needs))
        if facts["form"] == "object":
            from .engine import Library

            return Library(code)
        if facts["form"] == "library":
            from .c_compiler import SharedLibrary

            return SharedLibrary(code)
        raise ValueError(f"code is not loaded from a form {facts['form']!r}")


def _offsets(entries: Mapping[str, Any], end: int) -> dict[str, int]:
    offsets = {str(name): count(offset) for name, offset in entries.items()}
    if any(offset >= end for offset in offsets.values()):
        raise ValueError("an offset lies outside the code")
    return offsets


def count(value: Any) -> int:
    """A whole number that an entry holds, not negative."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


@dataclass(frozen=True)
class CodeStore:
    """Where the code of one function is stored: a cache, or none, and the digest of its sources."""

    cache: ObjectCache | None = None
    digest: str = ""

    @classmethod
    def of_program(cls, program: Program, cache: ObjectCache | None) -> CodeStore:
        """That of a program by itself."""
        if cache is None:
            return cls()
        from ..codegen.ir.serialise import dump_program

        return cls(cache, key_of(dump_program(program)))

    def key(self, part: str) -> str:
        """The cache's key of a part: code for one state, for many, for a loop, each on this machine."""
        return key_of(self.digest, part, machine(), version_digest(_ROOMS.get(part, "steps")))

    def read_or_make(self, part: str, make: Callable[[], Entry], read: Callable[[Entry], T]) -> T:
        """What `read` makes of the entry of a part; made where it is not stored, or of no use."""
        if self.cache is None:
            return read(make())
        result: T = self.cache.get_or_make(
            self.key(part), lambda: make().payload, lambda payload: read(Entry.read(payload))
        )
        store_digests()
        return result

    def code(self, part: str, make: Callable[[], Entry]) -> Code:
        """The code of a part, loaded."""
        return self.read_or_make(part, make, Entry.load)
