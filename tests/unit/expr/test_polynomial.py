"""Exact division undoes multiplication."""

import random
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.expr.polynomial import (
    COS,
    SIN,
    Polynomial,
    canonical_harmonic,
    divide,
    monomial,
    multiples_of,
    plus,
    times,
)


def random_polynomial(seed: int) -> Polynomial:
    choose = random.Random(seed)
    total: Polynomial = {}
    for _ in range(choose.randint(1, 4)):
        factors = {angle: Fraction(choose.randint(-2, 2), choose.randint(1, 2)) for angle in (0, 1)}
        harmonic, sign = canonical_harmonic(choose.choice((COS, SIN)), multiples_of(factors))
        exponents = tuple((atom, choose.randint(1, 2)) for atom in (2, 3) if choose.random() < 0.5)
        if sign:
            total = plus(total, {(exponents, harmonic): Fraction(choose.randint(1, 5), choose.randint(1, 3))})
    return total or monomial([(2, 1)])


@given(one=st.integers(0, 2**32), two=st.integers(0, 2**32))
@settings(max_examples=60)
def test_a_product_divided_by_a_factor_is_the_other_factor(one: int, two: int) -> None:
    left, right = random_polynomial(one), random_polynomial(two)
    assert divide(times(left, right), right) == left and times(left, right) == times(right, left)


def test_a_division_that_leaves_something_is_refused() -> None:
    x, y = monomial([(0, 1)]), monomial([(1, 1)])
    assert divide(plus(x, monomial(())), plus(x, y)) is None
    harmonic: Polynomial = {((), (COS, ((5, 1),))): Fraction(1)}
    assert divide(monomial(()), harmonic) is None and divide(times(harmonic, harmonic), harmonic) == harmonic
