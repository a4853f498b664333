"""Arrows of contact forces are the forces, where bodies touch, in the colour of the mode."""

from math import cos, sin

import numpy as np

import polhode as ph
from polhode.show.animation import moving_arrows
from polhode.show.contact_arrows import MODES, contact_forces


def test_a_box_slides_up_a_slope_and_sticks() -> None:
    angle, friction = 0.3, 0.4
    s = ph.System("box", gravity=(0, 0, -10))
    box = s.body("box", 2, inertia=(1, 1, 1))
    s.joint("free", s.ground, box, ph.Free())
    slope = s.surface("slope", s.ground, ph.Shape.plane("z"), rotation=("y", angle))
    s.contact("sole", s.surface("faces", box, ph.Shape.box(1, 1, 1)), slope, friction=friction)
    n, t = np.array([sin(angle), 0, cos(angle)]), np.array([cos(angle), 0, -sin(angle)])
    x, _, z = 0.5 * n
    start = {"free_e0": cos(angle / 2), "free_e2": sin(angle / 2), "free_x": x, "free_z": z}
    run = s.derive().simulate(1, start=start, speeds={"free_vx": -1})

    found = [each for each in contact_forces(run) if not (each.mode == "open").all()]
    assert len(found) == 4
    assert all(np.abs(each.place @ n).max() < 1e-9 for each in found), "on the slope"
    total, weight = sum(each.force for each in found), 20.0
    slips = found[0].mode == "slip"
    assert slips[0] and not slips[-1]
    assert np.allclose(total @ n, weight * cos(angle), rtol=1e-9)
    assert np.allclose(total[slips] @ t, friction * weight * cos(angle), rtol=1e-7), "against the slip, down the slope"
    assert np.allclose(total[~slips] @ t, -weight * sin(angle), rtol=1e-7), "what holds it"

    lines = moving_arrows(run, "contacts")
    arrows = {line.name: line for line in lines if line.arrow}
    assert {line.color for name, line in arrows.items() if "sticking" in name} == {MODES["stick"][1]}
    assert len(arrows) == 8 and len(lines) == 8 + 4 * 8
    shown = arrows["sole vertex 1, slipping"].ends
    assert np.isfinite(shown[slips]).all() and np.isnan(shown[~slips]).all()
    assert "sole vertex 1, sticking" in run.animate(arrows=["sole"]).page


def test_a_force_of_the_ground_is_shown_on_the_body() -> None:
    s = ph.System("plate", gravity=(0, 0, -10))
    plate = s.body("plate", 2)
    s.joint("z", s.ground, plate, ph.Prismatic("z"))
    s.contact("tip", s.ground.point((0, 0, 0)), s.surface("below", plate, ph.Shape.plane("-z")))
    run = s.derive().simulate(0.1, samples=2)
    (found,) = contact_forces(run)
    assert np.allclose(found.force, [0, 0, 20])


def test_reactions_beside_contacts_are_shown() -> None:
    s = ph.System("arm on a table", gravity=(0, 0, -10))
    arm = s.body("arm", 2, (1, 0, 0), (0, 1, 1))
    s.joint("hinge", s.ground, arm, ph.Revolute("y"))
    s.contact("tip", arm.point((2, 0, 0)), s.surface("table", s.ground, ph.Shape.plane()))
    run = s.derive().simulate(0.1, samples=2)
    assert [line.name for line in moving_arrows(run, "reactions")] == ["reaction of hinge"]
    assert np.allclose(run.reaction("hinge").force, [0, 0, 10])
