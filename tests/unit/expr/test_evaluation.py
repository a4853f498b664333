"""Numbers out of expressions agree with arithmetic to many digits."""

from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

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
from polhode.expr.evaluation import constant_values

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
