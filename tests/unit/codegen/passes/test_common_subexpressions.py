"""Parts that sums and products have in common are computed once, and nothing else changes."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from polhode.codegen.ir.count import count
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.ir.program import Program
from polhode.codegen.plan import plan
from polhode.expr import Expr, symbol


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
