"""heyoka on our equations: it ends where our own run does, and where closed forms say."""

import math
from pathlib import Path

import numpy as np
import pytest
from bench import build
from bench.motions import FOUR_BARS, T_HANDLE, Motion, equivalent_pendulum, last_row

import polhode as ph

pytest.importorskip("heyoka")

from bench.peers.heyoka import Heyoka, reference


def oscillator() -> ph.System:
    system = ph.System("oscillator")
    k = system.parameter("k", 4)
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))
    system.joint_spring("x", k)
    return system


def test_a_t_handle_ends_where_ours_does() -> None:
    motion = Motion("T-handle", T_HANDLE.make, 1.0, {}, T_HANDLE.speeds)
    run = motion.equations.simulate(1.0, speeds=dict(motion.speeds), progress=False)
    assert np.allclose(Heyoka(motion, 1e-6)(), last_row(run), atol=1e-5)


@pytest.mark.parametrize("stiff", [False, True])
def test_the_reference_of_an_oscillator_is_its_cosine(
    stiff: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BUILT", tmp_path)
    motion = Motion("oscillator", oscillator, 3.0, {"x": 1.0}, is_stiff=stiff)
    assert np.allclose(reference(motion), [math.cos(6.0), -2 * math.sin(6.0)], rtol=4e-16, atol=0)


@pytest.mark.parametrize("windows", [1, 10])
def test_four_bars_accelerate_as_their_pendulum(windows: int) -> None:
    motion = next(motion for motion in FOUR_BARS if len(motion.equations.q) == 2 * windows + 1)
    signs = np.resize([1.0, -1.0], 2 * windows + 1)
    cranks = motion.equations.compile().forward_dynamics(0.4 * signs, 2.0 * signs)
    (pendulum,) = equivalent_pendulum(windows).derive().compile().forward_dynamics([0.4], [2.0])
    assert np.allclose(cranks, pendulum * signs, rtol=1e-9, atol=1e-9)
