import pytest

from polhode.control_geometry.determinant import determinant, vanishing_factors
from polhode.expr import Matrix, as_expr, cos, sin, symbol

x, y = symbol("x", "coordinate"), symbol("y", "coordinate")
m, k = symbol("m", "parameter"), symbol("k", "parameter")


@pytest.mark.parametrize("size", range(6))
def test_a_triangular_matrix_has_the_product_of_its_diagonal(size: int) -> None:
    entries = [[as_expr(0) if j < i else x + i + j for j in range(size)] for i in range(size)]
    product = as_expr(1)
    for i in range(size):
        product = product * entries[i][i]
    assert determinant(Matrix(entries)) in (product, -product)


def test_factors_of_a_determinant_are_those_that_can_vanish() -> None:
    assert vanishing_factors(m * x**2 * cos(y) ** 3 / k) == [x, cos(y)]
    assert vanishing_factors(m * sin(x) / cos(y)) == [sin(x)]
    assert vanishing_factors(m * (x + y) / (1 + x * x)) == [x + y]
    positive = m + k * sin(x) ** 2
    assert vanishing_factors(m * k) == [] and vanishing_factors(k / positive**2, positive) == []
    assert vanishing_factors(k * cos(x) / positive, positive) == [cos(x)]
    assert vanishing_factors((1 + x**2) * (2 + cos(y)) * y) == [y]
    assert vanishing_factors((m + x**2) * (1 + x), masses=[m]) == [1 + x]
    assert {*vanishing_factors((k + x**2) * (1 + x), masses=[m])} == {k + x**2, 1 + x}  # k may be negative
