"""A program in packs computes what it computes one number at a time, in fewer steps."""

import ctypes
import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from tests.packed_interpreter import interpret_packed
from tests.random_program import random_program

from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.packed import Packed
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.llvm import kernels
from polhode.codegen.slp import store_packs
from polhode.codegen.slp.store_packs import pack_stores
from polhode.native import compile_program


def solve_of_many_columns(seed: int, size: int = 7, columns: int = 10, holes: float = 0.3) -> Program:
    """Forward and backward substitution on many columns, with holes and with signs as they fall."""
    choose = random.Random(seed)
    start = 2 + size * size + size * columns
    code: list[Instruction] = []

    def emit(op: str, *args: int) -> int:
        code.append(Instruction(op, args))
        return start + len(code) - 1

    def less(x: tuple[int, int], factor: int, y: tuple[int, int]) -> tuple[int, int]:
        """x - factor·y as a slot and the sign with which it came out."""
        pair = (factor, y[0]) if choose.random() < 0.5 else (y[0], factor)
        product = emit("mul", *pair)
        if x[1] == -y[1]:
            return emit("add", *((x[0], product) if choose.random() < 0.5 else (product, x[0]))), x[1]
        return (emit("sub", x[0], product), x[1]) if choose.random() < 0.5 else (emit("sub", product, x[0]), -x[1])

    rows: list[list[int]] = [[] for _ in range(size)]
    for j in range(columns):
        x: list[tuple[int, int] | None] = []
        for i in range(size):
            x.append(None if choose.random() < holes else (2 + size * size + i * columns + j, 1))
        for order in (range(size), range(size - 1, -1, -1)):
            for done, i in enumerate(order):
                for k in list(order)[:done]:
                    factor, y = 2 + i * size + k, x[k]
                    if y is not None:
                        own = x[i]
                        x[i] = (emit("mul", factor, y[0]), -y[1]) if own is None else less(own, factor, y)
        for i, value in enumerate(x):
            slot, sign = value or (0, 1)
            rows[i].append(slot if sign > 0 else emit("neg", slot))
    outputs = (Output("x", (size, columns), tuple(slot for row in rows for slot in row)),)
    arrays = (Array("l", size * size), Array("f", size * columns))
    return Program("solve", arrays, 0, (0.0, 1.0), (), tuple(code), outputs)


def chain(length: int) -> Program:
    """Each output is needed for the next one: x → a x + b."""
    code, last = [], 2
    for _ in range(length):
        code += [Instruction("mul", (0, last)), Instruction("add", (3 + len(code), 1))]
        last = 3 + len(code) - 1
    return Program("chain", (Array("q", 3),), 0, (), (), tuple(code), (
        Output("y", (length,), tuple(range(4, 3 + len(code), 2))),))  # fmt: skip


def lanes_in_a_circle() -> Program:
    """b needs a, which looks like b; and both are factors of neighbours, with opposite signs."""
    code: list[Instruction] = []

    def emit(op: str, *args: int) -> int:
        code.append(Instruction(op, args))
        return 7 + len(code)

    def dot(*pairs: tuple[int, int]) -> int:
        total = emit("mul", *pairs[0])
        for pair in pairs[1:]:
            total = emit("add", total, emit("mul", *pair))
        return total

    a = dot((0, 4), (1, 5), (6, 7), (7, 7))
    b = dot((a, 4), (3, 5), (6, 7), (7, 7))
    c, d = emit("add", emit("mul", 2, a), dot((1, 6), (6, 7))), emit("sub", dot((3, 6), (6, 7)), emit("mul", 2, b))
    outputs = (Output("y", (2,), (c, d)), Output("z", (1,), (b,)))
    return Program("circle", (Array("q", 8),), 0, (), (), tuple(code), outputs)


def across(program: Program) -> Program:
    """The same program with its matrix transposed: neighbouring entries now need each other."""
    (output,) = program.outputs
    rows, columns = output.shape
    slots = tuple(output.slots[i * columns + j] for j in range(columns) for i in range(rows))
    return replace(program, outputs=(Output("x", (columns, rows), slots),))


def evaluated(program: Program, code: Packed, inputs: dict[str, np.ndarray], parameters: np.ndarray) -> np.ndarray:
    entries = [entry for array in program.arrays for entry in inputs[array.name]]
    return np.array(interpret_packed(program, code, entries, parameters))


def flat(program: Program, inputs: dict[str, np.ndarray], parameters: np.ndarray) -> np.ndarray:
    found = interpret(program, inputs, parameters)
    return np.concatenate([found[output.name].ravel() for output in program.outputs])


def some_numbers(program: Program, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    dice = np.random.default_rng(seed)
    inputs = {array.name: dice.uniform(0.2, 0.9, array.size) for array in program.arrays}
    return inputs, dice.uniform(0.2, 0.9, program.parameters)


PROGRAMS = {
    "solve": solve_of_many_columns,
    "full solve": lambda seed: solve_of_many_columns(seed, holes=0.0),
    "any operation": lambda seed: random_program(seed, 300),
    "chain": lambda seed: chain(9 + seed),
}


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("width", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_packs_compute_what_the_program_computes(kind: str, width: int, seed: int) -> None:
    program = PROGRAMS[kind](seed)
    inputs, parameters = some_numbers(program, seed)
    found = evaluated(program, pack_stores(program, width), inputs, parameters)
    expected = flat(program, inputs, parameters)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("seed", range(3))
def test_a_solve_of_many_columns_takes_little_more_than_a_lane_each(seed: int) -> None:
    program = solve_of_many_columns(seed, columns=12, holes=0.0)
    steps = sum(step.op == "mul" for step in program.run)
    assert pack_stores(program, 4).cost < 0.3 * steps + len(program.outputs[0].slots)
    assert pack_stores(program, 2).cost < 0.6 * steps + len(program.outputs[0].slots)


@pytest.mark.parametrize("horizon", [0, 400])
def test_lanes_that_need_each_other_are_not_packed(horizon: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether that is seen at once, or only when the packs are put in order."""
    monkeypatch.setattr(store_packs, "_DEPTH", horizon)
    assert not pack_stores(chain(8), 4).packs
    for program in (
        lanes_in_a_circle(),
        *(across(solve_of_many_columns(seed, size=4, columns=4)) for seed in range(6)),
    ):
        inputs, parameters = some_numbers(program, 1)
        found = evaluated(program, pack_stores(program, 2), inputs, parameters)
        np.testing.assert_allclose(found, flat(program, inputs, parameters), rtol=1e-9, atol=1e-12)


@contextmanager
def always_packed(width: int, segment: int, segments: int) -> Iterator[None]:
    """Packs of this width for programs of any length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "vectorise", lambda program, width: None)
        patch.setattr(kernels, "LONG", 0)
        patch.setattr(kernels, "PROFITABLE", math.inf)
        patch.setattr(kernels, "SEGMENT", segment)
        patch.setattr(kernels, "SEGMENTS", segments)
        patch.setattr(kernels, "STORES", width)
        yield


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize(("width", "segment", "segments"), [(2, 3, 7), (4, 1, 7), (4, 24, 2000), (8, 5, 1)])
def test_machine_code_in_packs_gives_the_interpreters_numbers(
    kind: str, width: int, segment: int, segments: int
) -> None:
    program = PROGRAMS[kind](3)
    inputs, parameters = some_numbers(program, 3)
    with always_packed(width, segment, segments):
        function = compile_program(program, cache=False, backend="llvm", parameters=parameters)
    found = function(**inputs)
    found = found if isinstance(found, tuple) else (found,)
    got = np.concatenate([np.ravel(part) for part in found])
    np.testing.assert_allclose(got, flat(program, inputs, parameters), rtol=1e-9, atol=1e-12, equal_nan=True)


def test_an_output_of_packs_may_lie_over_an_input() -> None:
    program = solve_of_many_columns(4, size=4, columns=4)
    inputs, _ = some_numbers(program, 4)
    expected = flat(program, inputs, np.empty(0))
    with always_packed(4, 3, 7):
        function = compile_program(program, cache=False, backend="llvm")
    l, f, work = inputs["l"].copy(), inputs["f"].copy(), np.empty(1)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (l, f, work, f)]
    function.signature(function.address)(*pointers)
    np.testing.assert_allclose(f, expected, rtol=1e-12)


def test_short_programs_and_those_without_likeness_stay_as_they_are() -> None:
    def strategy(program: Program) -> kernels.Strategy:
        return kernels.written(kernels.Kernel(program, "f"), {kernels.isomorphic_groups})[1]

    for program in (solve_of_many_columns(1, size=3, columns=4), random_program(1, 8000)):
        assert strategy(program) is not kernels.packed_stores
    assert strategy(solve_of_many_columns(1, size=20, columns=40)) is kernels.packed_stores
