"""Numbers out of expressions agree with arithmetic to many digits."""

from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

import polhode as ph
from polhode.errors import ValueMissing
from polhode.expr import (
    Expr,
    as_expr,
    constant_value,
    cos,
    evaluate,
    exact,
    exp,
    pi,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
)
from polhode.expr.evaluation import Evaluator, constant_values
from polhode.expr.exact import maximum, minimum

x, y = symbols("x y")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_floats_agree_with_forty_digits(seed: int, grow: Any, point: dict[Expr, float]) -> None:
    root = grow(seed, True)
    (constant,) = substitute([root], point)
    assert evaluate([root], point)[0] == pytest.approx(float(constant_value(constant)), rel=1e-9, abs=1e-9)


def test_numbers_agree_with_many_digits_and_constants_together_are_those_alone_and_floor_rounds_down() -> None:
    with mpmath.workdps(60):
        assert abs(constant_value(sqrt(as_expr(2)), 50) - mpmath.sqrt(2)) < mpmath.mpf(10) ** -50
        assert abs(constant_value(sin(as_expr(0.3)) * pi, 50) - mpmath.sin(mpmath.mpf(3) / 10) * mpmath.pi) < 1e-50
    assert float(cos(pi / 7)) == pytest.approx(0.9009688679024191, rel=1e-15)
    tiny = exp(as_expr(1)) - exp(as_expr(1) + as_expr(10) ** -25)
    assert float(constant_value(tiny)) == pytest.approx(-2.718281828459045e-25, rel=1e-12)
    root = sqrt(as_expr(2))
    several = [sin(root), root, pi * sin(root) + root]
    assert constant_values(several) == [constant_value(each) for each in several] and constant_values([]) == []
    refused("'y' has no value", lambda: constant_values([root, root + y]), ValueMissing)
    x = symbol("x")
    assert exact.floor(as_expr("-7/2")) == -4 and exact.floor(2) == 2
    assert evaluate([exact.floor(x)], {x: -0.5}) == [-1.0] and exact.floor(x).diff(x) == 0


def test_missing_values_are_named_and_symbols_of_one_name_kept_apart() -> None:
    speed = symbol("omega", "speed")
    refused("speed 'omega' has no value", lambda: evaluate([x + speed], {x: 1.0}), ValueMissing)
    refused("an expression of 'x' is no number", lambda: float(x))
    speed = symbol("x", "speed")
    assert evaluate([x - speed], {x: 3.0, speed: 1.0}) == [2.0]


def test_arrays_of_values_give_what_each_value_gives() -> None:
    curve = ph.table([0, 1, 2], [0, 1, 4], name="curve")
    functions = ph.sin, ph.cos, ph.tanh, ph.asin, ph.acos, ph.atan, ph.exp, ph.log, ph.sqrt, abs, ph.sign, curve
    roots = [f(x) for f in functions]
    roots += [x - y, -x * y / 3, x**y, ph.atan2(x, y), minimum(x, y), maximum(x, y), ph.pi + 0 * x, as_expr(7)]
    points = [(0.5, 0.25), (0.9, -0.3), (-0.4, 0.7), (0.0, 2.0)]
    found = Evaluator(roots).on_arrays({x: np.array([a for a, _ in points]), y: np.array([b for _, b in points])})
    for k, (a, b) in enumerate(points):
        expected = evaluate(roots, {x: a, y: b})
        np.testing.assert_allclose([np.broadcast_to(each, len(points))[k] for each in found], expected, rtol=1e-14)
