"""Mladenova, sections 1 and 3: a manipulator in vector-parameters, (1) to (7) and (108) to (140).

What is printed is judged by products of rotation matrices from SciPy and by differences; where docs/errata.md corrects
an equation, the printed form is shown not to hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from tests.seeds import seeds
from tests.vector_storage import in_vector_parameters

import polhode as ph
from polhode.expr import Expr, Matrix, Vector, as_expr, directional, evaluate, jacobian, same, substitute
from polhode.formalisms.vector_parameter import Composite, Joint, Manipulator, manipulator, placed, turning
from polhode.kinematics.tree import build_tree
from polhode.model import System
from polhode.model.samples.random_system import random_system

Floats = NDArray[np.float64]
SMALL = 1e-6


def skew(v: Floats) -> Floats:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def turn(c: Floats) -> Floats:
    """The rotation by 2 atan|c| about c, from SciPy."""
    size = float(np.linalg.norm(c))
    return np.asarray(Rotation.from_rotvec(c * (2 * np.arctan(size) / size if size else 2.0)).as_matrix())


def vector_parameter(R: Floats) -> Floats:
    turn = Rotation.from_matrix(R).as_rotvec()
    size = float(np.linalg.norm(turn))
    return turn * (np.tan(size / 2) / size if size else 0.5)


class Arm:
    """Three joints with vector-parameters c (3, 3) of any direction, and what F_V makes of them."""

    def __init__(self, c: Floats) -> None:
        self.c = c
        dice = np.random.default_rng(3)
        self.s, self.centres = dice.normal(size=(3, 3)), dice.normal(size=(3, 3))
        self.masses = np.array([2.0, 1.5, 0.7])
        self.J = np.array([a @ a.T + np.eye(3) for a in dice.normal(size=(3, 3, 3))])

    @cached_property
    def turns(self) -> list[Floats]:
        """O(g_k) for k = 0 … 3."""
        made = [np.eye(3)]
        for c in self.c:
            made.append(made[-1] @ turn(c))
        return made

    @cached_property
    def p(self) -> list[Floats]:
        """Places of the joints, (108), and of the tip behind the last offset."""
        made = [np.zeros(3)]
        for R, s in zip(self.turns[1:], self.s, strict=True):
            made.append(made[-1] + R @ s)
        return made

    def centre(self, i: int) -> Floats:
        return self.p[i] + self.turns[i + 1] @ self.centres[i]

    def slope(self, function: Callable[[Arm], Any], cdot: Floats) -> Floats:
        """The rate of a function of an arm along ċ, by differences."""
        ahead, back = (function(Arm(self.c + sign * SMALL * cdot)) for sign in (1, -1))
        return np.asarray((ahead - back) / (2 * SMALL))

    def omega(self, i: int, cdot: Floats) -> Floats:
        """The angular velocity of link i in ground components, from Ȯ Oᵀ."""
        W = self.slope(lambda arm: arm.turns[i + 1], cdot) @ self.turns[i + 1].T
        return np.array([W[2, 1], W[0, 2], W[1, 0]])

    def N(self, k: int, factor: float = 2.0) -> Floats:
        """N(c_k), (117)."""
        c = self.c[k]
        return factor / (1 + c @ c) * (skew(c) + np.eye(3))

    def N_V(self, i: int, factor: float = 2.0) -> Floats:
        """The blocks O(g_{k-1}) N(c_k) for k ≤ i, (115), (116)."""
        blocks = [self.turns[k] @ self.N(k, factor) if k <= i else np.zeros((3, 3)) for k in range(3)]
        return np.hstack(blocks)

    def M_V(self, i: int, point: Floats) -> Floats:
        """The blocks -(point - p_k)^× O(g_{k-1}) N(c_k), (120), and (127) as corrected."""
        columns = self.N_V(i)
        arms = [skew(point - p) for p in self.p[:3]]
        return np.hstack([-arm @ columns[:, 3 * k : 3 * k + 3] for k, arm in enumerate(arms)])


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm(np.random.default_rng(5).normal(size=(3, 3)) * 0.7)


@pytest.fixture(scope="module")
def cdot() -> Floats:
    return np.asarray(np.random.default_rng(6).normal(size=(3, 3)))


def revolute_arm(storage: str = "vector") -> System:
    """Three revolute joints with crossing axes and a slide, everything off centre."""
    s = ph.System("arm")
    body: ph.Body = s.ground
    for name, kind, at in (
        ("j1", ph.Revolute("z", storage), (0, 0, 0)),
        ("j2", ph.Revolute((1, 2, 2), storage), (1, 0, "0.5")),
        ("j3", ph.Prismatic("y"), (0, "0.3", 1)),
        ("j4", ph.Revolute("x", storage), ("0.2", 1, 0)),
    ):
        link = s.body(f"link of {name}", 2, ("0.1", "0.4", "-0.2"), (1, 2, "1.5", "0.1", 0, "0.2"))
        s.joint(name, body, link, kind, at=at, rotation=("y", "0.4"))
        body = link
    s.frame("tip", body, (0, "0.5", "0.5"))
    return s


# ---- section 1 --------------------------------------------------------------------------------------------------


def test_equations_1_to_3_the_working_space_is_what_the_limits_lead_to() -> None:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"), limits=(-1, 1))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0), limits=(0, 2))
    s.frame("tip", "fore", (1, 0, 0))
    space = s.derive().workspace("tip", samples=2000)
    q1, q2 = space.q.T
    assert (abs(q1) <= 1).all() and (q2 >= 0).all() and (q2 <= 2).all()  # (1)
    F = np.stack([2 * np.cos(q1) + np.cos(q1 + q2), 2 * np.sin(q1) + np.sin(q1 + q2), 0 * q1], axis=1)
    assert_allclose(space.points, F, atol=1e-12)  # (2), (3)
    radii = np.linalg.norm(space.boundary, axis=1)
    assert_allclose((radii.min(), radii.max()), (np.sqrt(5 + 4 * np.cos(2)), 3), atol=1e-6)


def test_equation_4_the_jacobian_is_the_slope_of_the_map_and_loses_rank_where_the_arm_is_straight() -> None:
    s = ph.System("arm")
    l1, l2 = s.parameter("l1", 1), s.parameter("l2", 2)
    q1 = s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z")).q[0]
    q2 = s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(l1, 0, 0)).q[0]
    s.frame("tip", "fore", (l2, 0, 0))
    e = s.derive()
    slopes = [x.diff(q) for x in e.pose("tip").p for q in (q1, q2)]
    assert same(slopes, [entry for row in e.jacobian("tip")[3:] for entry in row])
    found = e.singular_configurations("tip", of="position")
    assert found.rank == 2 and found.factors == (l1, l2, ph.sin(q2)) and not found.together


def test_equation_5_inverse_dynamics_are_linear_in_accelerations() -> None:
    e = revolute_arm("angles").derive("newton_euler")
    assert same(e.inverse_dynamics, e.mass_matrix @ e.udot + e.bias)


def test_equation_6_the_second_part_of_the_velocity_is_the_angular_velocity_not_its_rate(
    arm: Arm, cdot: Floats
) -> None:
    """Printed: V = [ṗ : ω̇] = J q̇; what is linear in the rates alone is ω."""
    doubled = arm.omega(2, 2 * cdot)
    assert_allclose(doubled, 2 * arm.omega(2, cdot), atol=1e-7)
    assert_allclose(arm.N_V(2) @ cdot.reshape(-1), arm.omega(2, cdot), atol=1e-8)


def test_equation_7_a_minimal_representation_of_the_attitude_has_rates_of_its_own() -> None:
    e = revolute_arm().derive()
    q = np.array([0.3, -0.4, 0.2, 0.6])
    J = e.compile().jacobian("tip", q, orientation="vector")
    for k in range(4):
        ends = [e.compile().pose("tip", q + sign * SMALL * np.eye(4)[k]) for sign in (1, -1)]
        beta = (vector_parameter(ends[0][1]) - vector_parameter(ends[1][1])) / (2 * SMALL)
        assert_allclose(J[:, k], [*beta, *(ends[0][0] - ends[1][0]) / (2 * SMALL)], atol=1e-8)


# ---- section 3: kinematics ---------------------------------------------------------------------------------------


def test_equations_65_to_67_composition_carries_numerator_and_denominator(arm: Arm) -> None:
    made = Composite(1, Vector([0.0, 0.0, 0.0]), 1)
    for c in arm.c:
        made = made.turned(Vector(c))
    assert_allclose([list(row) for row in made.rotation], arm.turns[3], atol=1e-14)
    assert_allclose(np.array(made.v) / made.w, vector_parameter(arm.turns[3]), atol=1e-12)


def test_a_composite_of_half_a_turn_is_nothing_special() -> None:
    quarter = Vector([0.0, 0.0, 1.0])
    made = Composite(1, Vector([0.0, 0.0, 0.0]), 1).turned(quarter).turned(quarter)
    assert made.w == 0  # 1 - c1·c2, by which (67) divides
    assert_allclose([list(row) for row in made.rotation], np.diag([-1, -1, 1]), atol=1e-15)


def chain(arm: Arm) -> list[Joint]:
    """The arm as the formalism has it: three spherical joints in floats."""
    axes = tuple(Vector(row) for row in np.eye(3))
    offsets = [np.zeros(3), *arm.s[:2]]
    return [
        Joint(k - 1, (), tuple(arm.c[k]), axes, False, Vector(offsets[k]), Vector(arm.centres[k]), arm.masses[k],
              Matrix(arm.J[k].tolist()))
        for k in range(3)
    ]  # fmt: skip


def test_equation_108_places_are_sums_of_turned_offsets(arm: Arm) -> None:
    for here, p in zip(placed(chain(arm)), arm.p, strict=False):
        assert_allclose(here.p, p, atol=1e-14)


def test_equations_109_to_111_limits_hold_for_vector_parameters_too() -> None:
    s = revolute_arm()
    limited = {name: replace(joint, limits=()) for name, joint in s.joints.items()}
    e = System.of(replace(s.model(), joints=limited)).derive()
    with pytest.raises(ph.PolhodeError, match="'j3' slides without limits"):
        e.workspace("tip")
    t = ph.System("turn")
    t.joint("c", t.ground, t.body("link", 1, (1, 0, 0)), ph.Revolute("z", "vector"), limits=(0, 1))
    t.frame("tip", "link", (1, 0, 0))
    space = t.derive().workspace("tip", samples=500)
    angles = np.arctan2(space.points[:, 1], space.points[:, 0])
    assert angles.min() >= 0 and angles.max() <= np.pi / 2 + 1e-12  # tan(θ/2) ≤ 1
    assert_allclose(np.tan(angles / 2), space.q[:, 0], atol=1e-12)


def test_equations_112_and_113_two_slopes_make_the_jacobian() -> None:
    """J(q) = J_V ∂c/∂q, by fingerprint, with c = tan(q/2)."""
    vectors, angles = revolute_arm("vector").derive(), revolute_arm("angles").derive()
    put_in = {c: ph.tan(q / 2) if c.name != "j3" else q for c, q in zip(vectors.q, angles.q, strict=True)}
    J_V = Matrix([vectors.jacobian("tip")[i] for i in range(6)]) @ vectors.tree.kinematic_left_inverse()
    by_c = substitute([as_expr(entry) for entry in J_V.entries()], put_in)
    slopes = [put_in[c].diff(q) for c, q in zip(vectors.q, angles.q, strict=True)]
    rows = [by_c[4 * i : 4 * i + 4] for i in range(6)]
    assert same(
        [entry * slope for row in rows for entry, slope in zip(row, slopes, strict=True)],
        angles.jacobian("tip").entries(),
    )


def test_equations_112_to_126_by_a_call_are_slopes_by_vector_parameters() -> None:
    """Of positions, with hinges, a slide and the rotor of an elastic gear, and functions of c alone."""
    s = revolute_arm("angles")
    s.motor("j2", 20, inertia=0.01, stiffness=100)
    e = s.derive()
    form = e.vector_parameter_form()
    at = dict(zip(form.c, (0.3, -0.7, 0.2, 1.4, -0.5), strict=True))
    for name in ("tip", *s.bodies):
        p = substitute([as_expr(x) for x in e.pose(name).p], form.coordinates)
        slopes = [as_expr(x) for x in jacobian(p, list(form.c)).entries()]
        assert_allclose(evaluate([*Matrix(form.jacobian(name)[3:]).entries()], at), evaluate(slopes, at), atol=1e-14)


def test_equations_114_to_117_need_a_factor_of_two(arm: Arm, cdot: Floats) -> None:
    for i in range(3):
        assert_allclose(arm.N_V(i) @ cdot.reshape(-1), arm.omega(i, cdot), atol=1e-8)
        assert_allclose(2 * arm.N_V(i, factor=1.0), arm.N_V(i))  # printed: half of it
    assert_allclose([list(row) for row in turning(Vector(arm.c[0]))], arm.N(0), atol=1e-15)


def test_equations_118_to_121_the_velocity_of_the_tip(arm: Arm, cdot: Floats) -> None:
    velocity = arm.slope(lambda other: other.p[3], cdot)
    assert_allclose(arm.M_V(2, arm.p[3]) @ cdot.reshape(-1), velocity, atol=1e-8)


def test_equations_122_to_125_rates_of_the_vector_parameter(arm: Arm, cdot: Floats) -> None:
    R = arm.turns[3]
    rate = arm.slope(lambda other: vector_parameter(other.turns[3]), cdot)
    bottom = 1 + np.trace(R)
    assert_allclose((R.T + np.eye(3)) / bottom @ arm.N_V(2) @ cdot.reshape(-1), rate, atol=1e-7)  # (124)
    blocks = []
    for k in range(3):
        back = np.linalg.multi_dot([np.eye(3), *(turn(-c) for c in arm.c[k:][::-1]), np.eye(3)])
        blocks.append((back @ arm.N(k) + arm.turns[k] @ arm.N(k)) / bottom)  # (125)
    assert_allclose(np.hstack(blocks) @ cdot.reshape(-1), rate, atol=1e-7)


# ---- section 3: dynamics -----------------------------------------------------------------------------------------


def test_equations_126_and_127_arms_are_measured_from_each_joint(arm: Arm, cdot: Floats) -> None:
    for i in range(3):
        velocity = arm.slope(lambda other, i=i: other.centre(i), cdot)
        assert_allclose(arm.M_V(i, arm.centre(i)) @ cdot.reshape(-1), velocity, atol=1e-8)
    printed = np.hstack([-skew(arm.centre(2)) @ arm.turns[k] @ arm.N(k) for k in range(3)])
    printed[:, 6:] = skew(arm.p[2] - arm.centre(2)) @ arm.turns[2] @ arm.N(2)
    assert abs(printed @ cdot.reshape(-1) - arm.slope(lambda other: other.centre(2), cdot)).max() > 0.1


def test_equations_128_and_129_take_the_composite_of_all_turns_before(arm: Arm, cdot: Floats) -> None:
    R = arm.turns[3]
    body = R.T @ arm.omega(2, cdot)
    blocks = np.hstack([R.T @ arm.turns[k] @ arm.N(k) for k in range(3)])
    assert_allclose(blocks @ cdot.reshape(-1), body, atol=1e-8)
    before = [np.eye(3), turn(arm.c[0]), turn(arm.c[1])]
    printed = np.hstack([R.T @ before[k] @ arm.N(k) for k in range(3)])  # O(c_{k-1}) alone
    assert abs(printed @ cdot.reshape(-1) - body).max() > 0.1


def energies(arm: Arm, cdot: Floats) -> tuple[Floats, Floats]:
    """Of each link the energy of translation and that of rotation."""
    moved = [arm.slope(lambda other, i=i: other.centre(i), cdot) for i in range(3)]
    turned = [arm.turns[i + 1].T @ arm.omega(i, cdot) for i in range(3)]
    by_mass = [0.5 * m * v @ v for m, v in zip(arm.masses, moved, strict=True)]
    return np.array(by_mass), np.array([0.5 * w @ J @ w for w, J in zip(turned, arm.J, strict=True)])


def test_equations_130_to_132_need_a_half_before_the_rotation(arm: Arm, cdot: Floats) -> None:
    x = [ph.symbol(f"c{k}") for k in range(9)]
    joints = [replace(joint, x=tuple(x[3 * k : 3 * k + 3])) for k, joint in enumerate(chain(arm))]
    H = Manipulator(tuple(joints), Vector([0, 0, 0])).inertia
    values = dict(zip(x, arm.c.reshape(-1).tolist(), strict=True))
    numbers = np.array(evaluate([as_expr(entry) for entry in H.entries()], values))
    by_mass, by_turn = energies(arm, cdot)
    v = cdot.reshape(-1)
    assert 0.5 * v @ numbers.reshape(9, 9) @ v == pytest.approx(by_mass.sum() + by_turn.sum(), rel=1e-8)
    assert by_turn.sum() > 0.1  # printed, (130) counts it twice


def test_equations_133_to_137_are_the_equations_of_every_other_formalism() -> None:
    for storage in ("vector", "angles"):
        system = revolute_arm(storage)
        assert system.derive("vector_parameter").agrees_with(system.derive("newton_euler"))


def test_equation_138_is_the_weight_s_moment_about_the_axis_and_its_offsets_add() -> None:
    """On c it does 2/(1 + c²) times that; and O_p O_{p+1} is s_pp + s_{p,p+1}, printed with a minus."""
    system = revolute_arm()
    made, _ = manipulator(build_tree(system.model()))
    values = dict(zip(made.x, (0.3, -0.4, 0.2, 0.6), strict=True))
    weight = np.array(evaluate(list(made.weight), values))
    poses = placed(made.joints)
    at = [np.array(evaluate(map(as_expr, here.p), values)) for here in poses]
    turns = [np.array(evaluate(map(as_expr, here.g.rotation.entries()), values)).reshape(3, 3) for here in poses]
    centres = [p + R @ np.array([float(x) for x in joint.centre])
               for p, R, joint in zip(at, turns, made.joints, strict=True)]  # fmt: skip
    g = np.array([0, 0, -9.81])
    before = [np.eye(3), *turns[:3]]
    for j in (0, 1, 3):
        e_j = before[j] @ np.array([float(x) for x in made.joints[j].axes[0]])
        moment = sum(2 * np.dot(g, np.cross(e_j, centres[k] - at[j])) for k in range(j, 4))  # Σ m [g, e, r]
        assert weight[j] == pytest.approx(2 / (1 + values[made.x[j]] ** 2) * moment)
    slide = before[2] @ np.array([float(x) for x in made.joints[2].axes[0]])
    assert weight[2] == pytest.approx(sum(2 * slide @ g for _ in range(2, 4)))
    to_next = at[1] - at[0]
    from_centre = at[1] - centres[0]  # s_{01}, from G to the next joint as the text defines it
    assert_allclose((centres[0] - at[0]) + from_centre, to_next)
    assert abs((centres[0] - at[0]) - from_centre - to_next).max() > 0.1


def test_equations_139_and_140_solve_for_the_second_rates() -> None:
    made, _ = manipulator(build_tree(revolute_arm().model()))
    still = dict.fromkeys(made.second_rates, as_expr(0))
    h = [-effort for effort in substitute(list(made.efforts), still)]  # P at c̈ = 0 is -h
    assert same(made.efforts, made.inertia @ Vector(made.second_rates) - Vector(h))


def test_equations_126_to_140_by_a_call_are_lagranges_in_the_rates_of_vector_parameters() -> None:
    """H_V of (132), and h_V of (139) with the sign of (260), however the joints are stored."""
    for storage in ("vector", "angles"):
        system = revolute_arm(storage)
        form = system.derive("vector_parameter").vector_parameter_form()
        made, _ = manipulator(build_tree(system.model()))
        put_in = dict(
            zip((*made.x, *made.rates, *made.second_rates), (*form.c, *form.rates, *form.accelerations), strict=True)
        )
        assert same(substitute(list(made.inertia.entries()), put_in), form.mass_matrix.entries())
        assert same(substitute(list(made.weight), put_in), -form.gravity_terms)
        assert same(substitute(list(made.efforts), put_in), form.inverse_dynamics)
        assert not any(form.applied)


def test_equations_126_to_140_in_angles_again_are_those_of_the_angles() -> None:
    """P_V = N τ with c = tan(q/2), ċ = u/N, c̈ = (u̇ - Ṅ ċ)/N and N = 2/(1 + c²), by fingerprint."""
    for seed in range(12):
        drawn = random_system(seed, bodies=(1, 4), joints=("revolute", "prismatic"), loads=False, max_speeds=4)
        for formalism in ("vector_parameter", "newton_euler"):
            e = drawn.derive(formalism)
            form = e.vector_parameter_form()
            N = [form.N[k, k] for k in range(len(form.c))]
            assert same(form.N.entries(), [N[i] if i == j else 0 for i in range(len(N)) for j in range(len(N))])
            turning = directional(list(map(as_expr, form.N @ form.rates)), dict(zip(form.c, form.rates, strict=True)))
            table: dict[Expr, Any] = {form.tangents[q]: ph.tan(q / 2) for q in form.tangents}
            N = substitute(list(map(as_expr, N)), table)
            table |= {rate: u / n for rate, u, n in zip(form.rates, e.u, N, strict=True)}
            turning = substitute(turning, table)
            table |= {a: (ud - t) / n for a, ud, t, n in zip(form.accelerations, e.udot, turning, N, strict=True)}
            P_V = substitute(list(map(as_expr, form.inverse_dynamics)), table)
            assert same(P_V, [n * tau for n, tau in zip(N, e.inverse_dynamics, strict=True)]), f"seed {seed}"


# ---- one hundred arms ---------------------------------------------------------------------------------------------


def test_a_hundred_random_arms_have_the_equations_that_newton_and_euler_give() -> None:
    for seed in seeds(24, of=100):
        drawn = random_system(seed, bodies=(1, 4), joints=("revolute", "prismatic"), loads=False, max_speeds=3)
        system = in_vector_parameters(drawn) if seed % 2 else drawn
        made, judge = system.derive("vector_parameter"), system.derive("newton_euler")
        assert same(made.mass_matrix.entries(), judge.mass_matrix.entries()), f"seed {seed}"
        assert same(made.inverse_dynamics, judge.inverse_dynamics), f"seed {seed}"


@pytest.mark.parametrize("formalism", ["newton_euler", "vector_parameter"])
def test_the_tangent_of_half_the_angle_put_into_the_equations_gives_those_in_angles(formalism: str) -> None:
    for seed in range(12):
        drawn = random_system(seed, bodies=(1, 4), joints=("revolute", "prismatic"), loads=False, max_speeds=4)
        angles, vectors = drawn.derive(formalism), in_vector_parameters(drawn).derive(formalism)
        turning = {q for joint in drawn.joints.values() if isinstance(joint.type, ph.Revolute) for q in joint.q}
        put_in: dict[Expr, Expr] = {q: ph.tan(q / 2) for q in angles.q if q in turning}
        assert same(substitute(list(vectors.mass_matrix.entries()), put_in), angles.mass_matrix.entries())
        speeds = dict(zip((*vectors.u, *vectors.udot), (*angles.u, *angles.udot), strict=True))
        assert same(substitute(list(vectors.inverse_dynamics), put_in | speeds), angles.inverse_dynamics)
