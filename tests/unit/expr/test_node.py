"""Nodes are interned, exact, immutable and freed."""

from __future__ import annotations

import copy
import gc
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.errors import PolhodeError
from polhode.expr import Expr, as_expr, cos, live_nodes, number, sin, symbol, symbols, topological, unit_symbols

a, b, c = symbols("a b c")


def test_the_same_expression_is_the_same_object() -> None:
    assert (a + b) * sin(c) is sin(c) * (b + a)
    assert symbol("a") is a
    assert number(Fraction(2, 4)) is as_expr(0.5)


def test_different_forms_of_one_function_are_equal_but_not_the_same_object() -> None:
    left, right = a * (b + c), a * b + a * c
    assert left == right
    assert left is not right
    assert hash(left) == hash(right)


def test_products_are_shared_up_to_sign() -> None:
    assert (-a) * b is -(a * b)
    assert (-a) * (-b) is a * b
    assert a - (-b) is a + b
    minus = -a
    assert -minus is a
    assert (-a) / (-b) is a / b
    assert -a - b is -(a + b)
    assert -3 * a is -(3 * a)


def test_a_decimal_is_the_rational_that_it_spells() -> None:
    assert as_expr(0.1) is number(Fraction(1, 10))
    assert as_expr(Decimal("0.10")) is as_expr(np.float64(0.1))
    assert as_expr(0.1) + as_expr(0.2) is as_expr(0.3)
    assert as_expr(np.int64(3)) is number(3)


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
@settings(max_examples=50)
def test_rational_arithmetic_is_exact(x: Fraction, y: Fraction) -> None:
    assert (number(x) + y).data == x + y
    assert (number(x) - y).data == x - y
    assert (number(x) * y).data == x * y
    if y:
        assert (number(x) / y).data == x / y


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_no_float_is_ever_inside(seed: int, grow: Any) -> None:
    root = grow(seed, True) * 0.25 + 1e-3
    for node in topological([root]):
        assert node.op != "number" or type(node.data) is Fraction


def test_numpy_scalars_hand_over_to_expressions() -> None:
    assert np.float64(2.0) * a is 2 * a
    assert np.float64(0.5) - a is as_expr(0.5) - a


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), True, "a", None, 1j])
def test_what_is_no_finite_number_is_refused(bad: object) -> None:
    with pytest.raises(PolhodeError, match="not a"):
        as_expr(bad)


def test_a_sum_with_a_nonfinite_number_is_an_error_and_with_text_a_type_error() -> None:
    with pytest.raises(PolhodeError):
        a + float("nan")
    with pytest.raises(TypeError):
        a + "b"  # type: ignore[operator]
    assert a != "a"


def test_dividing_by_what_vanishes_identically_is_an_error() -> None:
    with pytest.raises(PolhodeError, match="identically zero"):
        a / (sin(b) ** 2 + cos(b) ** 2 - 1)


def test_expressions_cannot_be_changed() -> None:
    node = a + b
    with pytest.raises(AttributeError):
        node.op = "mul"
    with pytest.raises(AttributeError):
        node.extra = 1  # type: ignore[attr-defined]


def test_copies_are_the_expression_itself() -> None:
    node = sin(a + 2 * b) / c
    assert copy.copy(node) is node
    assert copy.deepcopy([node])[0] is node


def test_symbols_of_different_kinds_never_clash() -> None:
    speed = symbol("a", "speed")
    assert speed is not a
    assert speed != a
    assert speed.name == a.name == "a"
    component = unit_symbols(["a", "d"])[0]
    assert component != a


@pytest.mark.parametrize("name", ["t", "pi", "E", "I", "lambda", "in", "", "a b", "\n*/", "\ud800", "x" * 10_000])
def test_any_name_makes_a_symbol(name: str) -> None:
    assert symbol(name) is symbol(name)
    assert symbol(name).name == name
    assert symbol(name) != symbol(name + "'")


def test_only_the_zero_function_is_false() -> None:
    assert not (a + b) ** 2 - a**2 - 2 * a * b - b**2
    assert a - b


def test_whole_powers_are_products_and_a_huge_one_is_refused() -> None:
    assert a**3 == a * a * a
    assert a**-2 == 1 / (a * a)
    assert a**0 is number(1)
    assert a ** Fraction(3, 2) == a * a ** Fraction(1, 2)
    with pytest.raises(PolhodeError, match="too large"):
        a**100_000


def build_and_drop() -> None:
    x = symbol("a memory test")
    total: Expr = x
    for index in range(2000):
        total = sin(total) * x + index


def test_memory_returns_when_expressions_are_dropped() -> None:
    build_and_drop()
    gc.collect()
    before = live_nodes()
    build_and_drop()
    gc.collect()
    assert live_nodes() <= before + 10


def test_a_function_of_math_on_an_expression_says_what_to_write():
    import math

    with pytest.raises(PolhodeError, match=r"ph\.sin"):
        math.sin(symbol("q"))


def test_a_power_of_millions_of_digits_is_refused() -> None:
    with pytest.raises(PolhodeError, match="an exponent of 50 is too large"):
        (number(Fraction(1, 10**300)) ** 1000) ** 50
