"""Pendulums are swung up and caught by an exported controller against the exported mechanism, as in a run."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.loop_in_c import loop_in_c

import polhode as ph
from polhode.model.samples.underactuated import cart_pole, furuta_pendulum

#: The mechanism, the angle that is zero upright, the gains of the swing-up, and how long it takes.
CASES = {
    "cart-pole": (cart_pole, "theta", {"ke": 80, "kp": 1, "kv": 1, "limit": 8}, 6.0),
    "Furuta": (furuta_pendulum, "pendulum", {"ke": 1000, "kp": 10, "kv": 1, "limit": 60}, 6.0),
}
SAMPLE_TIME, STEP = 0.002, 0.0005


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
@pytest.mark.parametrize("name", CASES)
def test_a_swing_up_caught_by_lqr_is_the_same_in_c(name: str, tmp_path: Path) -> None:
    make, angle, gains, duration = CASES[name]
    e = make().derive()
    swing = ph.control.EnergyControl(e, {angle: 0}, **gains)  # type: ignore[arg-type] # gains have many kinds
    regulator = ph.control.LQR(e.linearize(), Q=1, R=10)
    caught = ph.control.Switched(
        swing, regulator, within={angle: 0.3, f"{angle}'": 2}, turning=[angle], sample_time=SAMPLE_TIME
    )
    run = e.simulate(
        duration,
        controller=caught,
        start={angle: 3.0},
        method="rk4",
        step=STEP,
        samples=round(duration / SAMPLE_TIME) + 1,
    )
    start = [*run.q[0], *run.u[0]]
    every = round(SAMPLE_TIME / STEP)
    wanted = [0.0] * 2 * len(e.q)  # the regulator holds the operating point
    there = loop_in_c(tmp_path, e, caught, start, h=STEP, steps=round(duration / STEP), every=every, reference=wanted)
    made = np.hstack([run.q, run.u])[1:]
    assert np.abs(made - there).max() < 1e-8
    assert 1 - np.cos(there[-1][e.coordinates.index(angle)]) < 1e-4, "it stands"
