"""Conditions of steady states: which rows there are, and their derivatives."""

from __future__ import annotations

import numpy as np

import polhode as ph


def test_rows_and_their_slopes_are_those_of_differences() -> None:
    s = ph.System("two arms", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("upper", s.parameter("m", 2), com=(0.1, 0, -1)), ph.Revolute("y"))
    hinge = s.joint("b", "upper", s.body("lower", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, -1))
    s.joint_force(hinge, s.input("push") - hinge.q[0] ** 3)
    steady = s.derive()._steady(["a", "b", "push"], None, None, None, "m")
    assert [x.name for x in steady.variables] == ["a", "b", "push", "m"]
    x, h = np.array([0.3, -0.4, 0.2, 1.7]), 1e-6
    slopes = [(steady.conditions(x + d)[0] - steady.conditions(x - d)[0]) / (2 * h) for d in h * np.eye(4)]
    assert np.allclose(steady.conditions(x)[1], np.transpose(slopes), atol=1e-8)


def test_coordinates_that_something_depends_on_must_not_move() -> None:
    s = ph.System("turntable", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("table", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("b", "table", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    steady = s.derive()._steady(["b", "b'"], {"a'": 1}, None, None)
    assert steady.moving == ("a",) and "rate of 'b'" in steady.names


def test_a_parameter_that_is_held_is_one_variable_less() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", s.parameter("m", 2), com=(1, 0, 0)), ph.Revolute("y"))
    steady = s.derive()._steady(["a"], None, None, None, "m")
    held = steady.held(3.0)
    assert np.allclose(held.conditions(np.array([0.2]))[0], steady.conditions(np.array([0.2, 3.0]))[0])
    assert held.parameters(np.array([0.2])) == {"m": 3.0}
