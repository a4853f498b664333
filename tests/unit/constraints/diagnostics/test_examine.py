"""Loops: freedoms, rows that follow from others, dead points, overconstrained and impossible mechanisms."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError, PolhodeError
from polhode.geometry.rotations.quaternion import from_quaternion

UNIT = (1, 1, 1)


def four_bar(
    crank: Any, coupler: Any, rocker: Any, ground: Any, closing: str = "spherical", **options: Any
) -> ph.System:
    s = ph.System("four-bar")
    bodies = [s.body(name, 1, inertia=UNIT) for name in ("crank", "coupler", "rocker")]
    s.joint("crank", s.ground, bodies[0], ph.Revolute("y"))
    s.joint("coupler", bodies[0], bodies[1], ph.Revolute("y"), at=(crank, 0, 0))
    s.joint("rocker", s.ground, bodies[2], ph.Revolute("y"), at=(ground, 0, 0))
    s.close("loop", bodies[1], bodies[2], closing, at_a=(coupler, 0, 0), at_b=(rocker, 0, 0), **options)
    return s


def three_cranks(last: Any = 1) -> ph.System:
    """A plate on three cranks side by side: the third is one too many, if it is as long as the others."""
    s = ph.System("three cranks")
    bodies = [s.body(name, 1, inertia=UNIT) for name in ("a", "plate", "b", "c")]
    s.joint("first", s.ground, bodies[0], ph.Revolute("y"))
    s.joint("plate", bodies[0], bodies[1], ph.Revolute("y"), at=(0, 0, 1))
    s.joint("second", s.ground, bodies[2], ph.Revolute("y"), at=(1, 0, 0))
    s.joint("third", s.ground, bodies[3], ph.Revolute("y"), at=(3, 0, 0))
    s.close("left", bodies[1], bodies[2], "spherical", at_a=(1, 0, 0), at_b=(0, 0, 1))
    s.close("right", bodies[1], bodies[3], "spherical", at_a=(3, 0, 0), at_b=(0, 0, last))
    return s


def bricard() -> ph.System:
    """Six hinges at right angles on links of one length: Bricard's linkage, rigid if rows are counted."""
    s = ph.System("bricard")
    inner = s.ground
    for k in range(5):
        body = s.body(f"link {k}", 1, inertia=UNIT)
        turned = ("x", ph.pi / 2 if k % 2 else -ph.pi / 2)
        placed = {"at": (1, 0, 0), "rotation": turned} if k else {}
        s.joint(f"hinge {k}", inner, body, ph.Revolute("z"), **placed)
        inner = body
    s.close("loop", inner, s.ground, axis="z", at_a=(1, 0, 0), rotation_a=("x", ph.pi / 2), at_b=(-1, 0, 0),
            rotation_b=("x", ph.pi / 2))  # fmt: skip
    return s


def test_a_four_bar_has_one_freedom_and_its_crank_is_independent_and_the_suggested_speeds_derive() -> None:
    found = four_bar(1, 3, 2, 3, "revolute", axis="y").diagnose({"crank": 0.8, "coupler": -0.4, "rocker": 1.3})
    assert found.freedom == 1 and found.independent == 2
    assert set(found.trivial) == {"loop tilt 1", "loop tilt 2", "loop y"} and found.here is not None
    assert found.here.independent == ("crank",) and found.can_move and found.can_be_assembled
    assert not found.is_singular and "choose as independent: crank" in found.text()
    system = four_bar(1, 3, 2, 3)
    pose = {"crank": 0.8, "coupler": -0.4, "rocker": 1.3}
    here = system.diagnose(pose).here
    assert here is not None
    equations = system.derive("newton_euler", independent=list(here.independent), near=pose)
    assert equations.speeds == ["crank"]


def test_parallelograms_and_bricards_linkage_are_not_what_counting_says() -> None:
    found = four_bar(1, 3, 1, 3).diagnose()
    assert found.is_singular and found.here is not None and (found.here.rank, found.here.around) == (1, 2)
    assert found.freedom == 1 and not found.here.redundant and "dead point" in found.text()
    found = bricard().diagnose({f"hinge {k}": (-1.5) ** (k % 2) * 1.5 ** (1 - k % 2) for k in range(5)})
    assert len(found.speeds) == found.independent == 5 and found.freedom == 1 and found.here is not None
    assert len(found.here.redundant) == 1


def test_a_third_equal_crank_is_redundant_on_the_constraint_surface_alone() -> None:
    pose = {"first": 0.3, "plate": -0.3, "second": 0.3, "third": 0.3}
    found = three_cranks().diagnose(pose)
    assert found.independent == 4  # at coordinates that keep nothing, all rows differ
    assert not found.redundant and found.freedom == 1 and found.here is not None
    assert [each.row for each in found.here.redundant] == ["right z"] and not found.is_singular
    assert "overconstrained" in found.text()


@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_a_joint_that_could_only_close_the_wrong_way_round_does_not_close(kind: str) -> None:
    """A door on one hinge: a second joint half a turn off keeps all its conditions, and is not closed."""
    s = ph.System("door")
    s.joint("hinge", s.ground, s.body("door", 1, inertia=UNIT), ph.Revolute("y"))
    bolted = {"axis": "y"} if kind == "revolute" else {}
    s.close("bolt", s.ground, "door", kind, rotation_b=("z", ph.pi), **bolted)
    found = s.diagnose()
    assert not found.can_be_assembled and found.here is not None and "bolt branch" in found.here.off


def test_a_hinge_is_assembled_the_right_way_round_and_undefined_constraints_are_refused() -> None:
    s = ph.System("door")
    s.joint("ball", s.ground, s.body("door", 1, inertia=UNIT), ph.Spherical())
    s.close("hinge", s.ground, "door", "revolute", axis="z")
    found = s.diagnose({"ball_e0": 0.1, "ball_e1": 0.995})
    assert found.can_be_assembled and found.freedom == 1 and found.here is not None
    e = [found.here.coordinates[f"ball_e{k}"] for k in range(4)]
    assert 1 - 2 * (e[1] ** 2 + e[2] ** 2) == pytest.approx(1)
    for on_speeds in (False, True):
        s, slide = slider()
        unreal = ph.sqrt(-1 - slide.q[0] ** 2)
        if on_speeds:
            s.constrain_speed(unreal * slide.u[0], "unreal")
        else:
            s.constrain(unreal, "unreal")
        with pytest.raises(PolhodeError, match="'unreal': it is not defined") as raised:
            s.diagnose()
        assert raised.value.problems[0].code == "E-CONSTRAINT-SINGULAR"


def test_a_pose_where_rows_are_not_defined_is_left_for_one_beside_it() -> None:
    """A disc that lies flat has no lowest point."""
    s = ph.System("coin")
    s.joint("j", s.ground, s.body("coin", 1, inertia=UNIT), ph.Free())
    s.roll_wheel("rim", "coin", 1, axis="z")
    found = s.diagnose()
    assert found.freedom == 3 and found.here is not None and found.here.moved


def test_what_locks_is_only_what_would_set_something_free_and_a_stretched_pair_of_bars_is_shaky() -> None:
    s = ph.System("pair")
    x = s.joint("x", s.ground, s.body("a", 1), ph.Prismatic("x"))
    y = s.joint("y", "a", s.body("b", 1), ph.Prismatic("y"))
    s.constrain(x.q[0], "hold x")
    s.constrain(y.q[0] + y.q[0] ** 3, "hold y")
    s.constrain(y.q[0] - y.q[0] ** 3, "hold y again")
    found = s.diagnose()
    assert not found.can_move and found.here is not None and found.here.locks == ("hold x",)
    s = ph.System("stretched")
    a, b = s.body("a", 1, inertia=UNIT), s.body("b", 1, inertia=UNIT)
    s.joint("p", s.ground, a, ph.Revolute("y"))
    s.joint("q", a, b, ph.Revolute("y"), at=(1, 0, 0))
    s.close("pin", b, s.ground, "spherical", at_a=(1, 0, 0), at_b=(2, 0, 0))
    found = s.diagnose()
    assert found.is_shaky and found.freedom == 0 and not found.can_move and "shaky" in found.text()


def slider() -> tuple[ph.System, ph.Joint]:
    s = ph.System("slider")
    return s, s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))


def test_two_places_for_one_block_contradict_each_other_and_rows_that_agree_do_not_contradict_each_other() -> None:
    s, slide = slider()
    s.constrain(slide.q[0] - 1, "here")
    s.constrain(slide.q[0] - 2, "there")
    found = s.diagnose()
    assert not found.can_be_assembled and found.here is not None and set(found.here.off) == {"here", "there"}
    assert "contradictory: 'there'" in found.text()
    s, slide = slider()
    s.constrain_speed(slide.u[0] - 1, "one")
    s.constrain_speed(2 * slide.u[0] - 2, "two")
    found = s.diagnose()
    assert not found.contradictory and [each.row for each in found.redundant] == ["two"]
    assert found.can_be_assembled and found.driven
    s, slide = slider()
    s.constrain(slide.q[0] - s.time, "linear")
    s.constrain(slide.q[0] ** 2 - s.time**2, "square")
    found = s.diagnose()
    assert not found.contradictory and found.can_be_assembled


def test_what_nothing_can_bring_to_zero_is_told_with_all_its_rows() -> None:
    s = ph.System("hinge")
    s.joint("hinge", s.ground, s.body("door", 1, inertia=UNIT), ph.Revolute("y"))
    s.close("bolt", s.ground, "door", "spherical", at_a=(0, 1, 0))
    s.close("lock", s.ground, "door", "spherical", at_a=(0, 2, 0))
    found = s.diagnose()
    assert len(found.impossible) == 2 and "'bolt y'" in found.text()
    with pytest.raises(ModelError, match="'bolt y'") as raised:
        s.derive()
    assert len(raised.value.problems) == 2


def test_time_that_moves_everything_leaves_no_freedom_and_is_no_lock() -> None:
    s = four_bar(1, 3, 2, 3)
    s.prescribe("crank", s.time)
    found = s.diagnose({"coupler": -0.4, "rocker": 1.3})
    assert found.freedom == 0 and found.driven and found.can_move and "time moves it" in found.text()


def test_trees_are_free_and_parameters_need_values_and_a_pose_that_is_not_there_is_refused() -> None:
    s, _ = slider()
    found = s.diagnose()
    assert str(found) == "slider: 1 speed, 0 constraints; 1 degree of freedom."
    s = ph.System("open")
    length = s.parameter("length")
    s.joint("hinge", s.ground, s.body("bar", 1, inertia=UNIT), ph.Revolute("y"), at=(length, 0, 0))
    assert s.diagnose().assumed == ("length",)
    record = json.loads(json.dumps(three_cranks().diagnose({"first": 0.3}).as_json(), allow_nan=False))
    assert record["freedom"] == 1 and record["here"]["redundant"][0]["row"]
    page = (Path(__file__).parents[4] / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    found = three_cranks().diagnose({"first": 0.3, "plate": -0.3, "second": 0.3, "third": 0.3})
    assert all(f"    {line}\n" in page for line in found.text().splitlines())
    s, _ = slider()
    s.pose("start", {"slide": 1})
    assert "start" in refused("no pose 'strat'", lambda: s.diagnose("strat"), ModelError)
    refused("no coordinate 'glide'", lambda: s.diagnose({"glide": 0}), ModelError)


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
    assert test is not None and test.growth == (3, 4, 5) and test.integrable == 1
    assert test.nonholonomic == ("rim along", "rim across")
    assert found.freedom == 3


def test_a_wheel_that_rolls_along_a_line_is_holonomic() -> None:
    s = ph.System("wheel on a line")
    r = s.parameter("r")
    along = s.joint("along", s.ground, s.body("hub", 1), ph.Prismatic("x"))
    turn = s.joint("turn", "hub", s.body("wheel", 1, inertia=UNIT), ph.Revolute("y"))
    s.constrain_speed(along.u[0] - r * turn.u[0], "rolls")
    found = s.diagnose()
    assert found.integrability is not None and found.integrability.growth == (1,)
    assert found.integrability.holonomic == ("rolls",) and "integrable: rolls" in found.text()


def test_a_ball_that_does_not_pivot_has_cartans_growth() -> None:
    """Two speeds, five dimensions, (2, 3, 5): the rolling distribution of Cartan's five-variables paper."""
    s, j = on_the_plane()
    s.roll_ball("ball", "body", 1)
    first = s.diagnose({"j_z": 1.0}).integrability
    assert first is not None and first.growth == (3, 5)
    R = from_quaternion(j.q[:4])
    s.constrain_speed(sum(R[2, k] * j.u[k] for k in range(3)), "no pivoting")
    test = s.diagnose({"j_z": 1.0}).integrability
    assert test is not None and test.growth == (2, 3, 5)


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
    assert test is not None and test.growth == tuple(range(2, 4 + trailers))


def test_two_skates_on_one_line_across_say_the_same_and_two_in_tandem_hold_the_heading() -> None:
    s, _ = on_the_plane("planar")
    s.knife_edge("left", "body", at=(0, 1, 0))
    s.knife_edge("right", "body", at=(0, -1, 0))
    found = s.diagnose()
    assert [each.row for each in found.redundant] == ["right"] and found.freedom == 2
    s, _ = on_the_plane("planar")
    s.knife_edge("front", "body", at=(1, 0, 0))
    s.knife_edge("rear", "body", at=(-1, 0, 0))
    found = s.diagnose()
    # It cannot turn, so that it runs on a straight line: both are holonomic.
    assert found.freedom == 1 and found.integrability is not None and found.integrability.growth == (1,)
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
    assert test is not None and test.growth == (2, 3) and test.integrable == 1 and test.holonomic == ()
    assert "1 combination" in found.text()


def test_conditions_on_speeds_and_time_are_integrated_and_a_driven_skate_is_nonholonomic() -> None:
    s = ph.System("conveyor")
    slide = s.joint("slide", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.constrain_speed(slide.u[0] - ph.sin(s.time), "belt")
    test = s.diagnose().integrability
    assert test is not None and test.growth == (0,) and test.holonomic == ("belt",)
    s = ph.System("turntable")
    s.joint("table", s.ground, s.body("table", 1, inertia=UNIT), ph.Revolute("z"))
    s.joint("glide", "table", s.body("sleigh", 1, inertia=UNIT), ph.Planar("z"))
    s.prescribe("table", s.time**2)
    s.knife_edge("blade", "sleigh")
    test = s.diagnose().integrability
    assert test is not None and test.growth == (2, 3) and test.nonholonomic == ("blade",)


def test_a_nonholonomic_joint_is_told_by_its_growth() -> None:
    """Turns about x and y alone, both fixed in the body: their bracket turns about z."""
    s = ph.System("simple universal")
    kind = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    s.joint("j", s.ground, s.body("body", 1, inertia=UNIT), kind)
    test = s.diagnose().integrability
    assert test is not None and test.growth == (2, 3) and test.nonholonomic is None
