"""Nodes are interned, exact, immutable and freed."""

import copy
import gc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, as_expr, cos, live_nodes, number, sin, symbol, symbols, topological, unit_symbols

a, b, c = symbols("a b c")
Q, U = symbols("q u")


def test_equal_expressions_are_one_object_and_other_forms_are_equal() -> None:
    assert (a + b) * sin(c) is sin(c) * (b + a) and symbol("a") is a
    assert number(Fraction(2, 4)) is as_expr(0.5)
    left, right = a * (b + c), a * b + a * c
    assert left == right and left is not right and hash(left) == hash(right)


def test_products_are_shared_up_to_sign() -> None:
    assert (-a) * b is -(a * b) and (-a) * (-b) is a * b and a - (-b) is a + b
    minus = -a
    assert -minus is a and (-a) / (-b) is a / b and -a - b is -(a + b) and -3 * a is -(3 * a)


def test_decimals_are_rationals_and_no_float_is_inside() -> None:
    assert as_expr(0.1) is number(Fraction(1, 10)) and as_expr(Decimal("0.10")) is as_expr(np.float64(0.1))
    assert as_expr(0.1) + as_expr(0.2) is as_expr(0.3) and as_expr(np.int64(3)) is number(3)
    assert np.float64(2.0) * a is 2 * a and np.float64(0.5) - a is as_expr(0.5) - a


@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
@settings(max_examples=50)
def test_rational_arithmetic_is_exact(x: Fraction, y: Fraction) -> None:
    assert (number(x) + y).data == x + y and (number(x) - y).data == x - y and (number(x) * y).data == x * y
    if y:
        assert (number(x) / y).data == x / y


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_no_float_is_ever_inside(seed: int, grow: Any) -> None:
    root = grow(seed, True) * 0.25 + 1e-3
    for node in topological([root]):
        assert node.op != "number" or type(node.data) is Fraction


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), True, "a", None, 1j])
def test_what_is_no_finite_number_is_refused(bad: object) -> None:
    refused("not a", lambda: as_expr(bad))


def test_nonfinite_numbers_and_division_by_zero_are_refused() -> None:
    refused("", lambda: a + float("nan"))
    refused("", lambda: a + "b", TypeError)  # type: ignore[operator]
    assert a != "a"
    refused("identically zero", lambda: a / (sin(b) ** 2 + cos(b) ** 2 - 1))


def test_expressions_cannot_be_changed_and_copies_are_themselves() -> None:
    node = a + b
    with pytest.raises(AttributeError):
        node.op = "mul"
    with pytest.raises(AttributeError):
        node.extra = 1  # type: ignore[attr-defined]
    node = sin(a + 2 * b) / c
    assert copy.copy(node) is node and copy.deepcopy([node])[0] is node


def test_symbols_of_different_kinds_never_clash() -> None:
    speed = symbol("a", "speed")
    assert speed is not a and speed != a and speed.name == a.name == "a"
    component = unit_symbols(["a", "d"])[0]
    assert component != a


@pytest.mark.parametrize("name", ["t", "pi", "E", "I", "lambda", "in", "", "a b", "\n*/", "\ud800", "x" * 10_000])
def test_any_name_makes_a_symbol(name: str) -> None:
    assert symbol(name) is symbol(name) and symbol(name).name == name and symbol(name) != symbol(name + "'")


def test_zero_functions_of_math_and_short_vectors() -> None:
    assert not (a + b) ** 2 - a**2 - 2 * a * b - b**2
    assert a - b
    import math

    refused(r"ph\.sin", lambda: math.sin(symbol("q")))
    refused(r"(?s)a vector has 3 components, not 2.*Give x, y and z", lambda: ph.System("plane").body("bob", 1, (0, 1)))


def test_huge_powers_are_refused_and_memory_returns() -> None:
    assert a**3 == a * a * a and a**-2 == 1 / (a * a) and a**0 is number(1)
    assert a ** Fraction(3, 2) == a * a ** Fraction(1, 2)
    refused("too large", lambda: a**100_000)
    refused("an exponent of 50 is too large", lambda: (number(Fraction(1, 10**300)) ** 1000) ** 50)
    build_and_drop()
    gc.collect()
    before = live_nodes()
    build_and_drop()
    gc.collect()
    assert live_nodes() <= before + 10


def build_and_drop() -> None:
    x = symbol("a memory test")
    total: Expr = x
    for index in range(2000):
        total = sin(total) * x + index


def test_functions_and_scalars_of_numpy_are_ours() -> None:
    assert abs(Q) == np.abs(Q) == ph.absolute(Q)
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "sign", "floor"):
        assert getattr(np, name)(Q) == getattr(ph, name)(Q)
    assert np.arctan2(Q, 2.5) == ph.atan2(Q, "2.5") and np.maximum(0, Q) == ph.maximum(0, Q)
    assert np.add(1, Q) == Q + 1 and np.square(Q) == Q**2 and np.negative(Q) == -Q
    assert (np.array([1.0, 2.0]) == Q) is False
    for wrong in (lambda: np.array([1.0, 2.0]) * Q, lambda: Q * np.array([1.0, 2.0]), lambda: np.add.reduce(Q)):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.1), np.int64(3), np.array(0.1)])
def test_scalars_of_numpy_are_exact_numbers_on_either_side(number: Any) -> None:
    exact = 3 if number == 3 else 0.1
    assert number * Q == Q * number == exact * Q
    assert number + Q == exact + Q and number - Q == exact - Q and number / Q == exact / Q
    assert (number == Q) is False and (number != Q) is True


def test_numbers_compare_and_expressions_say_what_to_use() -> None:
    two = Q - Q + 2
    assert two < 3 and two >= 2 and not two > 2.5 and np.float64(1) < two
    questions: list[Callable[[], Any]] = [
        lambda: max(U, 0), lambda: min(0, U), lambda: U > 0, lambda: U >= 0, lambda: np.float64(1) > Q, lambda: Q < U,
    ]  # fmt: skip
    for ask in questions:
        with pytest.raises(
            ph.PolhodeError, match=r"(?s)when numbers are known.*ph\.maximum.*E-EXPR-UNSUPPORTED"
        ) as caught:
            ask()
        assert isinstance(caught.value, TypeError)
    refused(r"(?s)numpy\.arcsinh takes numbers.*ph\.absolute.*E-EXPR-TYPE", lambda: np.arcsinh(Q))
    with pytest.raises(TypeError, match="not supported"):
        U < "a"  # noqa: B015


@pytest.mark.parametrize(("given", "cure"), [
    (sympy.Symbol("x") ** 2, r"ph\.from_sympy"), (-5 * (Q,), r"joint\.q\[0\]"), (2 * (Q,), r"joint\.q\[0\]"),
    ("90 deg", "radians"), ("90°", "radians"), ("3 kg", "in SI units"),
])  # fmt: skip
def test_what_is_no_expression_is_refused_with_its_cure(given: object, cure: str) -> None:
    s = ph.System("hinge")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    refused(f"(?s)is not a number or an expression.*{cure}", lambda: s.joint_force(hinge, given))
