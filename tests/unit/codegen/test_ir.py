"""Programs: what is legal, what calls and operations cost, and how they are stored as text."""

import json
import math
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.random_program import random_program
from tests.refusals import refused

import polhode as ph
from polhode.codegen.ir.calls import horner
from polhode.codegen.ir.count import count
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.ops import check_program, live_run
from polhode.codegen.ir.program import ARITY, Array, Instruction, Output, Program
from polhode.codegen.ir.serialise import dump_program, load_program
from polhode.codegen.plan import plan
from polhode.codegen.printers.c99 import print_c
from polhode.expr import Expr, sin, symbols
from polhode.expr.calls import call
from polhode.expr.opaque.table import ExtendedTable
from polhode.native import compile_program

GOOD = Program(
    "rhs", (Array("q", 2),), 1, (2.0,), (Instruction("mul", (3, 3)),), (Instruction("add", (1, 4)),),
    (Output("y", (1,), (5,)),),
)  # fmt: skip


def test_legal_programs_pass_and_use_every_operation() -> None:
    check_program(GOOD)
    for seed in range(5):
        check_program(random_program(seed))
    program = random_program(1)
    assert {step.op for step in program.setup + program.run} == set(ARITY)
    padded = replace(GOOD, run=(*GOOD.run, Instruction("exp", (1,))))
    assert 6 not in live_run(padded) and "exp" not in print_c(padded).source


@pytest.mark.parametrize("name", [
    "", "Q", "a b", "x;", "1a", "int", "lambda", "sin", "main", "v12", "w", "a" * 64, "é", "x\n", "../x", "a*/",
])  # fmt: skip
def test_a_name_that_is_not_ours_is_refused(name: str) -> None:
    refused("", lambda: print_c(replace(GOOD, name=name)))
    refused("", lambda: print_c(replace(GOOD, arrays=(Array(name, 2),))))


@pytest.mark.parametrize(("change", "said"), [
    ({"run": (Instruction("add", (1, 5)),)}, "not written before"),
    ({"run": (Instruction("add", (1, -1)),)}, "not written before"),
    ({"run": (Instruction("add", (1,)),)}, "to 1 operands"), ({"run": (Instruction("boom", (1,)),)}, "'boom'"),
    ({"setup": (Instruction("mul", (1, 3)),)}, "reads an input"), ({"constants": (float("nan"),)}, "must be finite"),
    ({"outputs": (Output("y", (2,), (5,)),)}, "1 entries for the shape"),
    ({"outputs": (Output("y", (1,), (9,)),)}, "does not exist"),
    ({"outputs": (Output("y", (1,), (5,)), Output("y", (1,), (5,)))}, "used twice"),
    ({"parameters": -1}, "negative"),
])  # fmt: skip
def test_an_illegal_program_is_refused_with_the_reason(change: dict[str, object], said: str) -> None:
    refused(said, lambda: check_program(replace(GOOD, **change)))


def test_all_reasons_come_at_once() -> None:
    bad = replace(GOOD, name="int", constants=(float("inf"),), run=(Instruction("boom", (77,)),))
    with pytest.raises(ph.PolhodeError) as caught:
        check_program(bad)
    assert len(caught.value.problems) >= 4


def tyre() -> ph.System:
    s = ph.System("slipping wheel")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    slip = x.u[0] - s.input("rim")
    grip = 3 * ph.tanh(slip) + ph.exp(-slip) + ph.atan2(slip, x.q[0]) + ph.tanh(x.q[0])
    s.joint_force(x, -grip)
    return s


def test_functions_of_force_laws_are_counted_by_name(tmp_path: Path) -> None:
    equations = tyre().derive()
    found = equations.operations()
    assert found.by_name == {"atan2": 1, "exp": 1, "tanh": 2} and found.functions == 4 and found.sincos == 0
    assert str(found).endswith("0 sine-cosine pairs, 1 atan2, 1 exp, 2 tanh")
    equations.export("c", tmp_path)
    source = (tmp_path / "slipping_wheel_forward_dynamics.c").read_text(encoding="utf-8")
    assert "1 atan2, 1 exp, 2 tanh" in " ".join(source.replace("*", " ").split())


X, Y, K = symbols("x y k")
SOURCE = """double magic(double slip, double load) {
  return sin(slip) * load; /* as given: "verbatim" */
}"""
MAGIC = ph.function("magic", SOURCE, lambda slip, load: math.sin(slip) * load)
TYRE = ph.table([-1, 0, 1, 3], [0, 2, 1, 4], name='tyre */ system("x")', kind="cubic")


def made(*roots: Expr) -> Program:
    return plan("law", [("a", [X, Y])], [("y", (len(roots),), roots)], [K])


def test_programs_with_calls_go_through_text_and_unknown_functions_are_refused() -> None:
    program = made(TYRE(X) + MAGIC(X, K), TYRE(X).diff(X), TYRE(K))
    assert len(program.functions) == 3
    again = load_program(dump_program(program))
    assert again == program and dump_program(again) == dump_program(program)
    assert SOURCE not in json.dumps(dump_program(program))
    program = made(MAGIC(X, Y))
    assert isinstance(MAGIC.opaque.digest, str)
    with pytest.raises(ph.PolhodeError, match="has not been made in this process"):
        load_program(dump_program(program).replace(MAGIC.opaque.digest, "f" * 32))
    refused("", lambda: check_program(replace(program, functions=())))


def test_a_table_goes_on_as_the_polynomial_of_one_piece_in_every_native_target() -> None:
    plane = ph.table(([0, 1, 2], [0, 1, 3]), [[0, 1, 2], [1, 2, 9], [0, 5, 5]])
    quartic = ph.table([-1, 0, 1, 3], np.random.default_rng(1).normal(size=(3, 5)), kind="polynomial", outside="line")
    for given, names in ((TYRE, "xs"), (plane, "xyst"), (quartic, "xs")):
        table = ExtendedTable(given.opaque.points, given.opaque.orders)
        arguments = symbols(" ".join(names))
        program = plan("law", [("a", arguments)], [("y", (1,), [call(table, arguments)])])
        assert load_program(dump_program(program)) == program
        points = np.random.default_rng(3).uniform(-1, 3, (20, len(names)))
        expected = [interpret(program, {"a": point})["y"][0] for point in points]
        np.testing.assert_allclose(expected, table.over(*points.T), rtol=1e-12)
        for backend in ("llvm", "c"):
            native = compile_program(program, backend=backend)
            np.testing.assert_allclose([native(point)[0] for point in points], expected, rtol=1e-12, atol=1e-12)


def test_calls_are_counted_apart_made_once_and_exported_as_given() -> None:
    found = count(made(2 * TYRE(X) + sin(Y) + abs_of(X)))
    assert (found.calls, found.functions, found.sincos, found.total) == (1, 1, 1, 3)
    assert str(found).endswith("1 sine-cosine pair, 1 abs, 1 call")
    program = made(TYRE(X + Y) * TYRE(Y + X), TYRE(X + Y))
    assert [step.op for step in program.run].count("call0") == 1
    text = print_c(made(TYRE(X) + MAGIC(X, Y))).source
    assert SOURCE in text and "tyre" not in text and text.index(SOURCE) < text.index("law_setup")
    assert horner(["a", "b"], "d") == "b * d + a"
    assert horner(["a", "b", "c", "e"], "d") == "((e * d + c) * d + b) * d + a"


def abs_of(x: Expr) -> Expr:
    return ph.absolute(x)


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran here")
@pytest.mark.parametrize("target", ["c", "fortran"])
def test_an_exported_force_law_compiles_cleanly_and_prints_its_check_value(tmp_path: Path, target: str) -> None:
    system = ph.System("slider", gravity=(0, 0, 0))
    joint = system.joint("x", system.ground, system.body("block", mass=2), ph.Prismatic("x"))
    system.joint_force(joint, -TYRE(joint.q[0]) + MAGIC(joint.q[0], joint.u[0]))
    files = [path.name for path in system.derive().export(target, tmp_path, prefix="")]
    if target == "c":
        command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
        command += [name for name in files if name.endswith(".c")]
    else:
        assert "forward_dynamics_functions.c" in files
        subprocess.run(["gcc", "-c", "forward_dynamics_functions.c"], cwd=tmp_path, check=True)
        command = ["gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror", "forward_dynamics_functions.o"]
        command += [name for name in files if name.endswith(".f90")]
    done = subprocess.run([*command, "-o", "check", "-lm"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = subprocess.run(["./check"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    expected = json.loads((tmp_path / "forward_dynamics.json").read_text())["check_value"]
    assert float(printed) == pytest.approx(expected, rel=1e-10)


def test_the_numpy_module_takes_functions_by_name_or_says_which_is_missing() -> None:
    from polhode.codegen.printers.numpy_module import print_numpy

    program = made(TYRE(X) + MAGIC(X, Y) * MAGIC(K, K))
    module: dict[str, object] = {}
    exec(compile(print_numpy(program), "generated", "exec"), module)
    points = np.random.default_rng(1).normal(size=(7, 2))
    given = {"magic": lambda slip, load: np.sin(slip) * load}
    work = module["setup"]([0.7], functions=given)
    (found,) = module["law"](points, work, functions=given)
    expected = [interpret(program, {"a": point}, [0.7])["y"] for point in points]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    refused("hand in the function 'magic'", lambda: module["law"](points, work), TypeError)


def test_a_target_in_c_refuses_what_has_no_source_and_names_that_clash() -> None:
    silent = ph.function("silent", python=lambda x: x)
    clash = ph.function("law", "double law(double x) { return x; }")
    twice = [ph.function("two", f"double two(double x) {{ return {k}*x; }}") for k in (1, 2)]
    for root, code in ((silent(X), "MISSING"), (clash(X), "NAME"), (twice[0](X) + twice[1](X), "TWICE")):
        with pytest.raises(ph.PolhodeError) as caught:
            print_c(made(root))
        assert caught.value.problems[0].code == f"E-FUNCTION-{code}"


def test_a_function_in_c_alone_is_exported_without_a_check_value(tmp_path: Path) -> None:
    only = ph.function("only", "double only(double x) { return x; }")
    system = ph.System("slider")
    joint = system.joint("x", system.ground, system.body("block", mass=2), ph.Prismatic("x"))
    system.joint_force(joint, only(joint.q[0]))
    system.derive().export("c", tmp_path, prefix="")
    assert json.loads((tmp_path / "forward_dynamics.json").read_text())["check_value"] is None
