"""Which inputs are controls."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.laws.controls import controls_of


def arm(motors: bool = False, declared: bool = False) -> EquationsOfMotion:
    s = ph.System("arm")
    hinge = s.joint("a", s.ground, s.body("upper", 1, com=(1, 0, 0)), ph.Revolute("y"))
    s.joint("b", "upper", s.body("lower", 1, com=(1, 0, 0)), ph.Revolute("y"), at=(2, 0, 0))
    if motors:
        s.motor("b", 50, inertia=1e-4, stiffness=1000)
    if declared:
        s.joint_force(hinge, s.input("F"))
    return s.derive().record


def test_declared_inputs_come_before_motors() -> None:
    assert [*controls_of(arm(motors=True, declared=True), None, "here")] == ["F"]


def test_the_effort_of_an_elastic_motor_is_that_on_its_rotor() -> None:
    (symbol,) = controls_of(arm(motors=True), None, "here").values()
    assert symbol.name == "b rotor"


def test_efforts_are_named_as_written_or_by_their_speed() -> None:
    record = arm()
    assert controls_of(record, ["tau_a"], "here") == controls_of(record, ["a"], "here")
    assert controls_of(record, ["tau(a)"], "here") == controls_of(record, ["a"], "here")


def test_without_inputs_and_motors_they_are_all_efforts() -> None:
    assert [*controls_of(arm(), None, "relative_degree")] == ["tau_a", "tau_b"]


def test_names_that_are_none_or_stand_twice_get_a_sentence() -> None:
    with pytest.raises(ph.PolhodeError, match="there is no input 'c'"):
        controls_of(arm(), ["c"], "here")
    with pytest.raises(ph.PolhodeError, match="named twice"):
        controls_of(arm(), ["a", "tau_a"], "here")
