"""Segments: their motion against differences, and what a tiny imaginary part carries along."""

from __future__ import annotations

import numpy as np

from polhode.planning.charts import CHARTS
from polhode.planning.cubics import cubics_through
from polhode.planning.knots import unit_quaternions
from polhode.planning.quaternions import product, unit

from .random_knots import random_knots

T, R = random_knots(4, 12, 1.5)
Q = unit_quaternions(R, len(T), "test")


def test_velocity_and_acceleration_are_derivatives():
    curve = cubics_through(CHARTS["half"], T, Q, None, None, "test")
    t = np.linspace(T[0] + 0.01, T[-1] - 0.01, 50)
    segment = np.searchsorted(T[1:-1], t, side="right")
    early, now, late = (curve.at(t + s, segment) for s in (-1e-5, 0, 1e-5))
    spin = np.swapaxes(now.R, 1, 2) @ (late.R - early.R) / 2e-5
    assert np.allclose(spin[:, [2, 0, 1], [1, 2, 0]], now.w, atol=1e-7)
    assert np.allclose((late.w - early.w) / 2e-5, now.wdot, atol=1e-6)
    assert np.allclose(now.w_fixed, np.einsum("nij,nj->ni", now.R, now.w))


def test_imaginary_parts_are_derivatives_of_the_whole_curve():
    """Knots that are moved a little move the curve as the imaginary parts say."""
    rng = np.random.default_rng(0)
    way = product(Q, np.concatenate([np.zeros((len(T), 1)), rng.normal(size=(len(T), 3))], axis=1))
    t = np.linspace(T[0], T[-1], 30)
    segment = np.searchsorted(T[1:-1], t, side="right")

    def curve(knots):
        return cubics_through(CHARTS["half"], T, knots, None, None, "test").at(t, segment)

    carried = curve(Q + 1e-40j * way)
    early, late = (curve(unit(Q + s * way)) for s in (-1e-5, 1e-5))
    for name in ("quaternion", "w", "wdot"):
        moved = (getattr(late, name) - getattr(early, name)) / 2e-5
        assert np.allclose(getattr(carried, name).imag / 1e-40, moved, rtol=1e-6, atol=1e-5)
