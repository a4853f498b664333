"""Swing-up by energy, and shaped potentials."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import EnergyControl, EnergyShaping, PDGravity, PotentialShaping
from polhode.control.lyapunov import rate_along
from polhode.expr import is_zero
from polhode.model.samples.underactuated import cart_pole, furuta_pendulum, two_link_pendulum

UPRIGHT = [
    (cart_pole, {"theta": 0}, None),
    (furuta_pendulum, {"pendulum": 0}, None),
    (two_link_pendulum, {"shoulder": 3.14159}, ["shoulder"]),
    (two_link_pendulum, {"shoulder": 3.14159}, ["elbow"]),
]


@pytest.mark.parametrize(("make", "target", "inputs"), UPRIGHT)
def test_shaped_energy_decreases_with_the_driven_speeds(make: Any, target: Any, inputs: Any) -> None:
    c = EnergyShaping(make().derive(), target, ke=1, kd=1, kp=1, kv=1, inputs=inputs)
    assert c.lyapunov.proved


def test_pumped_energy_comes_nearer_on_a_cart_and_not_always_on_an_arm() -> None:
    for more in ({}, {"limit": 5}):
        assert EnergyControl(cart_pole().derive(), {"theta": 0}, ke=9, **more).lyapunov.proved
    assert not EnergyControl(furuta_pendulum().derive(), {"pendulum": 0}, ke=9).lyapunov.proved
    refused("with kp or kv", lambda: EnergyControl(cart_pole().derive(), {"theta": 0}, ke=9, kp=1).lyapunov)


def test_driven_speeds_and_shaped_potentials_are_those_of_the_closed_loop() -> None:
    e = furuta_pendulum().derive()
    c = EnergyControl(e, {"pendulum": 0}, ke=9)
    (moved,) = rate_along(e, c.law, [e.u[0]])
    (asked,) = c.written.put_into([step for step in c.written.steps if step.name == "a_arm"])
    assert is_zero(moved - asked)
    e = planar_arm().derive()
    c = PotentialShaping(e, 3 * ph.cos(e.q[0]) + e.q[1] ** 2, kd=2)
    assert c.lyapunov.proved
    refused("depends on q1', which is no coordinate", lambda: PotentialShaping(e, e.u[0], kd=2))


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda e: EnergyShaping(e, {"thta": 0}, ke=1, kd=1, kp=1, kv=1), "no coordinate 'thta'"),
    (lambda e: EnergyShaping(e, {"theta": 0}, ke=1, kd=1, kp=1), "no kv is given"),
    (lambda e: EnergyControl(e, {"theta": 0}), "no ke is given"),
    (lambda e: EnergyControl(e, {"theta": 0}, ke=1, inputs=["x", "theta"]), "every speed of 'cart-pole' is driven"),
    (lambda e: EnergyControl(e, {"theta": 0}, ke=1, inputs=["F", "tau_x"]), "not on as many speeds"),
    (lambda e: PDGravity(e, 1, 1), "underactuated"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(make: Callable[[Any], Any], sentence: str) -> None:
    refused(sentence, lambda: make(cart_pole().derive()))
