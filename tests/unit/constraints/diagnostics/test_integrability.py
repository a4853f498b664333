"""Rolling and skating: which constraints on speeds are integrable to conditions on the position."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.geometry.rotations.quaternion import from_quaternion

UNIT = (1, 1, 1)


def on_the_plane(kind: str = "free") -> tuple[ph.System, ph.Joint]:
    s = ph.System("roller")
    return s, s.joint("j", s.ground, s.body("body", 1, inertia=UNIT), kind)


def test_a_rolling_disc_keeps_two_of_three_constraints_by_manoeuvres_alone() -> None:
    """Contact (x, y), heading, lean, spin: three speeds, five dimensions; steering and rolling reach one at a time."""
    s, _ = on_the_plane()
    s.roll_wheel("rim", "body", s.parameter("r", 1))
    found = s.diagnose({"j_z": 1.0})
    test = found.integrability
    assert test is not None
    assert test.growth == (3, 4, 5)
    assert test.integrable == 1
    assert test.nonholonomic == ("rim along", "rim across")
    assert found.freedom == 3


def test_chaplygins_sleigh_reaches_every_place_and_heading() -> None:
    s, _ = on_the_plane("planar")
    s.knife_edge("blade", "body")
    test = s.diagnose().integrability
    assert test is not None
    assert test.growth == (2, 3)
    assert test.nonholonomic == ("blade",)


def test_a_wheel_that_rolls_along_a_line_is_holonomic() -> None:
    s = ph.System("wheel on a line")
    r = s.parameter("r")
    along = s.joint("along", s.ground, s.body("hub", 1), ph.Prismatic("x"))
    turn = s.joint("turn", "hub", s.body("wheel", 1, inertia=UNIT), ph.Revolute("y"))
    s.constrain_speed(along.u[0] - r * turn.u[0], "rolls")
    found = s.diagnose()
    assert found.integrability is not None
    assert found.integrability.growth == (1,)
    assert found.integrability.holonomic == ("rolls",)
    assert "integrable: rolls" in found.text()


def test_an_upright_wheel_on_a_line_is_holonomic_as_a_wheel_on_a_plane() -> None:
    """The same wheel by its contact: sliding sideways is kept by the tree, rolling can be integrated."""
    s = ph.System("guided wheel")
    s.joint("along", s.ground, s.body("hub", 1), ph.Prismatic("x"), at=(0, 0, 1))
    s.joint("turn", "hub", s.body("wheel", 1, inertia=UNIT), ph.Revolute("y"))
    s.roll_wheel("rim", "wheel", 1)
    found = s.diagnose()
    assert set(found.trivial) == {"rim height", "rim across"}
    assert found.integrability is not None
    assert found.integrability.holonomic == ("rim along",)


def test_a_ball_that_does_not_pivot_has_cartans_growth() -> None:
    """Two speeds, five dimensions, (2, 3, 5): the rolling distribution of Cartan's five-variables paper."""
    s, j = on_the_plane()
    s.roll_ball("ball", "body", 1)
    first = s.diagnose({"j_z": 1.0}).integrability
    assert first is not None
    assert first.growth == (3, 5)
    R = from_quaternion(j.q[:4])
    s.constrain_speed(sum(R[2, k] * j.u[k] for k in range(3)), "no pivoting")
    test = s.diagnose({"j_z": 1.0}).integrability
    assert test is not None
    assert test.growth == (2, 3, 5)


@pytest.mark.parametrize("trailers", [1, 2, 3])
def test_a_car_with_trailers_needs_a_bracket_more_for_each(trailers: int) -> None:
    s, _ = on_the_plane("planar")
    s.knife_edge("axle", "body")
    towing = "body"
    for k in range(trailers):
        s.joint(f"hitch {k}", towing, s.body(f"trailer {k}", 1, inertia=UNIT), ph.Revolute("z"), child_at=(1, 0, 0))
        towing = f"trailer {k}"
        s.knife_edge(f"axle {k}", towing)
    test = s.diagnose().integrability
    assert test is not None
    assert test.growth == tuple(range(2, 4 + trailers))


def test_two_skates_on_one_line_across_say_the_same_and_two_in_tandem_hold_the_heading() -> None:
    s, _ = on_the_plane("planar")
    s.knife_edge("left", "body", at=(0, 1, 0))
    s.knife_edge("right", "body", at=(0, -1, 0))
    found = s.diagnose()
    assert [each.row for each in found.redundant] == ["right"]
    assert found.freedom == 2
    s, _ = on_the_plane("planar")
    s.knife_edge("front", "body", at=(1, 0, 0))
    s.knife_edge("rear", "body", at=(-1, 0, 0))
    found = s.diagnose()
    # It cannot turn, so that it runs on a straight line: both are holonomic.
    assert found.freedom == 1
    assert found.integrability is not None
    assert found.integrability.growth == (1,)
    assert set(found.integrability.holonomic or ()) == {"front", "rear"}


def test_one_combination_of_two_rows_can_be_integrated_though_neither_alone() -> None:
    """A skate, and beside it a slide coupled to its sideways motion: the slide's own motion can be integrated."""
    s, j = on_the_plane("planar")
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    sideways = j.u[2]
    s.constrain_speed(slide.u[0] + sideways, "plus")
    s.constrain_speed(slide.u[0] + 2 * sideways, "double")
    found = s.diagnose()
    test = found.integrability
    assert test is not None
    assert test.growth == (2, 3)
    assert test.integrable == 1
    assert test.holonomic == ()
    assert "1 combination" in found.text()


def test_a_condition_on_speeds_and_time_can_be_integrated_with_time() -> None:
    s = ph.System("conveyor")
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain_speed(slide.u[0] - ph.sin(s.time), "belt")
    test = s.diagnose().integrability
    assert test is not None
    assert test.growth == (0,)
    assert test.holonomic == ("belt",)


def test_a_skate_on_a_turntable_that_is_driven_is_nonholonomic() -> None:
    s = ph.System("turntable")
    s.joint("table", s.ground, s.body("table", 1, inertia=UNIT), ph.Revolute("z"))
    s.joint("glide", "table", s.body("sleigh", 1, inertia=UNIT), ph.Planar("z"))
    s.prescribe("table", s.time**2)
    s.knife_edge("blade", "sleigh")
    test = s.diagnose().integrability
    assert test is not None
    assert test.growth == (2, 3)
    assert test.nonholonomic == ("blade",)


def test_a_nonholonomic_joint_is_told_by_its_growth() -> None:
    """Turns about x and y alone, both fixed in the body: their bracket turns about z."""
    s = ph.System("simple universal")
    kind = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    s.joint("j", s.ground, s.body("body", 1, inertia=UNIT), kind)
    test = s.diagnose().integrability
    assert test is not None
    assert test.growth == (2, 3)
    assert test.nonholonomic is None
