"""Motion under constraints where the mass matrix is no metric."""

import numpy as np
import pytest

from polhode.constraints.factorisation import Factorisation
from polhode.errors import PolhodeError


def test_constraints_on_an_indefinite_mass_matrix_have_their_motion() -> None:
    rng = np.random.default_rng(4)
    A, force, gamma = rng.normal(size=(2, 5)), rng.normal(size=5), rng.normal(size=2)
    M = np.diag([3.0, -1.0, 2.0, 0.5, -4.0]) + 0.1 * np.ones((5, 5))
    udot, multipliers = Factorisation.of(A, M).motion(force, gamma)
    whole = np.block([[M, -A.T], [A, np.zeros((2, 2))]])
    assert np.append(udot, multipliers) == pytest.approx(np.linalg.solve(whole, np.append(force, -gamma)), rel=1e-9)
    with pytest.raises(PolhodeError, match="the mass matrix is singular"):
        Factorisation.of(A, np.diag([1.0, 1.0, 1.0, 1.0, 0.0])).motion(force, gamma)
