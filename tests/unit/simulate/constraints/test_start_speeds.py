"""A named pose starts a run in pseudo-velocities with the speeds that its joints have."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.constraints.start_speeds import speeds_at_pose


def slider(value: float | None = 3) -> ph.System:
    s = ph.System("slider")
    a = s.parameter("a", value)
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.pose("pushed", {"x": 2}, {"x": 5})
    s.input("v", 0)
    assert a and x
    return s


def in_pseudo(s: ph.System) -> ph.Equations:
    """π̇ = a x ẋ + t: it has a parameter, a coordinate and the time in it."""
    x, a = s.joints["x"], s.parameters["a"].symbol
    return s.derive(pseudo={"v1": a * x.q[0] * x.u[0] + s.time})


def test_the_speeds_of_a_pose_become_pseudo_velocities() -> None:
    made = in_pseudo(slider())
    assert made.simulate(0, start="pushed").u.tolist() == [[30.0]]
    assert made.simulate(0, start="pushed", parameters={"a": 4}).u.tolist() == [[40.0]]
    assert made.simulate(0, start="pushed", speeds={"v1": 7}).u.tolist() == [[7.0]]
    assert made.simulate(0, start="pushed").speed("x")[0] == pytest.approx(5)


def test_nothing_is_said_where_speeds_are_the_joints_own_or_a_parameter_has_no_value() -> None:
    q = np.array([2.0])
    assert speeds_at_pose(slider().derive().derivation, q, {"x": 5}) is None
    assert speeds_at_pose(in_pseudo(slider(None)).derivation, q, {"x": 5}) is None
