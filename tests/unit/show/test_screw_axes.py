"""Instantaneous screw axes along a run, as the lines that a page draws."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.show.scene import drawn_motion
from polhode.show.screw_axes import moving_axes


def two_links() -> ph.System:
    s = ph.System("two links", gravity=(0, "-9.81", 0))
    first, second = (s.body(name, 1, (1, 0, 0)) for name in ("first", "second"))
    s.joint("a", s.ground, first, ph.Revolute("z"))
    s.joint("b", first, second, ph.Screw("z", "0.2"), at=(2, 0, 0))
    return s


def test_an_axis_goes_through_the_points_that_move_along_it() -> None:
    run = two_links().derive().simulate(1, start={"a": 0.3}, samples=11)
    scene, _ = drawn_motion(run)
    first, second = moving_axes(run, True, scene)
    assert (first.name, second.name) == ("screw axis of first", "screw axis of second")
    assert np.isnan(first.ends[0]).all(), "at rest there is none"
    assert first.ends[1:, :, :2] == pytest.approx(0, abs=1e-12)
    rates = run.u.sum(1)[5:-1], run.u[5:-1, 0]
    q = run.q[5:-1, 0]
    elbow = 2 * np.stack([np.cos(q), np.sin(q)], axis=1)
    velocity = 2 * rates[1][:, None] * np.stack([-np.sin(q), np.cos(q)], axis=1)
    arm = second.ends[5:-1, 0, :2] - elbow
    assert velocity + rates[0][:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1) == pytest.approx(0, abs=1e-9)


def test_axes_are_asked_for_by_name_and_have_the_colour_of_their_body() -> None:
    run = two_links().derive().simulate(0.5, start={"a": 0.3}, samples=5)
    scene, _ = drawn_motion(run)
    (only,) = moving_axes(run, "second", scene)
    number = [body.name for body in scene.bodies].index("second")
    assert only.color == scene.bodies[number].color(number)
    assert moving_axes(run, False, scene) == [] and len(moving_axes(run, ["first", "second"], scene)) == 2


def test_a_body_that_only_slides_or_turns_far_away_has_no_axis_drawn() -> None:
    s = ph.System("slider")
    s.joint("rail", s.ground, s.body("block", 1, inertia=(1, 1, 1)), ph.Compound(ph.Prismatic("x"), ph.Revolute("y")))
    run = s.derive().simulate(1, speeds=[1, 0], samples=5)
    scene, _ = drawn_motion(run)
    (line,) = moving_axes(run, True, scene)
    assert np.isnan(line.ends).all()
    fast = s.derive().simulate(1, speeds=[1000, 1], samples=5)
    assert np.isnan(moving_axes(fast, True, scene)[0].ends).all()


def test_an_unknown_body_is_refused_with_a_hint(tmp_path) -> None:
    run = two_links().derive().simulate(0.1, samples=3)
    with pytest.raises(PolhodeError, match="there is no body 'secnd'"):
        run.animate(tmp_path / "run.html", screw_axes=["secnd"])
    with pytest.raises(PolhodeError, match="5 is not True or a list of bodies"):
        run.animate(tmp_path / "run.html", screw_axes=5)
    assert not list(tmp_path.iterdir())


def test_the_page_carries_them(tmp_path) -> None:
    run = two_links().derive().simulate(0.5, start={"a": 0.3}, samples=5)
    text = run.animate(tmp_path / "run.html", screw_axes=True).read_text(encoding="utf-8")
    assert "screw axis of second" in text
