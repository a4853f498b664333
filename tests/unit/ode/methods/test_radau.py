"""Radau's constants: the collocation conditions, the eigenvalues of A⁻¹, and the polynomial between the ends."""

import numpy as np
import pytest

from polhode.ode.methods.radau import ALPHA, BETA, GAMMA, T_INVERSE, C, E, P, T

#: A from its collocation conditions, A c^k = c^(k+1) / (k+1) for k = 0, 1, 2.
POWERS = np.vander(C, 3, increasing=True)
A = (POWERS * np.array(C)[:, None] / [1, 2, 3]) @ np.linalg.inv(POWERS)


def test_the_constants_of_radau_are_those_of_collocation() -> None:
    for power in range(5):
        assert A[-1] @ np.array(C) ** power == pytest.approx(1 / (power + 1), abs=1e-14)
    middle = np.array([[GAMMA, 0, 0], [0, ALPHA, -BETA], [0, BETA, ALPHA]])
    assert np.array(T) @ middle @ np.array(T_INVERSE) == pytest.approx(np.linalg.inv(A), abs=1e-13)
    assert np.array(T) @ np.array(T_INVERSE) == pytest.approx(np.eye(3), abs=1e-14)
    powers = np.array(C)[:, None] ** [1, 2, 3]
    assert powers @ np.array(P).T == pytest.approx(np.eye(3), abs=1e-13)
    c = np.array(C)
    for power in (1, 2, 3):  # x = t^power: the rate at the start and the stages' displacements answer each other
        start = 1.0 if power == 1 else 0.0
        assert start + np.array(E) @ c**power == pytest.approx(0.0, abs=1e-13)
