"""Sayers' two bodies: A turns about n1, B about a2."""

from dataclasses import dataclass

import pytest

import polhode as ph


@dataclass(frozen=True)
class Pair:
    """The system with its bodies, coordinates and speeds."""

    system: ph.System
    N: ph.Body
    A: ph.Body
    B: ph.Body
    q: tuple[ph.Expr, ph.Expr]
    u: tuple[ph.Expr, ph.Expr]


def two_bodies() -> Pair:
    s = ph.System("pair")
    a, b = s.parameter("a"), s.parameter("b")
    A = s.body("A", mass=2, com=(0, a, 0), inertia=(1, 2, 3))
    B = s.body("B", mass=3, com=(b, 0, 0), inertia=(2, 3, 4, 0.1, 0, 0.2))
    one = s.joint("q1", s.ground, A, ph.Revolute("x"), speeds=["u1"])
    two = s.joint("q2", A, B, ph.Revolute("y"), at=(0, a, 0), speeds=["u2"])
    return Pair(s, s.ground, A, B, (one.q[0], two.q[0]), (one.u[0], two.u[0]))


@pytest.fixture
def pair() -> Pair:
    return two_bodies()
