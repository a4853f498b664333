"""Arrows of contact forces are the forces, where bodies touch, in the colour of the mode."""

from math import cos, sin

import numpy as np

import polhode as ph
from polhode.show.animation import moving_arrows
from polhode.show.contact_arrows import MODES, contact_forces
from polhode.show.panels import panels_of
from polhode.simulate.trajectory.channels import channels_of


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
    arrows = [line for line in lines if line.arrow]
    assert {(line.name, line.color) for line in arrows} == {(f"sole, {word}", color) for word, color in MODES.values()}
    assert len(arrows) == 8 and len(lines) == 8 + 4
    shown = next(line.ends for line in arrows if line.name == "sole, slipping")
    assert np.isfinite(shown[slips]).all() and np.isnan(shown[~slips]).all()
    cone = lines[0]
    assert cone.name == "friction cones" and cone.opening == friction
    assert np.allclose(np.cross(cone.ends[:, 1] - cone.ends[:, 0], n), 0, atol=1e-12)
    assert "sole, sticking" in run.animate().page and "sole, sticking" not in run.animate(arrows=[]).page
    assert all(len(axes.lines) >= 2 for axes in run.plot().axes)


def test_modes_are_numbered_alike_everywhere_and_named_on_axes() -> None:
    s = ph.System("box")
    s.joint("x", s.ground, s.body("box", 1), ph.Prismatic("x"))
    s.friction("x", 2)
    run = s.derive().simulate(1, speeds={"x'": 1}, samples=12)
    slips = run.contact("x friction").mode == "slip"
    assert slips[0] and not slips[-1]
    title, unit, modes = panels_of(run, [])[-1]
    (channel,), _ = channels_of(run, "mode(x friction)")
    assert (title, unit, channel.unit) == ("Contacts", "mode", "mode")
    assert (modes["x friction"] == np.where(slips, 2, 1)).all() and (channel.values == np.where(slips, 2, 1)).all()
    for figure in (run.plot(), run.plot(channels="mode(x friction)")):
        (line, *_), words = figure.axes[-1].lines, [each.get_text() for each in figure.axes[-1].get_yticklabels()]
        assert words == ["open", "stick", "slip"] and line.get_drawstyle() == "steps-post"
    assert '"words":["open","stick","slip"]' in run.animate(channels="mode(x friction)").page
    (between,) = channel.at(run.t, np.linspace(0, 1, 999))
    assert {*between.tolist()} == {1, 2}


def test_a_force_of_the_ground_is_shown_on_the_body() -> None:
    s = ph.System("plate", gravity=(0, 0, -10))
    plate = s.body("plate", 2)
    s.joint("z", s.ground, plate, ph.Prismatic("z"))
    s.contact("tip", s.ground.point((0, 0, 0)), s.surface("below", plate, ph.Shape.plane("-z")))
    run = s.derive().simulate(0.1, samples=2)
    (found,) = contact_forces(run)
    assert np.allclose(found.force, [0, 0, 20])


def test_a_cone_in_a_plane_is_two_lines() -> None:
    s = ph.System("block", gravity=(0, 0, -10))
    block = s.body("block", 2)
    s.joint("path", s.ground, block, ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    s.contact("sole", block, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.5)
    run = s.derive().simulate(0.1, samples=2)
    *edges, arrow = moving_arrows(run, None)
    ways = [(line.ends[0, 1] - line.ends[0, 0])[[0, 2]] for line in edges]
    assert arrow.arrow and sorted(float(x / z) for x, z in ways) == [-0.5, 0.5]


def test_reactions_beside_contacts_are_shown() -> None:
    s = ph.System("arm on a table", gravity=(0, 0, -10))
    arm = s.body("arm", 2, (1, 0, 0), (0, 1, 1))
    s.joint("hinge", s.ground, arm, ph.Revolute("y"))
    s.contact("tip", arm.point((2, 0, 0)), s.surface("table", s.ground, ph.Shape.plane()))
    run = s.derive().simulate(0.1, samples=2)
    assert [line.name for line in moving_arrows(run, "reactions")] == ["reaction of hinge"]
    assert np.allclose(run.reaction("hinge").force, [0, 0, 10])
