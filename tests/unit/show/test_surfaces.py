"""Surfaces in pictures."""

import polhode as ph
from polhode.show.scene import Painter


def test_surfaces_are_drawn_once_and_a_level_plane_is_the_floor():
    s = ph.System("yard")
    drum = ph.Shape.cylinder(0.2, 0.5)
    ball = s.body("ball", 1, inertia=ph.sphere(1, 0.1), shapes=drum)
    s.joint("flight", s.ground, ball, ph.Free())
    s.surface("floor", s.ground, ph.Shape.plane(), at=(0, 0, -2))
    s.surface("slope", s.ground, ph.Shape.plane(), rotation=("y", 0.3))
    s.surface("road", s.ground, ph.Shape.curve(ph.sin))
    s.surface("hills", s.ground, ph.Shape.heights(lambda x, y: x * y / 10))
    s.surface("bowl", s.ground, ph.Shape.sphere(-3))
    s.surface("skin", ball, drum)
    s.surface("rim", ball, ph.Shape.disc(0.3))
    scene = Painter(s.model(), {}, {}).scene("yard")
    assert scene.floor
    assert scene.ground == -2
    ground, drawn = scene.bodies
    assert [shape.kind for shape in drawn.shapes] == ["cylinder", "cylinder"]
    kinds = [shape.kind for shape in ground.shapes]
    assert kinds.count("patch") == 1  # the slope
    assert kinds.count("box") == 48 + 2 * 9 * 17
