"""A compiled program takes what a user has at hand, gives fresh arrays back, and says what is wrong."""

import ctypes
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.refusals import refused

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.errors import ShapeError, ValueMissing
from polhode.native import Compiled, compile_program

# y = (p0·p1) q + u,  s = q·q
PLANE = Program(
    "plane", (Array("q", 2), Array("u", 2)), 2, (),
    (Instruction("mul", (4, 5)),),
    (
        Instruction("mul", (6, 0)), Instruction("add", (7, 2)),
        Instruction("mul", (6, 1)), Instruction("add", (9, 3)),
        Instruction("mul", (0, 0)), Instruction("mul", (1, 1)), Instruction("add", (11, 12)),
    ),
    (Output("y", (2,), (8, 10)), Output("s", (), (13,))),
)  # fmt: skip


@pytest.fixture(scope="module", params=["llvm", "numpy"])
def plane(request: pytest.FixtureRequest) -> Compiled:
    return compile_program(PLANE, backend=request.param, cache=False)


def test_results_are_fresh_and_states_may_have_parameters_of_their_own(plane: Compiled) -> None:
    y, s = plane(np.array([1.0, 2.0]), np.array([10.0, 20.0]), parameters=[2.0, 3.0])
    assert y.tolist() == [16.0, 32.0] and s.shape == () and s == 5.0
    first, _ = plane(np.ones(2), np.zeros(2), parameters=[1.0, 1.0])
    plane(np.full(2, 7.0), np.zeros(2), parameters=[1.0, 1.0])
    assert first.tolist() == [1.0, 1.0] and first.flags.owndata
    q = np.asfortranarray(np.random.default_rng(0).normal(size=(300, 2)))
    np.testing.assert_array_equal(
        plane(q, q, parameters=[1.0, 2.0])[0], plane(q.copy(order="C"), q.copy(order="C"), parameters=[1.0, 2.0])[0]
    )


@pytest.mark.parametrize("given", [
    [1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.int8), np.array([1, 2], dtype=np.float32),
    np.array([1.0, 9.0, 2.0, 9.0])[::2], np.array([1.0, 2.0], dtype=">f8"),
    np.frombuffer(np.array([1.0, 2.0]).tobytes()),
], ids=["list", "tuple", "int8", "float32", "strided", "big endian", "read-only"])  # fmt: skip
def test_whatever_holds_the_same_numbers_gives_the_same_result(plane: Compiled, given: object) -> None:
    y, s = plane(given, u=[10, 20], parameters=(2, 3))
    assert y.tolist() == [16.0, 32.0] and s == 5.0
    y, s = plane(u=np.array([10.0, 20.0]), q=given, parameters=np.array([2.0, 3.0]))
    assert y.tolist() == [16.0, 32.0] and s == 5.0


@pytest.mark.parametrize("count", [0, 1, 3, 257, 1000])
def test_a_batch_equals_a_loop(plane: Compiled, count: int) -> None:
    choose = np.random.default_rng(count)
    q, u, p = choose.normal(size=(count, 2)), choose.normal(size=2), choose.normal(size=2)
    y, s = plane(q, u, parameters=p)
    assert y.shape == (count, 2) and s.shape == (count,)
    for k in range(0, count, 97):
        one = plane(q[k], u, parameters=p)
        np.testing.assert_allclose(y[k], one[0], rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(s[k], one[1], rtol=1e-15)


@pytest.mark.parametrize("count", [5, 300])
def test_every_state_may_have_its_own_parameters(plane: Compiled, count: int) -> None:
    p = np.random.default_rng(0).normal(size=(count, 2))
    y, _ = plane([1.0, 2.0], [0.0, 0.0], parameters=p)
    np.testing.assert_allclose(y, np.outer(p[:, 0] * p[:, 1], [1.0, 2.0]), rtol=1e-15)


def test_the_number_of_threads_changes_nothing(plane: Compiled) -> None:
    q = np.random.default_rng(0).normal(size=(999, 2))
    one, many = (plane(q, q, parameters=[1.0, 2.0], threads=threads)[0] for threads in (1, 5))
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize(("arrays", "said"), [
    ({"q": [1.0, 2.0, 3.0], "u": [0.0, 0.0]}, r"'q'.*\(3,\).*\(2,\)"),
    ({"q": [1.0], "u": [0.0, 0.0]}, r"'q'.*\(1,\).*\(2,\)"), ({"q": 1.0, "u": [0.0, 0.0]}, r"'q'.*\(\)"),
    ({"q": np.zeros((2, 2, 2)), "u": [0.0, 0.0]}, "'q'"), ({"q": [1.0, 2.0]}, "'u' is missing"),
    ({"q": [1.0, 2.0], "u": [0.0, 0.0], "nonsense": [1.0]}, "no array 'nonsense'"),
    ({"q": ["a", "b"], "u": [0.0, 0.0]}, "'q'.*not a real number"),
    ({"q": [1j, 2.0], "u": [0.0, 0.0]}, "complex128"), ({"q": [None, 2.0], "u": [0.0, 0.0]}, "object"),
    ({"q": [[1.0], [2.0, 3.0]], "u": [0.0, 0.0]}, "different lengths"),
    ({"q": np.zeros((3, 2)), "u": np.zeros((4, 2))}, "different numbers of states: 'q' has 3, 'u' has 4"),
])  # fmt: skip
def test_f47_a_wrong_array_is_named_with_both_shapes(plane: Compiled, arrays: dict[str, object], said: str) -> None:
    refused(said, lambda: plane(**arrays, parameters=[1.0, 1.0]), ShapeError)


def test_f47_parameters_are_checked_too(plane: Compiled) -> None:
    q = np.zeros(2)
    refused("2 parameters", lambda: plane(q, q), ValueMissing)
    refused(r"\(3,\).*\(2,\)", lambda: plane(q, q, parameters=[1.0, 2.0, 3.0]), ShapeError)
    refused("parameter 1 is nan", lambda: plane(q, q, parameters=np.array([1.0, np.nan])))
    refused("3 arrays were given, expected 2: q, u", lambda: plane(q, q, q, parameters=[1.0, 2.0]), ShapeError)
    refused("threads is 0", lambda: plane(np.zeros((3, 2)), q, parameters=[1.0, 2.0], threads=0))


def test_parameters_may_change_be_many_or_be_overruled(plane: Compiled) -> None:
    p, q = np.array([1.0, 1.0]), np.ones(2)
    before = plane(q, q, parameters=p)[0]
    p[0] = 5.0
    assert before.tolist() == [2.0, 2.0] and plane(q, q, parameters=p)[0].tolist() == [6.0, 6.0]
    for k in range(200):
        assert plane(np.ones(2), np.zeros(2), parameters=[float(k), 1.0])[0].tolist() == [k, k]
    fixed = plane.with_parameters([2.0, 2.0])
    assert fixed(np.ones(2), np.zeros(2))[0].tolist() == [4.0, 4.0]
    assert fixed(np.ones(2), np.zeros(2), parameters=[1.0, 1.0])[0].tolist() == [1.0, 1.0]
    plane = compile_program(PLANE)
    fixed = plane.with_parameters([2.0, 0.0])
    assert plane.with_parameters([2.0, 0.0]) is fixed
    assert np.signbit(plane.with_parameters([2.0, -0.0])([1.0, 1.0], [-0.0, -0.0])[0]).all()
    assert plane.with_parameters([2.0, 0.0])([1.0, 1.0], [1.0, 1.0])[0].tolist() == [1.0, 1.0]


def test_f48_many_threads_share_one_function(plane: Compiled) -> None:
    def work(k: int) -> bool:
        q, p = np.full(2, float(k)), [float(k % 7), 1.0]
        return all(plane(q, q, parameters=p)[0].tolist() == [k * (k % 7) + k] * 2 for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_addresses_signatures_and_overlapping_outputs_and_a_call_can_be_timed_with_and_without_lanes() -> None:
    function = compile_program(PLANE, backend="llvm", cache=False)
    q, u, y, s = np.array([1.0, 2.0]), np.zeros(2), np.empty(2), np.empty(1)
    work = function.work([2.0, 3.0])
    function.signature(function.address)(*(array.ctypes.data for array in (q, u, work, y, s)))
    assert y.tolist() == [6.0, 12.0] and s[0] == 5.0
    function = compile_program(PLANE, backend="llvm", cache=False)
    q, u, s = np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.empty(1)
    function.signature(function.address)(*(a.ctypes.data for a in (q, u, function.work([1.0, 3.0]), q, s)))
    assert q.tolist() == [4.0, 7.0] and s[0] == 5.0
    function = compile_program(PLANE, backend="numpy", cache=False)
    assert function.signature._argtypes_ == (ctypes.c_void_p,) * 5
    refused("no machine code", lambda: function.address)
    function = compile_program(PLANE, backend="llvm", cache=False)
    q = np.ones((512, 2))
    for lanes in (False, True):
        assert np.isfinite(function.time_per_call(q, q, parameters=[1.0, 1.0], lanes=lanes, seconds=0.01))
    refused("lanes need", lambda: function.time_per_call(q[0], q[0], parameters=[1.0, 1.0], lanes=True), ShapeError)


def test_importing_the_runtime_loads_no_compiler() -> None:
    script = "import sys, polhode.native; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
