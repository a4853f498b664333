"""Equal functions have one fingerprint, and different ones do not."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.expr import (
    Expr,
    absolute,
    acos,
    as_expr,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    evaluate,
    exp,
    log,
    maximum,
    minimum,
    number,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    symbols,
    tan,
    tanh,
    unit_symbols,
)  # fmt: skip
from polhode.expr.field import IMAGINARY, P, hash_to_field, inverse, root_of_integer, turn_of_pi

a, b, x, y = symbols("a b x y")


def root(value: int) -> Expr:
    result: Expr = sqrt(as_expr(value))
    return result


def test_sums_multiples_and_signs_of_angles_are_related() -> None:
    assert sin(a + b) == sin(a) * cos(b) + cos(a) * sin(b) and cos(a - b) == cos(a) * cos(b) + sin(a) * sin(b)
    assert tan(a + b) == (tan(a) + tan(b)) / (1 - tan(a) * tan(b)) and cos(a + b) != cos(a) * cos(b) + sin(a) * sin(b)
    assert cos(2 * a) == 1 - 2 * sin(a) ** 2 and sin(5 * a) == 16 * sin(a) ** 5 - 20 * sin(a) ** 3 + 5 * sin(a)
    assert sin(a / 2) ** 2 == (1 - cos(a)) / 2 and tan(a / 2) == sin(a) / (1 + cos(a))
    assert cos(a * 3 / 7) == 4 * cos(a / 7) ** 3 - 3 * cos(a / 7) and sin(-a) is -sin(a) and cos(-a) is cos(a)
    assert sin(b - a) == -sin(a - b) and cos(b - a) == cos(a - b)


@pytest.mark.parametrize("f", [asin, atan, sinh, tanh, sign])
def test_an_odd_function_is_odd_however_its_argument_is_written(f: Callable[[Expr], Expr]) -> None:
    assert f(a - b) == -f(b - a) and f(a * (b - 1)) == -f(a - a * b) and f(a - b) != f(b - a)


@pytest.mark.parametrize("quarters", range(-6, 7))
def test_quarter_turns_are_taken_out(quarters: int) -> None:
    shifted = a + pi * Fraction(quarters, 2)
    expected = [sin(a), cos(a), -sin(a), -cos(a)][quarters % 4]
    assert sin(shifted) is expected
    assert cos(a + pi * Fraction(quarters, 2)) is [cos(a), -sin(a), -cos(a), sin(a)][quarters % 4]


def test_roots_of_unity_and_square_roots_multiply_and_rotations_are_exact() -> None:
    assert cos(pi / 5) == (1 + root(5)) / 4 and sin(pi / 3) is root(3) / 2 and cos(pi / 4) is root(2) / 2
    assert cos(pi / 12) == (root(6) + root(2)) / 4 and cos(2 * pi / 3) is number(Fraction(-1, 2))
    assert sin(7 * pi / 6) is number(Fraction(-1, 2)) and sin(pi) is number(0)
    assert 8 * cos(pi / 7) * cos(2 * pi / 7) * cos(4 * pi / 7) == -1 and tan(pi / 8) == root(2) - 1
    assert root(2) * root(3) == root(6) and root(8) == 2 * root(2) and root(101) * root(101) is number(101)
    assert root(2) + root(3) != root(5) and 1 / root(3) == root(3) / 3
    assert sqrt(as_expr(Fraction(9, 4))) is number(Fraction(3, 2))
    angle = as_expr(0.3)
    assert sin(angle) ** 2 + cos(angle) ** 2 == 1
    assert cos(as_expr(0.1)) * cos(as_expr(0.2)) - sin(as_expr(0.1)) * sin(as_expr(0.2)) == cos(angle)
    w, i, j, k = unit_symbols(["w", "i", "j", "k"])
    assert w**2 + i**2 + j**2 + k**2 == 1 and w**2 + i**2 + j**2 != 1 and w != i
    assert (w**2 + i**2) * (j**2 + k**2) != 1


def test_opaque_functions_equal_themselves_of_equal_arguments() -> None:
    one = [f(x) for f in (exp, log, asin, acos, atan, sinh, cosh, tanh, absolute, sign, sqrt)]
    two = [f(x, y) for f in (atan2, minimum, maximum)] + [x**y, exp(y), exp(2 * x), exp(x) ** 2]
    for left, right in combinations([x, y, *one, *two], 2):
        assert left != right
    assert exp((x + 1) ** 2) == exp(x**2 + 2 * x + 1) and asin(-x) is -asin(x) and absolute(-x) is absolute(x)
    assert sign(-x) is -sign(x)


def test_the_field_has_the_numbers_of_mechanics() -> None:
    assert IMAGINARY * IMAGINARY % P == P - 1
    for n in (2, 3, 5, 6, 30, 47, 53, 97):
        element = root_of_integer(n)
        assert element is not None and element * element % P == n
    turn = turn_of_pi(Fraction(1, 3))
    assert turn is not None and (turn + inverse(turn)) % P == 1
    assert hash_to_field("a", 1) != hash_to_field("a", "1")


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_equal_fingerprints_mean_equal_values(seed: int, grow: Any, point: dict[Expr, float]) -> None:
    e, f = grow(seed, False), grow(seed + 1, False)
    expanded, factored = e * e + 2 * e * f + f * f, (e + f) * (e + f)
    assert expanded == factored
    one, two = evaluate([expanded, factored], point)
    assert one == pytest.approx(two, rel=1e-9, abs=1e-6)
    assert (e == f) == (evaluate([e], point) == pytest.approx(evaluate([f], point), rel=1e-12))
