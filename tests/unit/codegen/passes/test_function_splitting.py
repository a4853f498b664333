"""Long programs, cut into pieces, compute what they compute whole; schedules keep operands before their users."""

from __future__ import annotations

import numpy as np
import pytest
from tests.random_program import random_program

from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.ops import live_run
from polhode.codegen.llvm import kernels, module
from polhode.codegen.passes import function_splitting
from polhode.codegen.plan import plan, schedule
from polhode.codegen.slp import vectoriser
from polhode.expr import cos, sin, symbol
from polhode.native import compile_program


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("backend_lanes", [False, True])
def test_a_program_in_pieces_gives_the_same_numbers(
    seed: int, backend_lanes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = random_program(seed, 400)
    monkeypatch.setattr(kernels, "WHOLE", 50)
    monkeypatch.setattr(function_splitting.split, "__defaults__", (37,))
    random = np.random.default_rng(seed)
    batch = 8 if backend_lanes else 1
    arrays = {array.name: random.uniform(0.2, 0.9, size=(batch, array.size)) for array in program.arrays}
    parameters = random.uniform(0.2, 0.9, size=program.parameters)
    compiled = compile_program(program, cache=False, backend="llvm")
    got = compiled(**arrays, parameters=parameters)
    got = got if isinstance(got, tuple) else (got,)
    for k in range(batch):
        wanted = interpret(program, {name: array[k] for name, array in arrays.items()}, parameters)
        for output, values in zip(program.outputs, got, strict=True):
            np.testing.assert_allclose(values[k], wanted[output.name], rtol=1e-9, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("count", [2, 3, 4, 7, 9])
def test_sines_and_cosines_of_inputs_are_the_first_piece_of_a_long_program(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in (kernels, vectoriser):
        monkeypatch.setattr(room, "WHOLE", 5)
    monkeypatch.setattr(function_splitting.split, "__defaults__", (3,))
    q = [symbol(f"q{k}") for k in range(count)]
    total = q[0]
    for k, angle in enumerate(q):
        total = total * cos(angle) + sin(angle) * (k + 2) + sin(angle + q[k - 1])
    program = plan("f", [("q", q)], [("y", (3,), [total, sin(q[1]), total * total])])
    text = module.scalar_module(program).text
    assert ("call { <4 x double>, <4 x double> } @ph_sincos4" in text) == (count >= 4)
    values = np.random.default_rng(count).uniform(-3, 3, size=count)
    wanted = interpret(program, {"q": values})["y"]
    got = compile_program(program, cache=False, backend="llvm")(q=values)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


def test_pieces_hand_on_just_what_later_pieces_read() -> None:
    program = random_program(1, 300)
    wanted = live_run(program)
    cut, ends, size = function_splitting.split(program, wanted, 20)
    assert sum(len(piece.code) for piece in cut) == len([slot for slot in wanted if slot >= program.first_run])
    assert size < len(wanted), "places are used again"
    held: dict[int, int] = {}
    for piece in cut:
        for slot, place in piece.reads.items():
            assert held[place] == slot, "nothing overwrote it before its last use"
        held.update({place: slot for slot, place in piece.writes.items()})
    assert all(held[place] == slot for slot, place in ends.items())


def test_a_schedule_is_an_order_in_which_operands_come_first() -> None:
    program = random_program(2, 200)
    first = program.first_run
    operands = [[arg - first for arg in step.args if arg >= first] for step in program.run]
    order = schedule(operands)
    assert sorted(order) == list(range(len(operands)))
    place = {k: number for number, k in enumerate(order)}
    assert all(place[arg] < place[k] for k, args in enumerate(operands) for arg in args)
    assert order == schedule(operands)
