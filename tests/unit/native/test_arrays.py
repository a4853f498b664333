"""Quaternions that are not of unit length, at the functions that users call."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph

Q = np.array([0.5, -0.5, 0.1, 0.7, 1.0, 2.0, 3.0])
Q[:4] /= np.linalg.norm(Q[:4])
U = np.array([0.3, -0.2, 0.5, 1.0, -1.0, 0.4])


@pytest.fixture(scope="module")
def functions() -> ph.Functions:
    """A free body that hangs on a string, so that there is a matrix of constraints as well."""
    s = ph.System("kite")
    body = s.body("kite", 1, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.5, 0.7))
    x, y, z = s.joint("flight", s.ground, body, ph.Free()).q[4:]
    s.constrain(x * x + y * y + z * z - 14, "string")
    return s.derive().compile()


def stretched(length: float) -> np.ndarray:
    return np.concatenate([Q[:4] * length, Q[4:]])


@pytest.mark.parametrize("length", [1.0, 2.0, 1e-3])
def test_rates_of_coordinates_are_the_kinematic_matrix_times_speeds(functions: ph.Functions, length: float) -> None:
    q = stretched(length)
    rates = functions.coordinate_rates(q, U)
    assert_allclose(functions.evaluate("kinematic_matrix", q) @ U, rates, rtol=1e-14)
    assert_allclose(functions.evaluate("state_rates", [*q, *U], np.zeros(6))[:7], rates, rtol=1e-14)
    assert_allclose(rates[:4], length * functions.coordinate_rates(Q, U)[:4], rtol=1e-14)


@pytest.mark.parametrize("name", ["stabilised_rates", "kept_rates"])
def test_every_rate_of_coordinates_is_that_of_the_quaternion_given(functions: ph.Functions, name: str) -> None:
    found = functions.evaluate(name, [*stretched(2.0), *U], np.zeros(6), [1.0])
    rates = found[0] if isinstance(found, tuple) else found
    assert_allclose(rates[:7], functions.coordinate_rates(stretched(2.0), U), rtol=1e-14)


def test_a_batch_is_its_states_one_by_one(functions: ph.Functions) -> None:
    batch = np.array([stretched(length) for length in (1.0, 2.0, 0.5)])
    for name in ("kinematic_matrix", "mass_matrix"):
        each = [functions.evaluate(name, q) for q in batch]
        assert_allclose(functions.evaluate(name, batch), each, rtol=1e-14)


@pytest.mark.parametrize("length", [1e200, 1e300, 1e-200, 1e-320])
def test_no_length_is_too_long_or_too_short(functions: ph.Functions, length: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for q in (stretched(length), np.array([stretched(length), Q])):
            made = functions.mass_matrix(q)
            assert_allclose(made if q.ndim == 1 else made[0], functions.mass_matrix(Q), rtol=1e-2)
            if length > 1e-300:  # below, a float has few digits left
                assert_allclose(made if q.ndim == 1 else made[0], functions.mass_matrix(Q), rtol=1e-14)


@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("many", [False, True])
def test_a_quaternion_that_is_not_finite_is_refused(functions: ph.Functions, entry: float, many: bool) -> None:
    q = Q.copy()
    q[1] = entry
    with pytest.raises(ph.PolhodeError, match="coordinates 0 to 3 are a quaternion that is not finite"):
        functions.mass_matrix(np.array([Q, q]) if many else q)


def test_a_quaternion_of_length_zero_is_refused(functions: ph.Functions) -> None:
    with pytest.raises(ph.PolhodeError, match="of length zero") as caught:
        functions.mass_matrix(stretched(0.0))
    assert caught.value.problems[0].code == "E-CODE-NUMBER"
