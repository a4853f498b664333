"""Contacts that change often, several at one time, or without moving anything: runs end, and obey mechanics."""

import numpy as np
import pytest
from tests.trials.contact_drops import SCENES, judged

import polhode as ph

CASES = {
    "capsules": (1, 9, 18), "ball and box": (6, 18), "planar boxes": (2, 5, 16, 18), "dominoes": (0, 1, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_drops_end_without_gain_of_energy_and_without_overlap(name):
    equations = SCENES[name].equations()
    assert {seed: judged(SCENES[name], equations, seed)[0] for seed in CASES[name]} == dict.fromkeys(
        CASES[name], "done"
    )


def test_a_ball_that_slips_off_a_capsule_flies():
    s = ph.System("ball on a capsule")
    ball = s.body("b", 1, inertia=ph.sphere(1, 0.1))
    s.joint("f", s.ground, ball, ph.Free())
    log = s.surface("o", s.ground, ph.Shape.capsule(0.2, 1))
    s.contact("c", s.surface("k", ball, ph.Shape.sphere(0.1)), log, friction=0.6, restitution=0.3)
    equations = s.derive()
    for seed in (12, 19):
        rng = np.random.default_rng(seed)
        start = {"f_z": 1.2, "f_x": rng.normal() * 0.05, "f_y": rng.normal() * 0.05}
        run = equations.simulate(1, start=start, speeds={"f_wx": rng.normal() * 9}, samples=401)
        event, after = run.contact_events[-1], run.t > run.contact_events[-1].t
        assert event.what == "opens"
        assert (run.contact("c").gap[after][1:] > 0).all()
        assert np.abs(np.diff(run["f_z"][after][1:], 2) + 9.81 / 400**2).max() < 1e-8


def test_a_bead_in_a_slot_without_clearance_changes_no_modes():
    s = ph.System("slot")
    slider = s.body("bx", 0)
    s.joint("x", s.ground, slider, ph.Prismatic("x"), speeds=["vx"])
    bead = s.body("b", 1)
    s.joint("z", slider, bead, ph.Prismatic("z"), speeds=["vz"])
    for name, radius in (("in", -1), ("out", 1)):
        s.contact(name, bead, s.surface(f"{name} side", s.ground, ph.Shape.sphere(radius)), friction=0.15)
    run = s.derive().simulate(3, start={"z": -1}, speeds={"vx": 7}, samples=301)
    assert len(run.contact_events) < 20
    assert np.abs(np.hypot(run["x"], run["z"]) - 1).max() < 1e-9
