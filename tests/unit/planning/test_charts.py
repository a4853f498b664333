"""The charts' formulas against each other and against differences."""

import numpy as np
import pytest

from polhode.planning.charts import CHARTS, Floats, conjugate, cross, from_turn, matrices, matrix_of, product, unit


@pytest.fixture(params=sorted(CHARTS))
def chart(request):
    return CHARTS[request.param]


def _c(seed: int, count: int = 20) -> Floats:
    return np.random.default_rng(seed).uniform(-0.8, 0.8, (count, 3))


def test_charts_invert_and_differentiate(chart) -> None:
    c = _c(0)
    q = unit(chart.quaternion(c))
    assert np.allclose(chart.of_quaternion(q), c, atol=1e-14)
    c, w = _c(1), _c(2)
    assert np.allclose(chart.velocity(c, chart.rate(c, w)), w, atol=1e-13)
    c, cdot = _c(3), _c(4)
    q = unit(chart.quaternion(c + 1e-30j * cdot))
    turned = 2 * product(conjugate(q.real), q.imag / 1e-30)[..., 1:]
    assert np.allclose(chart.velocity(c, cdot), turned, atol=1e-13)
    c, cdot, cddot = _c(5), _c(6), _c(7)
    along = chart.velocity(c + 1e-30j * cdot, cdot + 1e-30j * cddot).imag / 1e-30
    assert np.allclose(chart.angular_acceleration(c, cddot, chart.velocity(c, cdot)), along, atol=1e-12)


def test_derivative_of_the_turning_term(chart):
    c, w = _c(8), _c(9)
    for k, unit_vector in enumerate(np.eye(3)):
        along = chart.turning(c, w + 1e-30j * unit_vector).imag / 1e-30
        assert np.allclose(chart.turning_D_w(c, w)[..., k], along, atol=1e-13)


def test_matrix_of_a_linear_map():
    c = _c(10)
    x = _c(11)
    assert np.allclose(np.einsum("nij,nj->ni", matrix_of(cross, c), x), np.cross(c, x), atol=1e-14)


P, Q = (unit(np.random.default_rng(seed).normal(size=(50, 4))) for seed in (0, 1))


def test_quaternions_turn_as_matrices_do() -> None:
    assert np.allclose(matrices(product(P, Q)), matrices(P) @ matrices(Q), atol=1e-14)
    assert np.allclose(matrices(conjugate(P)), np.swapaxes(matrices(P), 1, 2), atol=1e-15)
    R = matrices(P)
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-14) and np.allclose(np.linalg.det(R), 1)
    quarter = matrices(from_turn(np.array([0, 0, np.pi / 2])))
    assert np.allclose(quarter, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert (from_turn(np.zeros(3)) == [1, 0, 0, 0]).all()
