import pytest

from polhode.errors import ModelError
from polhode.expr import Matrix, Vector, same, symbols
from polhode.geometry.elimination import triangular_factors

a, b, c, d, e, x, y, z = symbols("a b c d e x y z")
SPARSE = Matrix([[a, b, 0], [c, d, e], [0, b, a + d]])


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_it_solves_with_a_matrix_and_with_its_transpose(order: list[int]) -> None:
    factors = triangular_factors(SPARSE, order, ["x", "y", "z"])
    right = Vector([x, y, z])
    assert same(SPARSE @ Vector(factors.solve(right)), right)
    assert same(SPARSE.T @ Vector(factors.solve_transposed(right)), right)


def test_triangular_solves_cost_nothing_for_zeros_and_name_empty_pivots() -> None:
    factors = triangular_factors(SPARSE, [1, 0, 2], ["x", "y", "z"])
    assert sum(map(len, (*factors.lower, *factors.upper))) == 4  # the middle one last, so that none is filled in
    with pytest.raises(ModelError, match="the speed 'spin' moves no mass"):
        triangular_factors(Matrix([[0]]), [0], ["spin"])
