"""Linear-quadratic regulators: what they make of a mechanism, and which calls they refuse."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import LQR, GainSchedule
from polhode.expr import as_expr, evaluate, substitute
from polhode.laws.law import Law
from polhode.model.samples.linkages import four_bar
from polhode.model.samples.underactuated import cart_pole


def at_reference(law: Law, **wanted: float) -> dict[ph.Expr, ph.Expr]:
    """A law's controls with its parameters' values, references at their defaults or where they are wanted."""
    values = {each.symbol: as_expr(each.value) for each in law.parameters.values()}
    for each in law.reference:
        values |= dict.fromkeys(each.symbols, as_expr(0))
        values[each.symbols[0]] = as_expr(wanted.get(each.name, each.default))
    return dict(zip(law.controls, substitute([*law.controls.values()], values), strict=True))


def free_ball() -> ph.Equations:
    s = ph.System("ball", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("b", 1, inertia=(1, 2, 3)), ph.Spherical())
    return s.derive()


def test_the_least_cost_from_a_state_is_that_of_the_run() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    e = s.derive()
    regulator = LQR(e.linearize(), Q=[3, 1], R=2)
    (force,) = at_reference(regulator.law).values()
    run = e.simulate(30, start={"x": 1.0}, tau={"x": force}, samples=6001)
    x = np.hstack([run.q, run.u])
    c = -x @ regulator.K.T
    cost = np.trapezoid(3 * x[:, 0] ** 2 + x[:, 1] ** 2 + 2 * c[:, 0] ** 2, run.t)
    assert cost == pytest.approx(regulator.P[0, 0], rel=1e-5)


def test_an_orientation_comes_home_from_far_by_the_short_way() -> None:
    e = free_ball()
    law = LQR(e.linearize()).law
    half = 1.2
    start = {"ball_e0": float(np.cos(half)), "ball_e1": float(np.sin(half))}
    run = e.simulate(
        25, start=start, tau={u.name: each for u, each in zip(e.u, at_reference(law).values(), strict=True)}
    )
    assert abs(run.q[-1, 0]) == pytest.approx(1, abs=1e-6)
    turned = dict(zip(e.q, [-np.cos(half), -np.sin(half), 0.0, 0.0], strict=True)) | dict.fromkeys(e.u, 0.0)
    same = dict(zip(e.q, [np.cos(half), np.sin(half), 0.0, 0.0], strict=True)) | dict.fromkeys(e.u, 0.0)
    there = [evaluate([*at_reference(law).values()], each) for each in (turned, same)]
    np.testing.assert_allclose(there[0], there[1], atol=1e-12)  # both quaternions are one orientation


def test_deviations_of_an_orientation_are_rotation_vectors() -> None:
    from polhode.control.lqr import deviations

    e = free_ball()
    made = deviations(e.linearize(), None, None, "here")
    vector = np.array([0.3, -0.5, 0.9])
    angle = np.linalg.norm(vector)
    q = [np.cos(angle / 2), *(np.sin(angle / 2) * vector / angle)]
    np.testing.assert_allclose(evaluate(made.values[:3], dict(zip(e.q, q, strict=True))), vector, atol=1e-14)
    np.testing.assert_allclose(evaluate(made.values[:3], dict(zip(e.q, [1.0, 0, 0, 0], strict=True))), 0, atol=1e-14)


def test_an_integral_takes_out_a_constant_load_and_the_operating_point_is_held_and_moved_by_a_reference() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, s.input("F"))
    e = s.derive()
    regulator = LQR(e.linearize(), integral={"x": 1})
    law = regulator.law
    (own,) = law.states
    assert own.symbol.name == "integral of x" and own.rate is not None
    A, B, K = regulator.A, regulator.B, regulator.K
    held = np.linalg.solve(A - B @ K, -np.array([0, 5.0, 0]))  # with a load of 5 N
    assert held[0] == pytest.approx(0, abs=1e-12)
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    e = s.derive()
    at = e.equilibrium(free=["tau_a"], given={"a": ph.pi / 6})
    law = LQR(e.linearize(at)).law
    (effort,) = evaluate([*at_reference(law).values()], {e.q[0]: np.pi / 6, e.u[0]: 0.0})
    assert effort == pytest.approx(10)
    e = cart_pole().derive()
    law = LQR(e.linearize()).law
    (force,) = at_reference(law, x=2.0).values()
    run = e.simulate(15, inputs={"F": force})
    assert run.q[-1, 0] == pytest.approx(2, abs=1e-2)


def test_a_steady_motion_is_held_without_the_way_that_it_goes() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, -slide.u[0])
    e = s.derive()
    cruise = e.linearize(speeds={"x": 3}, tau={"x": 3})
    refused("x runs on in this steady motion", lambda: LQR(cruise))
    run = e.simulate(10, controller=LQR(cruise, states=["x'"]))
    assert run.u[-1, 0] == pytest.approx(3, abs=1e-5)


def test_a_closed_loop_mechanism_is_held_where_it_would_fall() -> None:
    e = four_bar().derive()
    at = e.equilibrium()
    assert at.stability == "unstable"
    regulator = LQR(e.linearize(at), Q=[100, 1], R=0.1, inputs=["tau_crank"])
    run = e.simulate(6, controller=regulator, start={"crank": at["crank"] + 0.2})
    np.testing.assert_allclose(run.q[-1], [*at.coordinates.values()], atol=1e-5)


def test_modes_that_inputs_do_not_reach_or_costs_do_not_see_are_reported() -> None:
    s = ph.System("two", gravity=(0, 0, 0))
    for name in "xy":
        s.joint(name, s.ground, s.body(f"block {name}", 1), ph.Prismatic(name))
    with pytest.raises(ph.PolhodeError, match=r"no input reaches the mode with the eigenvalue 0 1/s \(in y'\)"):
        LQR(s.derive().linearize(), inputs=["tau_x"])
    linear = cart_pole().derive().linearize()
    refused(r"the cost does not see the mode with the eigenvalue 0 1/s \(in x", lambda: LQR(linear, Q={"theta": 1}))
    (notice,) = LQR(linear, Q=0, states=["theta", "theta'"]).notices
    assert "does not see" in notice


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"Q": [1, 2]}, r"it has the shape 2, and there are 4 of x, theta"),
    ({"Q": np.triu(np.ones((4, 4)))}, "not symmetric"), ({"Q": -1}, "not positive semidefinite"),
    ({"R": 0}, "not positive definite"), ({"Q": {"y": 1}}, "no weight 'y'"), ({"Q": "much"}, "not a finite number"),
    ({"Q": float("nan")}, "nan is not a finite number"), ({"inputs": ["G"]}, "no input 'G'"),
    ({"integral": {"y": 1}}, "no state 'y'"), ({"integral": {"x": 0}}, "not positive"),
    ({"integral": 3}, "not weights by name"), ({"sample_time": 0}, "0 is not a time > 0"),
    ({"sample_time": "often"}, "not a time"), ({"states": ["x", "x'"]}, "theta cannot be left out"),
    ({"states": ["y"]}, "no state 'y'"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    refused(sentence, lambda: LQR(cart_pole().derive().linearize(), **wrong))


def test_what_is_no_equilibrium_or_has_no_state_is_refused() -> None:
    refused("no equilibrium", lambda: LQR(cart_pole().derive().linearize({"theta": 0.3})))
    refused("not a set of linear equations", lambda: LQR(cart_pole().derive()))  # type: ignore[arg-type]
    refused("no state is to be regulated", lambda: LQR(cart_pole().derive().linearize(), states=[]))


def pendulum() -> ph.Equations:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    return s.derive()


def test_a_schedule_is_the_regulator_at_each_of_its_equilibria() -> None:
    e = pendulum()
    made = GainSchedule(e, over={"a": [0, 1, 2]}, inputs=["tau_a"])
    law = made.law
    r, rate = law.reference[0].symbols
    for value in (0.0, 1.0, 2.0):
        at = e.equilibrium(free=["tau_a"], given={"a": value})
        K = LQR(e.linearize(at), inputs=["tau_a"]).K[0]
        there = {e.q[0]: value, e.u[0]: 0.3, r: value, rate: 0.0}
        (effort,) = evaluate([*law.controls.values()], there)
        assert effort == pytest.approx(20 * np.sin(value) - 0.3 * K[1], rel=1e-6)


def test_a_pendulum_follows_far_beyond_one_equilibrium_and_gains_follow_a_known_parameter_or_are_refused() -> None:
    e = pendulum()
    made = GainSchedule(e, over={"a": np.linspace(0, 2.8, 8)}, Q=[30, 3], inputs=["tau_a"])
    run = e.simulate(20, controller=made, reference={"a": "1.4 - 1.2*cos(0.3*t)"}, start={"a": 0.2})
    wanted = 1.4 - 1.2 * np.cos(0.3 * run.t)
    assert np.abs(run.q[:, 0] - wanted).max() < 0.05
    alone = LQR(e.linearize(e.equilibrium(free=["tau_a"], given={"a": 0.2})), Q=[30, 3], inputs=["tau_a"])
    other = e.simulate(20, controller=alone, reference={"a": "1.4 - 1.2*cos(0.3*t)"}, start={"a": 0.2})
    assert np.abs(other.q[:, 0] - wanted).max() > 0.5
    e = cart_pole().derive()
    made = GainSchedule(e, over={"m": [0.1, 0.5, 1.0]}, Q={"x": 1, "theta": 1})
    assert np.all(np.diff(made.K[:, 0, 1]) < 0)  # a heavier pole takes more
    run = e.simulate(12, controller=made, start={"theta": 0.2}, parameters={"m": 0.8, "nominal m": 0.8})
    assert np.abs(run.x[-1]).max() < 0.01
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, ph.sin(2 * ph.pi * x.q[0]) * 20)  # steep halfway between whole numbers
    with pytest.raises(ph.PolhodeError, match=r"at x = 1, between two values"):
        GainSchedule(s.derive(), over={"x": [0.5, 1.5]}, inputs=["tau_x"], design=lambda linear: LQR(linear, Q=0.01))


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"over": {"b": [0, 1]}}, "no parameter, coordinate or speed 'b'"),
    ({"over": {"a": [0]}}, "not two or more ascending values"), ({"over": {"a": [1, 0]}}, "ascending"),
    ({"over": {"a": "far"}}, "not a list of numbers"), ({"over": {}}, "one variable, not 0"),
    ({"over": 3}, "not values by the name"), ({"over": {"a": [0, 1]}, "kind": "held"}, "no kind of table 'held'"),
    ({"over": {"a": [0, 1]}, "design": lambda linear: 3}, "3 is not an LQR"),
    ({"over": {"a": [0, 1]}, "design": lambda linear: LQR(linear, integral={"a": 1})}, "not scheduled"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence_schedule(wrong: dict[str, Any], sentence: str) -> None:
    refused(sentence, lambda: GainSchedule(pendulum(), inputs=["tau_a"], **wrong))
