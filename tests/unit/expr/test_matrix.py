"""Vectors and matrices over expressions and over floats."""

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy
from tests.refusals import refused

from polhode.errors import ShapeError
from polhode.expr import Expr, Matrix, Vector, as_expr, cos, evaluate, same, sin, skew, symbols, to_sympy

a, b, c, q = symbols("a b c q")


def test_products_and_vectors_are_those_of_numpy() -> None:
    choose = random.Random(3)
    left = [[choose.uniform(-1, 1) for _ in range(4)] for _ in range(3)]
    right = [[choose.uniform(-1, 1) for _ in range(2)] for _ in range(4)]
    assert np.allclose(Matrix(left) @ Matrix(right), np.array(left) @ np.array(right))
    assert np.allclose(Matrix(left) @ Vector(row[0] for row in right), np.array(left) @ np.array(right)[:, 0])
    assert np.allclose(Matrix(left).T, np.array(left).T)
    v, w = Vector([a, b, c]), Vector([b, q, 1])
    assert skew(v) @ w == v.cross(w) and v.cross(v) == Vector([0, 0, 0]) and v.dot(v.cross(w)) == 0
    assert -skew(v) == skew(v).T
    v = Vector([a, b])
    assert v + v - v == v and 2 * v == v * 2 == v + v and (v * 2) / 2 == v and -v == Vector([-a, -b])
    assert isinstance(v[:1], Vector)


def test_inverses_and_determinants_are_exact() -> None:
    rotation = Matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])
    assert rotation @ rotation.T == Matrix.identity(3)
    a = symbols("a")[0]
    A = Matrix([[a if i == j else 1 for j in range(6)] for i in range(6)])
    assert A.det() == (a + 5) * (a - 1) ** 5 and evaluate([A.det()], {a: 0.0}) == [-5.0]


def test_entries_rows_columns_and_blocks() -> None:
    matrix = Matrix([[1, 2, 3], [4, 5, 6]])
    assert matrix.shape == (2, 3) and matrix[1, 2] == 6
    assert matrix[0] == Vector([1, 2, 3]) and matrix[:, 1] == Vector([2, 5])
    assert matrix[0:2, 1:3] == Matrix([[2, 3], [5, 6]]) and matrix.columns[2] == Vector([3, 6])
    assert list(matrix.entries()) == [1, 2, 3, 4, 5, 6]
    assert matrix.map(lambda entry: -entry) == -matrix
    assert Matrix.diagonal([1, 2]) == Matrix([[1, 0], [0, 2]])
    assert Matrix.columns_of([[1, 4], [2, 5], [3, 6]], 2) == matrix and Matrix.columns_of([], 2).shape == (2, 0)
    assert Matrix.zeros(2, 3) + matrix - matrix == Matrix.zeros(2, 3) and (2 * matrix) / 2 == matrix


def test_wrong_shapes_are_named() -> None:
    refused("to a vector of 2 components", lambda: Vector([1, 2]) + Vector([1, 2, 3]), ShapeError)
    refused("one length", lambda: Matrix([[1, 2], [3]]), ShapeError)
    refused("cannot multiply", lambda: Matrix([[1, 2]]) @ Matrix([[1, 2]]), ShapeError)
    refused("cannot multiply", lambda: Matrix([[1, 2]]) @ Vector([1, 2, 3]), ShapeError)


def scattered(size: int) -> Matrix:
    """A regular matrix of expressions with zeros, one of them where elimination would begin."""
    x, y = symbols("x y")
    entries = [0, x, 1, sin(y), 2, 0, y, cos(y), x * y, -1, 0, x + y, 3]
    return Matrix([[entries[(i + 3 * j + i * j) % 13] if i or j else 0 for j in range(size)] for i in range(size)])


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_an_inverse_undoes_its_matrix_exactly(size: int) -> None:
    A = scattered(size)
    assert same((A.inv() @ A).entries(), Matrix.identity(size).entries())
    assert same((A @ A.inv()).entries(), Matrix.identity(size).entries())


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 10])
def test_a_determinant_is_that_of_the_numbers(size: int) -> None:
    x, y = symbols("x y")
    A = scattered(size)
    at = {x: 0.7, y: -1.3}
    numbers = np.array(evaluate(A.map(as_expr).entries(), at)).reshape(size, size)
    assert evaluate([as_expr(A.det())], at)[0] == pytest.approx(np.linalg.det(numbers), rel=1e-9)


def test_what_vanishes_is_decided_by_its_function_and_whole_numbers_and_decimals_are_exact() -> None:
    x = symbols("x")[0]
    hidden = Matrix([[sin(x) ** 2 + cos(x) ** 2, 1], [2, 2]])
    assert hidden.det() == 0
    refused("singular everywhere", hidden.inv)
    assert Matrix([[cos(x), -sin(x)], [sin(x), cos(x)]]).det() == 1
    for ask in (Matrix.inv, Matrix.det):
        with pytest.raises(ShapeError, match="2 rows and 3 columns"):
            ask(Matrix.zeros(2, 3))
    assert Matrix([[3]]).inv()[0, 0] == Fraction(1, 3) and Matrix([[3, 1], [1, 7]]).inv()[0, 0] == Fraction(7, 20)
    assert Matrix([[3 if i == j else 1 for j in range(9)] for i in range(9)]).det() == 11 * 2**8
    refused("singular everywhere", lambda: Matrix([[0]]).inv())
    assert Matrix([[0.1, 0.2], [0.3, 0.7]]).inv() == Matrix([[70, -20], [-30, 10]])
    proportional = Matrix([[0.1, 0.3], [0.7, 2.1]])
    assert proportional.det() == 0
    refused("singular everywhere", proportional.inv)
    A = Matrix([[2.0, 1.0], [0.5, 1.0]])
    assert [float(x) for x in A.inv().entries()] == pytest.approx([2 / 3, -2 / 3, -1 / 3, 4 / 3])
    assert float(A.det()) == pytest.approx(1.5)


def test_notebooks_show_latex_and_long_matrices_take_a_line_a_row() -> None:
    x, y = symbols("x y")
    assert Vector([x, y / 2])._repr_latex_() == r"$\begin{bmatrix} x \\ \frac{1}{2} y \end{bmatrix}$"
    assert Matrix([[x, 1]])._repr_latex_() == r"$\begin{bmatrix} x & 1 \end{bmatrix}$"
    assert repr(Matrix([[x, 1], [0, y]])) == "Matrix([[x, 1], [0, y]])"
    long = Matrix([[sin(k * x) + cos(k * y) for k in (11, 12, 13)] for _ in range(2)])
    rows = repr(long).splitlines()
    assert len(rows) == 4 and rows[0] == "Matrix([" and rows[1].startswith("    [cos(11*y) + sin(11*x), ")
    assert len(repr(Vector([sum(sin(k * x) for k in range(200))] * 2))) < 1000


def test_derivatives_values_and_substitution_of_matrices_are_those_of_sympy() -> None:
    M = Matrix([[a * cos(q), 1, a / b], [0, q**2 * b, sin(a * q)]])
    v = Vector([a**2 * b, 3, sin(b)])
    theirs = to_sympy(M)
    assert to_sympy(M.diff(q)) == theirs.diff("q") and to_sympy(M.diff(q, a)) == theirs.diff("q", "a")
    assert to_sympy(v.jacobian([a, b, q])) == sympy.Matrix(list(map(to_sympy, v))).jacobian(sympy.symbols("a b q"))
    assert Matrix([list(v)]).jacobian([a, b]) == v.jacobian([a, b]) == Matrix([[x] for x in v]).jacobian([a, b])
    values = {a: 2.0, b: 0.5, q: 0.25}
    numbers = np.array(theirs.subs({"a": 2.0, "b": 0.5, "q": 0.25}), float)
    assert np.allclose(M.evaluate(values), numbers, rtol=1e-14) and v.evaluate(values).shape == (3,)
    assert np.allclose(np.array(M.subs({a: 2, b: 0.5, q: 0.25}).map(float)), numbers, rtol=1e-14)
    assert repr(Vector([(a**2 - b**2) / (a + b), 0]).simplify()) == "Vector([a - b, 0])"
    assert "of 2 rows and 3 columns is no matrix" in refused("E-EXPR-SHAPE", lambda: M.jacobian([a]))


def test_whole_numbers_beside_expressions_are_expressions() -> None:
    made = [Vector([1, a]), Matrix([[0, a], [1, 0]])[0], (Matrix.diagonal([a, 1]) @ Matrix([[a, 0], [0, a]]))[0]]
    made += [Vector([1, a])[:1], Vector([1, 2]) * a, Vector([1, a]) + Vector([1, 2])]
    assert all(type(entry) is Expr for vector in made for entry in vector)
    assert [type(entry) for entry in Vector([1, 2.5])] == [int, float]
