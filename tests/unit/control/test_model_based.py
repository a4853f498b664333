"""Which controls act on which speeds, and what they have to be."""

import warnings
from typing import Any

import pytest
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque
from polhode.control.model_based import actuation
from polhode.expr import same
from polhode.model.samples.underactuated import cart_pole, quadrotor


def cart(force: Any, count: int = 1) -> ph.System:
    s = ph.System("cart")
    slide = s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"))
    inputs = [s.input(f"F{k}") for k in range(count)]
    s.joint_force(slide, force(*inputs))
    return s


def test_controls_act_directly_or_through_inputs_and_share_the_work() -> None:
    assert actuation(planar_arm().derive().record, None, "here").matrix == ph.Matrix([[1, 0], [0, 1]])
    assert actuation(planar_arm(inputs=True).derive().record, None, "here").matrix == ph.Matrix([[2, 0], [0, 3]])
    e = planar_arm(inputs=True).derive().record
    act = actuation(e, None, "here")
    a = [ph.symbol("a"), ph.symbol("b")]
    (moved,) = [ph.expr.substitute(list(e.forward_dynamics), {**act.idle, **act.solved(act.required(a))})]
    assert same(moved, a)
    e = cart(lambda f, g: f + 2 * g, 2).derive().record
    (first, second) = actuation(e, None, "here").solved([10]).values()
    assert (first, second) == (ph.expr.as_expr(2), ph.expr.as_expr(4))


@pytest.mark.parametrize(("system", "sentence"), [
    (cart_pole(), "underactuated: F drives all speeds but 'theta'"),
    (quadrotor(), "drive all speeds but 'pose_vx' and 'pose_vy'"),
    (cart(lambda f: f * f), "not linear in the input 'F0'"), (ph.System("nothing"), "has nothing that moves"),
])  # fmt: skip
def test_what_cannot_be_driven_gets_a_sentence(system: ph.System, sentence: str) -> None:
    refused(sentence, lambda: actuation(system.derive().record, None, "here").check_full())


def test_multipliers_get_a_sentence_and_independent_speeds_are_driven() -> None:
    s = planar_arm()
    s.constrain(s.joints["q1"].q[0] - 2 * s.joints["q2"].q[0], "tied")
    refused("constraints that are kept by multipliers", lambda: actuation(s.derive().record, None, "here"))
    act = actuation(s.derive(independent=["q1"]).record, None, "here").check_full()
    assert [x.name for x in act.controls] == ["q1"]


def test_no_input_is_no_control() -> None:
    refused("no input is named", lambda: ph.control.ComputedTorque(cart_pole().derive(), kp=1, kd=1, inputs=[]))


def walker(legs: int) -> ph.System:
    s = ph.System("walker")
    s.joint("base", s.ground, s.body("trunk", 5, inertia=(1, 1, 1)), ph.Free())
    for k in range(legs):
        s.joint(f"hip{k}", "trunk", s.body(f"leg{k}", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    return s


def test_efforts_on_a_free_base_are_warned_of_unless_they_were_named() -> None:
    e = walker(1).derive()
    with pytest.warns(UserWarning, match=r"tau_base_wx, .* act between the ground and the free base 'trunk'") as told:
        ComputedTorque(e, kp=1, kd=1)
    assert len(told) == 1 and "inputs=" in str(told[0].message) and "W-CONTROL-UNSUPPORTED" in str(told[0].message)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        e = walker(1).derive()
        ComputedTorque(e, kp=1, kd=1, inputs=[*e.speeds])
        ComputedTorque(walker(0).derive(), kp=1, kd=1)
