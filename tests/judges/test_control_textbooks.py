"""What textbooks and papers say of well-known mechanisms: degrees, singular sets, zero dynamics, flat outputs."""

import numpy as np
import pytest

import polhode as ph
from polhode.expr import as_expr, is_zero
from polhode.model.samples.underactuated import (
    ball_and_beam,
    cart_pole,
    furuta_pendulum,
    planar_vtol,
    quadrotor,
    tora,
    two_link_pendulum,
)

POSITION_AND_YAW = ["pose_x", "pose_y", "pose_z", "pose_a1"]


def test_cart_pole() -> None:
    """M. W. Spong (1994): degree 2 of the cart everywhere, that of the pole is lost where it is level."""
    equations = cart_pole().derive()
    assert equations.accessibility() and equations.controllability()
    cart, pole = equations.relative_degree(["x"]), equations.relative_degree(["theta"])
    assert cart.degrees == pole.degrees == (2,)
    assert cart.singular == () and [str(each) for each in pole.singular] == ["cos(theta)"]
    left = equations.zero_dynamics(["x"])
    theta, l = equations.q[1], equations.system.parameters["l"].symbol
    assert is_zero(left.rates["theta'"] - ph.sin(theta) * 981 / 100 / l) and left.is_stable is False
    assert not equations.is_flat_output(["x"])


def test_furuta_pendulum() -> None:
    """K. J. Åström and K. Furuta (2000): as the cart-pole; the pendulum's degree is lost where it is level."""
    equations = furuta_pendulum().derive()
    assert equations.controllability().linear_rank == 4
    assert [str(each) for each in equations.relative_degree(["pendulum"]).singular] == ["cos(pendulum)"]
    assert equations.zero_dynamics(["arm"]).is_stable is False


def test_acrobot_and_pendubot_differ_in_the_input_alone() -> None:
    """M. W. Spong, *Partial feedback linearization of underactuated mechanical systems* (1994): M₁₂ must not vanish."""
    s = two_link_pendulum()
    equations = s.derive()
    shoulder, elbow = equations.q
    m1, c1, l1, m2, c2, I2 = (s.parameters[name].symbol for name in ("m1", "c1", "l1", "m2", "c2", "I2"))
    coupling = m2 * (c2**2 + l1 * c2 * ph.cos(elbow)) + I2
    for driven, free in (("elbow", "shoulder"), ("shoulder", "elbow")):
        assert equations.controllability([driven]).test == "linear"
        assert equations.relative_degree([driven], [driven]).singular == ()
        (lost,) = equations.relative_degree([free], [driven]).singular
        assert is_zero(lost - coupling)
    acrobot, pendubot = (equations.zero_dynamics([name], [name]) for name in ("elbow", "shoulder"))
    g, I1 = as_expr("9.81"), s.parameters["I1"].symbol
    straight = I1 + I2 + m1 * c1**2 + m2 * (l1 + c2) ** 2
    assert is_zero(acrobot.rates["shoulder'"] + g * (m1 * c1 + m2 * (l1 + c2)) * ph.sin(shoulder) / straight)
    assert is_zero(pendubot.rates["elbow'"] + g * m2 * c2 * ph.sin(elbow) / (I2 + m2 * c2**2))


def test_ball_and_beam() -> None:
    """J. Hauser, S. Sastry and P. Kokotović (1992): degree 3 where r θ̇ ≠ 0, and so none at the equilibrium."""
    equations = ball_and_beam().derive()
    found = equations.relative_degree(["r"], at={})
    assert found.degrees == (3,) and {str(each) for each in found.singular} == {"r", "theta'"}
    assert found.exists and found.exists_at is False
    assert str(found).endswith("none at the given state, where r and theta' vanish.")
    assert equations.relative_degree(["r"], at={"r": 0.2, "theta'": 1}).exists_at
    theta = equations.relative_degree(["theta"])
    assert theta.degrees == (2,) and theta.singular == ()
    assert equations.controllability().test == "linear"


def test_planar_vtol() -> None:
    """J. Hauser, S. Sastry and G. Meyer (1992): degrees {2, 2}, zero dynamics ε θ̈ = g sin θ; P. Martin, S. Devasia and
    B. Paden (1996): the centre of oscillation is flat."""
    s = planar_vtol()
    equations = s.derive()
    epsilon, (theta, x, y) = s.parameters["epsilon"].symbol, equations.q
    found = equations.relative_degree([x, y])
    assert found.degrees == (2, 2) and found.singular == () and is_zero(found.determinant + epsilon)
    left = equations.zero_dynamics([x, y])
    assert left.states == ["theta", "omega"] and is_zero(epsilon * left.rates["omega"] - 981 * ph.sin(theta) / 100)
    assert left.is_stable is False and np.isclose(left.eigenvalues[0], np.sqrt(98.1))
    assert not equations.is_flat_output([x, y])
    huygens = equations.is_flat_output([x - epsilon * ph.sin(theta), y + epsilon * ph.cos(theta)])
    assert huygens and huygens.degrees == (4, 4) and huygens.integrators == 2


def test_translational_oscillator_with_rotating_actuator() -> None:
    """M. Jankovic, D. Fontaine and P. V. Kokotović (1996): x + m e sin θ/(M + m) has degree 4 where cos θ ≠ 0."""
    s = tora()
    equations = s.derive()
    M, m, e = (s.parameters[name].symbol for name in ("M", "m", "e"))
    x, theta = equations.q
    output = x + m * e * ph.sin(theta) / (M + m)
    found = equations.relative_degree([output], at={})
    assert found.degrees == (4,) and [str(each) for each in found.singular] == ["cos(theta)"] and found.exists_at
    assert equations.relative_degree([output], at={"theta": ph.pi / 2}).exists_at is False
    assert equations.relative_degree([x]).degrees == (2,)
    assert equations.zero_dynamics([output]).size == 0 and equations.is_flat_output([output])


def test_quadrotor() -> None:
    """V. Mistler, A. Benallegue and N. K. M'Sirdi (2001): degrees {4, 4, 4, 2} after two integrators on thrust;
    D. Mellinger and V. Kumar (2011): place and yaw are flat."""
    plain = quadrotor().derive()
    assert not plain.relative_degree(POSITION_AND_YAW).exists
    flat = plain.is_flat_output(POSITION_AND_YAW)
    assert flat and flat.degrees == (4, 4, 4, 2) and flat.integrators == 2
    extended = quadrotor(2).derive()
    found = extended.relative_degree(POSITION_AND_YAW, at={"thrust": 9.81})
    assert found.degrees == (4, 4, 4, 2) and found.total == found.size == 14 and found.exists_at
    assert {str(each) for each in found.singular} == {"thrust", "cos(pose_a3)"}
    assert extended.relative_degree(POSITION_AND_YAW, at={}).exists_at is False  # no thrust
    assert extended.zero_dynamics(POSITION_AND_YAW).size == 0


@pytest.mark.parametrize("integrators", [0, 2])
def test_a_hovering_quadrotor_is_controllable(integrators: int) -> None:
    assert quadrotor(integrators).derive().controllability(at={"thrust": 9.81}).test == "linear"
