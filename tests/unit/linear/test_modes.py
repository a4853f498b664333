"""Modes: eigenvectors, frequencies, damping, participation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

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


def test_a_mode_keeps_its_shape_and_frequency_and_damping_are_those_of_the_eigenvalue() -> None:
    small = chain().linearize()
    A, _ = small.state_space()
    found = modes(small)
    assert len(found) == 2
    for mode in found:
        assert_allclose(A @ mode.vector, mode.eigenvalue * mode.vector, atol=1e-12)
        assert mode.left.conj() @ mode.vector == pytest.approx(1) and max(abs(mode.vector[:2])) == pytest.approx(1)
        assert sum(mode.participation.values()) == pytest.approx(1)
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -50 * x.q[0] - 4 * x.u[0])  # ω = 5, ζ = 1/5
    (mode,) = modes(s.derive().linearize())
    assert mode.natural_frequency == pytest.approx(5 / (2 * np.pi))
    assert mode.frequency == pytest.approx(5 * np.sqrt(1 - 0.04) / (2 * np.pi))
    assert mode.damping_ratio == pytest.approx(0.2) and mode.time_constant == pytest.approx(1)
    assert mode.shape == pytest.approx({"x": 1, "x'": mode.eigenvalue})
    assert repr(mode) == "Mode(0.7797 Hz, damping ratio 0.2: x 50%, x' 50%)"


def test_participation_is_that_of_who_swings_and_none_of_a_multiple_eigenvalue() -> None:
    slow, fast = modes(chain().linearize())
    assert [next(iter(mode.participation)).removesuffix("'") for mode in (slow, fast)] == ["x", "y"]
    s = ph.System("glider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    found = modes(s.derive().linearize())
    assert [(repr(mode), mode.is_simple) for mode in found] == [("Mode(stays)", False)] * 2


def test_real_modes_stand_alone_and_zero_ones_stay_and_a_slow_swing_beside_a_stiff_spring_swings_and_decays() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -4 * x.u[0])
    stays, decays = modes(s.derive().linearize())
    assert (repr(stays), stays.time_constant) == ("Mode(stays: x 100%)", float("inf"))
    assert np.isnan(stays.damping_ratio)
    assert repr(decays) == "Mode(decays by e in 0.5 s: x' 100%)"
    assert (decays.frequency, decays.damping_ratio, decays.is_oscillating) == (0.0, 1.0, False)
    s = ph.System("slow and stiff", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    y = s.joint("y", s.ground, s.body("stone", 1), ph.Prismatic("x"))
    s.joint_force(x, -1e10 * x.q[0])
    s.joint_force(y, -1e-10 * y.q[0] - 2e-6 * y.u[0])
    slow, stiff = modes(s.derive().linearize())
    assert slow.eigenvalue == pytest.approx(complex(-1e-6, np.sqrt(1e-10 - 1e-12)), rel=1e-9)
    assert stiff.eigenvalue == pytest.approx(1e5j) and stiff.eigenvalue.real == 0


def pendulums() -> ph.Equations:
    s = ph.System("two pendulums and a spring", gravity=(0, 0, -10))
    a, b = (s.joint(name, s.ground, s.body(f"bob {name}", 1, (0, 0, -1)), ph.Revolute("y")) for name in "ab")
    k = s.parameter("k", 2)
    s.joint_force(a, k * (b.q[0] - a.q[0]))
    s.joint_force(b, k * (a.q[0] - b.q[0]))
    return s.derive()


def test_the_motion_swings_in_the_modes_time_and_shape_and_a_mode_that_grows_meets_its_amplitude_at_the_end() -> None:
    together, against = pendulums().linearize().modes({"k": 3})
    run = against.trajectory(amplitude=0.01, cycles=2)
    assert run.t[-1] == pytest.approx(2 / against.frequency)
    assert against.frequency == pytest.approx(np.sqrt(16) / (2 * np.pi))
    assert np.abs(run["a"] + run["b"]).max() < 1e-9 and run["a"][0] == pytest.approx(0.01)
    assert np.abs(run["a"] - 0.01 * np.cos(4 * run.t)).max() < 1e-5 and run.info["mode"]["departure"] < 1e-3
    assert run.parameters["k"] == 3
    assert np.abs(together.trajectory(cycles=1)["a"]).max() == pytest.approx(0.15, rel=1e-3)  # what is seen
    s = ph.System("upright", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, 1)), ph.Revolute("y"))
    falls = max(s.derive().linearize().modes(), key=lambda mode: mode.eigenvalue.real)
    run = falls.trajectory(0.1)
    assert run["a"][-1] == pytest.approx(0.1, rel=2e-3) and "at the end" in run.info["mode"]["message"]


def test_a_motion_that_leaves_its_mode_says_so() -> None:
    _, against = pendulums().linearize().modes()
    run = against.trajectory(amplitude=3.0)
    assert run.info["mode"]["message"] == "Amplitude 3; the motion of the full equations leaves the mode."
    assert run.info["mode"]["message"] in run.notices


def test_orientations_steady_motions_and_states_without_mass_start_right() -> None:
    s = ph.System("top", gravity=(0, 0, -10))
    top = s.body("top", 1, com=(0, 0, 0.2), inertia=(0.01, 0.01, 0.02))
    s.joint("ball", s.ground, top, ph.Spherical())
    s.state("heat", rate=lambda heat: -heat)
    sleeping = s.derive().linearize({"ball_wz": 100})
    swinging = [mode for mode in sleeping.modes() if mode.is_oscillating]
    assert len(swinging) >= 2
    assert max(mode.trajectory(0.01, cycles=1).info["mode"]["departure"] for mode in swinging) < 0.02
    (cools,) = [mode for mode in sleeping.modes() if mode.eigenvalue.real < -0.5]
    assert cools.trajectory(2.0)["heat"][0] == pytest.approx(2.0)


def test_what_does_not_move_gets_a_sentence() -> None:
    s = ph.System("glider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    with pytest.raises(ph.PolhodeError, match="a mode with the eigenvalue zero does not move by itself"):
        s.derive().linearize().modes()[0].trajectory()
    swings = pendulums().linearize().modes()[0]
    with pytest.raises(ph.PolhodeError, match="accelerations of this state were prescribed"):
        pendulums().linearize(accelerations={"a": 0}).modes()[0].trajectory()
    refused("are nothing to see", lambda: swings.trajectory(cycles=0))
    refused("is not a number of cycles and an amplitude", lambda: swings.trajectory(amplitude="large"))  # type: ignore[arg-type] # that is the fault


@pytest.mark.parametrize("length", [0.02, 2, 200])
def test_the_tip_of_a_cantilever_moves_by_a_tenth_of_its_length(length: float) -> None:
    s = ph.System("cantilever", gravity=(0, 0, 0))
    rod = s.beam("rod", length=length, mass=3, EI=40, modes=2)
    s.joint("wall", s.ground, rod, "fixed")
    for mode in s.derive().linearize().modes():
        run = mode.trajectory(cycles=1)
        assert run.info["mode"]["departure"] < 1e-3
        tip = sum(np.abs(run[f"rod_z{k}"][0]) for k in (1, 2))  # a mode is one coordinate, whose shape is ±1 at the tip
        assert tip == pytest.approx(0.1 * length, rel=1e-3)


def test_the_modes_of_an_arm_with_a_flexible_link_are_seen_and_stay_small() -> None:
    from pathlib import Path

    equations = ph.load(Path(__file__).parents[3] / "models" / "flexible_arm.yaml").derive()
    modes = equations.linearize(equations.equilibrium()).modes()
    bending = [mode for mode in modes if mode.is_oscillating and mode.participation["boom_z1"] > 0.2]
    assert bending
    for mode in (modes[0], *bending):
        told = mode.trajectory(cycles=1).info["mode"]
        assert told["departure"] < 0.2 and 0.01 < told["amplitude"] < 1
