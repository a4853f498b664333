"""The coefficients of the pairs: their order conditions, and SciPy's copy of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate._ivp import dop853_coefficients

from polhode.codegen.steppers.tableaux import PAIRS


@pytest.mark.parametrize("name", PAIRS)
def test_stages_are_at_the_times_that_their_weights_say(name: str) -> None:
    pair = PAIRS[name]
    for c, row in zip((*pair.c, *pair.more_c), (*pair.a, *pair.more_a), strict=True):
        assert sum(row) == pytest.approx(c, abs=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_the_weights_integrate_polynomials_of_their_order_exactly(name: str) -> None:
    pair = PAIRS[name]
    b, c = np.array(pair.a[-1]), np.array(pair.c[: len(pair.a[-1])])
    order = {"DOP853": 8, "RK45": 5, "RK23": 3}[name]
    for power in range(order):
        assert b @ c**power == pytest.approx(1 / (power + 1), abs=1e-14)
    assert abs(b @ c**order - 1 / (order + 1)) > 1e-6
    for errors in pair.errors:  # an estimate of a constant rate's error is zero
        assert sum(errors) == pytest.approx(0.0, abs=1e-13)


def test_they_are_those_of_scipy() -> None:
    pair, theirs = PAIRS["DOP853"], dop853_coefficients
    assert np.array_equal(pair.a[-1], theirs.B)
    assert all(np.array_equal(row, theirs.A[k][:k]) for k, row in enumerate(pair.a[:-1]))
    assert np.array_equal(np.array(pair.d), theirs.D)
    for name, solver in (("RK45", integrate.RK45), ("RK23", integrate.RK23)):
        assert np.allclose(PAIRS[name].a[-1], solver.B, atol=1e-16)
        assert np.allclose(np.abs(PAIRS[name].errors[0]), np.abs(solver.E), atol=1e-16)
