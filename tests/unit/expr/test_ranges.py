"""Ranges of expressions by structure, against numbers."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from polhode.expr import Expr, as_expr, cos, cosh, evaluate, exp, sin, sqrt, symbols, tanh
from polhode.expr.ranges import cannot_vanish, range_of

x, y, z = symbols("x y z")
m, l = symbols("m l", "parameter")

NEVER = [
    1 + x**2, 2 + cos(x), -3 - sin(x) * cos(y), (1 + x**2) * (1 + y**2), (1 + x**2) / (2 + cos(y)), exp(x), cosh(x - y),
    1 + x * y * y * x, 1 + (x * y) ** 2, sqrt(1 + x**4), 2 - tanh(x), as_expr(5), m, m + x**2,
    m * l**2 * (1 + sin(x) ** 2), 1 / (1 + x**2), -1 - abs(x), 1 + x**2 / m, 3 + sin(x) + 2 * y**2 * x**2,
]  # fmt: skip
SOMEWHERE = [
    x, 1 + x, x**2, 1 + cos(x), sin(x), x**2 + y**2, x**3 + 1, 1 - x**2, l, x * y + 1, (1 + x**2) * y, exp(x) - 1,
    m - x**2, x / (1 + y**2), sqrt(x), abs(x), m - l, 1 + x * y * y,
]  # fmt: skip


@pytest.mark.parametrize("value", NEVER, ids=str)
def test_what_has_no_zero_is_seen(value: Expr) -> None:
    assert cannot_vanish(value, positive=[m, l])


@pytest.mark.parametrize("value", SOMEWHERE, ids=str)
def test_what_has_a_zero_is_never_said_to_have_none(value: Expr) -> None:
    assert not cannot_vanish(value, positive=[m])


def test_a_parameter_of_unknown_sign_may_vanish() -> None:
    assert not cannot_vanish(m + x**2) and not cannot_vanish(m) and not cannot_vanish(l**2 + x**2, positive=[m])


@pytest.mark.parametrize("seed", range(200))
def test_values_lie_in_the_range(seed: int) -> None:
    """Random expressions at random points; one that is said not to vanish is not near zero by its sign."""
    rng = np.random.default_rng(seed)
    nodes: list[Expr] = [x, y, m, as_expr(2), as_expr(Fraction(-1, 2))]
    for _ in range(8):
        a, b = (nodes[k] for k in rng.integers(len(nodes), size=2))
        made = [a + b, a - b, a * b, a * a, -a, sin(a), cos(a), tanh(b), sqrt(a * a), a / (1 + b * b), a * b * a]
        nodes.append(as_expr(made[rng.integers(len(made))]))
    found = range_of(nodes[-1], positive=[m])
    signs = set()
    for _ in range(40):
        point = {x: rng.normal() * 2, y: rng.normal() * 2, m: rng.uniform(0.01, 3)}
        (value,) = evaluate([nodes[-1]], point)
        assert float(found.low) - 1e-9 <= value <= float(found.high) + 1e-9
        signs.add(np.sign(value))
    assert not found.nonzero or len(signs) == 1 or found.low < 0 < found.high


def test_bounds_are_exact() -> None:
    found = range_of(Fraction(1, 3) + cos(x) ** 2 - 2 * sin(y))
    assert (found.low, found.high) == (Fraction(-5, 3), Fraction(10, 3))
    assert (range_of(1 / (x * x)).low, range_of(x).high) == (0, inf)
