"""ω and Ẇ, each from the other, on exact numbers and on floats."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.geometry import (
    angular_velocity,
    inertia_of_moments,
    permutation,
    rotation_rate,
    rotation_second_rate,
    rotational_energy,
    rotational_energy_of_rate,
    second_moments,
)

W = ph.Rotation.random(seed=4).matrix
w, wd = np.array([0.3, -0.7, 1.1]), np.array([2.0, 0.1, -0.4])


def test_rates_of_matrices_and_angular_velocities_give_each_other() -> None:
    np.testing.assert_allclose(np.array(angular_velocity(W, rotation_rate(W, w)), float), w, rtol=1e-14)
    turned = ph.Rotation.from_matrix(W)
    np.testing.assert_allclose(np.array(rotation_rate(W, w)), turned.rate(w, "matrix", "space"), atol=1e-15)
    second = np.array(rotation_second_rate(W, w, wd))
    np.testing.assert_allclose(second, turned.second_rate(w, wd, "matrix", "space"), atol=1e-14)
    J = second_moments([[2, Fraction(1, 3), 0], [Fraction(1, 3), 3, 0], [0, 0, 4]])
    assert J[0, 0] == Fraction(5, 2) and inertia_of_moments(J)[0, 1] == Fraction(1, 3)
    assert rotational_energy((0, 0, 1), [[1, 0, 0], [0, 1, 0], [0, 0, 3]]) == Fraction(3, 2)
    I = np.array([[3.0, 0.2, 0.1], [0.2, 4.0, -0.3], [0.1, -0.3, 5.0]])
    in_the_ground = W @ I @ W.T
    found = rotational_energy_of_rate(rotation_rate(W, w), second_moments(I))
    assert found == pytest.approx(rotational_energy(w, in_the_ground), rel=1e-14)


def test_a_vector_or_a_matrix_of_the_wrong_size_is_refused() -> None:
    refused("not a vector", lambda: rotation_rate(W, (1, 2)))
    refused("not a matrix of three rows and columns", lambda: second_moments([[1, 0], [0, 1]]))


@pytest.mark.parametrize("given", [(0, 1, 5), (-1, 0, 1), ("x", 1, 2)])
def test_a_permutation_is_of_three_indices(given: Any) -> None:
    refused("is not three of the indices", lambda: permutation(*given))


@pytest.mark.parametrize("given", [None, 3, [[1, 2], [3, 4]]])
def test_moments_are_a_matrix_of_three(given: Any) -> None:
    refused("is not a matrix of three rows and columns", lambda: inertia_of_moments(given))
