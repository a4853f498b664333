"""Rates along closed loops, and proofs that can fail."""

from typing import Any

import pytest
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import (
    Adaptive,
    ComputedTorque,
    FeedbackLinearization,
    Law,
    PassivityBased,
    PDGravity,
    PotentialShaping,
    Reference,
)
from polhode.control.lyapunov import ErrorDynamics, LyapunovFunction, prove, rate_along, signs_of
from polhode.expr import as_expr, same, symbols
from polhode.laws.law import ControllerState
from polhode.model.samples.underactuated import cart_pole, quadrotor


def slider() -> ph.Equations:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    return s.derive()


def test_references_states_and_time_move_along_the_loop_and_rates_of_sampled_laws_and_remainders_are_reported() -> None:
    e = slider()
    wanted = Reference("x", 1)
    r, rate = wanted.symbols
    law = Law({e.tau[0]: r + rate}, reference=(wanted,))
    (third,) = rate_along(e, law, r, times=3)
    assert third == ph.expr.spelling.reference_symbol("x", 3)
    assert rate_along(e, law, [r, rate], is_constant=True) == [as_expr(0), as_expr(0)]
    e = slider()
    y, xi = ph.symbol("y", "measurement"), ph.symbol("xi", "state")
    law = Law({e.tau[0]: -y - xi}, states=(ControllerState(xi, rate=y),), measured={y: 3 * e.q[0]})
    m = e.system.parameters["m"].symbol
    found = rate_along(e, law, [xi, e.u[0], e.system.time])
    assert same(found, [3 * e.q[0], (-3 * e.q[0] - xi) / m, 1])
    e = planar_arm().derive()
    still = Law({tau: as_expr(0) for tau in e.tau})
    assert prove(e, still, e.kinetic_energy + e.potential_energy, 0).proved
    assert not prove(e, still, e.kinetic_energy, 0).proved
    e = slider()
    law = Law({e.tau[0]: -6 * e.u[0]})
    said = prove(e, law, e.kinetic_energy, 5 * e.u[0] ** 2)
    assert not said.proved and "something is left over" in str(said) and "not proved" in said.latex()
    assert same([said.residual], [-(e.u[0] ** 2)])
    e = slider()
    xi = ph.symbol("xi", "state")
    law = Law({e.tau[0]: xi}, states=(ControllerState(xi, update=e.q[0]),), sample_time=0.1)
    refused("from sample to sample has no rates", lambda: rate_along(e, law, e.q[0]))


@pytest.fixture(scope="module")
def arm() -> ph.Equations:
    return planar_arm().derive()


def brake(e: ph.Equations) -> tuple[Law, Any, Any]:
    """Efforts against the speeds, the energy, and what it loses."""
    law = Law({tau: -4 * u for tau, u in zip(e.tau, e.u, strict=True)})
    return law, e.kinetic_energy + e.potential_energy, 4 * sum(u * u for u in e.u)


def test_the_wrong_sign_is_never_called_proved(arm: ph.Equations) -> None:
    law, E, W = brake(arm)
    right, wrong = prove(arm, law, E, W), prove(arm, law, -E, -W)
    assert right.proved and right.holds and wrong.holds and not wrong.proved
    assert wrong.signs.is_positive is False and "proved" not in str(wrong) + repr(wrong)
    assert "V is not positive: near the goal it falls, along q1'." in str(wrong)
    assert "(not proved)" in wrong.latex() and "Proved" not in wrong._repr_latex_()


@pytest.mark.parametrize("law", [ComputedTorque, PDGravity])
def test_no_controller_is_proved_by_the_negative_of_its_function(arm: ph.Equations, law: Any) -> None:
    c = law(arm, kp=9, kd=6)
    said = c.lyapunov
    assert said.proved and said.signs.is_definite and said.signs.is_far
    constant = {"is_constant": law is PDGravity}
    assert not prove(arm, c, -said.V, -said.decrease, **constant).proved
    assert prove(arm, c, said.V, said.decrease, **constant).proved
    grows = LyapunovFunction(said.V, said.rate, -said.decrease, look=said.look)
    assert grows.signs.is_decreasing is False and "W is negative" in str(grows.signs)


def test_what_does_not_tell_all_states_is_not_definite(arm: ph.Equations) -> None:
    sliding = PassivityBased(arm, kd=5, lambda_=3).lyapunov.signs
    assert sliding and not sliding.is_definite and str(sliding).startswith("V >= 0 and W >= 0")
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter("m")), ph.Prismatic("x"), speeds=["v"])
    e = s.derive()
    said = prove(e, Law({e.tau[0]: -6 * e.u[0]}), e.kinetic_energy, 6 * e.u[0] ** 2)
    assert said.proved and not said.signs.is_definite  # wherever x is
    assert said.signs.sentences[-1] == "Taken to be 1, as there is no value: m."


def test_the_goal_is_found_given_or_not_known(arm: ph.Equations) -> None:
    law, E, W = brake(arm)
    found = prove(arm, law, E, W).signs
    assert abs(found.goal["q1"] + 1.5707963) < 1e-6 and "V is least at q1 = -1.571." in found.sentences
    given = prove(arm, law, E, W, goal={"q1": -ph.pi / 2, arm.q[1]: 0})
    assert given.proved and len(given.signs.sentences) == 1
    assert not prove(arm, law, E, W, goal={"q1": 1}).proved
    beside = prove(arm, law, (arm.q[0] - 1) ** 2 + arm.u[0] ** 2, 0, goal={"q1": 0})
    assert beside.signs.sentences == ("V is not least at the goal: it changes with q1 there.",)
    lost = signs_of(arm.record, law, arm.q[0] + arm.u[0] ** 2, as_expr(0))
    assert lost.is_positive is None and "no state was found where it is least" in str(lost) and not lost
    assert signs_of(arm.record, law, as_expr(3), as_expr(0)).is_positive is None
    refused("no state 'q3'", lambda: prove(arm, law, E, W, goal={"q3": 1}).signs)


def test_functions_that_are_not_least_at_the_goal_are_not_proved(arm: ph.Equations) -> None:
    e = cart_pole().derive()
    F = e.system.inputs["F"].symbol
    said = prove(e, Law({F: -3 * e.u[0]}), e.kinetic_energy + e.potential_energy, 3 * e.u[0] ** 2)
    assert said.proved and abs(said.signs.goal["theta"]) == pytest.approx(3.14159265)
    q1, q2 = arm.q
    far = PotentialShaping(arm, 3 * q1**2 - q1**4 + q2**2, kd=5).lyapunov
    assert far.proved and far.signs.is_definite and not far.signs.is_far
    assert "V > 0 but at the goal and W >= 0 (near the goal alone): checked by number" in str(far)
    v = ph.symbol("v", "speed")
    made = LyapunovFunction(v * v, -v * v, v * v)
    assert made.holds and not made.proved and "was not looked at" in str(made)


def test_orientations_are_moved_by_turns_also_far_from_home_and_coordinates_that_constraints_tie_are_held() -> None:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    c = PDGravity(s.derive(), kp=9, kd=6)
    signs = c.lyapunov.signs
    assert signs and signs.is_definite and "turn x of ball_e0" in signs.goal
    wrong = signs_of(c.equations, c.law, -c.lyapunov.V, as_expr(0))
    assert wrong.is_positive is False and not wrong
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    e = s.derive()
    goal = dict(zip(e.coordinates, (0.1, 0.5, -0.5, 0.7), strict=True))
    V = sum((q - goal[q.name]) ** 2 for q in e.q) + e.kinetic_energy
    assert signs_of(e.record, brake(e)[0], V, as_expr(0), goal).is_definite
    s = planar_arm()
    s.constrain(s.joints["q1"].q[0] - 2 * s.joints["q2"].q[0], "tied")
    e = s.derive(independent=["q1"])
    made = PDGravity(e, kp=9, kd=6).lyapunov
    assert made.proved and "The coordinates were held, as constraints tie them." in made.signs.sentences
    assert not prove(e, PDGravity(e, kp=9, kd=6), -made.V, -made.decrease, is_constant=True).proved


def test_estimates_are_least_wrong_where_they_are_right(arm: ph.Equations) -> None:
    signs = Adaptive(arm, kd=5, lambda_=3, gamma=2, estimates={"m1": 7}).lyapunov.signs
    assert signs and signs.goal["estimate_m1"] == 2.0


def test_what_is_left_over_and_long_errors_are_written() -> None:
    e, k = symbols("e k")
    made = ErrorDynamics({"x": e}, (k * e,), ("e' + k e = 0", r"\dot{e} + k e = 0"), ("k = 0",))
    assert not made.proved and str(made) == "e' + k e = 0: not so: something is left over\nnot where k = 0"
    assert repr(made) == "ErrorDynamics(e' + k e = 0: not so: something is left over)"
    assert "Not so: something is left over." in made._repr_latex_()
    short = ComputedTorque(planar_arm().derive(), kp=9, kd=6).error_dynamics
    assert r"e_{q_{1}} &= \mathrm{ref}_{q_{1}} - q_{1}" in short._repr_latex_()
    long = sum(symbols(" ".join(f"x{k}" for k in range(250))))
    made = ErrorDynamics({"x": long}, (), ("e' = 0", r"\dot{e} = 0"))
    assert "x_{249}" not in made._repr_latex_() and r"\dot{e} = 0" in made._repr_latex_()


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_feedback_linearization_is_proved_as_computed_torque_is() -> None:
    law = FeedbackLinearization(cart_pole().derive(), ["theta"], gains=[6, 5])
    assert law.error_dynamics.proved and law.error_dynamics.formula[0] == "e'' + k1 e' + k0 e = 0"
    assert law.error_dynamics.conditions == ("cos(theta) = 0, as the decoupling matrix is singular there",)
    outputs = ["pose_x", "pose_y", "pose_z", "pose_a1"]
    flying = FeedbackLinearization(quadrotor().derive(), outputs, extend=True, at={"thrust": 9.81})
    assert flying.error_dynamics.proved and len(flying.error_dynamics.residuals) == 4


@pytest.mark.filterwarnings("ignore:.*W-CONTROL-UNSUPPORTED")
def test_a_law_with_another_gain_obeys_another_equation() -> None:
    made = FeedbackLinearization(cart_pole().derive(), ["x"], gains=[6, 5])
    k1 = made.law.parameters["k1"].symbol
    made.law = made.law.with_values({k1: -k1})
    assert not made.error_dynamics.proved
