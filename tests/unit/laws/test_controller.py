"""Controllers: names of gains and of integrals, and nominal values of parameters."""

import pytest

import polhode as ph
from polhode.control import LQR, ComputedTorque
from polhode.model.samples.arm import six_degree_of_freedom_arm
from polhode.model.samples.underactuated import cart_pole


def slider(mass: str = "m") -> ph.System:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter(mass, 2)), ph.Prismatic("x"), speeds=["v"])
    return s


def test_a_gain_with_the_name_of_a_parameter_is_refused_for_every_controller():
    regulator = LQR(slider("K_tau_v_x").derive().linearize())
    for controller in (regulator, ComputedTorque(slider("kp").derive(), kp=1, kd=1)):
        with pytest.raises(ph.PolhodeError, match="has the name of a parameter of 'slider'"):
            _ = controller.law


def test_the_integral_of_an_error_is_called_the_same_in_all_controllers():
    torque = ComputedTorque(slider().derive(), kp=4, kd=4, ki=1)
    regulator = LQR(cart_pole().derive().linearize(), integral={"x": 1})
    assert [each.symbol.name for each in (*torque.law.states, *regulator.law.states)] == ["integral of x"] * 2


@pytest.mark.parametrize("wrong", ["x", 3, {"zz": 1}, {"m": None}, {"m": [1, 2]}])
def test_nominal_values_are_numbers_by_the_names_of_parameters(wrong):
    with pytest.raises(ph.PolhodeError, match="ComputedTorque parameters"):
        ComputedTorque(slider().derive(), kp=1, kd=1, parameters=wrong)


def test_gains_of_uneven_rows_get_a_sentence():
    with pytest.raises(ph.PolhodeError, match="neither one gain"):
        ComputedTorque(cart_pole().derive(), kp=[1, [2, 3]], kd=1, inputs=["tau_x", "tau_theta"])


def test_a_law_that_nobody_would_read_is_told_of() -> None:
    e = six_degree_of_freedom_arm().derive()
    said = str(ComputedTorque(e, kp=100, kd=20, inputs=e.speeds))
    assert "symbols and numbers, see law.controls" in said and len(said) < 30_000
