"""Fused products: which are, and that one state and lanes of states have the same bits for it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.random_program import random_program

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.passes.contraction import fused_products
from polhode.native import compile_program


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
