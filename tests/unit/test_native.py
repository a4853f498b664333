"""Small modules of native code: sequences of calls, the engine, quaternions, the word for the machine."""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.codegen.plan import plan
from polhode.expr import sin, symbol
from polhode.native import compile_program, engine
from polhode.native import stored_code as home
from polhode.native.call_sequence import BoundLoop, sequence_of
from polhode.native.stored_code import machine

a, b, k = symbol("a"), symbol("b"), symbol("k")
SUM = plan("sum", [("x", [a, b]), ("shared", [k])], [("y", (2,), [a + k * b, sin(a) * b])], [])
SQUARE = plan("square", [("y", [a, b])], [("z", (), [a * a + b]), ("none", (0,), [])], [])


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("count", [1, 4, 11, 40])
def test_what_one_loop_writes_the_next_one_reads(backend: str, count: int) -> None:
    x, shared = np.random.default_rng(2).standard_normal((count + 1, 2)), np.array([3.0])
    y, z = np.full((count + 1, 2), 7.0), np.full(count + 1, 7.0)
    first, second = (compile_program(each, backend=backend) for each in (SUM, SQUARE))
    run = sequence_of(
        [BoundLoop(first, [x, shared], [y], count), BoundLoop(second, [y], [z, np.zeros((count, 0))], count)]
    )
    for factor in (1.0, 2.0):
        shared[0] = factor
        run()
        expected = np.stack([x[:, 0] + factor * x[:, 1], np.sin(x[:, 0]) * x[:, 1]], axis=1)[:count]
        assert np.abs(y[:count] - expected).max() < 1e-14
        assert np.abs(z[:count] - expected[:, 0] ** 2 - expected[:, 1]).max() < 1e-13
        assert (y[count:] == 7).all() and (z[count:] == 7).all(), "rows beyond the count are left alone"


def test_a_sequence_of_nothing_does_nothing() -> None:
    sequence_of([])()


pytest.importorskip("llvmlite")


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


Q = np.array([0.5, -0.5, 0.1, 0.7, 1.0, 2.0, 3.0])
Q[:4] /= np.linalg.norm(Q[:4])
U = np.array([0.3, -0.2, 0.5, 1.0, -1.0, 0.4])


@pytest.fixture(scope="module")
def functions() -> ph.Functions:
    """A free body that hangs on a string, so that there is a matrix of constraints as well."""
    s = ph.System("kite")
    body = s.body("kite", 1, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.5, 0.7))
    x, y, z = s.joint("flight", s.ground, body, ph.Free()).q[4:]
    s.constrain(x * x + y * y + z * z - 14, "string")
    return s.derive().compile()


def stretched(length: float) -> np.ndarray:
    return np.concatenate([Q[:4] * length, Q[4:]])


@pytest.mark.parametrize("length", [1.0, 2.0, 1e-3])
def test_rates_of_coordinates_are_the_kinematic_matrix_times_speeds(functions: ph.Functions, length: float) -> None:
    q = stretched(length)
    rates = functions.coordinate_rates(q, U)
    assert_allclose(functions.evaluate("kinematic_matrix", q) @ U, rates, rtol=1e-14)
    assert_allclose(functions.evaluate("state_rates", [*q, *U], np.zeros(6))[:7], rates, rtol=1e-14)
    assert_allclose(rates[:4], length * functions.coordinate_rates(Q, U)[:4], rtol=1e-14)


@pytest.mark.parametrize("name", ["stabilised_rates", "kept_rates"])
def test_every_rate_of_coordinates_is_that_of_the_quaternion_given(functions: ph.Functions, name: str) -> None:
    found = functions.evaluate(name, [*stretched(2.0), *U], np.zeros(6), [1.0])
    rates = found[0] if isinstance(found, tuple) else found
    assert_allclose(rates[:7], functions.coordinate_rates(stretched(2.0), U), rtol=1e-14)


@pytest.mark.parametrize("length", [1e200, 1e300, 1e-200, 1e-320])
def test_no_length_is_too_long_or_too_short(functions: ph.Functions, length: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for q in (stretched(length), np.array([stretched(length), Q])):
            made = functions.mass_matrix(q)
            assert_allclose(made if q.ndim == 1 else made[0], functions.mass_matrix(Q), rtol=1e-2)
            if length > 1e-300:  # below, a float has few digits left
                assert_allclose(made if q.ndim == 1 else made[0], functions.mass_matrix(Q), rtol=1e-14)


@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("many", [False, True])
def test_a_quaternion_that_is_not_finite_is_refused(functions: ph.Functions, entry: float, many: bool) -> None:
    q = Q.copy()
    q[1] = entry
    with pytest.raises(ph.PolhodeError, match="coordinates 0 to 3 are a quaternion that is not finite"):
        functions.mass_matrix(np.array([Q, q]) if many else q)


CPU = "processor\t: 0\nmodel name\t: Abacus\ncpu MHz\t\t: {mhz}\nflags\t\t: fpu {feature}\n\nprocessor\t: 1\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's description of the processor")


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    machine.cache_clear()
    yield
    machine.cache_clear()


def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **words: str) -> str:
    (tmp_path / "cpuinfo").write_text(CPU.format(**{"mhz": "1000", "feature": "avx", **words}))
    monkeypatch.setattr(home, "_CPU", str(tmp_path / "cpuinfo"))
    machine.cache_clear()
    return machine()


def test_features_count_and_clock_rates_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = described(tmp_path, monkeypatch)
    assert described(tmp_path, monkeypatch, mhz="2000") == plain
    assert described(tmp_path, monkeypatch, feature="avx512f") != plain


def test_a_processor_that_says_nothing_is_asked_through_llvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "_CPU", str(tmp_path / "absent"))
    assert f"features={engine.host().features}" in machine()


def test_a_compiler_that_is_not_there_is_another_word(monkeypatch: pytest.MonkeyPatch) -> None:
    here = machine()
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    machine.cache_clear()
    assert machine() != here


def test_a_compiler_counts_by_its_version_and_not_by_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def word(folder: str, version: str, size: int) -> str:
        package = tmp_path / folder / "llvmlite"
        (package / "binding").mkdir(parents=True)
        (package / "_version.py").write_text(f"version_version = {version!r}")
        (package / "binding" / "libllvmlite.so").write_bytes(bytes(size))
        spec = ModuleSpec("llvmlite", None, origin=str(package / "__init__.py"))
        monkeypatch.setattr("polhode.native.stored_code.find_spec", lambda _: spec)
        machine.cache_clear()
        return machine()

    plain = word("here", "0.44", 100)
    assert word("there", "0.44", 100) == plain
    assert len({plain, word("newer", "0.45", 100), word("built otherwise", "0.44", 101)}) == 3
