"""Errors obey the linear equation that a law was made for, and a law that was changed does not."""

from __future__ import annotations

import pytest
from tests.planar_arm import planar_arm

from polhode.control import ComputedTorque, FeedbackLinearization
from polhode.control.error_dynamics import ErrorDynamics
from polhode.expr import symbols
from polhode.model.samples.underactuated import cart_pole, quadrotor


def test_what_is_left_over_is_told() -> None:
    e, k = symbols("e k")
    made = ErrorDynamics({"x": e}, (k * e,), ("e' + k e = 0", r"\dot{e} + k e = 0"), ("k = 0",))
    assert not made.proved
    assert str(made) == "e' + k e = 0: not so: something is left over\nnot where k = 0"
    assert repr(made) == "ErrorDynamics(e' + k e = 0: not so: something is left over)"
    assert "Not so: something is left over." in made._repr_latex_()


def test_errors_are_written_as_long_as_they_are_short() -> None:
    short = ComputedTorque(planar_arm().derive(), kp=9, kd=6).error_dynamics
    assert r"e_{q_{1}} &= \mathrm{ref}_{q_{1}} - q_{1}" in short._repr_latex_()
    long = sum(symbols(" ".join(f"x{k}" for k in range(250))))
    made = ErrorDynamics({"x": long}, (), ("e' = 0", r"\dot{e} = 0"))
    assert "x_{249}" not in made._repr_latex_() and r"\dot{e} = 0" in made._repr_latex_()


@pytest.mark.filterwarnings("ignore:.*W-FEEDBACK-001")
def test_feedback_linearization_is_proved_as_computed_torque_is() -> None:
    law = FeedbackLinearization(cart_pole().derive(), ["theta"], gains=[6, 5])
    assert law.error_dynamics.proved and law.error_dynamics.formula[0] == "e'' + k1 e' + k0 e = 0"
    assert law.error_dynamics.conditions == ("cos(theta) = 0, as the decoupling matrix is singular there",)
    outputs = ["pose_x", "pose_y", "pose_z", "pose_a1"]
    flying = FeedbackLinearization(quadrotor().derive(), outputs, extend=True, at={"thrust": 9.81})
    assert flying.error_dynamics.proved and len(flying.error_dynamics.residuals) == 4


@pytest.mark.filterwarnings("ignore:.*W-FEEDBACK-001")
def test_a_law_with_another_gain_obeys_another_equation() -> None:
    made = FeedbackLinearization(cart_pole().derive(), ["x"], gains=[6, 5])
    k1 = made.law.parameters["k1"].symbol
    made.law = made.law.with_values({k1: -k1})
    assert not made.error_dynamics.proved
