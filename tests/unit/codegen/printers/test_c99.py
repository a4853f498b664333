"""The C printer's text and its comments."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.printers.c99 import print_c
from polhode.codegen.printers.target import sanitised

PENDULUM = Program(
    "pendulum", (Array("q", 1),), 2, (-1.0,), (Instruction("div", (2, 3)),),
    (Instruction("sin", (1,)), Instruction("mul", (5, 4)), Instruction("mul", (6, 0))),
    (Output("ud", (1,), (7,)),), notes={4: "g/l of the pendulum"},
)  # fmt: skip


def test_the_source_reads_like_the_program() -> None:
    source = print_c(PENDULUM).source
    assert re.search(r"const double v4 = v2 / v3; +/\* g l of the pendulum \*/\n\n  w\[0\] = v4;", source)
    run = source.split("void pendulum(")[1]
    assert "const double v4 = w[0];" in run and "const double v5 = sin(v1);" in run and "out_ud[0] = v7;" in run
    assert not any(word in source for word in ("malloc", "static", "goto"))


@given(st.text())
def test_a_sanitised_note_can_neither_end_a_comment_nor_continue_a_line(note: str) -> None:
    clean = sanitised(note)
    assert clean.isascii() and len(clean) <= 80
    assert not set(clean) & set("*/\\?\n\r\"'#%&;{}<>")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_constant_is_read_back_to_the_same_bits(value: float) -> None:
    program = Program("constant", (), 0, (value,), (), (), (Output("y", (1,), (0,)),))
    printed = print_c(program).source.split("const double v0 = ")[1].split(";")[0]
    assert float(printed).hex() == value.hex()
