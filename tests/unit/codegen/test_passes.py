"""Passes over programs: common parts, fused products, pieces, sums of angles; values stay the same."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.random_program import random_program

from polhode.codegen.ir.count import count
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.ops import live_run
from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.llvm import kernels
from polhode.codegen.llvm.kernels import fused_products
from polhode.codegen.passes import function_splitting
from polhode.codegen.plan import plan, schedule
from polhode.expr import Expr, cos, sin, symbol
from polhode.native import compile_program


def _plan(roots: list[Expr], inputs: list[Expr], factor: bool = True) -> Program:
    return plan("f", [("x", inputs)], [("y", (len(roots),), roots)], factor=factor)


def test_sums_and_products_share_parts() -> None:
    a, b, c, d = (symbol(name) for name in "abcd")
    assert count(_plan([(a + b) + c, (a + d) + b], [a, b, c, d])).additions == 3
    a, b, c, d = (symbol(name) for name in "abcd")
    assert count(_plan([(a - b) + c, (b + d) - a], [a, b, c, d])).additions == 3
    a, b, c = (symbol(name) for name in "abc")
    assert count(_plan([a - b, (b + c) - a], [a, b, c])).additions == 2
    a, b, c, d = (symbol(name) for name in "abcd")
    assert count(_plan([(a * b) * c, (a * d) * b], [a, b, c, d])).multiplications == 3
    x = [symbol(f"x{k}") for k in range(6)]
    roots = [x[0] + x[k] + x[1] for k in (2, 3, 4)] + [x[5] - x[1] - x[0]]
    assert count(_plan(roots, x)).additions == 5


def test_constants_that_come_together_are_folded() -> None:
    a, b, x, y = (symbol(name) for name in "abxy")
    roots = [(a + x) + b + 2, (b + y) + a - 7, (3 * x) * a, (y * 5) * x * b]
    program = plan("f", [("x", [x, y, a, b])], [("y", (4,), roots)])
    assert not program.setup
    values = {"x": [0.1, 0.2, 0.3, 0.4]}
    expected = [0.3 + 0.1 + 0.4 + 2, 0.4 + 0.2 + 0.3 - 7, 3 * 0.1 * 0.3, 0.2 * 5 * 0.1 * 0.4]
    assert interpret(program, values)["y"] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(40))
def test_random_sums_and_products_keep_their_values(seed: int) -> None:
    rng = random.Random(seed)
    inputs = [symbol(f"x{k}") for k in range(5)]
    pool = list(inputs)
    for _ in range(60):
        a, b = rng.sample(pool, 2)
        pool.append(rng.choice((a + b, a - b, a * b, a * 3 - b)))
    roots = pool[-12:]
    values = [rng.uniform(-1, 1) for _ in inputs]
    plain, short = _plan(roots, inputs, factor=False), _plan(roots, inputs)
    expected, found = interpret(plain, {"x": values})["y"], interpret(short, {"x": values})["y"]
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert count(short).total <= count(plain).total


def test_folded_constants_have_their_sign() -> None:
    """Whether a constant's fingerprint stands for it or for its opposite depends on the number: so try many."""
    x = symbol("x")
    pairs = [(Fraction(k + 2, 7), Fraction(-1) ** k * Fraction(11, k + 3)) for k in range(40)]
    roots = [(x * a) * b for a, b in pairs] + [(x + a) + (x * x + b) for a, b in pairs]
    program = plan("f", [("x", [x])], [("y", (len(roots),), roots)])
    assert not program.setup
    expected = [0.7 * float(a * b) for a, b in pairs] + [0.7 + 0.49 + float(a + b) for a, b in pairs]
    assert interpret(program, {"x": [0.7]})["y"] == pytest.approx(expected, rel=1e-14)


def program(*code: tuple[str, int, int], outputs: tuple[int, ...]) -> Program:
    """Instructions on three inputs, slots 0 to 2; the first of them is slot 3."""
    run = tuple(Instruction(op, (a, b)) for op, a, b in code)
    return Program("f", (Array("q", 3),), 0, (), (), run, (Output("y", (len(outputs),), outputs),))


def test_one_product_is_fused_with_the_one_sum_that_uses_it() -> None:
    assert fused_products(program(("mul", 0, 1), ("sub", 2, 3), outputs=(4,)), {3, 4}) == {4: 3}
    both = program(("mul", 0, 1), ("mul", 1, 2), ("add", 4, 3), outputs=(5,))
    assert fused_products(both, {3, 4, 5}) == {5: 4}
    left_over = program(("mul", 0, 1), ("add", 3, 2), ("sub", 3, 2), outputs=(4,))
    assert fused_products(left_over, {3, 4}) == {4: 3}


@pytest.mark.parametrize("used_twice", [
    program(("mul", 0, 1), ("add", 3, 3), outputs=(4,)), program(("mul", 0, 1), ("add", 3, 2), outputs=(3, 4)),
    program(("mul", 0, 1), ("add", 3, 2), ("sub", 3, 2), outputs=(4, 5)),
])  # fmt: skip
def test_a_product_that_is_used_twice_is_rounded_by_itself(used_twice: Program) -> None:
    assert fused_products(used_twice, {3, 4, 5}) == {}


@pytest.mark.parametrize("seed", range(4))
def test_one_state_has_the_bits_that_it_has_in_lanes(seed: int) -> None:
    function = compile_program(random_program(seed, 120), backend="llvm", cache=False, parameters=[0.3, -0.8, 1.1])
    assert function.native.rounds_alike
    choose = np.random.default_rng(seed)
    arrays = [choose.normal(size=(512, array.size)) for array in function.outline.arrays]
    arrays[0][7] = 1e9, np.nan, -2.0  # beyond the reduction of sines: its neighbours do not notice
    function.native.in_lanes = True
    lanes = function(*arrays, threads=1)
    for i in (0, 4, 5, 6, 7, 511):
        alone = function(*(array[i] for array in arrays))
        for one, many in zip(alone, lanes, strict=True):
            assert np.array_equal(one, many[i], equal_nan=True)


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
    program = random_program(2, 200)
    first = program.first_run
    operands = [[arg - first for arg in step.args if arg >= first] for step in program.run]
    order = schedule(operands)
    assert sorted(order) == list(range(len(operands)))
    place = {k: number for number, k in enumerate(order)}
    assert all(place[arg] < place[k] for k, args in enumerate(operands) for arg in args)
    assert order == schedule(operands)


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_angles_are_as_exact_as_their_functions_and_share_products(seed: int) -> None:
    a, b = symbol(f"a{seed}"), symbol(f"b{seed}")
    roots = [sin(a + b), cos(a + b), sin(a - b), cos(a - b), sin(a) * cos(b), cos(a) * sin(b), sin(a) * sin(b)]
    program = plan("f", [("x", [a, b])], [("y", (len(roots),), roots)])
    rng = random.Random(seed)
    x, y = rng.uniform(-3, 3), rng.uniform(-3, 3)
    waves = [f(angle) for angle in (x + y, x - y) for f in (math.sin, math.cos)]
    products = [math.sin(x) * math.cos(y), math.cos(x) * math.sin(y), math.sin(x) * math.sin(y)]
    assert interpret(program, {"x": [x, y]})["y"] == pytest.approx([*waves, *products], abs=1e-15)
    assert count(program).multiplications == 4
