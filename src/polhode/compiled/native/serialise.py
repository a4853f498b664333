"""Compiled functions as bytes, to be kept on disk: a line that says what the function takes and gives, and its code.

What comes back needs neither its program nor a compiler; nothing in it is executed before all of it was checked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from polhode.codegen.ir.program import ARITY, Array, Outline, Program
from polhode.compiled.native.backends import Code, Native
from polhode.compiled.native.compiled import Compiled
from polhode.compiled.native.elf_loader import Image, LoadedImage


def can_be_filed(compiled: Compiled) -> bool:
    """Whether another process can run the function: LLVM compiled it, and it calls nothing but the C library."""
    if compiled.backend != "llvm":
        return False
    # What an image needs was found in the process's libraries; what LLVM loaded may have been told of other functions.
    own = isinstance(compiled.native.code, LoadedImage)
    return own or all(step.op in ARITY for _, step in compiled.program.numbered())


def file_function(compiled: Compiled) -> bytes:
    """A function that can be filed, as bytes."""
    outline, native = compiled.outline, compiled.native
    head = {
        "name": outline.name,
        "arrays": [[array.name, array.size] for array in outline.arrays],
        "parameters": outline.parameters,
        "outputs": outline.outputs,
        "saved": outline.saved,
        "length": outline.length,
        "lanes": native.lanes,
    }
    return json.dumps(head).encode() + b"\n" + file_code(native.code)


def unfile_function(
    payload: bytes, program: Callable[[], Program], lane_code: Callable[[], Code], backend: str = "auto"
) -> Compiled:
    """The function of these bytes; raises ValueError, TypeError or KeyError where they are none, OSError on a machine
    that does not let them run."""
    line, _, code = payload.partition(b"\n")
    head = json.loads(line)
    outline = Outline(
        name=str(head["name"]),
        arrays=tuple(Array(str(name), _count(size)) for name, size in head["arrays"]),
        parameters=_count(head["parameters"]),
        outputs=tuple((str(name), tuple(map(_count, shape))) for name, shape in head["outputs"]),
        saved=_count(head["saved"]),
        length=_count(head["length"]),
    )
    native = Native("llvm", outline.saved, unfile_code(code), lane_code, _count(head["lanes"]))
    return Compiled(outline, native, (True, backend), program)


def file_code(code: Code) -> bytes:
    """Loaded code as bytes: an image where it is one, else the object code."""
    if isinstance(code, LoadedImage):
        image = code.image
        return json.dumps({"functions": image.functions, "needs": image.needs}).encode() + b"\n" + image.code
    from polhode.compiled.native.engine import Library

    if not isinstance(code, Library):
        raise TypeError(f"{type(code).__name__} is not code that can be filed")
    return b"null\n" + code.code


def unfile_code(payload: bytes) -> Code:
    """The code of these bytes, loaded."""
    line, _, code = payload.partition(b"\n")
    head = json.loads(line)
    if head is None:
        from polhode.compiled.native.engine import Library

        return Library(code)
    return LoadedImage(Image(code, _places(head["functions"], len(code)), _places(head["needs"], len(code) - 7)))


def _places(given: Mapping[str, Any], end: int) -> dict[str, int]:
    places = {str(name): _count(place) for name, place in given.items()}
    if any(place >= end for place in places.values()):
        raise ValueError("a place lies outside the code")
    return places


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value
