"""Orientations that are wanted are unit quaternions: others are refused, or made so and told of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.planar_arm import planar_arm

import polhode as ph
from polhode.control import ComputedTorque, OperationalSpace, PDGravity
from polhode.simulate.control.references import curves_of

FOUR = [f"ball_e{k}" for k in range(4)]


@pytest.fixture(scope="module")
def top() -> ph.Equations:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    return s.derive()


@pytest.fixture(scope="module")
def torque(top: ph.Equations) -> ComputedTorque:
    return ComputedTorque(top, kp=100, kd=20)


def named(*components: Any) -> dict[str, Any]:
    return dict(zip(FOUR, components, strict=True))


def test_numbers_that_are_no_orientation_are_refused(top: ph.Equations, torque: ComputedTorque) -> None:
    sentence = r"orientation of 'ball': its quaternion has length 1\.41421, not 1"
    for given in (named(1, 1, 0, 0), named(ph.sqrt(2), 0, 0, 0), named(0, "sqrt(2)", 0, 0)):
        with pytest.raises(ph.PolhodeError, match=sentence):
            top.simulate(1, controller=torque, reference=given)
    with pytest.raises(ph.PolhodeError, match="length 0, not 1"):
        top.simulate(1, controller=PDGravity(top, kp=9, kd=6), reference=named(0, 0, 0, 0))
    f = torque.compile()
    state = {"q": [1, 0, 0, 0], "u": [0, 0, 0]}
    for given in (named(1, 1, 0, 0), np.r_[1, 0, 0, 1, 0, 0, np.zeros(6)]):
        with pytest.raises(ph.PolhodeError, match=sentence):
            f(**state, reference=given)
    batch = np.zeros((2, 12))
    batch[:, 0] = 1, 0.5
    with pytest.raises(ph.PolhodeError, match=r"length 0\.5"):
        f(**state, reference=batch)


def test_rounded_numbers_are_made_a_unit_quaternion(top: ph.Equations, torque: ComputedTorque) -> None:
    run = top.simulate(3, controller=torque, reference=named(0.7071, 0.7071, 0, 0))
    assert np.allclose(run.q[-1], [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=1e-6) and run.notices == ()
    assert abs(sum(each[-1] ** 2 for each in run.reference.values()) - 1) < 1e-12
    assert np.isfinite(torque.compile()(q=[1, 0, 0, 0], u=[0, 0, 0], reference=named(0.7071, 0.7071, 0, 0))).all()


def test_curves_are_divided_by_their_lengths_and_so_are_their_derivatives(torque: ComputedTorque) -> None:
    model, law = torque.equations.system, torque.law
    t = model.time
    given = curves_of(law, named(ph.cos(t) * (2 + t), ph.sin(t) * (2 + t), 0, 0), model)
    plain = curves_of(law, named(ph.cos(t), ph.sin(t), 0, 0), model)
    assert not plain.lengths and [*given.lengths] == ["ball"]
    for symbol, curve in plain.by_symbol.items():
        for now in (0.0, 0.7):
            a, b = (ph.expr.evaluate([each], {t: now})[0] for each in (curve, given.by_symbol[symbol]))
            assert abs(a - b) < 1e-12, symbol


@pytest.mark.parametrize("how", [{}, {"sample_time": 0.01}])
def test_lengths_that_were_not_one_are_told(top: ph.Equations, torque: ComputedTorque, how: dict[str, Any]) -> None:
    run = top.simulate(1, controller=torque, reference=named(1, "t", 0, 0), **how)
    assert "for the orientation of 'ball' had lengths from 1 to 1.41" in run.notices[0]
    assert np.allclose(run.q[-1], [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=0.01)
    again = top.simulate(1, controller=torque, reference=run, **how)
    assert again.notices == () and again.loop is not None and [*again.loop.lengths] == ["ball"]


def test_a_frame_asks_for_an_orientation_as_a_joint_does() -> None:
    s = ph.System("free", gravity=(0, 0, 0))
    s.joint("pose", s.ground, s.body("box", 1, inertia=(1, 2, 3)), ph.Free())
    e = s.derive()
    made = OperationalSpace(e, "box", kp=9, kd=6, orientation="reference")
    assert [each.name for each in made.law.orientations["box"]] == ["e0", "e1", "e2", "e3"]
    with pytest.raises(ph.PolhodeError, match="orientation of 'box': its quaternion has length 2"):
        e.simulate(1, controller=made, reference={"x": 0, "y": 0, "z": 0, "e0": 2, "e1": 0, "e2": 0, "e3": 0})
    assert not ComputedTorque(planar_arm().derive(), kp=1, kd=1).law.orientations
