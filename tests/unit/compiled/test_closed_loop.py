"""Functions with laws in them: the numbers of laws that are worked out beforehand, under a key of their own."""

import pickle

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.compiled.closed_loop import laws_of
from polhode.compiled.store import StoredFunction
from polhode.model.samples import four_bar


def cart() -> ph.System:
    s = ph.System("cart", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    s.parameter("k", 3)
    s.joint_force(slide, s.input("F"))
    return s


def test_a_law_replaces_an_effort_or_input_and_may_use_others_but_not_in_a_circle() -> None:
    s = cart()
    (x,), (v,), (tau,) = s.joints["x"].q, s.joints["x"].u, s.joints["x"].tau
    k, f = s.parameters["k"].symbol, s.inputs["F"].symbol
    functions = s.derive().compile()
    driven = functions.driven({tau: -k * x, f: s.time - v})
    plain = functions.evaluate("state_rates", [0.5, 2.0], [-1.5], inputs=[1.0])
    assert driven.evaluate("state_rates", [0.5, 2.0], [np.nan], t=3.0) == pytest.approx(plain)
    assert driven.evaluate("state_rates", [0.5, 2.0], [0.0], t=3.0, parameters={"k": 5}) == pytest.approx([2.0, -0.75])
    tau_then, inputs_then = driven.evaluate("actuation", [0.5, 2.0], [0.0], [0.0], t=3.0)
    assert (tau_then.tolist(), inputs_then.tolist()) == ([-1.5], [1.0])
    s = cart()
    e = s.derive()
    (tau,), f, x = s.joints["x"].tau, s.inputs["F"].symbol, s.joints["x"].q[0]
    made = laws_of(e.record, {tau: 2 * f, f: x})
    assert made.given[tau] is 2 * x and laws_of(e.record, {tau: 2 * f}).given[tau] is 2 * f
    refused("depend on each other in a circle", lambda: laws_of(e.record, {tau: f, f: tau + x}))
    refused("no effort or input", lambda: laws_of(e.record, {x: f}))


def test_symbols_stand_for_what_they_follow_and_functions_with_laws_are_stored_and_pickled() -> None:
    e = four_bar().derive(constraints="embedded", independent=["crank"])
    joints, tau = e.system.joints, e.tau[e.tree.speeds.index("crank")]
    law = laws_of(e.record, {tau: -joints["rocker"].u[0]}).given[tau]
    q = {"crank": 0.3, "coupler": 0.72, "rocker": 0.001}
    x = [*(q[name] for name in e.coordinates), 1.0]
    found, _ = e.compile().driven({tau: law}).evaluate("actuation", x, np.zeros(len(e.tau)), [])
    assert np.isfinite(found).all() and found[e.tree.speeds.index("crank")] != 0.0
    s = cart()
    e = s.derive()
    tau, x = e.tau[0], s.joints["x"].q[0]
    one, other = laws_of(e.record, {tau: -x}), laws_of(e.record, {tau: -2 * x})
    assert one.digest == laws_of(e.record, {tau: -x}).digest
    keys = {StoredFunction(e.derivation, "state_rates", False, laws)._store.key for laws in (None, one, other)}
    assert len(keys) == 3
    again = pickle.loads(pickle.dumps(e.compile().driven(one)))
    assert again.evaluate("state_rates", [4.0, 0.0], [0.0], inputs=[0.0]).tolist() == [0.0, -2.0]
