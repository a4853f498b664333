"""Code that we link ourselves computes what it does by LLVM's loader, and strange code is left alone."""

import ctypes
import os
import struct
import sys

import numpy as np
import pytest
from tests.random_program import random_program

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.llvm.module import scalar_module
from polhode.errors import PolhodeError
from polhode.native import compile_program, engine, stored_code
from polhode.native.elf_loader import Image, LoadedImage, link
from polhode.native.stored_code import Entry

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="images are for Linux on x86-64"
)

SINES = Program(
    "sines",
    (Array("x", 1),),
    0,
    (),
    (),
    (Instruction("sinh", (0,)), Instruction("exp", (1,)), Instruction("sinh", (2,))),
    (Output("y", (3,), (1, 2, 3)),),
)


def object_code(program: Program) -> bytes:
    return engine.object_code(scalar_module(program, fused=engine.host().fused).text)


def run(code: LoadedImage | engine.Library, program: Program, values: np.ndarray) -> np.ndarray:
    sizes = program.outline.sizes
    buffer, work = np.zeros(sum(sizes)), np.zeros(max(1, program.outline.saved))
    parameters = np.linspace(0.5, 1.5, program.parameters + 1)
    count = sum(array.size for array in program.arrays)
    buffer[:count] = values[:count]
    pointer = ctypes.c_void_p
    setup = ctypes.CFUNCTYPE(None, ctypes.c_int64, pointer, pointer)(code.address("ph_setup_batch"))
    setup(1, parameters.ctypes.data, work.ctypes.data)
    ctypes.CFUNCTYPE(None, pointer, pointer)(code.address("ph_single"))(buffer.ctypes.data, work.ctypes.data)
    return buffer


@pytest.mark.parametrize("seed", range(6))
def test_an_image_computes_the_bits_of_llvms_own_loader(seed: int) -> None:
    program = random_program(seed)
    code = object_code(program)
    image = link(code)
    assert image is not None
    values = np.random.default_rng(seed).uniform(0.1, 0.9, 1000)
    wanted = run(engine.Library(code), program, values)
    np.testing.assert_array_equal(run(LoadedImage(image), program, values), wanted)


def test_functions_of_the_c_library_are_reached_and_linked_code_is_stored_and_loaded_again() -> None:
    image = link(object_code(SINES))
    assert image is not None and {"sinh", "exp"} <= set(image.needs)
    y = run(LoadedImage(image), SINES, np.array([0.25]))[1:]
    np.testing.assert_allclose(y, [np.sinh(0.25), np.exp(np.sinh(0.25)), np.sinh(np.exp(np.sinh(0.25)))], rtol=1e-15)
    code = object_code(SINES)
    image = link(code)
    assert image is not None
    stored = Entry().with_object_code(code)
    again = Entry.read(stored.payload)
    assert again == stored and again.code == image.code
    assert again.facts["code"] == {"form": "image", "functions": image.functions, "needs": image.needs}
    values = np.array([0.25])
    np.testing.assert_array_equal(run(again.load(), SINES, values), run(LoadedImage(image), SINES, values))


def test_object_code_that_is_no_image_is_stored_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    code = object_code(SINES)
    monkeypatch.setattr(stored_code, "link", lambda code: None)
    entry = Entry.read(Entry().with_object_code(code).payload)
    again = entry.load()
    assert isinstance(again, engine.Library) and entry.code == code
    values = np.array([0.25])
    np.testing.assert_array_equal(run(again, SINES, values), run(engine.Library(code), SINES, values))


def test_memory_that_may_be_run_may_not_be_written_and_foreign_code_and_relative_references_are_left_to_llvm() -> None:
    loaded = Entry().with_object_code(engine.object_code(scalar_module(SINES, fused=False).text)).load()
    assert isinstance(loaded, LoadedImage)
    start = loaded.address("ph_kernel")
    with open("/proc/self/maps", encoding="ascii") as maps:
        (rights,) = [
            line.split()[1]
            for line in maps
            if int(line.split("-")[0], 16) <= start < int(line.split("-")[1].split()[0], 16)
        ]
    assert rights == "r-xp"
    code = object_code(SINES)
    assert link(b"") is None and link(b"\x80\x04junk") is None and link(code[:-100]) is None
    assert link(code[:18] + struct.pack("<H", 183) + code[20:]) is None  # AArch64
    code = bytearray(object_code(SINES))
    headers, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    kinds = [struct.unpack_from("<I", code, headers + 64 * number + 4)[0] for number in range(count)]
    (start,) = struct.unpack_from("<Q", code, headers + 64 * kinds.index(4) + 24)  # of the first SHT_RELA
    assert link(bytes(code)) is not None
    struct.pack_into("<I", code, start + 8, 1)  # R_X86_64_64
    assert link(bytes(code)) is None


def test_damaged_object_code_is_never_an_exception_and_a_function_that_nobody_has_is_told() -> None:
    code = object_code(random_program(0))
    random = np.random.default_rng(7)
    for _ in range(300):
        damaged = bytearray(code)
        for place in random.integers(0, len(code), 8):
            damaged[place] = random.integers(256)
        assert isinstance(link(bytes(damaged)), Image | None)
    image = link(object_code(SINES))
    assert image is not None
    with pytest.raises(PolhodeError, match="no function 'ph_lanes'"):
        LoadedImage(image).address("ph_lanes")
    with pytest.raises(OSError, match="no function 'ph_elsewhere'"):
        LoadedImage(Image(image.code, image.functions, {"ph_elsewhere": 0}))


@pytest.mark.parametrize("head", [
    b'{"code": {"form": "image", "functions": {"f": 16}, "needs": {}}}',
    b'{"code": {"form": "image", "functions": {"f": -1}, "needs": {}}}',
    b'{"code": {"form": "image", "functions": {}, "needs": {"sin": 9}}}',
    b'{"code": {"form": "image", "functions": {"f": true}, "needs": {}}}',
    b'{"code": {"form": "image", "functions": {}}}', b'{"code": {"form": "strange"}}', b'{"code": null}', b"{}",
    b"[]", b"rubbish",
])  # fmt: skip
def test_a_stored_image_with_places_outside_is_refused(head: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        Entry.read(head + b"\n\n" + bytes(16)).load()


def test_code_that_cannot_be_linked_goes_to_llvms_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(image: Image) -> None:
        raise OSError("memory cannot be made executable.")

    monkeypatch.setattr(stored_code, "LoadedImage", refuse)
    assert isinstance(Entry().with_object_code(object_code(SINES)).load(), engine.Library)
    assert compile_program(SINES, cache=False, backend="llvm")([0.0])[0] == 0.0
