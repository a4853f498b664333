"""Tables and users' functions that cannot be: each is refused with its place, its cure and its code."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.errors import FormatError, ModelError, PolhodeError
from polhode.expr.opaque.table import LARGEST
from polhode.formats import dumps_yaml, loads_yaml

X = ph.symbol("x")
TYRE = ph.table([0, 1], [0, 1], name="tyre", outside="error")
GRID = ph.table(([0, 1], [0, 1]), [[0, 1], [2, 3]], name="grid")
C = "double f(double x) { return x; }"
F = ph.function("f", C)

TABLES: list[tuple[str, str, Callable[[], Any]]] = [
    ("E-FUNCTION-NUMBER", r"x\[1\] is 2.0 and x\[2\] is 1.0", lambda: ph.table([0, 2, 1], [0, 0, 0], name="tyre")),
    ("E-FUNCTION-NUMBER", r"x\[0\] is 1.0 and x\[1\] is 1.0", lambda: ph.table([1, 1], [0, 1])),
    ("E-FUNCTION-NUMBER", r"y\[1\] is 3.0 and y\[2\] is 2.0", lambda: ph.table(([0, 1], [1, 3, 2]), [[0] * 3] * 2)),
    ("E-FUNCTION-TYPE", "x is 3, not a list", lambda: ph.table(3, [1, 2])),
    ("E-FUNCTION-TYPE", "z is 3, not a list", lambda: ph.table(([0, 1], [0, 1]), 3)),
    ("E-FUNCTION-TYPE", r"z\[0\] is 1, not a list", lambda: ph.table(([0, 1], [0, 1]), [1, 2])),
    ("E-FUNCTION-SHAPE", "x has 1 entry", lambda: ph.table([1], [1])),
    (
        "E-FUNCTION-SHAPE",
        "x has 3 entries; a cubic table needs 4",
        lambda: ph.table([1, 2, 3], [1, 2, 3], kind="cubic"),
    ),
    ("E-FUNCTION-NUMBER", r"y\[1\] is inf", lambda: ph.table([0, 1], [0, math.inf])),
    ("E-FUNCTION-NUMBER", r"x\[0\] is '0'", lambda: ph.table(["0", 1], [0, 1])),
    ("E-FUNCTION-NUMBER", r"y\[0\] is x", lambda: ph.table([0, 1], [X, 1])),
    ("E-FUNCTION-SHAPE", "x has 2 entries and y has 3", lambda: ph.table([0, 1], [0, 1, 2])),
    ("E-FUNCTION-SHAPE", "x has 2 entries and z has 1", lambda: ph.table(([0, 1], [0, 1]), [[0, 1]])),
    ("E-FUNCTION-SHAPE", r"y has 2 entries and z\[1\] has 1", lambda: ph.table(([0, 1], [0, 1]), [[0, 1], [2]])),
    ("E-FUNCTION-NAME", "there is no kind 'quintic'", lambda: ph.table([0, 1], [0, 1], kind="quintic")),
    ("E-FUNCTION-SHAPE", "one variable", lambda: ph.table(([0, 1], [0, 1]), [[0, 1], [2, 3]], kind="pchip")),
    ("E-FUNCTION-NAME", "'wrap'", lambda: ph.table([0, 1], [0, 1], outside="wrap")),
    ("E-FUNCTION-NUMBER", "infinite", lambda: ph.table([0, 5e-324], [-1e300, 1e300])),
    ("E-FUNCTION-SHAPE", "more than", lambda: ph.table(np.arange(LARGEST + 1), np.arange(LARGEST + 1))),
    ("E-FUNCTION-NUMBER", "its argument 2 is outside its range 0.0 to 1.0", lambda: TYRE(2)),
    ("E-FUNCTION-NUMBER", "argument 2 is outside", lambda: TYRE(ph.Vector([2])[0] + X - X)),
    ("E-FUNCTION-UNSUPPORTED", "antiderivative", GRID.integral),
    ("E-FUNCTION-UNSUPPORTED", "antiderivative", lambda: TYRE.integral().integral()),
    ("E-FUNCTION-UNSUPPORTED", "zero everywhere", lambda: TYRE.derivative().derivative()),
    ("E-FUNCTION-SHAPE", "takes 2 arguments, not 1", lambda: GRID(X)),
    ("E-FUNCTION-SHAPE", "takes 1 argument, not 2", lambda: TYRE(1.0, 2.0)),
]
FUNCTIONS: list[tuple[str, str, Callable[[], Any]]] = [
    ("E-FUNCTION-MISSING", "C alone", lambda: F(1.0)),
    *[
        ("E-FUNCTION-NAME", "name", lambda name=name: ph.function(name, python=abs, arity=1))
        for name in ("a b", "int", "sin", "lambda", "call0", "ph_x", "é", "", "x" * 60, "f;", "_f", None)
    ],
    ("E-FUNCTION-MISSING", "neither", lambda: ph.function("g")),
    ("E-FUNCTION-TYPE", "cannot be called", lambda: ph.function("g", python=3)),
    ("E-FUNCTION-TYPE", r"derivatives\[1\]", lambda: ph.function("g", C.replace("f", "g"), derivatives={1: F})),
    ("E-FUNCTION-TYPE", r"derivatives\[0\]", lambda: ph.function("g", C.replace("f", "g"), derivatives={0: TYRE})),
    ("E-FUNCTION-SHAPE", "takes 2 or 1", lambda: ph.function("f", C, arity=2)),
    ("E-FUNCTION-SHAPE", "takes 0", lambda: ph.function("g", python=lambda: 1.0)),
    ("E-FUNCTION-MISSING", "double f", lambda: ph.function("f", "float f(float x) { return x; }")),
    ("E-FUNCTION-MISSING", "double f", lambda: ph.function("f", "double f(double x);")),
    ("E-FUNCTION-MISSING", "double f", lambda: ph.function("f", "double f(double *x) { return *x; }")),
    ("E-FUNCTION-UNSUPPORTED", "antiderivative", F.integral),
]


@pytest.mark.parametrize(("code", "words", "make"), TABLES + FUNCTIONS)
def test_what_makes_no_function_is_refused(code: str, words: str, make: Callable[[], Any]) -> None:
    with pytest.raises(PolhodeError, match=words) as caught:
        make()
    (problem,) = caught.value.problems
    assert problem.code == code
    assert problem.place.startswith(("table", "function")) and problem.cure and problem.message.endswith(".")


def test_a_table_with_unsorted_abscissae_names_the_table() -> None:
    with pytest.raises(
        ModelError, match=r"table 'tyre': the abscissae must ascend, but x\[1\] is 2.0 and x\[2\] is 1.0"
    ):
        ph.table([0, 2, 1], [0, 0, 0], name="tyre")


MODEL = """polhode: 1
bodies:
  bob: {mass: 1, com: [0, 0, -1]}
joints:
  hinge: {parent: ground, child: bob, type: revolute, axis: y}
tables:
  spring: {x: [-1, 0, 0.5, 2], y: [-3, 0, 0.3, 7], kind: pchip}
  grid: {x: [0, 1], y: [0, 2], z: [[1, 2], [3, 4]]}
loads:
  - {type: joint_force, joint: hinge, value: "-spring(hinge)*grid(hinge, u(hinge))"}
"""
FILES = [
    ("0.5, 2]", "-0.5, 2]", "m.yaml:7: tables.spring: .*x.1. is 0.0 and x.2. is -0.5", "E-FUNCTION-NUMBER"),
    ("kind: pchip", "kind: quintic", "m.yaml:7: .*no kind 'quintic'", "E-FUNCTION-NAME"),
    ("kind: pchip", "c: double f", "m.yaml:7: tables.spring.c: there is no such key", "E-MODELFILE-READ"),
    ("kind: pchip", "python: math.sin", "m.yaml:7: tables.spring.python: there is no such key", "E-MODELFILE-READ"),
    ("tables:", "functions:", "m.yaml:6: functions: there is no such key", "E-MODELFILE-READ"),
    ("0.5, 2]", "hinge, 2]", r"m.yaml:7: tables.spring.x\[2\]: there is nothing called 'hinge'", "E-EXPR-READ"),
    ("0.5, 2]", "nan, 2]", r"m.yaml:7: tables.spring.x\[2\]: 'nan' is not a finite number", "E-EXPR-READ"),
    ("0.5, 2]", "1e999, 2]", r"m.yaml:7: tables.spring.x\[2\]: this number is out of", "E-EXPR-READ"),
    ("spring(h", "sprung(h", "m.yaml:10: .*no function 'sprung'", "E-EXPR-READ"),
    ("spring(h", "__import__(h", "m.yaml:10: .*no function '__import__'", "E-EXPR-READ"),
    ("grid(hinge, ", "grid(", "m.yaml:10: .*grid takes 2 arguments, not 1", "E-EXPR-READ"),
    ("  spring:", "  sin:", "m.yaml:7: tables.sin: 'sin' is a function already", "E-MODELFILE-TWICE"),
    ("kind: pchip", "orders: [2]", "m.yaml:7: .*the orders 2 fit no table", "E-MODELFILE-SHAPE"),
    ("kind: pchip", "orders: [x]", "m.yaml:7: .*the orders x fit no table", "E-MODELFILE-SHAPE"),
    ("[3, 4]]", "[3]]", "m.yaml:8: .*y has 2 entries and z.1. has 1", "E-FUNCTION-SHAPE"),
]


@pytest.mark.parametrize(("good", "bad", "words", "code"), FILES)
def test_a_wrong_table_in_a_model_file_is_told_with_its_line(good: str, bad: str, words: str, code: str) -> None:
    loads_yaml(MODEL)
    with pytest.raises(FormatError, match=words) as caught:
        loads_yaml(MODEL.replace(good, bad, 1), file="m.yaml")
    assert caught.value.problems[0].code == code


def test_a_table_that_cannot_be_read_spoils_nothing_else() -> None:
    with pytest.raises(FormatError) as caught:
        loads_yaml(MODEL.replace("0.5, 2]", "-0.5, 2]", 1))
    assert [problem.code for problem in caught.value.problems] == ["E-FUNCTION-NUMBER"]


def test_a_users_function_is_never_written_to_a_model_file() -> None:
    system = loads_yaml(MODEL)
    system.joint_force("hinge", F(system.joints["hinge"].q[0]))
    with pytest.raises(FormatError, match="function 'f' cannot be written to a model file") as caught:
        dumps_yaml(system)
    assert caught.value.problems[0].code == "E-MODELFILE-WRITE"
