"""Kwatny and Blankenship (1995), section III, Poincaré's equations: a test for each equation.

Where docs/errata.md corrects the paper, the printed form is quoted and shown not to hold. The judge is
Lagrange's equation (37), worked out here from energies written down by hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    cos,
    directional,
    evaluate,
    gradient,
    is_zero,
    sin,
    skew,
    substitute,
    symbols,
)
from polhode.expr.inverse import inverse
from polhode.formalisms.poincare import Poincare
from polhode.geometry import Inertia

m, g, a, b, c, J, A, B, C = symbols("m g a b c J A B C")


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Coordinates q, quasivelocities p, the matrix V of (39), and the energies T(q, q') and V(q) by hand."""

    system: ph.System
    kinetic: Expr
    potential: Expr
    qd: tuple[Expr, ...]

    @cached_property
    def equations(self) -> ph.Equations:
        return self.system.derive("newton_euler")

    @property
    def q(self) -> Vector:
        return self.equations.q

    @property
    def p(self) -> Vector:
        return self.equations.u

    @property
    def pd(self) -> Vector:
        return self.equations.udot

    @property
    def V(self) -> Matrix:
        return self.equations.kinematic_matrix

    @property
    def moving(self) -> dict[Expr, Any]:
        """The rates of q and p: (39), and symbols for p'."""
        return dict(zip([*self.q, *self.p], [*(self.V @ self.p), *self.pd], strict=True))

    def in_quasivelocities(self, roots: Sequence[Expr]) -> list[Expr]:
        """Functions of q and q' as functions of q and p."""
        return substitute(roots, dict(zip(self.qd, self.V @ self.p, strict=True)))

    def lagrange(self) -> Vector:
        """V^T (d/dt ∂L/∂q' - ∂L/∂q), (37), with q' = V p: the force on each quasivelocity."""
        qdd = symbols([f"{q.name}_dd" for q in self.q])
        rates = dict(zip([*self.q, *self.qd], [*self.qd, *qdd], strict=True))
        L = self.kinetic - self.potential
        forces = [
            rate - slope
            for rate, slope in zip(directional(gradient(L, self.qd), rates), gradient(L, self.q), strict=True)
        ]
        accelerations = directional([as_expr(entry) for entry in self.V @ self.p], self.moving)
        forces = substitute(forces, dict(zip(qdd, accelerations, strict=True)))
        return self.V.T @ Vector(self.in_quasivelocities(forces))

    def fields(self) -> list[list[Expr]]:
        """v_1, …, v_m: the columns of V."""
        return [[as_expr(entry) for entry in column] for column in self.V.columns]

    def bracket(self, i: int, j: int) -> Vector:
        """[v_i, v_j] = (∂v_j/∂q) v_i - (∂v_i/∂q) v_j."""
        v = self.fields()
        forth = directional(v[j], dict(zip(self.q, v[i], strict=True)))
        back = directional(v[i], dict(zip(self.q, v[j], strict=True)))
        return Vector(forth) - Vector(back)

    def structure(self) -> dict[tuple[int, int, int], Expr]:
        """c[i, j, k] with [v_i, v_j] = Σ_k c[i, j, k] v_k (38)."""
        V_inverse = inverse(self.V)
        size = range(len(self.p))
        return {
            (i, j, k): as_expr(entry)
            for i in size
            for j in size
            for k, entry in enumerate(V_inverse @ self.bracket(i, j))
        }

    def equation_40(self, constants: dict[tuple[int, int, int], Expr]) -> Vector:
        """The left side of (40), with constants[i, j, k] in the place of the paper's c_ij^k."""
        (L,) = self.in_quasivelocities([self.kinetic - self.potential])
        momenta = gradient(L, self.p)
        result = []
        for k, (rate, field) in enumerate(zip(directional(momenta, self.moving), self.fields(), strict=True)):
            turning = sum(
                constants[i, j, k] * momenta[i] * self.p[j] for i in range(len(self.p)) for j in range(len(self.p))
            )
            (slope,) = directional([L], dict(zip(self.q, field, strict=True)))
            result.append(rate - turning - slope)
        return Vector(result)

    def equation_53b(self) -> Matrix:
        """C(q, p) of (53b), corrected; the printed one is its negative."""
        M, size = self.equations.mass_matrix, len(self.p)
        Mp = [as_expr(entry) for entry in M @ self.p]
        slopes = [directional(Mp, dict(zip(self.q, field, strict=True))) for field in self.fields()]
        S = Matrix.columns_of(slopes, size)
        X_T = Matrix.zeros(size, size)
        for j in range(size):
            X_T = X_T + Matrix([self.bracket(j, k) for k in range(size)]) * self.p[j]
        return S - S.T / 2 - X_T @ inverse(self.V).T @ M


def planar_body() -> Mechanism:
    """SE(2): a body in a vertical plane, mass centre at (a, b) in the body, speeds in body components."""
    system = ph.System("planar body", gravity=(0, -g, 0))
    body = system.body("body", mass=m, com=(a, b, 0), inertia=(A, B, J))
    system.joint("joint", system.ground, body, ph.Planar("z"), coordinates=["th", "x", "y"], speeds=["w", "vx", "vy"])
    (th, _, y), qd = system.joints["joint"].q, symbols("th_d x_d y_d")
    thd, xd, yd = qd
    cx = xd - (a * sin(th) + b * cos(th)) * thd
    cy = yd + (a * cos(th) - b * sin(th)) * thd
    kinetic = m * (cx**2 + cy**2) / 2 + J * thd**2 / 2
    return Mechanism(system, kinetic, m * g * (y + a * sin(th) + b * cos(th)), qd)


def turning_body(groups: Sequence[int], moments: Sequence[Any] = (A, B, C), height: Any = 0) -> Mechanism:
    """A body that turns about a point, as one simple joint or three; mass centre `height` up its z-axis."""
    H = Matrix.identity(6)[:, :3]
    system = ph.System("turning body", gravity=(0, 0, -g))
    body = system.body("body", mass=5, com=(0, 0, height), inertia=moments)
    system.joint(
        "joint",
        system.ground,
        body,
        ph.JointMap(H, groups=groups),
        coordinates=["t1", "t2", "t3"],
        speeds=["w1", "w2", "w3"] if len(groups) == 1 else ["u1", "u2", "u3"],
    )
    (t1, t2, _), qd = system.joints["joint"].q, symbols("t1_d t2_d t3_d")
    d1, d2, d3 = qd  # body components of the angular velocity of Rz(t3) Ry(t2) Rx(t1):
    w = (d1 - sin(t2) * d3, cos(t1) * d2 + cos(t2) * sin(t1) * d3, cos(t1) * cos(t2) * d3 - sin(t1) * d2)
    across = 5 * as_expr(height) ** 2
    I = (moments[0] + across, moments[1] + across, moments[2])
    kinetic = sum(moment * speed**2 for moment, speed in zip(I, w, strict=True)) / 2
    return Mechanism(system, kinetic, 5 * g * height * cos(t1) * cos(t2), qd)


SIMPLE, COMPOUND = (3,), (1, 1, 1)


def thin_disc(groups: Sequence[int]) -> Mechanism:
    """The disc of the paper's program: m1 = 5, R1 = 2, moments 5, 5, 10."""
    return turning_body(groups, (5, 5, 10))


CASES = {
    "SE(2)": planar_body,
    "simple": lambda: turning_body(SIMPLE, height=c),
    "compound": lambda: turning_body(COMPOUND, height=c),
}


@pytest.fixture(params=CASES)
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return CASES[request.param]()


# ---- A. Hamilton's principle -------------------------------------------------------------------------------


def test_equation_37_lagranges_equations_are_those_of_every_formalism(mechanism: Mechanism) -> None:
    by_hand = mechanism.lagrange()
    for name in ("newton_euler", "composite_body", "poincare", "articulated_body"):
        assert mechanism.system.derive(name).inverse_dynamics == by_hand, name


def test_equation_38_brackets_of_the_body_fields_are_those_of_the_algebra() -> None:
    constants = turning_body(SIMPLE).structure()
    cyclic = {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    for (i, j, k), value in constants.items():
        assert value == ((i, j, k) in cyclic) - ((j, i, k) in cyclic)
    planar = {key: value for key, value in planar_body().structure().items() if value}
    assert planar == {(0, 1, 2): 1, (1, 0, 2): -1, (0, 2, 1): -1, (2, 0, 1): 1}


def test_equation_38_brackets_vanish_for_a_compound_joint_of_single_columns() -> None:
    assert not any(turning_body(COMPOUND).structure().values())


def test_equation_40_holds_with_the_constants_c_jk_i(mechanism: Mechanism) -> None:
    c_ = mechanism.structure()
    corrected = {(i, j, k): c_[j, k, i] for i, j, k in c_}
    left = mechanism.equation_40(corrected)
    assert left == mechanism.lagrange()
    assert left == mechanism.system.derive("poincare").inverse_dynamics


@pytest.mark.parametrize("convention", [1, -1])
def test_equation_40_as_printed_is_wrong_on_SE2_whatever_the_sign_of_the_bracket(convention: int) -> None:
    body = planar_body()
    # Σ c_ij^k ∂L/∂p_i p_j
    printed = {key: convention * value for key, value in body.structure().items()}
    assert body.equation_40(printed) != body.lagrange()


def test_equation_40_as_printed_is_right_for_rotations_whose_constants_are_cyclic() -> None:
    disc = thin_disc(SIMPLE)
    assert disc.equation_40(disc.structure()) == disc.lagrange()


def test_equation_41_left_side_is_40_corrected(mechanism: Mechanism) -> None:
    c_ = mechanism.structure()
    (L,) = mechanism.in_quasivelocities([mechanism.kinetic - mechanism.potential])
    momenta = Vector(gradient(L, mechanism.p))
    size = range(len(mechanism.p))
    row = inverse(mechanism.V).T @ momenta  # ∂L/∂p V⁻¹
    turning = [sum(mechanism.p[j] * row.dot(mechanism.bracket(j, k)) for j in size) for k in size]
    slope = mechanism.V.T @ Vector(gradient(L, mechanism.q))
    left = Vector(directional(momenta, mechanism.moving)) - Vector(turning) - slope
    assert left == mechanism.equation_40({(i, j, k): c_[j, k, i] for i, j, k in c_})


@pytest.mark.parametrize("make", [planar_body, lambda: turning_body(SIMPLE)], ids=["SE(2)", "simple"])
def test_equation_41_right_side_is_Q_V_since_power_is_Q_times_the_rates(make: Any) -> None:
    body = make()
    Q = Vector(symbols("Q1 Q2 Q3"))
    power = Q.dot(body.V @ body.p)
    assert (body.V.T @ Q).dot(body.p) == power
    printed = inverse(body.V).T @ Q
    assert printed.dot(body.p) != power


# ---- B. kinetic energy -------------------------------------------------------------------------------------


def shift(r: Sequence[Any]) -> Matrix:
    """φ(r) of (43)."""
    hat = skew(r)
    one = Matrix.identity(3)
    return Matrix([[*one[i], 0, 0, 0] for i in range(3)] + [[*(-hat[i]), *one[i]] for i in range(3)])


def test_equations_42_and_43_carry_a_spatial_velocity_to_another_point_and_a_wrench_back() -> None:
    r, w, v, n, f = (Vector(symbols(f"{x}1 {x}2 {x}3")) for x in "rwvnf")
    assert shift(r) @ Vector([*w, *v]) == Vector([*w, *(v + w.cross(r))])
    assert shift(r).T @ Vector([*n, *f]) == Vector([*(n + r.cross(f)), *f])


def test_equation_48_spatial_inertia_needs_the_vector_from_O_to_the_mass_centre() -> None:
    r = Vector([a, b, c])  # from O to the mass centre
    at_centre = Matrix.diagonal([A, B, C, m, m, m])
    about_O = Inertia.of_body(m, r, Matrix.diagonal([A, B, C])).matrix()
    assert shift(r).T @ at_centre @ shift(r) == about_O
    assert about_O[:3, 3:] == skew(r) * m == -about_O[3:, :3]
    printed = shift(-r).T @ at_centre @ shift(-r)  # a "from the center of mass to an arbitrary point O"
    assert printed != about_O
    assert printed[:3, :3] == about_O[:3, :3]  # the slip hides in the coupling


def test_equation_48_spatial_inertia_gives_the_kinetic_energy_of_a_free_body() -> None:
    system = ph.System("free body")
    body = system.body("body", mass=m, com=(a, b, c), inertia=(A, B, C))
    system.joint("joint", system.ground, body, ph.Free(), speeds=["w1", "w2", "w3", "v1", "v2", "v3"])
    e = system.derive()
    M_o = Inertia.of_body(m, Vector([a, b, c]), Matrix.diagonal([A, B, C])).matrix()
    assert e.mass_matrix == M_o
    w, v = Vector(e.u[:3]), Vector(e.u[3:])
    at_centre = v + w.cross(Vector([a, b, c]))
    by_hand = m * at_centre.dot(at_centre) + A * w[0] ** 2 + B * w[1] ** 2 + C * w[2] ** 2
    assert e.kinetic_energy == by_hand / 2


# ---- the structure of Poincaré's equations -----------------------------------------------------------------


def test_equation_53b_holds_with_the_opposite_sign_throughout(mechanism: Mechanism) -> None:
    corrected = mechanism.equation_53b()
    made = Poincare(mechanism.system, mechanism.equations.tree)
    assert made.velocity_matrix() == corrected
    M, F = mechanism.equations.mass_matrix, mechanism.V.T @ Vector(gradient(mechanism.potential, mechanism.q))
    assert M @ mechanism.pd + corrected @ mechanism.p + F == mechanism.lagrange()  # (53a)
    printed = -corrected
    assert M @ mechanism.pd + printed @ mechanism.p + F != mechanism.lagrange()


def energy_rate(mechanism: Mechanism, velocity_terms: Vector) -> Any:
    """dT/dt when M p' + velocity_terms = 0: -p·terms + ½ p·M' p."""
    Mp = [as_expr(entry) for entry in mechanism.equations.mass_matrix @ mechanism.p]
    drift = Vector(directional(Mp, dict(zip(mechanism.q, mechanism.V @ mechanism.p, strict=True))))
    return -mechanism.p.dot(velocity_terms) + mechanism.p.dot(drift) / 2


def test_equation_53b_as_printed_makes_energy_out_of_nothing() -> None:
    body = turning_body(COMPOUND)
    terms = body.equation_53b() @ body.p
    assert is_zero(energy_rate(body, terms))
    assert not is_zero(energy_rate(body, -terms))


@pytest.mark.parametrize("make", [planar_body, lambda: turning_body(SIMPLE, height=c)], ids=["SE(2)", "simple"])
def test_equation_53c_potential_force_is_V_transposed_times_the_slope(make: Any) -> None:
    body = make()
    slope = Vector(gradient(body.potential, body.q))
    corrected = body.V.T @ slope
    at_rest = dict.fromkeys(body.p, 0)
    assert substitute(list(body.equations.bias), at_rest) == list(corrected)
    assert Poincare(body.system, body.equations.tree).potential_force() == corrected
    (power,) = directional([body.potential], body.moving)
    assert corrected.dot(body.p) == power
    printed = inverse(body.V).T @ slope
    assert printed.dot(body.p) != power


# ---- C. the thin disc --------------------------------------------------------------------------------------


def test_equation_54a_kinematics_of_the_disc() -> None:
    disc = thin_disc(SIMPLE)
    t1, t2, _ = disc.q
    tan2, sec2 = sin(t2) / cos(t2), 1 / cos(t2)
    printed = [[1, sin(t1) * tan2, cos(t1) * tan2], [0, cos(t1), -sin(t1)], [0, sec2 * sin(t1), cos(t1) * sec2]]
    assert Matrix(printed) == disc.V


def test_equation_54b_inertia_of_the_disc() -> None:
    assert ph.disc(5, 2) == Matrix.diagonal([5, 5, 10])
    for name in ("poincare", "composite_body"):
        assert thin_disc(SIMPLE).system.derive(name).mass_matrix == Matrix.diagonal([5, 5, 10])


def test_equation_54b_velocity_terms_of_the_disc_have_the_opposite_sign() -> None:
    disc = thin_disc(SIMPLE)
    w = w1, w2, w3 = disc.p
    F = disc.system.derive("poincare").bias
    assert Vector([5 * w2 * w3, -5 * w1 * w3, 0]) == F
    assert Vector(w).cross(disc.equations.mass_matrix @ disc.p) == F  # Euler's equations
    printed = Vector([-5 * w2 * w3, 5 * w1 * w3, 0])
    assert -printed == F

    def momentum_rate(velocity_terms: Vector) -> list[Expr]:
        """The rate of the angular momentum in space when M w' + velocity_terms = 0."""
        accelerations = [-term / moment for term, moment in zip(velocity_terms, (5, 5, 10), strict=True)]
        spin = disc.equations.momentum[0]
        return directional(spin, {**disc.moving, **dict(zip(w, accelerations, strict=True))})

    assert not any(momentum_rate(F))
    assert all(momentum_rate(printed))  # a torque-free body would not keep its momentum


def test_compound_joint_leaves_configuration_unchanged_and_makes_gamma_the_unit_matrix() -> None:
    simple, compound = thin_disc(SIMPLE), thin_disc(COMPOUND)
    assert Matrix.identity(3) == compound.V
    assert compound.equations.pose("body") == simple.equations.pose("body")


def test_equation_55a_inertia_of_the_disc_on_three_axes() -> None:
    disc = thin_disc(COMPOUND)
    t1, t2, _ = disc.q
    M12, M23 = -5 * sin(t2), -as_expr(5) / 2 * cos(t2) * sin(2 * t1)
    M22 = as_expr(5) / 2 * (3 - cos(2 * t1))
    start = 10 * cos(t1) ** 2 * cos(t2) ** 2 + 5 * cos(t2) ** 2 * sin(t1) ** 2
    M33, printed = start + 5 * sin(t2) ** 2, start + 5 * sin(t2)
    M = disc.system.derive("poincare").mass_matrix
    assert Matrix([[5, 0, M12], [0, M22, M23], [M12, M23, M33]]) == M
    for i, u in enumerate(disc.qd):  # M is the Hessian of the kinetic energy by hand
        slopes = gradient(gradient(disc.kinetic, disc.qd)[i], disc.qd)
        assert list(M[i]) == slopes, u
    assert M[2, 2] != printed
    values = evaluate([M[2, 2], printed], {t1: 0.0, t2: -1.0})
    assert values[0] > 0 > values[1] - values[0]
    assert values[0] == pytest.approx(10 * np.cos(1) ** 2 + 5 * np.sin(1) ** 2)


def test_equation_55b_velocity_terms_of_the_disc_on_three_axes_have_the_opposite_sign() -> None:
    disc = thin_disc(COMPOUND)
    (t1, t2, _), (u1, u2, u3) = disc.q, disc.p
    c2, c11, s11 = cos(t2), cos(2 * t1), sin(2 * t1)
    printed = Vector([
        u3 * (-5 * u2 * c11 * c2 - 5 * u3 * c2**2 * s11) / 2
        + u2 * (5 * u3 * c2 + (-5 * u3 * c11 * c2 + 5 * u2 * s11) / 2),
        u1 * (-5 * u3 * c2 / 2 + 5 * u3 * c11 * c2 - 5 * u2 * s11)
        - 5 * u2 * u3 * s11 * sin(t2) / 4
        + u3 * (-5 * u1 * c2 + 5 * u2 * s11 * sin(t2) / 2 - 5 * u3 * cos(t1) ** 2 * sin(2 * t2)) / 2,
        u1 * (5 * u2 * c11 * c2 + 5 * u3 * c2**2 * s11)
        + u2 * (5 * u1 * c2 - 5 * u2 * s11 * sin(t2) / 2 + 5 * u3 * cos(t1) ** 2 * sin(2 * t2)),
    ])  # fmt: skip
    F = disc.system.derive("poincare").bias
    at_rest = dict.fromkeys(disc.pd, 0)
    assert list(F) == substitute(list(disc.lagrange()), at_rest)
    assert printed == -F
    assert is_zero(energy_rate(disc, F))
    assert not is_zero(energy_rate(disc, printed))


def test_dynamics_on_the_simple_joint_do_not_depend_on_the_configuration() -> None:
    simple, compound = thin_disc(SIMPLE), thin_disc(COMPOUND)
    assert not any(gradient(sum(simple.equations.bias), simple.q))
    assert any(gradient(sum(compound.equations.bias), compound.q))
