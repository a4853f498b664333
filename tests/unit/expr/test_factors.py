"""Factors of trigonometric expressions, each proved by its fingerprint."""

import pytest

from polhode.expr import Expr, as_expr, symbols
from polhode.expr.exact import cos, exp, sin, sqrt
from polhode.expr.factors import factors

a, b, c, p, q, r = symbols("a b c p q r")

CASES: dict[str, tuple[Expr, int]] = {
    "a product of sine and cosine": (sin(q) * cos(q), 2),
    "a double angle": (sin(2 * q), 2),
    "a sum of sines": (sin(2 * q) - sin(q), 2),
    "a polynomial": (a**2 - b**2, 2),
    "a power": ((a + b) ** 3 * sin(q) ** 2, 2),
    "a quotient": (2 * c * (c + a) / (1 + c**2), 3),
    "an arm's determinant": (a * cos(q) * sin(r) + b * cos(q + r) * sin(r), 2),
    "a symbol inside and outside of a sine": (q * sin(q) + q, 2),
    "half angles": (sin(q / 2) * a, 2),
    "a constant angle": (sin(q) * a + cos(q) * sin(q) * exp(b), 2),
    "a square root": (sqrt(a) * sin(q) + sqrt(a), 2),
    "a quarter turn": (sin(q + p) * cos(r) - sin(q + p) * sin(r), 2),
}


@pytest.mark.parametrize("name", CASES)
def test_the_product_of_the_factors_is_the_expression(name: str) -> None:
    given, count = CASES[name]
    found = factors(given)
    assert found.product == given
    assert len(found.powers) == count, str(found)


def test_numbers_and_what_cannot_be_factored_have_no_factors() -> None:
    assert factors(0).powers == () and factors(0).constant == 0 and str(factors(as_expr("0.75"))) == "3/4"
    assert [base for base, _ in factors(a + b).powers] == [a + b] and str(factors(cos(q) + 1)) == "(cos(q) + 1)"
    long = a
    for k in range(9):
        long = long * (a + symbols(f"x{k} y{k}")[0] + symbols(f"x{k} y{k}")[1])
    assert factors(long + 1).powers == ((long + 1, 1),)
    assert str(factors(-3 * (a + b * cos(q)) * b * sin(r))) == "-3*b*sin(r)*(b*cos(q) + a)"
    assert str(factors(-a * sin(q))) == "-a*sin(q)"
