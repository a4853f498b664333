"""Inverse kinematics: the least speeds, redundant arms, orientation, loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, ShapeError, ValueMissing
from polhode.expr import evaluate
from polhode.formalisms.network.kinematics import inverse_kinematics, least_speeds


def arm(joints: int = 4) -> ph.System:
    system = ph.System("arm")
    length = system.parameter("l", 0.5)
    before = system.ground
    for k in range(joints):
        link = system.body(f"link {k}", mass=1, com=(length / 2, 0, 0))
        system.joint(f"q{k}", before, link, ph.Revolute("zyzx"[k % 4]), at=(length if k else 0, 0, 0))
        before = link
    system.frame("tip", before, at=(length, 0, 0))
    return system


def test_least_speeds_are_the_shortest_of_all_that_do() -> None:
    rng = np.random.default_rng(1)
    J, x = rng.normal(size=(3, 7)), rng.normal(size=3)
    u = least_speeds(J, x)
    assert np.allclose(J @ u, x)
    null = np.linalg.svd(J)[2][3:]  # motions of the joints that leave the port at rest
    assert np.allclose(null @ u, 0)


def test_least_speeds_come_as_near_as_can_be() -> None:
    J = np.array([[1.0, 0], [0, 0], [0, 2]])
    assert least_speeds(J, [3, 5, 4]) == pytest.approx([3, 2])
    with pytest.raises(ShapeError, match="does not give"):
        least_speeds(J, [1, 2])


@pytest.mark.parametrize("joints", [4, 6, 9])
def test_a_redundant_arm_reaches_a_point(joints: int) -> None:
    system = arm(joints)
    start = {f"q{k}": 0.3 for k in range(joints)}
    found = inverse_kinematics(system, "tip", (0.4, 0.5, 0.3), start=start)
    equations = system.derive()
    values = {equations.system.parameters["l"].symbol: 0.5}
    values |= {q: found.coordinates[q.name] for q in equations.q}
    assert evaluate(list(equations.pose("tip").p), values) == pytest.approx([0.4, 0.5, 0.3], abs=1e-9)
    assert found.residual <= 1e-10
    assert found.steps > 1


def test_an_arm_reaches_a_point_with_an_orientation() -> None:
    system = arm(7)
    equations = system.derive()
    pose = equations.pose("tip")
    length = {system.parameters["l"].symbol: 0.5}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        there = length | dict(zip(equations.q, rng.uniform(-1.5, 1.5, 7).tolist(), strict=True))
        p, R = evaluate(list(pose.p), there), evaluate(list(pose.R.entries()), there)
        start = dict(zip(equations.coordinates, rng.uniform(-1, 1, 7).tolist(), strict=True))
        found = inverse_kinematics(system, "tip", p, np.reshape(R, (3, 3)), start=start)
        here = length | {q: found.coordinates[q.name] for q in equations.q}
        assert evaluate(list(pose.p), here) == pytest.approx(p, abs=1e-9)
        assert evaluate(list(pose.R.entries()), here) == pytest.approx(R, abs=1e-9)


def test_a_quaternion_stays_one() -> None:
    system = ph.System("stick")
    stick = system.body("stick", mass=1)
    system.joint("ball", system.ground, stick, ph.Spherical())
    system.frame("tip", stick, at=(1, 0, 0))
    found = inverse_kinematics(system, "tip", (0, 0.6, 0.8), start={"ball_e0": 2.0, "ball_e3": 0.4})
    assert sum(value**2 for value in found.coordinates.values()) == pytest.approx(1)


def test_loops_are_closed_on_the_way() -> None:
    system = ph.System("four-bar")
    before, at = system.ground, 0.0
    for k, length in enumerate((1.0, 2.0, 1.2), start=1):
        bar = system.body(f"bar {k}", mass=1, com=(length / 2, 0, 0))
        system.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, length
    system.close("pin 4", system.ground, before, ph.Revolute("y"), at_a=(1.9, 0, 0), at_b=(1.2, 0, 0))
    crank = 2.0
    R = [[math.cos(crank), 0, math.sin(crank)], [0, 1, 0], [-math.sin(crank), 0, math.cos(crank)]]
    start = {"pin 1": 1.5, "pin 2": -1.4, "pin 3": 1.5}
    found = inverse_kinematics(system, "bar 1", rotation=R, start=start)
    equations = system.derive()
    assert found.coordinates["pin 1"] == pytest.approx(crank)
    values = {q: found.coordinates[q.name] for q in equations.q}
    assert equations.constraints is not None
    assert evaluate(list(equations.constraints.values), values) == pytest.approx(
        [0] * len(equations.constraints.values)
    )


def test_what_is_out_of_reach_is_said() -> None:
    with pytest.raises(PolhodeError, match="could not be brought"):
        inverse_kinematics(arm(), "tip", (9, 0, 0), start={"q0": 0.1})


def test_parameters_may_be_given_and_must_be_known() -> None:
    system = arm(2)
    found = inverse_kinematics(
        system, "tip", (0, 4, 0), start={"q0": 1.5, "q1": 0.1}, parameters={"l": 2}, tolerance=1e-6
    )
    assert found.coordinates["q0"] == pytest.approx(math.pi / 2, abs=1e-3)
    with pytest.raises(PolhodeError, match="no parameter 'm'"):
        inverse_kinematics(system, "tip", (0, 4, 0), parameters={"m": 2})
    hollow = ph.System("hollow")
    l = hollow.parameter("l")
    link = hollow.body("link", mass=1)
    hollow.joint("hinge", hollow.ground, link, ph.Revolute("z"))
    hollow.frame("tip", link, at=(l, 0, 0))
    with pytest.raises(ValueMissing, match="'l' has no value"):
        inverse_kinematics(hollow, "tip", (0, 1, 0))


def test_wrong_questions_are_refused() -> None:
    system = arm()
    with pytest.raises(PolhodeError, match="nothing is wanted"):
        inverse_kinematics(system, "tip")
    with pytest.raises(ShapeError, match="3 components"):
        inverse_kinematics(system, "tip", (1, 2))
    with pytest.raises(PolhodeError, match="Did you mean 'tip'"):
        inverse_kinematics(system, "tpi", (1, 0, 0))
    with pytest.raises(PolhodeError, match="no coordinate 'x'"):
        inverse_kinematics(system, "tip", (1, 0, 0), start={"x": 1})
