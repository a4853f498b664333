"""Sayers (1991), notation: (3) to (13), the two bodies of (5), as printed but for the B3 of (8).

a1 = n1 and b2 = a2; q1 and q2 are the joint angles, C and S their cosines and sines.
"""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.expr import as_expr, cos, is_zero, normal, same, sin, symbol
from polhode.kinematics.vectors import incremental_angular_acceleration, incremental_velocity, named

s = ph.System("two bodies", gravity=(0, 0, 0))
L, m = s.parameter("L"), s.parameter("m")
N, A, B = s.ground, s.body("A"), s.body("B", mass=m, com=(L, 0, 0), inertia=(1, 2, 2))
((q1,), (q2,)) = (
    s.joint("q1", N, A, ph.Revolute("x"), speeds=["u1"]).q,
    s.joint("q2", A, B, ph.Revolute("y"), speeds=["u2"]).q,
)
u1, u2 = s.joints["q1"].u[0], s.joints["q2"].u[0]
C1, S1, C2, S2 = cos(q1), sin(q1), cos(q2), sin(q2)
w = B.angular_velocity()


def test_incremental_velocity_is_a_difference_of_absolute_ones() -> None:
    """(3)."""
    P, Q = A.point((0, 1, 0)), B.centre
    assert incremental_velocity(P, Q) == Q.velocity() - P.velocity()
    assert incremental_velocity(P, Q) != Q.velocity(A)


def test_incremental_angular_acceleration_is_not_the_relative_one() -> None:
    """(4), and the remark below it."""
    assert incremental_angular_acceleration(A, B) == B.angular_acceleration() - A.angular_acceleration()
    assert incremental_angular_acceleration(A, B) == B.angular_acceleration(A) + (
        A.angular_velocity() ^ B.angular_velocity(A)
    )
    assert B.angular_velocity() - A.angular_velocity() == B.angular_velocity(A)


def test_the_angular_velocity_comes_out_in_native_form() -> None:
    """(5): ω = u1 n1 + u2 a2."""
    assert dict(w.terms) == {("ground", 0): u1, ("A", 1): u2}
    assert repr(w) == "u1*ground_x + u2*a_y"


def test_basis_dyadics_name_each_axis_by_the_innermost_body_that_has_it() -> None:
    """(6)."""
    printed = {
        N: (N.x | N.x) + (N.y | N.y) + (N.z | N.z),
        A: (N.x | N.x) + (A.y | A.y) + (A.z | A.z),
        B: (B.x | B.x) + (A.y | A.y) + (B.z | B.z),
    }
    for body, dyadic in printed.items():
        assert ph.basis(body, shared=True).terms == dyadic.terms


def test_projection_does_not_change_a_vector() -> None:
    """(7)."""
    for body in (N, A, B):
        assert w & ph.basis(body) == w
        assert (w & ph.basis(body, shared=True)) == w
        assert (w & ph.basis(body)).terms == w.express(body).terms


def test_projections_are_written_as_printed_with_a_small_b() -> None:
    """(8), with b3 for the printed B3."""
    in_N, in_A, in_B = (w & ph.basis(body, shared=True) for body in (N, A, B))
    assert in_N.terms == {("ground", 0): u1, ("ground", 1): u2 * C1, ("ground", 2): u2 * S1}
    assert in_A.terms == {("ground", 0): u1, ("A", 1): u2}
    assert in_B.terms == {("B", 0): u1 * C2, ("A", 1): u2, ("B", 2): u1 * S2}
    assert repr(in_B) == "u1*cos(q2)*b_x + u2*a_y + u1*sin(q2)*b_z"
    assert w != u1 * C2 * B.x + u2 * A.y - u1 * S2 * B.z, "the sign of S2 is that of a right-handed turn"


def test_intermediate_variables_take_the_place_of_products() -> None:
    """(9): Z8 b1 + u2 a2 + Z9 b3, and the same names when they come again."""
    found = named(w & ph.basis(B, shared=True), first=8)
    assert repr(found.arrow) == "Z8*b_x + u2*a_y + Z9*b_z"
    Z8, Z9 = symbol("Z8", "intermediate"), symbol("Z9", "intermediate")
    assert found.meaning == {Z8: u1 * C2, Z9: u1 * S2}
    assert found.unnamed() == w
    again = named(2 * u1 * C2 * A.x - u1 * S2 * A.y, known=found.meaning)
    assert again.meaning[symbol("Z1", "intermediate")] == 2 * u1 * C2
    assert again.arrow.terms["A", 1] == -Z9


def test_partial_angular_velocities_are_coefficients() -> None:
    """(10)."""
    assert w.partial(u1).terms == N.x.terms
    assert w.partial(u2).terms == A.y.terms


def test_partial_velocities_are_coefficients() -> None:
    """(11): v = L (u1 S2 b2 - u2 b3), by hand."""
    v = B.centre.velocity()
    assert v == L * u1 * S2 * B.y - L * u2 * B.z
    assert v.partial("u1") == L * S2 * B.y
    assert v.partial("u2") == -L * B.z


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler"])
def test_kanes_equations_written_in_this_language_are_the_equations_of_motion(formalism: str) -> None:
    """(12) with the moment of a force by (13), against the formalisms."""
    force, P = u2 * N.y - 3 * A.z, B.point((0, 0, 1))
    torque = 5 * q2 * N.x
    copy = ph.System.of(s.model())
    n, a, b = copy.ground, copy.bodies["A"], copy.bodies["B"]
    copy.force(b, u2 * n.y - 3 * a.z, at=b.point((0, 0, 1)))
    copy.torque(b, 5 * q2 * n.x)
    equations = copy.derive(formalism)
    I, alpha, omega = B.inertia_dyadic, B.angular_acceleration(), B.angular_velocity()
    moment = torque + (P.position(B.centre) ^ force)  # (13)
    rotational = moment - (alpha & I) - (omega ^ (I & omega))
    translational = force - m * B.centre.acceleration()
    kane = [(rotational & omega.partial(u)) + (translational & B.centre.velocity().partial(u)) for u in (u1, u2)]
    assert same([-as_expr(row) for row in kane], equations.inverse_dynamics)
    assert not is_zero(normal(kane[0]))
