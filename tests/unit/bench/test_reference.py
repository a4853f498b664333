"""References in quadruple precision: two methods that agree with each other and with closed forms."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from bench import native_build, reference
from bench.motions import FOUR_BARS, Motion, equivalent_pendulum

import polhode as ph

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (native_build, reference):
        monkeypatch.setattr(module, "BUILT", tmp_path)


def oscillator() -> ph.System:
    system = ph.System("oscillator")
    k = system.parameter("k", 4)
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))
    system.joint_spring("x", k)
    return system


@needs_gcc
@pytest.mark.parametrize("stiff", [False, True])
def test_an_oscillator_ends_where_its_cosine_says(stiff: bool) -> None:
    motion = Motion("oscillator", oscillator, 3.0, {"x": 1.0}, is_stiff=stiff)
    exact = [math.cos(6.0), -2 * math.sin(6.0)]
    assert np.allclose(reference.reference(motion, lambda _: None), exact, rtol=4e-16, atol=0)


@pytest.mark.parametrize("windows", [1, 10])
def test_four_bars_accelerate_as_their_pendulum(windows: int) -> None:
    motion = next(motion for motion in FOUR_BARS if len(motion.equations.q) == 2 * windows + 1)
    signs = np.resize([1.0, -1.0], 2 * windows + 1)
    cranks = motion.equations.compile().forward_dynamics(0.4 * signs, 2.0 * signs)
    (pendulum,) = equivalent_pendulum(windows).derive().compile().forward_dynamics([0.4], [2.0])
    assert np.allclose(cranks, pendulum * signs, rtol=1e-9, atol=1e-9)
