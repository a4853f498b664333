"""Regulators and observers against python-control, SciPy's optimisers, and filters written by hand."""

from __future__ import annotations

import control
import numpy as np
import pytest

from polhode.control import LQR
from polhode.model.samples.underactuated import cart_pole, furuta_pendulum

MODELS = [cart_pole, furuta_pendulum]


@pytest.mark.parametrize("model", MODELS)
def test_gains_equal_those_of_python_control(model: object) -> None:
    linear = model().derive().linearize()  # type: ignore[operator]
    plant = linear.to_control()
    Q, R = np.diag([3.0, 2.0, 1.0, 0.5]), np.eye(1) * 0.7
    K, P, poles = control.lqr(plant, Q, R)
    made = LQR(linear, Q, R)
    np.testing.assert_allclose(made.K, K, rtol=1e-8)
    np.testing.assert_allclose(made.P, P, rtol=1e-8)
    np.testing.assert_allclose(np.sort_complex(made.poles), np.sort_complex(poles), rtol=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_gains_of_a_sampled_mechanism_equal_those_of_python_control(model: object) -> None:
    linear = model().derive().linearize()  # type: ignore[operator]
    sampled = control.c2d(linear.to_control(), 0.02)
    Q, R = np.diag([3.0, 2.0, 1.0, 0.5]), np.eye(1) * 0.7
    K, P, _ = control.dlqr(sampled, Q, R)
    made = LQR(linear, Q, R, sample_time=0.02)
    np.testing.assert_allclose(made.K, K, rtol=1e-7)
    np.testing.assert_allclose(made.P, P, rtol=1e-7)
    assert np.abs(made.poles).max() < 1
