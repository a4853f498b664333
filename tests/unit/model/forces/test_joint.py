"""Springs act on angles and lengths, not on parts of an orientation; forces along coordinates have the power Q q̇."""

from typing import Any

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import is_zero, same
from polhode.formats import dumps_yaml, loads_yaml


@pytest.mark.parametrize(("kind", "index"), [
    (ph.Spherical(), 0), (ph.Spherical(storage="vector"), 2), (ph.Free(), 3), (ph.Free(storage="vector"), 0),
])  # fmt: skip
def test_a_spring_on_one_part_of_an_orientation_is_refused(kind: Any, index: int) -> None:
    s = ph.System("top")
    joint = s.joint("pivot", s.ground, s.body("top", 1, (0, 0, 1), (1, 1, 1)), kind)
    with pytest.raises(ModelError, match=f"'{joint.q[index].name}' is a part of an orientation"):
        s.joint_spring(joint, 5, index=index)


def test_a_spring_acts_on_an_angle_a_length_and_a_damper_on_a_speed() -> None:
    s = ph.System("parts", gravity=(0, 0, 0))
    cross = s.joint("cross", s.ground, s.body("a", 1, (0, 0, 1), (1, 1, 1)), ph.Universal("x", "y", storage="vector"))
    loose = s.joint("loose", s.ground, s.body("b", 1, (0, 0, 1), (1, 1, 1)), ph.Free())
    ball = s.joint("ball", s.ground, s.body("c", 1, (0, 0, 1), (1, 1, 1)), ph.Spherical(storage="vector"))
    s.joint_spring(cross, 2, index=1)
    s.joint_spring(loose, 4, index=5)
    s.joint_spring(ball, 0, damping=3, index=2)
    e = s.derive()
    assert e.potential_energy == (2 * ph.atan(cross.q[1])) ** 2 + 2 * loose.q[5] ** 2


@pytest.mark.parametrize("joint", [
    ph.Spherical(), ph.Spherical("angles"), ph.Free("313"), ph.Planar("z"), ph.Revolute("y", storage="vector"),
], ids=lambda joint: joint.kind)  # fmt: skip
def test_every_formalism_gives_it_the_power_of_the_coordinates_rate(joint: Any) -> None:
    s = ph.System("body", gravity=(0, 0, 0))
    made = s.joint("j", s.ground, s.body("body", 1, (0, 0.1, 0.3), inertia=(1, 2, 2)), joint)
    Q, index = s.input("Q"), len(made.q) - 1
    s.coordinate_force(made, Q, index=index)
    e = s.derive("newton_euler")
    form = e.poincare_form
    assert is_zero(form.Q.dot(e.u) - Q * e.coordinate_rates[index])
    assert s.compare(("newton_euler", "poincare", "hamel"), run=False, functions=()).agree
    assert all(is_zero(balance.residual) for _, balance in e.power().parts())
    assert same(loads_yaml(dumps_yaml(s)).derive("newton_euler").bias, e.bias)


def test_coordinates_of_joints_and_followers() -> None:
    s = ph.System("geared", gravity=(0, 0, 0))
    s.joint("a", s.ground, s.body("one", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", s.ground, s.body("two", 1, (1, 0, 0)), ph.Revolute("z"))
    s.couple("b", "a", multiplier=3)
    s.coordinate_force("b", 5)
    assert s.derive("newton_euler").bias[0] == -15
    s = ph.System("body")
    s.joint("j", s.ground, s.body("body", 1, inertia=(1, 1, 1)), ph.Spherical())
    with pytest.raises(ModelError, match="there is no coordinate number 4; it has 4"):
        s.coordinate_force("j", 1, index=4)
