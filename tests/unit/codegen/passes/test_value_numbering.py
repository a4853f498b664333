"""Sines and cosines of sums by the addition theorems."""

from __future__ import annotations

import math
import random

import pytest

from polhode.codegen.ir.count import count
from polhode.codegen.ir.interpreter import interpret
from polhode.codegen.plan import plan
from polhode.expr import cos, sin, symbol


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
