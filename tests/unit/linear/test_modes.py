"""Modes: eigenvectors, frequencies, damping, participation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.linear.modes import modes


def chain() -> ph.Equations:
    """A heavy block on a spring and damper, and a light one on it."""
    s = ph.System("chain", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("heavy", 10), ph.Prismatic("x"))
    y = s.joint("y", "heavy", s.body("light", 1), ph.Prismatic("x"))
    s.joint_force(x, -40 * x.q[0] - s.parameter("c", 2) * x.u[0])
    s.joint_force(y, -90 * y.q[0])
    return s.derive()


def test_a_mode_keeps_its_shape() -> None:
    small = chain().linearize()
    A, _ = small.state_space()
    found = modes(small)
    assert len(found) == 2
    for mode in found:
        assert_allclose(A @ mode.vector, mode.eigenvalue * mode.vector, atol=1e-12)
        assert mode.left.conj() @ mode.vector == pytest.approx(1)
        assert max(abs(mode.vector[:2])) == pytest.approx(1)
        assert sum(mode.participation.values()) == pytest.approx(1)


def test_frequency_and_damping_are_those_of_the_eigenvalue() -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -50 * x.q[0] - 4 * x.u[0])  # ω = 5, ζ = 1/5
    (mode,) = modes(s.derive().linearize())
    assert mode.natural_frequency == pytest.approx(5 / (2 * np.pi))
    assert mode.frequency == pytest.approx(5 * np.sqrt(1 - 0.04) / (2 * np.pi))
    assert mode.damping_ratio == pytest.approx(0.2)
    assert mode.time_constant == pytest.approx(1)
    assert mode.shape == pytest.approx({"x": 1, "x'": mode.eigenvalue})
    assert repr(mode) == "Mode(0.7797 Hz, damping ratio 0.2: x 50%, x' 50%)"


def test_participation_says_who_swings() -> None:
    slow, fast = modes(chain().linearize())
    assert [next(iter(mode.participation)).removesuffix("'") for mode in (slow, fast)] == ["x", "y"]


def test_real_modes_stand_alone_and_zero_ones_stay() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -4 * x.u[0])
    stays, decays = modes(s.derive().linearize())
    assert (repr(stays), stays.time_constant) == ("Mode(stays: x 100%)", float("inf"))
    assert np.isnan(stays.damping_ratio)
    assert repr(decays) == "Mode(decays by e in 0.5 s: x' 100%)"
    assert (decays.frequency, decays.damping_ratio, decays.is_oscillating) == (0.0, 1.0, False)


def test_of_a_multiple_eigenvalue_no_participation_is_told() -> None:
    s = ph.System("glider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    found = modes(s.derive().linearize())
    assert [(repr(mode), mode.is_simple) for mode in found] == [("Mode(stays)", False)] * 2


def test_a_slow_swing_beside_a_stiff_spring_swings_and_decays() -> None:
    s = ph.System("slow and stiff", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    y = s.joint("y", s.ground, s.body("stone", 1), ph.Prismatic("x"))
    s.joint_force(x, -1e10 * x.q[0])
    s.joint_force(y, -1e-10 * y.q[0] - 2e-6 * y.u[0])
    slow, stiff = modes(s.derive().linearize())
    assert slow.eigenvalue == pytest.approx(complex(-1e-6, np.sqrt(1e-10 - 1e-12)), rel=1e-9)
    assert stiff.eigenvalue == pytest.approx(1e5j) and stiff.eigenvalue.real == 0
