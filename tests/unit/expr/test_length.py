"""Lengths of vectors that are exact, and those that are not."""

from fractions import Fraction

import pytest

from polhode.expr import Expr, as_expr, sqrt, symbols, unit_symbols
from polhode.expr.length import exact_length

l, m = symbols("l m")
a, b, c = unit_symbols(["a", "b", "c"])


@pytest.mark.parametrize(("axis", "length"), [
    ((0, 0, 0), 0), ((3, 0, 4), 5), ((1, 1, 0), sqrt(as_expr(2))), ((0, l, 0), l), ((0, l * m, 0), l * m),
    ((l + m, 0, 0), l + m), ((2 * l, -l, 2 * l), 3 * l), ((a, b, c), 1), ((l * a, l * b, l * c), l),
    ((Fraction(1, 7) * a, Fraction(1, 7) * b, Fraction(1, 7) * c), Fraction(1, 7)),
])  # fmt: skip
def test_a_length_is_known_up_to_its_sign(axis: tuple[Expr, ...], length: Expr) -> None:
    found = exact_length(axis)
    assert found is not None
    assert found == length or found == -as_expr(length)


@pytest.mark.parametrize("axis", [(l, 1, 0), (l, m, 0), (1, 0, 10)])
def test_of_others_only_a_root_tells_it(axis: tuple[Expr, ...]) -> None:
    assert exact_length(axis) is None
