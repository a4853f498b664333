"""Loops that are bound to their memory compute what the functions do, one after the other, by every backend."""

from __future__ import annotations

import numpy as np
import pytest

from polhode.codegen.plan import plan
from polhode.expr import sin, symbol
from polhode.native import compile_program
from polhode.native.call_sequence import BoundLoop, sequence_of

a, b, k = symbol("a"), symbol("b"), symbol("k")
SUM = plan("sum", [("x", [a, b]), ("shared", [k])], [("y", (2,), [a + k * b, sin(a) * b])], [])
SQUARE = plan("square", [("y", [a, b])], [("z", (), [a * a + b]), ("none", (0,), [])], [])


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("count", [1, 4, 11, 40])
def test_what_one_loop_writes_the_next_one_reads(backend: str, count: int) -> None:
    x, shared = np.random.default_rng(2).standard_normal((count + 1, 2)), np.array([3.0])
    y, z = np.full((count + 1, 2), 7.0), np.full(count + 1, 7.0)
    first, second = (compile_program(each, backend=backend) for each in (SUM, SQUARE))
    run = sequence_of(
        [BoundLoop(first, [x, shared], [y], count), BoundLoop(second, [y], [z, np.zeros((count, 0))], count)]
    )
    for factor in (1.0, 2.0):
        shared[0] = factor
        run()
        expected = np.stack([x[:, 0] + factor * x[:, 1], np.sin(x[:, 0]) * x[:, 1]], axis=1)[:count]
        assert np.abs(y[:count] - expected).max() < 1e-14
        assert np.abs(z[:count] - expected[:, 0] ** 2 - expected[:, 1]).max() < 1e-13
        assert (y[count:] == 7).all() and (z[count:] == 7).all(), "rows beyond the count are left alone"


def test_a_sequence_of_nothing_does_nothing() -> None:
    sequence_of([])()
