"""Mladenova, section 2.7: a rigid body with thrusters in state form, (89) to (107); our own derivation judges."""

import pytest
from tests.papers.rotation_group import UNIT, along, c, cd, moving, same, skew, w, x

import polhode as ph
from polhode import Attitude, Matrix, Rotation, Vector
from polhode.expr import substitute, symbols

MOMENTS = symbols("J1 J2 J3")
J = Matrix.diagonal(MOMENTS)
J_INVERSE = Matrix.diagonal([1 / moment for moment in MOMENTS])
U = symbols("u1 u2")
B = Matrix([[1, 0], [0, symbols("beta")[0]], [symbols("gamma")[0], 1]])
BODY = Attitude(MOMENTS, B.columns)
R = Rotation.from_vector(c)
O = R.matrix
OMEGA, MOMENTUM = Vector(w), Vector(x)


def S(v: Vector) -> Matrix:
    """S(ω) = -ω̂, as (94) has it."""
    return -skew(v)


def test_equations_89_to_94_are_the_equations_that_are_derived_of_a_body_on_a_ball_joint() -> None:
    s = ph.System("satellite", gravity=(0, 0, 0))
    I = [s.parameter(f"J{k}") for k in (1, 2, 3)]
    body = s.body("body", mass=1, inertia=I)
    s.joint("ball", s.ground, body, ph.Spherical("vector"))
    equations = s.derive()
    known = dict(zip([*I, *equations.u, *equations.q], [*MOMENTS, *w, *c], strict=True))
    assert same(substitute(list(equations.mass_matrix.entries()), known), J.entries())
    bias = Vector(substitute(list(equations.bias), known))
    pushed = B @ Vector(U)
    momentum_rate = pushed - bias  # J ω̇, the speeds being ω in body components
    assert same(momentum_rate, S(OMEGA) @ (J @ OMEGA) + pushed)  # (92)-(94), (100)
    assert same(momentum_rate, BODY.momentum_rate(J @ OMEGA, U))
    assert same(substitute(list(equations.coordinate_rates), known), R.rate(w, "vector"))


def test_equations_90_and_91_the_momentum_in_space_changes_by_the_torque() -> None:
    rates = {**moving(c, R.rate(J_INVERSE @ MOMENTUM, "vector")), **moving(x, BODY.momentum_rate(x, U))}
    assert same(along(O @ MOMENTUM, rates), O @ (B @ Vector(U)))


def test_equation_95_has_the_other_sign() -> None:
    Od = along(O, moving(c, R.rate(w, "vector")))
    assert same(Od, -(O @ S(OMEGA))) and not same(Od, O @ S(OMEGA))


def test_equations_96_to_99_have_the_other_sign_in_the_drift() -> None:
    velocity = J_INVERSE @ MOMENTUM
    assert same(S(OMEGA) @ MOMENTUM, -(S(MOMENTUM) @ OMEGA))  # the property that is used
    assert same(BODY.momentum(w), J @ OMEGA) and same(BODY.velocity(x), velocity)
    assert same(BODY.drift(x), S(velocity) @ MOMENTUM)
    assert same(BODY.drift(x), -(S(MOMENTUM) @ velocity)) and not same(BODY.drift(x), S(MOMENTUM) @ velocity)
    fields = sum((g * u for g, u in zip(BODY.inputs, U, strict=True)), Vector([0, 0, 0]))
    assert same(BODY.momentum_rate(x, U), BODY.drift(x) + fields)  # (98)


def test_equations_100_to_104_the_state_in_vector_parameters() -> None:
    A = (O.T + UNIT) / (1 + O[0, 0] + O[1, 1] + O[2, 2])  # (102)
    assert same(A @ O @ OMEGA, R.rate(w, "vector"))  # (101)
    momentum_rate, rate = BODY.rates(R, x, U)
    assert same(rate, A @ O @ J_INVERSE @ MOMENTUM)  # (104)
    assert same(momentum_rate, -(S(MOMENTUM) @ (J_INVERSE @ MOMENTUM)) + B @ Vector(U))  # (103), its sign corrected


def test_equations_105_to_107_are_the_same_system_again() -> None:
    A = (O.T + UNIT) / (1 + O[0, 0] + O[1, 1] + O[2, 2])
    rate = R.rate(w, "vector")
    y = J @ O.T @ A.inv() @ rate
    assert same(y, J @ OMEGA)  # (105): y is x, so that B and u keep their values in (106)


def test_the_second_trivialisation_has_the_second_rates_of_the_coordinates() -> None:
    cdd = BODY.second_rates(R, cd, U)
    states = moving((*c, *cd), (*cd, *cdd))
    momentum = J @ R.velocity(cd, "vector")
    assert same(along(momentum, states), BODY.momentum_rate(momentum, U))


@pytest.mark.parametrize("form", ["zxz", "xyz"])
def test_any_chart_may_take_the_place_of_the_vector_parameter(form: str) -> None:
    angles, rates = symbols("f1 f2 f3"), symbols("v1 v2 v3")
    r = Rotation.from_euler(form, angles)
    second = BODY.second_rates(r, rates, U, form)
    momentum = J @ r.velocity(rates, form)
    assert same(along(momentum, moving((*angles, *rates), (*rates, *second))), BODY.momentum_rate(momentum, U))
