"""Integrators before inputs that appear too early."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linearized_loops import is_chain_of_integrators

import polhode as ph
from polhode.model.samples.underactuated import car_with_trailers, planar_vtol, quadrotor

POSITION_AND_YAW = ["pose_x", "pose_y", "pose_z", "pose_a1"]


def unicycle() -> ph.System:
    """A point that rolls where it heads; speed and turning rate are inputs."""
    s = ph.System("unicycle", gravity=(0, 0, 0))
    speed, turn = s.input("speed"), s.input("turn")
    heading = s.state("heading", turn)
    s.state("x", speed * ph.cos(heading))
    s.state("y", speed * ph.sin(heading))
    s.joint("idle", s.ground, s.body("ballast", 1), ph.Prismatic("x"))
    return s


def test_a_quadrotor_takes_two_integrators_before_its_thrust() -> None:
    law = quadrotor().derive().feedback_linearize(POSITION_AND_YAW, extend=True, at={"thrust": 9.81})
    assert law.degrees == (4, 4, 4, 2) and law.zero_dynamics.size == 0
    first, second = law.law.states
    assert first.rate == second.symbol and (float(first.start), second.start) == (9.81, 0)
    assert law.control["thrust"] == first.symbol
    assert {str(each) for each in law.singular} == {"cos(pose_a3)", "thrust integrator 1"}
    assert is_chain_of_integrators(law)


def test_errors_of_a_quadrotor_decay_as_the_poles_say() -> None:
    e = quadrotor().derive()
    law = e.feedback_linearize(POSITION_AND_YAW, extend=True, at={"thrust": 9.81}, poles=-4)
    run = e.simulate(2, controller=law, reference=dict.fromkeys(POSITION_AND_YAW, 0.0), rtol=1e-9, samples=21,
                     start={"pose_x": 0.5, "pose_z": -0.3})  # fmt: skip
    s = 4 * run.t
    decay = np.exp(-s) * (1 + s + s**2 / 2 + s**3 / 6)
    assert np.allclose(run["pose_x"], 0.5 * decay, atol=1e-6) and np.allclose(run["pose_z"], -0.3 * decay, atol=1e-6)


def test_integrators_that_start_where_the_law_does_not_hold_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="integrators start where the law does not hold"):
        quadrotor().derive().feedback_linearize(POSITION_AND_YAW, extend=True)


def test_an_aircraft_with_a_coupled_roll_takes_an_integrator_before_a_combination() -> None:
    s = planar_vtol()
    e, epsilon = s.derive(), s.parameters["epsilon"].symbol
    theta, x, y = e.q
    outputs = {"a": x - epsilon * ph.sin(theta), "b": y + epsilon * ph.cos(theta)}
    with pytest.raises(ph.PolhodeError, match="rank 1 of 2"):
        e.feedback_linearize(outputs)
    law = e.feedback_linearize(outputs, extend=True)
    assert law.degrees == (4, 4) and len(law.law.states) == 2
    assert [str(each) for each in law.singular] == ["epsilon*omega**2 - thrust integrator 1"]
    assert is_chain_of_integrators(law)


def test_a_unicycle_takes_one_before_its_speed() -> None:
    e = unicycle().derive()
    law = e.feedback_linearize(["x", "y"], extend=True, at={"speed": 1})
    assert law.degrees == (2, 2) and [str(each) for each in law.singular] == ["speed integrator 1"]
    assert is_chain_of_integrators(law)


def test_a_car_follows_a_curve() -> None:
    e = car_with_trailers(0).derive()
    law = e.feedback_linearize(["x", "y"], extend=True, poles=-2)
    assert law.degrees == (4, 4) and "vx" in {str(each) for each in law.singular}
    run = e.simulate(10, controller=law, reference={"x": "2*t", "y": "sin(t/2)"}, speeds={"vx": 2.0}, rtol=1e-8)
    assert abs(run["x"][-1] - 20) < 1e-5 and abs(run["y"][-1] - np.sin(5)) < 1e-4


def test_without_need_nothing_is_extended() -> None:
    e = planar_vtol().derive()
    with pytest.warns(UserWarning, match="unstable"):
        assert e.feedback_linearize(["x", "y"], extend=True).law.states == ()


def test_outputs_that_depend_on_each_other_are_not_helped() -> None:
    e = planar_vtol().derive()
    with pytest.raises(ph.PolhodeError, match="integrators do not help: after"):
        e.feedback_linearize({"a": e.q[1], "b": 2 * e.q[1] + 1}, extend=True)
