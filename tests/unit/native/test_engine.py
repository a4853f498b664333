"""LLVM: what compiles is used again, gives the same code every time, and takes no more memory for each function."""

from __future__ import annotations

import ctypes
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("llvmlite")

from polhode.native import engine


def source(k: int) -> str:
    return (
        "define internal double @g(double %x) alwaysinline {\n  %p = alloca double\n  store double %x, ptr %p\n"
        f"  %y = load double, ptr %p\n  %z = fmul double %y, {k + 2}.5\n  ret double %z\n}}\n"
        f"define double @f{k}(double %x) {{\n  %q = call double @g(double %x)\n  %y = fadd double %q, {k}.0\n"
        "  ret double %y\n}\n"
    )


@pytest.mark.parametrize("thorough", [False, True])
def test_the_code_of_a_function_does_not_depend_on_what_was_compiled_before(thorough: bool) -> None:
    fresh = []
    for k in range(4):
        for idle in engine._IDLE.values():
            idle.clear()
        fresh.append(engine.object_code(source(k), thorough=thorough))
    assert len({*fresh}) == 4
    order = [2, 0, 3, 1, 1, 2, 0, 3]
    assert [engine.object_code(source(k), thorough=thorough) for k in order] == [fresh[k] for k in order]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda k: engine.object_code(source(k), thorough=thorough), order)) == [
            fresh[k] for k in order
        ]


def test_a_text_that_is_no_code_spoils_nothing() -> None:
    before = engine.object_code(source(0))
    with pytest.raises(RuntimeError):
        engine.object_code("define nonsense")
    assert engine.object_code(source(0)) == before


def test_h10_compiling_keeps_no_memory() -> None:
    """As the C library counts it; Python's own objects do not show what LLVM holds."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        pytest.skip("this C library does not tell")

    class Usage(ctypes.Structure):
        _fields_ = [(f"field_{k}", ctypes.c_size_t) for k in range(10)]

    library.mallinfo2.restype = Usage

    def used() -> int:
        gc.collect()
        return int(library.mallinfo2().field_7)  # uordblks: bytes in use

    for k in range(10):
        engine.object_code(source(k))
    before = used()
    for k in range(50):
        engine.object_code(source(k))
    assert (used() - before) / 50 < 2000
