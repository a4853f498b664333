"""Limits of joint coordinates in numbers, and where in the state they are seen."""

import json
from typing import Any

import pytest

import polhode as ph
from polhode.dynamics.joint_limits import have_parameters, joint_limits, seen_limits
from polhode.dynamics.synopsis import SeenLimit, Synopsis


def gripper(ratio: Any = -2, offset: Any = "1/2") -> ph.System:
    s = ph.System("gripper")
    s.joint("open", s.ground, s.body("left", 1), ph.Prismatic("z"), limits=(0, None))
    s.joint("follow", s.ground, s.body("right", 1), ph.Prismatic("z"), limits=(-3, 4))
    s.couple("follow", "open", ratio, offset)
    return s


def test_a_coupled_coordinate_is_seen_in_its_leader_and_parameters_change_limits_and_time_alone_has_none() -> None:
    equations = gripper().derive().record
    assert seen_limits(equations, {}) == (
        SeenLimit("coordinate", "open", "lower", 0.0, 0, 1.0, 0.0),
        SeenLimit("coordinate", "follow", "lower", -3.0, 0, -2.0, 0.5),
        SeenLimit("coordinate", "follow", "upper", 4.0, 0, -2.0, 0.5),
    )
    assert not have_parameters(equations)
    s = ph.System("parts")
    low = s.parameter("low")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(low, 2))
    equations = s.derive().record
    assert have_parameters(equations) and [each.side for each in seen_limits(equations, {})] == ["upper"]
    assert [each.limit for each in seen_limits(equations, {"low": -1})] == [-1.0, 2.0]
    assert seen_limits(equations, {"low": 3}) == ()
    s = ph.System("driven")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(-1, 1))
    s.prescribe("x", 2 * ph.sin(s.time))
    assert seen_limits(s.derive().record, {}) == ()


def test_a_synopsis_keeps_them_as_plain_data_and_speeds_are_seen_behind_the_coordinates() -> None:
    made = Synopsis.of(gripper().derive().record)
    data = json.loads(json.dumps(made.data))
    assert Synopsis.read(data) == made
    place, number = ["speed", "open", "lower", 0.0, 7, 1.0, 0.0], ["speed", "open", "lower", "0", 0, 1.0, 0.0]
    for wrong in ([place], [number], [["speed", "open"]]):
        with pytest.raises((ValueError, TypeError)):
            Synopsis.read({**data, "limits": wrong})
    s = gripper()
    s.joint("turn", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Revolute("z"), speed_limits=2, effort_limits=9)
    equations = s.derive().record
    assert seen_limits(equations, {}, ["speed"]) == (
        SeenLimit("speed", "turn", "lower", -2.0, 3, 1.0, 0.0),
        SeenLimit("speed", "turn", "upper", 2.0, 3, 1.0, 0.0),
    )
    assert {each.kind for each in seen_limits(equations, {})} == {"coordinate", "speed"}
    assert [ends.known for ends in joint_limits(equations, {}, "effort")] == [{"lower": -9.0, "upper": 9.0}]


def test_a_speed_that_follows_is_seen_in_its_leader_and_a_pseudo_velocity_not_at_all() -> None:
    s = ph.System("two")
    first = s.joint("first", s.ground, s.body("a", 1), ph.Prismatic("z"))
    second = s.joint("second", s.ground, s.body("b", 1), ph.Prismatic("z"), speed_limits=3)
    own = s.derive("hamel", pseudo={"sum": first.u[0] + second.u[0], "difference": first.u[0] - second.u[0]})
    assert seen_limits(own.record, {}, ["speed"]) == ()
    s.couple("second", "first", -2)
    assert [(each.place, each.factor) for each in seen_limits(s.derive().record, {}, ["speed"])] == [(1, -2.0)] * 2
