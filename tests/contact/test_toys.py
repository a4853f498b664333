"""The tippe top and the woodpecker."""

import numpy as np
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT

import polhode as ph


def test_a_tippe_top_keeps_jelletts_integral() -> None:
    """-L·p, p from the centre of mass to the contact, stays whatever the friction does; the energy falls."""
    mass, radius, offset, tilt = 0.02, 0.02, 0.006, 0.1
    inertia = mass * radius**2 * np.array([131 / 350, 131 / 350, 2 / 5])
    s = ph.System("tippe top")
    top = s.body("top", mass, inertia=inertia)
    s.joint("f", s.ground, top, ph.Free())
    skin = s.surface("skin", top, ph.Shape.sphere(radius), at=(0, 0, offset))
    s.contact("touch", skin, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.02)
    start = {"f_e0": np.cos(tilt / 2), "f_e1": np.sin(tilt / 2), "f_z": radius - offset * np.cos(tilt)}
    run = s.derive().simulate(3, start=start, speeds={"f_wz": 300}, samples=201, **EXACT)
    turn = Rotation.from_quat(np.column_stack([run[f"f_e{k}"] for k in (1, 2, 3, 0)]))
    spin = turn.apply(inertia * np.column_stack([run.speed(f"f_w{axis}") for axis in "xyz"]))
    arm = turn.apply([0, 0, offset]) - [0, 0, radius]
    jellett = -(spin * arm).sum(axis=1)
    assert np.ptp(jellett) < 1e-9 * jellett[0]
    assert abs(run["f_z"] + arm[:, 2]).max() < 1e-12
    energy = run.energy.total
    assert np.diff(energy).max() < 1e-11 * energy[0]
    assert energy[-1] < 0.99 * energy[0]
    assert {"slip", "stick"} == set(run.contact("touch").mode)
