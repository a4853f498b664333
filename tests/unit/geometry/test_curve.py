"""Tangent, normal and curvature of curves whose geometry is known."""

import math

import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.expr import Expr, Vector, as_expr, cos, derivative, evaluate, same, sin, symbol
from polhode.geometry.curve import Curve

S, A, T = symbol("s", "coordinate"), symbol("a", "parameter"), symbol("t", "time")
CYCLOID = Curve(S, A * (S - sin(S)), A * (1 - cos(S)))


def test_normals_and_curvatures_of_known_curves() -> None:
    for curve in (CYCLOID, Curve(S, S, A * S**2), Curve(S, A * cos(S), A * sin(S))):
        assert not as_expr(curve.normal.dot(curve.tangent))
        left = Vector([-curve.tangent[2], as_expr(0), curve.tangent[0]])
        assert same(curve.normal, left)
    round_to_the_left = Curve(S, 3 * cos(S), 3 * sin(S))
    assert evaluate([round_to_the_left.curvature], {S: 0.7})[0] == pytest.approx(1 / 3, rel=1e-14)
    round_to_the_right = Curve(S, 3 * sin(S), 3 * cos(S))
    assert evaluate([round_to_the_right.curvature], {S: 0.7})[0] == pytest.approx(-1 / 3, rel=1e-14)
    for s in (0.3, 2.0, 5.0):
        found = evaluate([CYCLOID.curvature], {S: s, A: 0.8})[0]
        assert found == pytest.approx(-1 / (4 * 0.8 * math.sin(s / 2)), rel=1e-13)
    assert same(Curve(S, S + 2 * T, A * sin(S)).drift(T), Vector([2, 0, 0]))


def test_the_normal_turns_by_the_curvature() -> None:
    """Frenet: n' = -κ |P'| t."""
    curve = Curve(S, sin(2 * S), A * S**3)
    turned = derivative(list(curve.normal), S)
    expected = [-curve.curvature * curve.pace * entry for entry in curve.tangent]
    point: dict[Expr, float] = {S: 0.4, A: 1.7}
    assert evaluate(turned, point) == pytest.approx(evaluate(expected, point), abs=1e-13)


def cart() -> ph.System:
    s = ph.System("cart")
    s.joint("move", s.ground, s.body("disc", 1, inertia=(1, 1, 1)), ph.Planar("y"))
    return s


@pytest.mark.parametrize(("curve", "code", "words"), [
    (3, "E-MODEL-TYPE", "not 3"), (lambda s: (s, s, s), "E-MODEL-SHAPE", "3 coordinates"),
    (lambda s: (1, 2), "E-CONSTRAINT-DEPENDENCE", "is a point"),
    (lambda s: s + symbol("x", "coordinate"), "E-MODEL-DEPENDENCE", "coordinate 'x'"),
    (ph.table([0, 1, 2], [0, 1, 0], name="steps"), "E-CONSTRAINT-UNSUPPORTED", "'steps' has corners"),
])  # fmt: skip
def test_a_curve_that_is_none_is_told(curve: object, code: str, words: str) -> None:
    with pytest.raises(ModelError, match=words) as told:
        cart().roll_disc("tyre", "disc", 1, curve)
    assert told.value.problems[0].code == code and "disc 'tyre'" in str(told.value)


def test_points_do_not_roll_and_a_refused_disc_leaves_nothing() -> None:
    with pytest.raises(ModelError, match="radius zero cannot roll") as told:
        cart().roll_disc("tyre", "disc", 0, lambda x: x)
    assert told.value.problems[0].code == "E-CONSTRAINT-NUMBER"
    s = cart()
    with pytest.raises(ModelError):
        s.roll_disc("tyre", "disc", 1, 3)
    assert not s.constraints
