"""What of a force on a speed is friction."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.dynamics.friction import friction_terms


def found(law: object) -> list[tuple[str, str, str]]:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    b, c = s.parameter("b"), s.parameter("c")
    F = s.input("F")
    s.joint_force(x, law(x.q[0], x.u[0], b, c, F))  # type: ignore[operator]
    e = s.derive()
    return [(term.kind, str(term.shape), str(term.coefficient)) for term in friction_terms(e.system, e.tree)]


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (lambda q, v, b, c, F: -b * v - c * ph.sign(v), [("viscous", "v", "b"), ("coulomb", "sign(v)", "c")]),
        (lambda q, v, b, c, F: F - 3 * q - ph.tanh(50 * v) / 2, [("coulomb", "tanh(50*v)", "1/2")]),
        (lambda q, v, b, c, F: -b * (v - F), [("viscous", "v", "b")]),
        (lambda q, v, b, c, F: -b * q * v, []),
        (lambda q, v, b, c, F: -b * v * ph.absolute(v), []),
        (lambda q, v, b, c, F: -c * ph.sign(v - F), []),
        (lambda q, v, b, c, F: F, []),
        (lambda q, v, b, c, F: b / v, []),
    ],
)
def test_only_what_is_linear_in_a_speed_or_its_sign_counts(law: object, expected: list[tuple[str, str, str]]) -> None:
    assert found(law) == expected


def test_forces_on_one_joint_are_taken_together() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    s.joint_force(x, -2 * x.u[0])
    s.joint_force(x, -3 * x.u[0])
    e = s.derive()
    assert [term.coefficient for term in friction_terms(e.system, e.tree)] == [5]
