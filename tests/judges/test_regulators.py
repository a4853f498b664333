"""Regulators and observers against python-control, SciPy's optimisers, and filters written by hand."""

import control
import numpy as np
import pytest
from scipy.optimize import lsq_linear

from polhode.control import EKF, LQR, KalmanFilter, LinearMPC
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


@pytest.mark.parametrize("model", MODELS)
def test_gains_of_filters_equal_those_of_python_control(model: object) -> None:
    linear = model().derive().linearize()  # type: ignore[operator]
    outputs = linear.states[:2]
    W, V = np.diag([0.1, 0.2, 1.0, 2.0]), np.diag([0.01, 0.02])
    C = np.eye(2, 4)
    A = linear.to_control().A
    L, P, _ = control.lqe(A, np.eye(4), C, W, V)
    made = KalmanFilter(linear, outputs, process_noise=W, measurement_noise=V)
    np.testing.assert_allclose(made.L, L, rtol=1e-7)
    np.testing.assert_allclose(made.P, P, rtol=1e-7)
    Ad = control.c2d(linear.to_control(), 0.02).A
    L, P, _ = control.dlqe(Ad, np.eye(4), C, 0.02 * W, V)
    made = KalmanFilter(linear, outputs, process_noise=W, measurement_noise=V, sample_time=0.02)
    np.testing.assert_allclose(made.P, P, rtol=1e-7)
    np.testing.assert_allclose(Ad @ made.L, L, rtol=1e-7)  # python-control's predicts the next sample


def _rates(x: np.ndarray, force: float) -> np.ndarray:
    """The cart and pole by hand: (M + m) ẍ + m l (cos θ θ̈ - sin θ θ̇²) = F, l θ̈ + cos θ ẍ = g sin θ."""
    M, m, l, g = 1.0, 0.2, 0.5, 9.81
    s, c, spin = np.sin(x[1]), np.cos(x[1]), x[3]
    cart = (force + m * l * s * spin**2 - m * g * s * c) / (M + m - m * c * c)
    return np.array([x[2], spin, cart, (g * s - c * cart) / l])


def _slopes(x: np.ndarray, force: float) -> np.ndarray:
    """∂rates/∂x by complex steps."""
    found = np.zeros((4, 4))
    for k in range(4):
        moved = x.astype(complex)
        moved[k] += 1e-30j
        found[:, k] = _rates(moved, force).imag / 1e-30
    return found


def _stepped(x: np.ndarray, force: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """A Runge-Kutta step and its derivative."""
    k1, d1 = _rates(x, force), _slopes(x, force)
    k2, d2 = _rates(x + h / 2 * k1, force), _slopes(x + h / 2 * k1, force) @ (np.eye(4) + h / 2 * d1)
    k3, d3 = _rates(x + h / 2 * k2, force), _slopes(x + h / 2 * k2, force) @ (np.eye(4) + h / 2 * d2)
    k4, d4 = _rates(x + h * k3, force), _slopes(x + h * k3, force) @ (np.eye(4) + h * d3)
    return x + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6, np.eye(4) + h * (d1 + 2 * d2 + 2 * d3 + d4) / 6


def test_an_extended_kalman_filter_equals_one_written_by_hand() -> None:
    e = cart_pole().derive()
    h, W, V = 0.02, np.diag([0, 0, 0.5, 2.0]), np.diag([1e-4, 4e-4])
    ekf = EKF(e, ["x", "theta"], process_noise=W, measurement_noise=V, sample_time=h, start={"theta": 0.3})
    rng = np.random.default_rng(3)
    force = 4 * np.sin(np.arange(100) * h * 3)
    y = np.cumsum(rng.normal(0, 0.02, (100, 2)), axis=0)
    made = ekf.filter(np.arange(100) * h, y, force)
    x, P, H = np.array([0, 0.3, 0, 0]), np.eye(4), np.eye(2, 4)
    for k in range(100):
        S = H @ P @ H.T + V
        K = P @ H.T @ np.linalg.inv(S)
        nu = y[k] - H @ x
        x = x + K @ nu
        P = (np.eye(4) - K @ H) @ P @ (np.eye(4) - K @ H).T + K @ V @ K.T
        np.testing.assert_allclose(made.x[k], x, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(made.covariances[k], P, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(made.innovations[k], nu, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(made.innovation_covariances[k], S, rtol=1e-12, atol=1e-13)
        x, F = _stepped(x, force[k], h)
        P = F @ P @ F.T + W * h


def test_plans_equal_those_of_another_solver_of_quadratic_programmes() -> None:
    linear = cart_pole().derive().linearize()
    mpc = LinearMPC(linear, {"x": 1, "theta": 1}, horizon=12, sample_time=0.05, limits={"F": 3}, iterations=10)
    lower = np.linalg.cholesky(mpc.H)
    rng = np.random.default_rng(0)
    limited = 0
    for _ in range(25):
        x = rng.normal(0, 1, 4) * [1, 0.25, 0.5, 0.5]
        made = lsq_linear(lower.T, -np.linalg.solve(lower, mpc.F @ x), (-3, 3), tol=1e-15, max_iter=500).x
        np.testing.assert_allclose(mpc.solve(x).ravel(), made, atol=2e-5)
        limited += np.abs(made).max() > 3 - 1e-9
    assert limited > 5
