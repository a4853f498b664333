"""Tangent, chord and mean axes are three frames for one body: what they leave out is of second order."""

import numpy as np
import pytest

import polhode as ph


def tip_path(frame: str, amplitude: float) -> np.ndarray:
    """Where the tip of an arm on a hinge is, that is let go bent."""
    s = ph.System("arm", gravity=(0, 0, 0))
    rod = s.beam("rod", length=1, mass=1, EI=1, modes=2, frame=frame)
    s.joint("hinge", s.ground, rod, ph.Revolute("y"))
    s.joint_spring("hinge", 2)
    tip = rod.at(1, static=False).name
    start = {rod.q[0].name: amplitude, rod.q[1].name: amplitude / 5}
    run = s.derive().simulate(0.8, start=start, samples=np.linspace(0, 0.8, 41), rtol=1e-11, atol=1e-12)
    assert run.energy_drift < 1e-9
    return run.pose(tip)[0]


@pytest.mark.parametrize("frame", ["chord", "mean"])
def test_half_the_amplitude_makes_a_quarter_of_the_difference(frame: str) -> None:
    far, near = (np.abs(tip_path(frame, size) - tip_path("tangent", size)).max() for size in (0.02, 0.01))
    assert 3.8 < far / near < 4.2 and 0.05 * 0.02**2 < far < 10 * 0.02**2


@pytest.mark.parametrize("frame", ["tangent", "chord"])
def test_a_flexible_rod_in_a_closed_loop_keeps_its_energy(frame: str) -> None:
    s = ph.System("slider-crank")
    crank, block = s.body("crank", 1, ("0.15", 0, 0), ("0.01", "0.02", "0.02")), s.body("block", "0.4")
    s.joint("crank", s.ground, crank, ph.Revolute("-y"))
    rod = s.beam("rod", length=1, mass="0.5", EI=10, modes=2, ends=("pinned", "pinned"), frame=frame, stiffening=True)
    s.joint("pin", crank, rod, ph.Revolute("-y"), at=("0.3", 0, 0))
    s.joint("slide", s.ground, block, ph.Prismatic("x"))
    s.close("wrist", rod.at(1, static=False), block, ph.Revolute("y"))
    start = {"crank": 1.0, "rod_z1": 0.02}
    run = s.derive().simulate(1.5, start=start, rtol=1e-10, atol=1e-10)
    assert run.energy_drift < 1e-8 and run.drift.position < 1e-11 and np.ptp(run["crank"]) > 1
    assert np.abs(run["rod_z1"]).max() > 0.01
