"""Eigenvalues with left and right eigenvectors, and followed from matrix to matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from polhode.errors import PolhodeError
from polhode.linear.eigensystem import EigenSystem, followed, numbers_along


def random_matrix(size: int = 5) -> np.ndarray:
    return np.random.default_rng(4).normal(size=(size, size))


def test_eigenvectors_and_derivatives_of_simple_eigenvalues() -> None:
    A = random_matrix()
    found = EigenSystem.of(A)
    assert_allclose(A @ found.right, found.right * found.values, atol=1e-12)
    assert_allclose(found.left.conj().T @ A, found.values[:, None] * found.left.conj().T, atol=1e-12)
    assert np.all(np.diff(found.values.real) <= 1e-12)
    A, change = random_matrix(), np.random.default_rng(5).normal(size=(5, 5))
    h = 1e-6
    ends = followed(lambda p: A + p * change, np.array([0.0, h, -h]))
    assert_allclose(EigenSystem.of(A).moved_by(change), (ends[1] - ends[2]) / (2 * h), atol=1e-8)
    found = EigenSystem.of(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -2.0]]))
    assert found.are_simple.tolist() == [False, False, True]
    assert np.isnan(found.moved_by(np.eye(3))).tolist() == [True, True, False]


def test_branches_pass_through_each_other_by_large_steps() -> None:
    turn = np.linalg.qr(random_matrix(3))[0]

    def matrix(p: float) -> np.ndarray:
        return turn @ np.diag([p, 3 - 2 * p, 1.3]) @ turn.T

    values = np.array([0.0, 0.9, 1.6, 3.0])
    found = followed(matrix, values).real
    assert_allclose(found, np.array([3 - 2 * values, np.full(4, 1.3), values]).T, atol=1e-12)


def test_a_pair_that_becomes_real_is_still_followed() -> None:
    values = np.linspace(0.0, 4.0, 9)  # λ² + p λ + 1 = 0 is real from p = 2 on
    found = followed(lambda p: np.array([[0.0, 1.0], [-1.0, -p]]), values)
    assert_allclose(found.sum(axis=1), -values, atol=1e-12)
    assert_allclose(np.abs(np.diff(found, axis=0)).max(), 0.866, atol=0.3)


@pytest.mark.parametrize("values", [[], [1.0, np.nan], [[1.0, 2.0]], 3.0, "ab", None])
def test_values_that_are_no_numbers_get_a_sentence(values: object) -> None:
    with pytest.raises(
        PolhodeError, match=r"there are no gains|the gains are no list of finite numbers|not a list of gains"
    ):
        numbers_along(values, "gains", "here")
