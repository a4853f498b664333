"""Illegal programs are refused with every reason at once, and only what is needed is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.random_program import random_program

from polhode.codegen.ir.ops import check_program, live_run
from polhode.codegen.ir.program import ARITY, Array, Instruction, Output, Program
from polhode.codegen.printers.c99 import print_c
from polhode.errors import PolhodeError

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
    assert 6 not in live_run(padded)
    assert "exp" not in print_c(padded).source


@pytest.mark.parametrize("name", [
    "", "Q", "a b", "x;", "1a", "int", "lambda", "sin", "main", "v12", "w", "a" * 64, "é", "x\n", "../x", "a*/",
])  # fmt: skip
def test_a_name_that_is_not_ours_is_refused(name: str) -> None:
    with pytest.raises(PolhodeError):
        print_c(replace(GOOD, name=name))
    with pytest.raises(PolhodeError):
        print_c(replace(GOOD, arrays=(Array(name, 2),)))


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
    with pytest.raises(PolhodeError, match=said):
        check_program(replace(GOOD, **change))


def test_all_reasons_come_at_once() -> None:
    bad = replace(GOOD, name="int", constants=(float("inf"),), run=(Instruction("boom", (77,)),))
    with pytest.raises(PolhodeError) as caught:
        check_program(bad)
    assert len(caught.value.problems) >= 4
