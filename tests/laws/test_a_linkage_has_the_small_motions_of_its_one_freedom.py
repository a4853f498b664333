"""Small motions of a four-bar linkage are those of the one coordinate that it has, and of small runs.

The model in one coordinate is written here from scratch: the angles of coupler and rocker by the law of cosines, mass
and potential by sums over the bars. About an equilibrium m(θ) δθ̈ + c δθ̇ + V″(θ) δθ = 0.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import polhode as ph
from polhode.linear.linear import Linear

A, B, C, D, RHO, G, DAMPING = 0.2, 0.5, 0.4, 0.5, 2.0, 9.81, 0.02


@cache
def linkage() -> ph.System:
    s = ph.System("four-bar linkage", gravity=(0, 0, "-9.81"))
    turn = ph.Revolute("-y")  # angles from x to z
    bars = {
        name: s.body(name, RHO * length, (length / 2, 0, 0), ph.rod(RHO * length, length, "x"))
        for name, length in (("crank", A), ("coupler", B), ("rocker", C))
    }
    crank = s.joint("theta2", s.ground, bars["crank"], turn)
    s.joint("theta3", bars["crank"], bars["coupler"], turn, at=(A, 0, 0))
    s.joint("theta4", s.ground, bars["rocker"], turn, at=(D, 0, 0))
    s.close("pin", bars["coupler"], bars["rocker"], turn, at_a=(B, 0, 0), at_b=(C, 0, 0))
    s.joint_force(crank, -DAMPING * crank.u[0])
    return s


def angles(theta: float) -> np.ndarray:
    """Crank, coupler and rocker against the x axis, the loop closed on the upper side."""
    pin = A * np.array([np.cos(theta), np.sin(theta)])
    across = np.array([D, 0.0]) - pin
    reach = np.hypot(*across)
    tilt = np.arccos((B**2 + reach**2 - C**2) / (2 * B * reach))
    coupler = np.arctan2(across[1], across[0]) + tilt
    tip = pin + B * np.array([np.cos(coupler), np.sin(coupler)])
    return np.array([theta, coupler, np.arctan2(tip[1], tip[0] - D)])


def centres(theta: float) -> np.ndarray:
    two, three, four = angles(theta)
    half = [length / 2 * np.array([np.cos(each), np.sin(each)]) for length, each in ((A, two), (B, three), (C, four))]
    return np.array([half[0], 2 * half[0] + half[1], np.array([D, 0.0]) + half[2]])


MASSES = RHO * np.array([A, B, C])
INERTIAS = MASSES * np.array([A, B, C]) ** 2 / 12


def slope(function: Callable[[float], Any], theta: float, h: float = 1e-3) -> np.ndarray:
    far, back = (np.asarray(function(theta + 2 * d)) for d in (h, -h))
    more, less = (np.asarray(function(theta + d)) for d in (h, -h))
    return (8 * (more - less) - (far - back)) / (12 * h)


def pull(theta: float) -> float:
    """V′(θ)."""
    return float(slope(lambda each: G * MASSES @ centres(each)[:, 1], theta))


def inertia(theta: float) -> float:
    """m(θ)."""
    speeds, rates = slope(centres, theta), slope(angles, theta)
    return float(MASSES @ (speeds**2).sum(axis=1) + INERTIAS @ rates**2)


@cache
def hanging() -> float:
    return float(brentq(pull, -2.5, -0.5, xtol=1e-14))


def minimal_eigenvalues() -> np.ndarray:
    theta = hanging()
    return np.roots([inertia(theta), DAMPING, float(slope(pull, theta))])


def small_motions() -> Linear:
    two, three, four = angles(hanging())
    return linkage().derive().linearize({"theta2": two, "theta3": three - two, "theta4": four})


def test_eigenvalues_are_those_of_the_one_coordinate() -> None:
    small = small_motions()
    assert len(small.states) == 2 and np.abs(np.array([float(each) for each in small.accelerations])).max() < 1e-6
    assert_allclose(np.sort_complex(small.eigenvalues()), np.sort_complex(minimal_eigenvalues()), rtol=1e-7)


@pytest.mark.parametrize("independent", ["theta2", "theta3", "theta4"])
def test_which_speed_is_independent_does_not_matter(independent: str) -> None:
    two, three, four = angles(hanging())
    pose = {"theta2": two, "theta3": three - two, "theta4": four}
    small = linkage().derive(independent=[independent], near=pose).linearize(pose)
    assert small.displacements == [independent]
    assert_allclose(np.sort_complex(small.eigenvalues()), np.sort_complex(minimal_eigenvalues()), rtol=1e-7)


def test_a_small_run_moves_as_the_eigenvalues_say() -> None:
    small = small_motions()
    (mode,) = small.modes()
    run = mode.trajectory(amplitude=1e-4, cycles=2)
    assert run.info["mode"]["departure"] < 2e-3
    swing = run["theta2"] - hanging()
    waves = np.exp(np.outer(run.t, minimal_eigenvalues()))
    parts = np.linalg.lstsq(waves, swing.astype(complex), rcond=None)[0]
    assert_allclose((waves @ parts).real, swing, atol=1e-7)  # two exponentials make all of it
    assert np.abs(swing).max() > 5e-5
