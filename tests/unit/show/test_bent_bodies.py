"""Flexible bodies are drawn by all their centre lines."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.show.scene import drawn_motion


def test_each_bar_of_a_flexible_body_is_drawn_where_it_is_bent() -> None:
    s = ph.System("frame", gravity=(0, 0, 0))
    bars = [(1, (-1, y, 0), (1, y, 0)) for y in (-0.5, 0.5)]
    frame = s.flexible_body("frame", shapes=[lambda x, y, z: (0, 0, x**2)], material=bars, stiffness=[10])
    s.joint("wall", s.ground, frame, "fixed")
    run = s.derive().simulate(0.1, start={"frame_1": 0.25}, samples=3)
    _, motion = drawn_motion(run)
    ends = np.array([line.ends[0] for line in motion.lines]).reshape(-1, 3)
    assert {round(float(y), 9) for y in ends[:, 1]} == {-0.5, 0.5}
    assert np.allclose(ends[:, 2], 0.25 * ends[:, 0] ** 2)


def test_a_beam_of_several_segments_is_one_line() -> None:
    s = ph.System("boom", gravity=(0, 0, 0))
    boom = s.beam("boom", length=2, mass=1, EI=10, modes=1)
    s.joint("wall", s.ground, boom, "fixed")
    s.force(boom.at(1), (0, 0, 1))
    _, motion = drawn_motion(s.derive().simulate(0.1, samples=3))
    starts, stops = (np.array([line.ends[0][k][0] for line in motion.lines]) for k in (0, 1))
    assert np.allclose(starts[1:], stops[:-1]) and (starts[0], stops[-1]) == (0, 2)


def test_the_page_lists_what_is_drawn_and_not_the_parts_of_a_flexible_body() -> None:
    s = ph.System("arm")
    boom = s.beam("boom", length=2, mass=1, EI=10, modes=1)
    s.joint("root", s.ground, boom, "fixed")
    s.joint("tip", boom.at(2), s.body("load", 1, (0, 0, -1)), ph.Revolute("y"))
    s.frame("eye", boom.at(1, static=False))
    scene, motion = drawn_motion(s.derive().simulate(0.1, samples=3))
    assert [body.name for body in scene.bodies if body.listed] == ["ground", "boom", "boom at 2", "load"]
    assert all(body.listed or not body.shapes for body in scene.bodies)
    colors = {body.name: body.color(k) for k, body in enumerate(scene.bodies)}
    assert {line.color for line in motion.lines} == {colors["boom"]}
