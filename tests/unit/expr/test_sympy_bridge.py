"""To SymPy and back."""

import pickle
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols
from tests.refusals import refused

from polhode.expr import (
    Expr,
    Matrix,
    Vector,
    absolute,
    as_expr,
    asin,
    atan2,
    cos,
    evaluate,
    exp,
    floor,
    log,
    maximum,
    minimum,
    number,
    pi,
    sign,
    sin,
    sqrt,
    symbol,
    symbols,
    tan,
    unit_symbols,
)  # fmt: skip
from polhode.expr.normal_form import normal
from polhode.expr.sympy_bridge import from_sympy, to_sympy

a, b, q = symbols("a b q")
A, B, Q = sympy.symbols("a b q")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_round_trip_keeps_the_function(seed: int, grow: Any) -> None:
    root = grow(seed, False)
    assert from_sympy(to_sympy(root)) == root


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_a_round_trip_keeps_values_where_sympy_rewrites_functions(
    seed: int, grow: Any, point: dict[Expr, float]
) -> None:
    root = grow(seed, True)
    back = from_sympy(to_sympy(root))
    assert evaluate([back], point)[0] == pytest.approx(evaluate([root], point)[0], rel=1e-8, abs=1e-8)


def test_sympy_takes_expressions_and_agrees_with_the_normal_form_and_numbers_stay_exact() -> None:
    assert sympy.sympify(a * sin(q) / 3) == A * sympy.sin(Q) / 3 and A + sympy.sympify(sin(q)) == A + sympy.sin(Q)
    assert sympy.Matrix([sin(a * q)]).diff(A)[0] == Q * sympy.cos(A * Q)
    root = (a * cos(q) + b) ** 2 + (a * sin(q)) ** 2
    assert sympy.simplify(to_sympy(normal(root)) - to_sympy(root)) == 0
    point = {a: 2.0, b: -1.0, q: 0.5}
    assert evaluate([from_sympy(sympy.Min(A, B, Q)), from_sympy(sympy.Max(A, B, Q))], point) == [-1.0, 2.0]
    assert to_sympy(minimum(a, maximum(b, q))) == sympy.Min(A, sympy.Max(B, Q))
    matrix = Matrix([[a, sin(q)], [0, 1]])
    exported = to_sympy(matrix)
    assert exported == sympy.Matrix([[A, sympy.sin(Q)], [0, 1]]) and from_sympy(exported) == matrix
    assert to_sympy(Vector([a, b])).shape == (2, 1)
    assert to_sympy(as_expr(0.1)) == sympy.Rational(1, 10)
    assert from_sympy(sympy.Rational(-2, 7)) is number(Fraction(-2, 7))
    assert from_sympy(sympy.Float("0.1")) is as_expr(0.1) and from_sympy(sympy.Float("1e-7")) is as_expr(1e-7)
    assert from_sympy(sympy.pi) is pi and from_sympy(sympy.E) is exp(as_expr(1))
    assert from_sympy(sympy.sqrt(8)) == sqrt(as_expr(8))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sympy.tan(Q), tan(q)), (sympy.sec(Q), 1 / cos(q)), (sympy.csc(Q), 1 / sin(q)),
        (sympy.cot(Q), cos(q) / sin(q)), (sympy.asin(A), asin(a)), (sympy.atan2(A, B), atan2(a, b)),
        (sympy.Abs(A), absolute(a)), (sympy.sign(A), sign(a)), (sympy.floor(A), floor(a)), (sympy.log(A), log(a)),
        (A ** sympy.Rational(-3, 2), 1 / (a * sqrt(a))), (A**B, a**b), (sympy.exp(-A), exp(-a)),
        ((A + B) ** 2 / (A - B), (a + b) ** 2 / (a - b)),
    ],
)  # fmt: skip
def test_functions_have_counterparts(theirs: Any, ours: Expr) -> None:
    assert from_sympy(theirs) == ours


def test_symbols_of_one_name_stay_apart_and_functions_of_time_keep_their_derivatives() -> None:
    speed, effort = symbol("a", "speed"), symbol("a", "effort")
    known = {"a_dot": speed, "tau_a": effort}
    exported = to_sympy(a + 2 * speed + 3 * effort)
    assert {str(each) for each in exported.free_symbols} == {"a", "a_dot", "tau_a"}
    assert from_sympy(exported.subs({"a_dot": 0}), known) is a + 3 * effort
    assert from_sympy(pickle.loads(pickle.dumps(exported)), known) == a + 2 * speed + 3 * effort
    component = unit_symbols(["a", "b", "c", "d"])[0]
    refused("would both be a in SymPy", lambda: to_sympy(Matrix([[a, component], [1, symbol("a", "parameter")]])))
    coordinate = symbol("hinge", "coordinate")
    assert from_sympy(2 * Q, {"q": coordinate}) is 2 * coordinate
    x = dynamicsymbols("x")
    position, speed, rate = symbols("x v w")
    t = dynamicsymbols._t
    mapped = from_sympy(x * x.diff(t) + x.diff(t, 2), {"x": position, "x'": speed, "x''": rate})
    assert mapped == position * speed + rate
    refused(r"x\(t\)", lambda: from_sympy(x + 1))


@pytest.mark.parametrize(
    "theirs", [sympy.I, sympy.oo, sympy.zoo, sympy.nan, sympy.gamma(A), A > 2, sympy.Integral(A, A)]
)
def test_what_has_no_counterpart_is_named(theirs: Any) -> None:
    refused("has no counterpart", lambda: from_sympy(theirs))


def test_text_and_what_has_no_counterpart_are_refused() -> None:
    refused("not a number or an expression", lambda: from_sympy("a + b"))
    x = symbol("x")
    huge = 1 + (0 * x + 1000) ** maximum(x * 0 - 1, 0 * x + 10**22)
    refused("to the power of 1e\\+22", lambda: to_sympy(x + huge))
