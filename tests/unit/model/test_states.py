"""States without mass in a model: how they are declared, and what is refused."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model.samples import motor_driven_pendulum


def rotor() -> ph.System:
    system = ph.System("rotor")
    system.joint("shaft", system.ground, system.body("disc", inertia=(1, 1, 2)), ph.Revolute("z"))
    return system


def test_a_rate_may_be_an_expression_a_function_of_the_state_or_be_given_later() -> None:
    system = rotor()
    angle, speed = system.joints["shaft"].q[0], system.joints["shaft"].u[0]
    error = system.state("error", rate=angle - 1)
    lag = system.state("lag", rate=lambda lag: speed - lag)
    later = system.state("later", start="0.5", unit="N m")
    system.state_rate(later, error + lag - 2 * later)
    assert list(system.states) == ["error", "lag", "later"]
    assert system.states["lag"].rate == speed - lag
    assert (system.states["later"].start, system.states["later"].unit) == (Fraction(1, 2), "N m")
    assert system.derive().z_rates == (angle - 1, speed - lag, error + lag - 2 * later)


def test_a_model_with_states_pickles_and_a_rate_shapes_its_digest() -> None:
    model = motor_driven_pendulum().model()
    assert pickle.loads(pickle.dumps(model)) == model
    system = ph.System.of(model)
    system.state("more", rate=1)
    assert system.model() != model
    assert "more" not in model.states


@pytest.mark.parametrize("name", ["error", "shaft", "gain", "command"])
def test_a_name_that_something_else_has_is_refused(name: str) -> None:
    system = rotor()
    system.parameter("gain", 1)
    system.input("command")
    system.state("error", rate=1)
    with pytest.raises(ModelError, match=r"already a state|would both be written"):
        system.state(name, rate=0)


def test_a_rate_holds_no_accelerations_efforts_or_symbols_of_nobody() -> None:
    system = rotor()
    shaft = system.joints["shaft"]
    for rate, told in (
        (ph.symbol("shaft", "acceleration"), "cannot depend on the acceleration 'shaft'"),
        (shaft.tau[0], "cannot depend on the effort 'shaft'"),
        (ph.symbol("gain"), "cannot depend on the symbol 'gain'"),
    ):
        with pytest.raises(ModelError, match=told):
            system.state("a", rate=rate)
    assert not system.states, "what was refused leaves nothing behind"


def test_a_state_has_one_rate_and_a_number_to_start_from() -> None:
    system = rotor()
    system.state("a", rate=1)
    with pytest.raises(ModelError, match="has a rate already: 1"):
        system.state_rate("a", 2)
    with pytest.raises(ModelError, match="no state 'b'"):
        system.state_rate("b", 2)
    with pytest.raises(ModelError, match="is not a number"):
        system.state("b", start=system.joints["shaft"].q[0])


def test_a_state_without_a_rate_is_told_of_when_equations_are_derived() -> None:
    system = rotor()
    system.state("a")
    with pytest.raises(ModelError, match=r"the state 'a' has no rate.\n.*state_rate\('a', …\)"):
        system.derive()


def test_a_rate_with_the_symbol_of_another_system_is_refused_when_equations_are_derived() -> None:
    system = rotor()
    system.state("a", rate=ph.System("other").parameter("gain", 1))
    with pytest.raises(ModelError, match="depends on the parameter 'gain', which is not in the system 'rotor'"):
        system.derive()


def test_masses_places_gravity_and_constraints_hold_no_state() -> None:
    system = rotor()
    a = system.state("a", rate=0)
    with pytest.raises(ModelError, match="gravity cannot depend on the state 'a'"):
        system.gravity = (0, 0, a)
    with pytest.raises(ModelError, match="'a'"):
        system.constrain(system.joints["shaft"].q[0] - a, "follow")
    with pytest.raises(ModelError, match="the motion cannot depend on the state 'a'"):
        system.prescribe("shaft", a)
    with pytest.raises(ModelError, match="body 'block': the mass cannot depend on the state 'a'"):
        system.body("block", 1 + a)


def test_a_pose_may_name_states() -> None:
    system = motor_driven_pendulum()
    system.pose("lifted", {"hinge": 1}, states={"current": 2})
    assert system.derive().simulate(0, start="lifted")["current"].tolist() == [2.0]
    with pytest.raises(ModelError, match=r"no state 'curent'.\n.*'current'"):
        system.pose("wrong", {}, states={"curent": 2})
