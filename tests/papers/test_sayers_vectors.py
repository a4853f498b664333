"""Sayers (1991), notation: (3) to (13), the two bodies of (5), as printed but for the B3 of (8); R^B of Table 9.

a1 = n1 and b2 = a2; q1 and q2 are the joint angles, C and S their cosines and sines.
"""

import pytest

import polhode as ph
from polhode.expr import Expr, as_expr, cos, is_zero, normal, same, sin, symbol
from polhode.kinematics.vectors import Dyadic, incremental_angular_acceleration, incremental_velocity, named

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
    assert repr(w) == "u1*n_x + u2*a_y"


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


# ---- Table 9: the acceleration rotational dyadic -------------------------------------------------------------


def satellite() -> tuple[dict[str, ph.Body], dict[int, Expr], dict[int, Expr]]:
    """The bodies of Fig. 1, their coordinates q7 to q10 and speeds u4 to u10; what moves along is of no concern."""
    made = ph.System("satellite", gravity=(0, 0, 0))
    bodies = {name: made.body(name) for name in "BCDEF"}
    bus = made.joint("bus", made.ground, bodies["B"], ph.Spherical(), speeds=["u4", "u5", "u6"])
    hinges = {7: ("B", "C", "z"), 8: ("C", "D", "x"), 9: ("B", "E", "z"), 10: ("E", "F", "x")}
    joints = {
        k: made.joint(f"q{k}", bodies[parent], bodies[child], ph.Revolute(axis), speeds=[f"u{k}"])
        for k, (parent, child, axis) in hinges.items()
    }
    speeds = {4 + k: u for k, u in enumerate(bus.u)} | {k: joint.u[0] for k, joint in joints.items()}
    return bodies, {k: joint.q[0] for k, joint in joints.items()}, speeds


def rotation_dyadic(body: ph.Body, u: dict[int, Expr]) -> Dyadic:
    """Table 9: R^B = (α_rem^B · B) × B + ω^B' × (ω^B' × B), with ω^B' = ω^B · B and α_rem = Σ u_i dω_i/dt (33)."""
    B = ph.basis(body, shared=True)
    w = body.angular_velocity() & B
    alpha_rem = sum(u_i * w.partial(u_i).dt() for u_i in u.values())
    R = ((alpha_rem & B) ^ B) + (w ^ (w ^ B))
    return B & R & B


def test_the_rotation_dyadic_of_table_9_has_the_entries_of_table_10() -> None:
    """As printed, but for two signs of D and with the Z written out; the axes are those that the paper writes."""
    bodies, q, u = satellite()
    C, S = ({k: wave(angle) for k, angle in q.items()} for wave in (cos, sin))
    R = {name: rotation_dyadic(body, u) for name, body in bodies.items()}

    def entries(body: str, *pairs: str) -> list[Expr]:
        """Coefficients of pairs such as "c2 b3", by the letters of bodies and the numbers of axes."""
        axes = [[(letter[0].upper(), int(letter[1]) - 1) for letter in pair.split()] for pair in pairs]
        return [R[body].terms[one, two] for one, two in axes]

    assert same(entries("B", "b3 b1", "b1 b3"), [u[6] * u[4]] * 2)
    assert same(entries("B", "b1 b2", "b2 b1", "b3 b2", "b2 b3"), [u[4] * u[5]] * 2 + [u[5] * u[6]] * 2)
    squares = -(u[5] ** 2 + u[6] ** 2), -(u[4] ** 2 + u[6] ** 2), -(u[4] ** 2 + u[5] ** 2)
    assert same(entries("B", "b1 b1", "b2 b2", "b3 b3"), squares)

    Z3, Z4, Z5 = u[6] + u[7], u[4] * C[7] + u[5] * S[7], u[5] * C[7] - u[4] * S[7]
    Z49, Z50, Z68 = u[5] * u[7] * C[7], u[4] * u[7] * S[7], Z3 * Z5
    assert same(entries("C", "c2 b3", "b3 c2"), [-Z49 + Z50 + Z68, Z49 - Z50 + Z68])
    assert same(entries("C", "c1 c2", "b3 b3"), [Z4 * Z5, -(Z4**2 + Z5**2)])

    Z6, Z7, Z12 = C[8] * Z3 - S[8] * Z5, C[8] * Z5 + S[8] * Z3, Z4 + u[8]
    Z54 = C[7] * u[4] * u[7] + S[7] * u[5] * u[7]
    Z51, Z55, Z56 = Z49 - Z50, S[8] * Z54 - u[8] * Z7, u[8] * Z6 - C[8] * Z54
    assert same(entries("D", "c1 d2", "c1 d3", "d2 c1"), [Z7 * Z12 - Z55, Z6 * Z12 + Z56, Z55 + Z7 * Z12])
    assert same(entries("D", "d3 c1", "d2 d3"), [-(Z56 - Z6 * Z12), -(Z51 - Z6 * Z7)]), "printed with +"

    Z13, Z14, Z60 = u[6] + u[9], u[5] * C[9] - u[4] * S[9], C[9] * u[4] * u[9] + S[9] * u[5] * u[9]
    assert same(entries("E", "e1 e1"), [-(Z13**2 + Z14**2)])

    Z15, Z16 = C[10] * Z13 - S[10] * Z14, C[10] * Z14 + S[10] * Z13
    Z21 = u[4] * C[9] + u[5] * S[9] + u[10]
    Z61, Z88, alpha_2 = S[10] * Z60 - u[10] * Z16, Z16 * Z21, u[10] * Z15 - Z60 * C[10]
    assert same(entries("F", "e1 f2", "e1 f3"), [-(Z61 - Z88), alpha_2 + Z15 * Z21])
    assert same(entries("F", "f2 e1", "f3 e1"), [Z61 + Z88, -(alpha_2 - Z15 * Z21)])


def test_the_rotation_dyadic_gives_the_acceleration_of_a_point_of_its_body() -> None:
    """Below Table 10: projecting a position vector against R^B; a_rem = Σ u_i dv_i/dt (37)."""
    bodies, _, u = satellite()
    arm = bodies["D"].arrow((symbol("x"), symbol("y"), symbol("z")))
    v = bodies["D"].angular_velocity() ^ arm
    assert sum(u_i * v.partial(u_i).dt() for u_i in u.values()) == (rotation_dyadic(bodies["D"], u) & arm)


def test_the_rotation_dyadic_is_named_without_collisions() -> None:
    """Table 9 writes « R^B »: names for its entries, equal ones once."""
    bodies, _, u = satellite()
    first = named(rotation_dyadic(bodies["B"], u))
    assert len(first.meaning) == 6, "it is symmetric, as α_rem of the bus is zero"
    second = named(rotation_dyadic(bodies["C"], u))
    both = {*first.meaning} & {*second.meaning}
    assert all(first.meaning[name] == second.meaning[name] for name in both)
    assert {*map(repr, second.meaning)} - {*map(repr, first.meaning)} >= {"Z7", "Z8"}
    assert first.unnamed() == rotation_dyadic(bodies["B"], u)
    assert second.unnamed() == rotation_dyadic(bodies["C"], u)
