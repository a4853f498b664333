"""Which way many states are computed: by cost, the same whenever it is asked."""

import math
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.fixed_run import native_run

import polhode as ph
from polhode.codegen.ir.program import Array, Outline, Program
from polhode.codegen.plan import plan
from polhode.expr import Expr, sin, symbols
from polhode.model.samples import n_four_bar, six_degree_of_freedom_arm
from polhode.native import compile_program
from polhode.native.backends import FunctionWarning, are_lanes_faster
from polhode.ode.native_code import inlined_code


@pytest.mark.parametrize(
    ("length", "numbers", "is_packed", "faster"),
    [
        # measured on two cores with AVX2: lanes over one by one
        (352, 24, False, True),  # UR5, accelerations: 0.45
        (98, 42, False, False),  # its mass matrix: 1.03
        (137, 138, False, False),  # its poses: 1.43
        (329, 56, False, True),  # Panda, mass matrix: 0.73
        (618, 343, True, False),  # ANYmal, mass matrix: 2.21
        (2287, 73, True, True),  # its accelerations: 0.71
        (17488, 1027, True, False),  # their derivatives: 1.53
        (6998, 153, True, True),  # Talos, accelerations: 0.62
    ],
)
def test_lanes_are_taken_where_they_are_faster(length: int, numbers: int, is_packed: bool, faster: bool) -> None:
    outline = Outline("f", (Array("q", numbers - 1),), 0, (("y", (1,)),), 0, length)
    assert are_lanes_faster(outline, is_packed) is faster


def test_the_choice_is_stored_with_the_code() -> None:
    functions = six_degree_of_freedom_arm().derive().compile()
    fresh, stored = functions.native("forward_dynamics"), six_degree_of_freedom_arm().derive().compile()
    assert fresh.native.in_lanes is stored.native("forward_dynamics").native.in_lanes is True
    poses = n_four_bar(2).derive().compile().native("poses")
    assert poses.native.in_lanes is False
    q = np.random.default_rng(0).normal(size=(300, 5))
    assert np.array_equal(poses(q)[0][7], poses(q[7])[0]), "one by one, a state has the bits that it has alone"


X, Y, K = symbols("x y k")
SOURCE = """/* slip and load */
static double square(double a) { return a * a; }
double magic(double slip, double load) { return sin(slip) * square(load); }"""
needs_c = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler here")


def magic_of(slip: float, load: float) -> float:
    return math.sin(slip) * load * load


def made(root: Expr, name: str = "f") -> Program:
    return plan(name, [("a", [X, Y])], [("y", (1,), [root])], [K])


POINTS = np.random.default_rng(3).normal(size=(300, 2))
EXPECTED = np.array([[3.0 * magic_of(x, y) + x] for x, y in POINTS])


@needs_c
@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
def test_c_source_is_compiled_and_linked_by_every_backend(backend: str) -> None:
    magic = ph.function("magic", SOURCE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function = compile_program(made(K * magic(X, Y) + X), backend=backend, cache=False, parameters=[3.0])
        np.testing.assert_allclose(function(POINTS), EXPECTED, rtol=1e-14)
        np.testing.assert_allclose(function(POINTS[0]), EXPECTED[0], rtol=1e-14)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_callable_alone_is_called_back_and_that_is_said_once(backend: str) -> None:
    magic = ph.function("magic", python=magic_of)
    program = made(K * magic(X, Y) + X)
    if backend == "llvm":
        with pytest.warns(FunctionWarning, match="function 'magic' is called back in Python.*it has no C source"):
            compile_program(program, backend=backend, cache=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function = compile_program(program, backend=backend, cache=False, parameters=[3.0])
    np.testing.assert_allclose(function(POINTS), EXPECTED, rtol=1e-14)


def test_without_a_compiler_the_callable_serves_instead_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    both = ph.function("both", "double both(double a) { return 2.0 * a; }", lambda a: 2 * a)
    with pytest.warns(FunctionWarning, match="there is no C compiler"):
        function = compile_program(made(both(X)), backend="llvm", cache=False, parameters=[0.0])
    assert function(np.array([1.5, 0.0])).tolist() == [3.0]
    alone = ph.function("alone", "double alone(double a) { return 2.0 * a; }")
    with pytest.raises(ph.PolhodeError, match="there is no C compiler"):
        compile_program(made(alone(X)), backend="llvm", cache=False)


def test_a_callable_that_fails_gives_nan_and_a_warning_never_zero() -> None:
    broken = ph.function("broken", python=lambda a: {}["nothing"])
    with pytest.warns(FunctionWarning, match="is called back"):
        function = compile_program(made(broken(X) + 1), backend="llvm", cache=False, parameters=[0.0])
    with pytest.warns(FunctionWarning, match="function 'broken' failed and gives nan: KeyError"):
        assert math.isnan(function(np.zeros(2))[0])
    outside = ph.function("outside", python=lambda a: math.sqrt(a))
    function = compile_program(made(outside(X)), backend="numpy", cache=False, parameters=[0.0])
    assert math.isnan(function(np.array([-1.0, 0.0]))[0])


@needs_c
def test_source_that_does_not_compile_or_hides_its_function_is_named() -> None:
    wrong = ph.function("wrong", "double wrong(double a) { return b; }")
    with pytest.raises(ph.PolhodeError, match="function 'wrong': its C source cannot be compiled") as caught:
        compile_program(made(wrong(X)), backend="llvm", cache=False)
    assert caught.value.problems[0].code == "E-FUNCTION-FAILED"
    hidden = ph.function("hidden", "static double hidden(double a) { return a; }")
    with pytest.raises(ph.PolhodeError, match="does not export it") as caught:
        compile_program(made(hidden(X)), backend="llvm", cache=False)
    assert caught.value.problems[0].code == "E-FUNCTION-FAILED"


def test_a_function_of_constants_is_left_to_the_set_up_and_not_folded() -> None:
    magic = ph.function("magic", python=magic_of)
    program = made(magic(ph.symbol("x") * 0 + 2, K) + X)
    assert [step.op for step in program.setup] == ["call0"] and [step.op for step in program.run] == ["add"]
    table = ph.table([0, 4], [0, 8])
    assert not made(table(ph.symbol("x") * 0 + 2) + X).functions


@needs_c
def test_tables_and_functions_run_inside_fixed_steps() -> None:
    pull = ph.function("pull", "double pull(double a) { return -4.0 * a; }")
    table = ph.table([-9, 9], [-0.9, 0.9], outside="line")
    t, (q, u) = ph.symbol("t"), symbols("q u")
    program = plan("rates", [("t", [t]), ("x", [q, u])], [("xdot", (2,), [u, pull(q) - table(u) + 0 * sin(t)])])
    function = compile_program(program, cache=False)
    q0, u0 = start = (0.3, -1.2)
    one, _, _ = native_run(inlined_code(function, "rk4"), function, start, h=0.01, end=3.0)
    by_pointer, _, _ = native_run("rk4", function, start, h=0.01, end=3.0)
    np.testing.assert_array_equal(one.x, by_pointer.x)
    w, damp = math.sqrt(4 - 0.05**2), 0.05  # q'' = -4 q - 0.1 q'
    exact = math.exp(-damp * 3) * (q0 * math.cos(3 * w) + (u0 + damp * q0) / w * math.sin(3 * w))
    assert one.x[0] == pytest.approx(exact, rel=1e-7)


def test_compiled_code_with_a_function_goes_to_another_process_by_name_alone() -> None:
    magic = ph.function("magic", python=magic_of)
    function = compile_program(made(magic(X, Y)), backend="numpy", cache=False, parameters=[0.0])
    data = pickle.dumps(function)
    assert b"magic_of" not in data and pickle.loads(data)(POINTS[0]) == pytest.approx(magic_of(*POINTS[0]))


@pytest.mark.slow
def test_a_kept_plan_serves_another_process_with_its_own_callable(tmp_path: Path) -> None:
    script = """if True:
        import warnings, sys, polhode as ph
        warnings.simplefilter("ignore")
        factor = float(sys.argv[1])
        pull = ph.function("pull", python=lambda x: -factor * x)
        s = ph.System("slider", gravity=(0, 0, 0))
        j = s.joint("x", s.ground, s.body("block", mass=1), ph.Prismatic("x"))
        s.joint_force(j, pull(j.q[0]) + pull(j.q[0] * 0 + 2))
        print(s.derive().compile().forward_dynamics([1.0], [0.0])[0])
    """
    environment = {"POLHODE_CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    environment["PYTHONPATH"] = str(Path(ph.__file__).parents[1])
    for factor in ("1", "5"):
        done = subprocess.run([sys.executable, "-c", script, factor], env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == str(-3.0 * float(factor)), done.stderr
