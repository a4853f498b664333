"""The least ∫ |ω̇|² dt: its equation, its ends, and that no neighbour is better."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

from .random_knots import random_knots


def test_it_goes_through_the_knots_with_continuous_velocity_and_acceleration():
    t, R = random_knots(2, 20, 2.0)
    curve = ph.RotationSpline(t, R, least="acceleration")
    assert np.abs(curve(t).R - R.as_matrix()).max() < 1e-12
    before, after = (curve._segments.at(t[1:-1], np.arange(19) + side) for side in (0, 1))
    assert np.abs(before.w - after.w).max() < 1e-11
    assert np.abs(before.wdot - after.wdot).max() < 1e-11
    assert np.abs(curve(t[[0, -1]]).wdot).max() < 1e-12


def test_between_knots_the_equation_of_extremals_holds():
    t, R = random_knots(5, 4, 1.5)
    curve = ph.RotationSpline(t, R, start=(1, 0, 0), end=(0, 0, 1), least="acceleration")
    h = 1e-3
    middle = (t[:-1] + t[1:]) / 2
    a = [curve(middle + k * h).wdot for k in range(-3, 4)]
    second = (-a[5] + 8 * a[4] - 8 * a[2] + a[1]) / (12 * h)
    third = (2 * (a[0] + a[6]) - 27 * (a[1] + a[5]) + 270 * (a[2] + a[4]) - 490 * a[3]) / (180 * h * h)
    assert np.allclose(third, np.cross(second, curve(middle).w), atol=1e-5 * np.abs(second).max())


@pytest.mark.parametrize("ends", [{}, {"start": (1, -1, 0.5), "end": (0, 2, 0)}])
def test_the_spline_takes_a_little_more(ends):
    t, R = random_knots(1, 8, 2.0)
    spline, least = (ph.RotationSpline(t, R, **ends, least=aim) for aim in (None, "acceleration"))
    assert 1 <= spline.effort() / least.effort() < 1.02


def test_no_velocity_at_the_ends_near_the_free_ones_takes_less():
    t, R = random_knots(6, 5, 1.5)
    free = ph.RotationSpline(t, R, least="acceleration")
    w = free(t[[0, -1]]).w
    for change in np.random.default_rng(0).normal(size=(4, 2, 3)) * 0.05:
        held = ph.RotationSpline(t, R, start=w[0] + change[0], end=w[1] + change[1], least="acceleration")
        assert held.effort() > free.effort()


def test_a_turn_about_one_axis_is_the_cubic_of_the_angle():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    curve = ph.RotationSpline([0, 2], [np.eye(3), quarter], start=(0, 0, 0), end=(0, 0, 0), least="acceleration")
    s = np.linspace(0, 1, 11)
    angle = np.pi / 2 * (3 * s**2 - 2 * s**3)
    R = curve(2 * s).R
    assert np.allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), angle, atol=1e-13)
