"""Contacts, stops and dry friction as a user states them."""

import pytest

import polhode as ph
from polhode.constraints.unilateral import unilateral_rows
from polhode.errors import ModelError
from polhode.expr import evaluate
from polhode.kinematics.tree import build_tree


def rows(s: ph.System):
    return unilateral_rows(s.model(), build_tree(s.model()))


def planar() -> tuple[ph.System, ph.Body]:
    s = ph.System("planar")
    body = s.body("body", 1, inertia=(1, 1, 1))
    s.joint("move", s.ground, body, ph.Planar("y"))
    return s, body


def test_a_motion_in_a_plane_has_one_tangent_and_candidates_side_by_side_are_one():
    s, body = planar()
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("box", s.surface("box", body, ph.Shape.box(1, 2, 3)), floor, friction=0.5)
    s.contact("wheel", s.surface("wheel", body, ph.Shape.cylinder(2, 1), rotation=("x", ph.pi / 2)), floor, friction=1)
    s.contact("bare", body, s.surface("ball", s.ground, ph.Shape.sphere(1)))
    groups = rows(s).groups
    assert [(name, group.tangents) for name, group in groups] == [("box", 1)] * 4 + [("wheel", 1), ("bare", 0)]


def test_the_rate_of_a_stop_is_that_of_its_coordinate():
    """The speeds of a planar joint are along its own axes, and its stops in the ground."""
    s, _ = planar()
    s.stop("move", -1, 2, index=1)
    table = rows(s)
    angle, x, y = s.joints["move"].q
    at = dict(zip(s.joints["move"].u, (0.3, 2.0, -1.0), strict=True)) | {angle: 0.7, x: 0.5, y: 0.1}
    assert evaluate(table.gaps, at) == pytest.approx([1.5, 1.5])
    (position,) = evaluate([table.gaps[0]], at | {x: 0.5 + 1e-6})
    rate = table.tree.coordinate_rates()[1]
    assert evaluate([*table.velocities, rate], at) == pytest.approx([(v := evaluate([rate], at)[0]), -v, v])
    assert position == pytest.approx(1.5 + 1e-6)


def test_friction_of_a_geared_rotor_is_that_of_the_joint_times_the_ratio():
    s = ph.System("drive")
    s.joint("elbow", s.ground, s.body("arm", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.motor("elbow", 50, inertia=1e-4)
    s.friction("elbow rotor", 0.02)
    (row,) = rows(s).velocities
    assert row == 50 * s.joints["elbow"].u[0]
    s.friction("elbow", 1, static=2, viscous=0.1, stribeck=0.5)
    assert [*s.contacts] == ["elbow rotor friction", "elbow friction"]
    assert [load.name for load in s.loads if load.kind == "joint_force"] == ["elbow friction"]


def test_friction_of_a_joint_whose_motion_is_given_has_no_rows():
    s = ph.System("drive")
    s.joint("elbow", s.ground, s.body("arm", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.friction("elbow", 1)
    s.prescribe("elbow", ph.sin(s.time))
    assert not rows(s).groups


def test_units_are_those_of_the_joint():
    s = ph.System("units")
    torque, force, speed = s.parameter("T", 1, "N·m"), s.parameter("F", 1, "N"), s.parameter("v", 1, "m/s")
    s.joint("turn", s.ground, s.body("a", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("fly", s.ground, s.body("b", 1, inertia=(1, 1, 1)), ph.Free())
    s.friction("turn", torque)
    s.friction("fly", force, index=4)
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("touch", "b", floor, friction=1, static=2, stribeck=speed)
    for wrong in (lambda: s.friction("turn", force, name="x"), lambda: s.friction("fly", force, index=0, name="y"),
                  lambda: s.contact("z", "b", floor, static=1, stribeck=force),
                  lambda: s.surface("w", "b", ph.Shape.sphere(force))):  # fmt: skip
        with pytest.raises(ModelError, match=r"is in .*, not in"):
            wrong()


def test_what_moves_by_itself_is_no_surface():
    s, body = planar()
    with pytest.raises(ModelError, match="cannot depend on the time"):
        s.surface("lift", s.ground, ph.Shape.plane(), at=(0, 0, s.time))
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    with pytest.raises(ModelError, match="cannot depend on the time"):
        s.contact("touch", body, floor, at=(0, 0, s.time))
    with pytest.raises(ModelError, match="has corners"):
        ph.Shape.curve(ph.table([0, 1, 2], [0, 1, 0], name="roof"))
    s.joint("weld", body, s.body("pad"), ph.Fixed())
    s.contact("stuck", "pad", s.surface("own", body, ph.Shape.plane()))
    with pytest.raises(ModelError, match="its gap never changes"):
        rows(s)
