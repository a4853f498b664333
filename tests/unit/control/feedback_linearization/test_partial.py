"""Partial linearisation of mechanisms with fewer inputs than freedoms."""

from typing import Any

import numpy as np
import pytest
from tests.linearized_loops import is_chain_of_integrators

import polhode as ph
from polhode.control import PartialLinearization
from polhode.model.samples.underactuated import cart_pole, planar_vtol, quadrotor, two_link_pendulum


@pytest.mark.parametrize(("driven", "other"), [("elbow", "shoulder"), ("shoulder", "elbow")])
def test_an_acrobot_and_a_pendubot_both_ways(driven: str, other: str) -> None:
    e = two_link_pendulum().derive()
    collocated = PartialLinearization(e, inputs=[driven])
    assert [*collocated.outputs] == [driven] and collocated.singular == ()
    crossed = PartialLinearization(e, "non-collocated", [driven])
    assert [*crossed.outputs] == [other] and len(crossed.singular) == 1
    assert is_chain_of_integrators(collocated) and is_chain_of_integrators(crossed)


def test_zero_dynamics_of_a_hanging_acrobot_oscillate_and_those_of_a_standing_one_grow() -> None:
    e = two_link_pendulum().derive()
    hanging = PartialLinearization(e, inputs=["elbow"])
    assert hanging.zero_dynamics.is_stable is None and "do not decide" in hanging.notices[0]
    with pytest.warns(UserWarning, match="W-CONTROL-UNSUPPORTED"):
        standing = PartialLinearization(e, inputs=["elbow"], at={"shoulder": np.pi})
    assert standing.zero_dynamics.is_stable is False


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_while_a_cart_follows_its_pole_falls() -> None:
    e = cart_pole().derive()
    law = PartialLinearization(e, poles=-3)
    run = e.simulate(2, controller=law, reference={"x": "sin(t)"}, start={"theta": 0.01}, rtol=1e-9, speeds={"x": 1})
    assert np.abs(run["x"] - np.sin(run.t)).max() < 1e-7 and np.abs(run["theta"]).max() > 1


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_outputs_may_be_named() -> None:
    assert [*PartialLinearization(cart_pole().derive(), "x").outputs] == ["x"]
    assert [*PartialLinearization(cart_pole().derive(), ["theta"]).outputs] == ["theta"]


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: PartialLinearization(cart_pole().derive(), "located"), "neither collocated nor non-collocated"),
    (lambda: PartialLinearization(planar_vtol().derive()), "do not drive as many speeds"),
    (lambda: PartialLinearization(quadrotor().derive()), "is not the rate of a coordinate"),
])  # fmt: skip
def test_what_cannot_be_says_why(make: Any, sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        make()


def test_more_passive_coordinates_than_inputs_must_be_named() -> None:
    s = ph.System("cart with two poles")
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    for name in ("left", "right"):
        s.joint(name, "cart", s.body(f"{name} pole", 1, (0, 0, 1)), ph.Revolute("y"))
    with pytest.raises(ph.PolhodeError, match="1 inputs cannot make 2 coordinates linear, left and right"):
        PartialLinearization(s.derive(), "non-collocated", ["x"])
