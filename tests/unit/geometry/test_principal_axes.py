"""Principal axes: every branch of the closed form against LAPACK, and what is refused."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from polhode import Matrix, principal_axes
from polhode.errors import PolhodeError
from polhode.expr import as_expr, evaluate, same, symbols
from polhode.expr.evaluation import ON_FLOATS
from polhode.expr.graph import topological
from polhode.geometry.rotations.vector_parameter import from_vector_parameter

a, b, c, d, e, f = NAMES = symbols("a b c d e f")
#: A rotation in which a, b, c are a vector-parameter, and what it makes of diagonal matrices.
O = from_vector_parameter((a, b, c))

VALUES = dict(zip(NAMES, map(mp.mpf, ("0.43", "-0.46", "0.67", "2.6", "-0.11", "0.62")), strict=True))


def digits(matrix: Matrix) -> mp.matrix:
    """A 3×3 matrix of expressions at `VALUES`, by mpmath."""
    found: dict[int, Any] = {}
    for node in topological(list(matrix.entries())):
        args = [found[id(arg)] for arg in node.args]
        if node.op == "number":
            found[id(node)] = mp.mpf(node.data.numerator) / node.data.denominator
        elif node.op == "symbol":
            found[id(node)] = VALUES[node]
        else:
            special = {"pi": lambda: +mp.pi, "max": max, "min": min}
            found[id(node)] = special.get(node.op, getattr(mp, node.op, ON_FLOATS[node.op]))(*args)
    flat = [found[id(entry)] for entry in matrix.entries()]
    return mp.matrix([flat[0:3], flat[3:6], flat[6:9]])


BRANCHES: dict[str, tuple[str, Any]] = {
    "three moments": ("cosines", [[a, b, c], [b, d, e], [c, e, f]]),
    "one zero": ("cosines", [[a, b, 0], [b, d, e], [0, e, f]]),
    "a hidden symmetry": ("cosines", [[a, b, c], [b, a, c], [c, c, d]]),
    "x is principal": ("plane", [[a, 0, 0], [0, d, e], [0, e, f]]),
    "y is principal": ("plane", [[a, 0, c], [0, d, 0], [c, 0, f]]),
    "z is principal": ("plane", [[a, b, 0], [b, d, 0], [0, 0, f]]),
    "diagonal": ("diagonal", [[a, 0, 0], [0, b, 0], [0, 0, c]]),
    "diagonal, two alike": ("diagonal", [[a, 0, 0], [0, b, 0], [0, 0, a]]),
    "a double moment": ("double", O @ Matrix.diagonal([d, e, d]) @ O.T),
    "a double moment in a plane": ("double", [[a, b, 0], [b, a, 0], [0, 0, a + b]]),
    "a triple moment": ("triple", O @ Matrix.diagonal([d, d, d]) @ O.T),
    "numbers": ("cosines", Matrix([[2, 1, 1], [1, 3, 1], [1, 1, 4]])),
    "numbers in a plane": ("plane", Matrix([[2, 0, 1], [0, 7, 0], [1, 0, 2]])),
    "numbers, a double moment": ("double", Matrix([[2, 1, 0], [1, 2, 0], [0, 0, 3]])),
}


@pytest.mark.parametrize(("branch", "matrix"), BRANCHES.values(), ids=BRANCHES)
def test_every_branch_diagonalises(branch: str, matrix: Any) -> None:
    found = principal_axes(matrix)
    assert found.branch == branch
    for seed in range(5):
        values = dict(zip(NAMES, np.random.default_rng(seed).normal(size=6).tolist(), strict=True))
        A = np.array(evaluate([as_expr(x) for row in matrix for x in row], values)).reshape(3, 3)
        axes = np.array(evaluate(list(found.axes.entries()), values)).reshape(3, 3)
        moments = np.array(evaluate(list(found.moments), values))
        assert axes.T @ A @ axes == pytest.approx(np.diag(moments), abs=1e-8)
        assert pytest.approx(np.eye(3), abs=1e-8) == axes.T @ axes and np.linalg.det(axes) == pytest.approx(1)
        assert np.sort(moments) == pytest.approx(np.linalg.eigvalsh(A), abs=1e-8)
        if branch == "cosines":
            assert (np.diff(moments) >= 0).all()


def test_moments_of_numbers_ascend_and_double_ones_are_rational() -> None:
    found = principal_axes(O @ Matrix.diagonal([d, e, d]) @ O.T)
    assert same(found.moments, [d, d, e])
    assert same(principal_axes(Matrix([[3, 0, 0], [0, 1, 0], [0, 0, 2]])).moments, [1, 2, 3])
    turned = from_vector_parameter((as_expr(1), as_expr(2) / 3, as_expr(-1)))
    found = principal_axes(turned @ Matrix.diagonal([5, 2, 4]) @ turned.T)
    assert found.branch == "cosines" and same(found.moments, [2, 4, 5])
    assert same((found.axes.T @ found.axes).entries(), Matrix.identity(3).entries())
    found = principal_axes(Matrix([[2, 0, 0], [0, 4, 3], [0, 3, -4]]))
    assert same(from_vector_parameter(found.vector).entries(), found.axes.entries())
    batch = principal_axes(np.array([[[2.0, 0, 0], [0, 4, 3], [0, 3, -4]]] * 2))
    assert batch.vector.shape == (2, 3)


@pytest.mark.parametrize("matrix", [each for _, each in BRANCHES.values()], ids=BRANCHES)
def test_every_branch_has_the_vector_parameter_of_its_axes(matrix: Any) -> None:
    """Evaluated with 60 digits: O is a rotation with determinant 1, diagonalises, and is that of c, (189)."""
    found = principal_axes(matrix)
    with mp.workdps(60):
        A = digits(Matrix(matrix).map(as_expr))
        axes, turned = digits(found.axes), digits(from_vector_parameter(found.vector).map(as_expr))
        moments = digits(Matrix.diagonal(found.moments).map(as_expr))
        for gap in (axes.T * axes - mp.eye(3), axes.T * A * axes - moments, axes - turned):
            assert mp.norm(gap) < mp.mpf("1e-40")
        assert abs(mp.det(axes) - 1) < mp.mpf("1e-40")


def test_numbers_are_diagonalised_by_lapack_in_batches() -> None:
    A = np.random.default_rng(1).normal(size=(4, 5, 3, 3))
    A = A + np.swapaxes(A, -1, -2)
    found = principal_axes(A)
    assert found.branch == "LAPACK" and found.moments.shape == (4, 5, 3)
    back = found.axes @ (found.moments[..., None] * np.swapaxes(found.axes, -1, -2))
    assert back == pytest.approx(A, abs=1e-12)
    assert np.linalg.det(found.axes) == pytest.approx(np.ones((4, 5)))
    assert principal_axes([[1.0, 0, 0], [0, 2, 0], [0, 0, 2]]).branch == "LAPACK"


BAD = {
    "not symmetric": ([[1, 2, 0], [3, 1, 0], [0, 0, 1]], "not symmetric"),
    "not symmetric in symbols": ([[a, b, 0], [-b, a, 0], [0, 0, a]], "not symmetric"),
    "not symmetric in numbers": (np.array([[1.0, 2, 0], [3, 1, 0], [0, 0, 1]]), "not symmetric"),
    "two rows": ([[1, 2], [2, 1]], "shape \\(2, 2\\)"),
    "two rows of numbers": (np.eye(2), "shape \\(2, 2\\)"),
    "NaN": (np.full((3, 3), np.nan), "not finite"),
    "a number": (5, "5 is not a matrix"),
    "a text": ("abc", "'abc' is not a matrix"),
}


@pytest.mark.parametrize(("given", "said"), BAD.values(), ids=BAD)
def test_what_has_no_principal_axes_is_told_in_a_sentence(given: Any, said: str) -> None:
    with pytest.raises(PolhodeError, match=said):
        principal_axes(given)
