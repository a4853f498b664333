"""Which controls act on which speeds, and what they have to be."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import Adaptive, ComputedTorque, PassivityBased, PDGravity, SlidingMode
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


LAWS: dict[str, Callable[[Any], Any]] = {
    "computed torque": lambda e: ComputedTorque(e, kp=9, kd=6),
    "Slotine and Li": lambda e: PassivityBased(e, kd=6, lambda_=3),
    "PD+": lambda e: PassivityBased(e, kd=6, kp=9),
    "PD with gravity": lambda e: PDGravity(e, kp=9, kd=6),
    "adaptive": lambda e: Adaptive(e, kd=6, lambda_=3, gamma=2, estimates={"m1": 1}),
    "sliding mode": lambda e: SlidingMode(e, 3, 5, 0.1, kd=2),
    "smooth sliding mode": lambda e: SlidingMode(e, 3, 5, 0.1, smooth=True),
}


def one_body(kind: ph.JointType) -> ph.System:
    s = ph.System("body")
    s.joint("j", s.ground, s.body("b", s.parameter("m1", 2), com=(1, 2, 3), inertia=(30, 31, 32)), kind)
    return s


def rocking() -> ph.System:
    """A pendulum on a cart that moves as it is told to."""
    s = ph.System("rocking")
    s.joint("cart", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.joint("q", "cart", s.body("bob", s.parameter("m1", 2), com=(0, 0, -1)), ph.Revolute("y"))
    s.prescribe("cart", ph.sin(3 * s.time))
    return s


def sprung() -> ph.System:
    s = planar_arm()
    joint = s.joints["q1"]
    s.joint_force(joint, -s.parameter("b", 2) * joint.u[0] - 5 * joint.q[0])
    return s


SYSTEMS = {
    "arm": planar_arm(), "arm behind gears": planar_arm(inputs=True), "spring and damper": sprung(),
    "free": one_body(ph.Free()), "ball": one_body(ph.Spherical()), "ball in angles": one_body(ph.Spherical("321")),
    "plane": one_body(ph.Planar()), "driven base": rocking(),
}  # fmt: skip
#: The base does work that no potential knows of.
UNPROVED = {("driven base", "PD with gravity")}


@cache
def equations(system: str) -> ph.Equations:
    return SYSTEMS[system].derive()


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("law", LAWS)
def test_the_lyapunov_function_decreases_as_it_is_said(system: str, law: str) -> None:
    made = LAWS[law](equations(system))
    assert made.lyapunov.proved == ((system, law) not in UNPROVED)


def test_matrices_of_gains_are_symmetric_and_dependent_speeds_follow() -> None:
    e = equations("arm")
    K = [[9, 1], [1, 4]]
    for c in (ComputedTorque(e, kp=K, kd=K), PassivityBased(e, kd=K, kp=K), PDGravity(e, kp=K, kd=K)):
        assert c.lyapunov.proved
    assert Adaptive(e, kd=K, lambda_=K, gamma=K, estimates={"m1": 1, "m2": 1}).lyapunov.proved
    s = planar_arm()
    s.constrain(s.joints["q1"].q[0] - 2 * s.joints["q2"].q[0], "tied")
    e = s.derive(independent=["q1"])
    for law in LAWS.values():
        assert law(e).lyapunov.proved


def test_a_law_reads_as_on_paper_and_nonholonomic_mechanisms_are_refused_and_chattering_is_reported() -> None:
    c = ComputedTorque(equations("arm"), kp=100, kd=[20, 10])
    lines = str(c).splitlines()
    assert lines[:3] == [
        "e_q1 = ref_q1 - q1",
        "e_q2 = ref_q2 - q2",
        "a_q1 = ref_q1'' + kp*e_q1 + kd_q1*(ref_q1' - q1')",
    ]
    assert lines[-1].startswith("tau_q2 = m2*l2*a_q1*(l1*cos(q2) + l2) + ")
    assert r"k_{d,q_{1}}" in c.latex() and r"a_{q_{1}} &= \ddot{\mathrm{ref}_{q_{1}}} + " in c.latex()
    assert str(c.lyapunov).splitlines()[1] == "V' = -e'ᵀ Kd e': proved, for all values of parameters and states"
    assert r"\dot{V} &= -\dot{e}^T K_d \dot{e}" in c.lyapunov.latex()
    s = ph.System("sleigh", gravity=(0, 0, 0))
    s.joint("pose", s.ground, s.body("sleigh", 1, inertia=(1, 1, 1)), ph.Planar())
    s.knife_edge("runner", "sleigh")
    e = s.derive(independent=s.derive().speeds[:2])
    refused("is nonholonomic, by 'runner", lambda: ComputedTorque(e, kp=1, kd=2))
    e = equations("arm")
    with pytest.warns(UserWarning, match="chatter"):
        c = SlidingMode(e, 3, 5, 0)
    assert c.lyapunov.proved and "sign(" in str(c)


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda e: ComputedTorque(e), "no kp is given"), (lambda e: ComputedTorque(e, 1), "no kd is given"),
    (lambda e: ComputedTorque(e, -1, 2), "kp = -1.0 is not positive"),
    (lambda e: ComputedTorque(e, [1, 0], 2), "kp_q2 = 0.0 is not positive"),
    (lambda e: ComputedTorque(e, 1, 2, 8), "the integral gain 8 of 'q1' is too large"),
    (lambda e: ComputedTorque(5, 1, 2), "5 is not a set of equations"),
    (lambda e: ComputedTorque(e, 1, 2, inputs=["q1"]), "underactuated: tau_q1 drives all speeds but 'q2'"),
    (lambda e: ComputedTorque(e, 1, 2, 1).lyapunov, "no Lyapunov function is given"),
    (lambda e: PassivityBased(e, 1), "one of lambda_ and kp is needed"),
    (lambda e: PassivityBased(e, lambda_=1), "no kd is given"), (lambda e: PDGravity(e, 1), "no kd is given"),
    (lambda e: Adaptive(e, 1, lambda_=1, gamma=1), "no parameters to estimate"),
    (lambda e: Adaptive(e, 1, lambda_=1, gamma=1, estimates={"l1": 1}), "not linear in 'l1'"),
    (lambda e: Adaptive(e, 1, lambda_=1, gamma=1, estimates={"mm": 1}), "no parameter or base parameter 'mm'"),
    (lambda e: Adaptive(e, 1, lambda_=1, gamma=1, estimates={"m1": 1, "mm": 1}), "no parameter 'mm'"),
    (lambda e: Adaptive(e, 1, lambda_=1, gamma=1, estimates=["m1"]), "numbers by the names of parameters"),
    (lambda e: SlidingMode(e, 1, 2), "no boundary is given"),
    (lambda e: SlidingMode(e, 1, 2, -1), "boundary = -1.0 is not positive"),
    (lambda e: SlidingMode(e, 1, [[2, 1], [1, 2]], 1), "one number for each speed, and a matrix"),
    (lambda e: SlidingMode(e, 1, 2, 1, smooth=3), "smooth: 3 is not True or False"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(make: Callable[[Any], Any], sentence: str) -> None:
    refused(sentence, lambda: make(equations("arm")))
