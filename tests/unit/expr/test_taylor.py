import pytest
from tests.refusals import refused

from polhode.expr import (
    Expr,
    absolute,
    acos,
    atan2,
    cos,
    directional,
    exp,
    log,
    maximum,
    same,
    sign,
    sin,
    sqrt,
    substitute,
    symbols,
    table,
    tanh,
)  # fmt: skip
from polhode.expr.taylor import first_order, products_of, second_order

a, b, c, q = symbols("a b c q")
SMALL = [a, b]


def expansion(root: Expr) -> Expr:
    """f(0) + f'(0) along the small symbols, by whole derivatives."""
    (slope,) = directional([root], {a: symbols("da")[0], b: symbols("db")[0]})
    value, rate = substitute([root, slope], {a: 0, b: 0})
    return value + substitute([rate], dict(zip(symbols("da db"), SMALL, strict=True)))[0]


@pytest.mark.parametrize("root", [
    sin(q + a) * cos(b - q) + a * b / (1 + q), exp(a * q) / (2 + sin(b)) ** 3, sqrt(q**2 + a) * tanh(q * b + a),
    atan2(a + q, 1 + b) * log(c + a), absolute(q + a) + maximum(q, q**2 + b),
    table([0, 1, 2, 3], [0, 1, 4, 2], kind="cubic")(q + a) * b,
])  # fmt: skip
def test_it_is_the_value_and_the_slope_where_small_symbols_vanish(root: Expr) -> None:
    assert first_order([root], SMALL).sums == [expansion(root)]
    assert same(first_order([root], SMALL).values, substitute([root], {a: 0, b: 0}))


def test_what_bends_is_carried_where_it_is_small_and_refused_in_a_result() -> None:
    assert first_order([c * absolute(a) * a, sign(a) * b * b, sqrt(a * a) * b], SMALL).sums == [0, 0, 0]
    refused(r"q/sin\(a\) divides by sin\(a\), which vanishes", lambda: first_order([q / sin(a)], SMALL))


@pytest.mark.parametrize(
    "root", [absolute(a), sqrt(a), sqrt(a**2 + b**2), sign(b), maximum(a, 0), log(a), acos(1 - a * a)]
)
def test_what_bends_is_refused_in_a_result(root: Expr) -> None:
    refused("has no slope where the small variables vanish", lambda: first_order([q + root], SMALL))


STEPS, BENT = table([-1, 0, 1], [0, 1, 1], kind="held"), table([-1, 0, 1], [0, 0, 1])
SQUARE = table(([-1, 0, 1], [0, 1]), [[0, 0], [0, 0], [1, 2]])


@pytest.mark.parametrize(
    "root",
    [
        BENT(a),
        BENT(2 * a - b),
        BENT(1 + a),  # beyond which its value is held
        STEPS(a),
        STEPS(-a * a),  # of which 0 lasts on both sides, and 1 holds between
        SQUARE(a, q),
        table([0, 1], [0, 1], outside="error")(a),
    ],
)
def test_a_table_that_bends_or_jumps_where_small_symbols_vanish_is_refused(root: Expr) -> None:
    message = refused("has no slope where the small variables vanish", lambda: first_order([q + root], SMALL))
    assert 'kind="cubic"' in message


def test_a_table_is_carried_where_its_slope_is_one_and_shared_nodes_are_carried_once_and_products_are_listed() -> None:
    smooth = table([-1, 0, 1, 2], [0, 3, 1, 5], kind="cubic")
    fine = [BENT(a + 0.5), smooth(a), STEPS(a - 0.5), SQUARE(q, b + 0.5), BENT(q + a), BENT(a * a), smooth(a) * b]
    assert first_order(fine, SMALL).sums == [expansion(root) for root in fine]
    (value,) = substitute([BENT(a)], {a: 0})
    assert first_order([BENT(a) * b, BENT(a) * a], SMALL).sums == [value * b, value * a]  # the bend times b is dropped
    root = a + q
    for _ in range(200):
        root = root * root - root
    assert len(first_order([root], SMALL).sums) == 1
    (form,) = second_order([sin(a) * sin(b + q) + cos(a) + a**3 + q * b], SMALL)
    assert form == a * b * cos(q) - a**2 / 2 and products_of([form], SMALL) == [[(a, a), (a, b)]]
