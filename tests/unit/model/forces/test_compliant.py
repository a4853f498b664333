"""Compliant contacts and stops against closed forms."""

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError

G, K = 9.81, 2e4


def ball(on: ph.Shape, radius: float = 0.1, **laws: object) -> ph.System:
    """A ball of 1 kg over a surface of the ground."""
    s = ph.System("ball")
    body = s.body("ball", 1, inertia=ph.sphere(1, radius))
    six = ph.Compound(*map(ph.Prismatic, "xyz"), *map(ph.Revolute, "zxy"))
    s.joint("flight", s.ground, body, six, coordinates=["x", "y", "z", "yaw", "roll", "spin"])
    floor = s.surface("floor", s.ground, on)
    assert s.contact("touch", s.surface("skin", body, ph.Shape.sphere(radius)), floor, **laws) is None
    return s


@pytest.mark.parametrize(("law", "exponent"), [("hunt_crossley", None), ("hunt_crossley", "2.3"), ("linear", None)])
def test_it_rests_where_the_law_carries_the_weight(law: str, exponent: str | None):
    damping = 40 if law == "linear" else 2
    s = ball(ph.Shape.plane(), stiffness=K, damping=damping, law=law, exponent=exponent)
    n = float(exponent or (1 if law == "linear" else 1.5))
    depth = (G / K) ** (1 / n)
    run = s.derive().simulate(8, start={"z": 0.1 - 0.9 * depth}, method="Radau")
    assert run["z"][-1] == pytest.approx(0.1 - depth, rel=1e-4)


def test_a_fast_bounce_loses_what_hunt_and_crossley_say():
    """e ≈ 1 - (2/3) c v for small c v."""
    s = ball(ph.Shape.plane(), stiffness=K, damping=0.02)
    s.gravity = (0, 0, 0)
    e = s.derive()
    out = []
    for speed in (0.5, 1.0):
        run = e.simulate(0.5, start={"z": 0.2}, speeds={"z": -speed}, rtol=1e-10, atol=1e-12)
        out.append(run.u[-1, run.speeds.index("z")] / speed)
    assert np.allclose(out, [1 - 2 / 3 * 0.02 * v for v in (0.5, 1.0)], atol=3e-4)


def test_friction_is_coulombs_where_it_slips_and_all_derivations_agree():
    mu, speed = 0.3, 2.0
    s = ball(ph.Shape.plane(), stiffness=K, damping=2, friction=mu, transition_speed=1e-3)
    depth = (G / K) ** (2 / 3)
    run = s.derive().simulate(0.1, start={"z": 0.1 - depth}, speeds={"x": speed}, rtol=1e-9)
    assert run["x"][-1] == pytest.approx(speed * 0.1 - mu * G * 0.1**2 / 2, rel=1e-4)
    spin = run.u[-1, run.speeds.index("spin")]
    assert abs(spin) == pytest.approx(mu * G * 0.1 * 0.1 / (0.4 * 0.1**2), rel=1e-4)
    assert ball(ph.Shape.sphere(1), stiffness=K, friction=mu).compare(run=False, functions=()).agree


def test_a_compliant_stop_turns_a_slider_round_in_half_a_period():
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("cart", 2), ph.Prismatic("x"), limits=(None, 1), stop={"stiffness": 800})
    run = s.derive().simulate(0.5, speeds={"x": 4}, rtol=1e-10, atol=1e-12)
    turned = 0.25 + np.pi * np.sqrt(2 / 800)
    assert run["x"][-1] == pytest.approx(1 - 4 * (0.5 - turned), abs=1e-6)


@pytest.mark.parametrize(
    ("laws", "message"),
    [
        ({"damping": 1}, "a rigid contact has no damping"),
        ({"stiffness": -1}, "not positive"),
        ({"stiffness": 1, "restitution": 0.5}, "no restitution"),
        ({"stiffness": 1, "law": "linear", "exponent": 2}, "exponent of the linear law"),
        ({"stiffness": 1, "friction": -1}, "friction -1 is negative"),
        ({"stiffness": 1, "law": "cubic"}, "there is no law 'cubic'"),
    ],
)
def test_laws_that_cannot_be_are_refused(laws: dict[str, object], message: str):
    with pytest.raises(ModelError, match=message):
        ball(ph.Shape.plane(), **laws)
