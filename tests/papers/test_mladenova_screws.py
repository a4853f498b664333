"""Mladenova, section 4: screws, dual numbers, the dual Jacobian and Newton-Euler in screw form, (141) to (167)."""

from functools import cache

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode import Dual, Expr, Matrix, Pose, Vector
from polhode.expr import as_expr, cos, directional, is_zero, same, sin, skew, symbols, tan
from polhode.formalisms.screw import force_screw, momentum_screw
from polhode.geometry import Inertia, about, rotation
from polhode.geometry.dual import dual, dual_part, real_part
from polhode.geometry.dual_motion import dual_orthogonal, joint_displacement, line_through, pose_of, vector_parameter_of
from polhode.geometry.rotations.vector_parameter import composed, from_vector_parameter
from polhode.geometry.screws import screw_of
from polhode.model.samples.random_system import random_system

theta, d, alpha, a = symbols("theta d alpha a")
c, p = Vector(symbols("c1 c2 c3")), Vector(symbols("p1 p2 p3"))
c_dot, p_dot = Vector(symbols("c1' c2' c3'")), Vector(symbols("p1' p2' p3'"))
O = from_vector_parameter(c)
square = c.dot(c)
w = c.cross(c_dot) + c_dot
omega = w * (2 / (1 + square))  # (79), proved in section 2
v = p_dot - omega.cross(p)  # of the body's point at the origin, (77)


# ---- (141) to (145): screws of motions and velocities ---------------------------------------------------------------


def test_equation_141_the_axis_is_the_line_that_the_motion_takes_to_itself() -> None:
    nu = c.dot(p) / square
    L, moment = 2 * c, p - c.cross(p) - c * nu
    motion = dual_orthogonal(Pose(O, p))
    assert is_zero(L.dot(moment))
    assert motion @ dual(L, moment) == dual(L, moment)
    printed = c.cross(p) - p + c * nu
    assert same(printed, -moment), "the paper's sign is the opposite of that in (142)"
    assert motion @ dual(L, printed) != dual(L, printed)


def test_equation_141_the_axis_is_that_of_screw_of() -> None:
    """Where the axis has a constant direction all is exact: c = t (1, 2, 2)."""
    (t,) = symbols("t,")
    along = Vector([1, 2, 2]) * t
    found = screw_of(Pose(from_vector_parameter(along), p))
    assert same(found.axis * 3, (1, 2, 2))
    assert same(found.moment * (6 * t), p - along.cross(p) - along * (along.dot(p) / along.dot(along)))
    turned = Pose(from_vector_parameter(Vector([1, 2, 2]) * (tan(theta / 2) / 3)), p)
    assert screw_of(turned).angle == theta
    assert same(screw_of(turned).matrix.entries(), turned.matrix().entries())


def test_the_translation_is_c_p_over_the_length_of_c() -> None:
    """Printed with c² below: that is ν of (141)."""
    (t,) = symbols("t,")
    along = Vector([1, 2, 2]) * t
    found = screw_of(Pose(from_vector_parameter(along), p))
    assert found.translation == along.dot(p) / (3 * t)
    assert found.translation != along.dot(p) / along.dot(along)


def test_the_screw_of_any_motion_in_numbers() -> None:
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(50, 3))
    shifts = rng.normal(size=(50, 3))
    R = np.array([[[float(e) for e in row] for row in from_vector_parameter(each)] for each in numbers])
    found = screw_of((R, shifts))
    length = np.linalg.norm(numbers, axis=1)
    assert np.tan(found.angle / 2) == pytest.approx(length)
    assert found.translation == pytest.approx(np.sum(numbers * shifts, axis=1) / length)
    moment = shifts - np.cross(numbers, shifts) - numbers * (np.sum(numbers * shifts, axis=1) / length**2)[:, None]
    assert found.moment * (2 * length)[:, None] == pytest.approx(moment)
    assert pytest.approx(R) == found.pose.R and found.pose.p == pytest.approx(shifts)


def test_equation_142_points_of_the_axis_move_along_it() -> None:
    sigma = omega.dot(p_dot) / omega.dot(omega)
    moment = p_dot - omega.cross(p) - omega * sigma
    (k,) = symbols("k,")
    point = omega.cross(moment) / omega.dot(omega) + omega * k
    assert same(omega.cross(point - p) + p_dot, omega * sigma)  # (77) at the point
    found = screw_of((*omega, *v))
    assert found.pitch == sigma
    assert same(found.moment * found.angle, moment)


def test_equation_143_needs_the_rate_of_p_and_the_square_of_the_rate_of_c() -> None:
    sigma = omega.dot(p_dot) / omega.dot(omega)
    bottom = square * c_dot.dot(c_dot) - c.dot(c_dot) ** 2
    assert sigma == (1 + square) / 2 * w.dot(p_dot) / (bottom + c_dot.dot(c_dot))
    assert sigma != (1 + square) / 2 * w.dot(p) / bottom
    assert sigma != (1 + square) / 2 * w.dot(p_dot) / bottom


def test_equations_144_and_145_with_the_same_denominator() -> None:
    bottom = square * c_dot.dot(c_dot) - c.dot(c_dot) ** 2
    found = screw_of((*omega, *v))
    assert same(found.axis * found.angle, w * (2 / (1 + square)))  # (144)
    moment = found.moment * found.angle
    assert same(moment, p_dot - omega.cross(p) - w * (w.dot(p_dot) / (bottom + c_dot.dot(c_dot))))
    assert not same(moment, p_dot - omega.cross(p) - w * (w.dot(p_dot) / bottom))


# ---- (146) to (156): lines and motions in dual numbers --------------------------------------------------------------

turn, twist = Dual(theta, d), Dual(alpha, a)


def link(theta: Expr, d: Expr, alpha: Expr, a: Expr) -> Pose:
    """A cylindric joint and the link after it, after Denavit and Hartenberg."""
    about_z, about_x = rotation(("z", theta)), rotation(("x", alpha))
    return Pose(about_z, Vector([0, 0, d])) @ Pose(about_x, Vector([a, 0, 0]))


def test_equations_146_and_147_a_joint_and_a_link_make_one_motion() -> None:
    c_theta, c_alpha = Vector([0, 0, tan(theta / 2)]), Vector([tan(alpha / 2), 0, 0])
    O_theta, O_alpha = from_vector_parameter(c_theta), from_vector_parameter(c_alpha)
    whole = link(theta, d, alpha, a)
    assert same(whole.R.entries(), from_vector_parameter(composed(c_theta, c_alpha)).entries())
    assert same(whole.R.entries(), (O_theta @ O_alpha).entries())
    assert same(whole.p, O_theta @ Vector([a, 0, 0]) + Vector([0, 0, d]))
    r_o = Vector(symbols("x y z"))
    assert same(whole.matrix() @ Vector([*r_o, 1]), [*(whole.R @ r_o + whole.p), 1])  # (147)


def test_equations_148_to_151_lines_go_by_the_dual_matrix() -> None:
    x, e = Vector(symbols("x1 x2 x3")), Vector(symbols("e1 e2 e3"))
    X, E = O @ x + p, O @ e  # (149)
    assert same(X.cross(E), O @ x.cross(e) + skew(p) @ (O @ e))  # (150)
    motion = dual_orthogonal(Pose(O, p))
    assert line_through(X, E) == motion @ line_through(x, e)  # (151)
    assert motion @ motion.T == Matrix.identity(3)
    assert same(real_part(motion).entries(), O.entries())
    assert same(dual_part(motion).entries(), (skew(p) @ O).entries())


def test_equation_152_the_dual_angle_of_two_lines_is_angle_and_distance() -> None:
    """The axes before and after a link: Ê₁·Ê₂ is cos α̂, and Ê₁ × Ê₂ is sin α̂ times the common normal."""
    z = dual(Vector([0, 0, 1]))
    along_z, along_x = about(z, turn), about(dual(Vector([1, 0, 0])), twist)
    first, second = z, along_z @ (along_x @ z)
    assert first.dot(second) == twist.cos()
    normal = along_z @ dual(Vector([1, 0, 0]))  # the x-axis of the link
    assert first.cross(second) == normal * twist.sin()


def test_equation_153_dual_vector_parameters_of_joint_and_link() -> None:
    zero = Dual(0)
    for c_hat, pose in (
        (Vector([zero, zero, (turn / 2).tan()]), Pose(rotation(("z", theta)), Vector([0, 0, d]))),
        (Vector([(twist / 2).tan(), zero, zero]), Pose(rotation(("x", alpha)), Vector([a, 0, 0]))),
    ):
        assert from_vector_parameter(c_hat) == dual_orthogonal(pose)
        assert vector_parameter_of(dual_orthogonal(pose)) == c_hat
    both = joint_displacement(theta, d, alpha, a)
    assert from_vector_parameter(both) == dual_orthogonal(link(theta, d, alpha, a))


ANGLES = [symbols(f"theta{i} d{i} alpha{i} a{i}") for i in (1, 2, 3)]


def test_equations_154_to_156_a_chain_by_matrices_and_by_vector_parameters() -> None:
    """The law (67) over dual numbers is the composition of motions: the principle of transference."""
    poses = [link(*each) for each in ANGLES]
    whole = dual_orthogonal(poses[0] @ poses[1] @ poses[2])
    product = dual_orthogonal(poses[0]) @ dual_orthogonal(poses[1]) @ dual_orthogonal(poses[2])
    assert product == whole  # (156)
    one, two, three = (joint_displacement(*each) for each in ANGLES)
    chain = composed(one, composed(two, three))
    assert from_vector_parameter(chain) == whole  # (154), (155)
    assert vector_parameter_of(whole) == chain
    made = pose_of(whole)
    assert same(made.p, (poses[0] @ poses[1] @ poses[2]).p)


# ---- (157) to (163): the dual Jacobian ------------------------------------------------------------------------------


def moving(number: Dual, flow: dict[Expr, Expr]) -> Dual:
    """The rate of a dual number."""
    return Dual(*directional([as_expr(number.real), as_expr(number.dual)], flow))


def rates(count: int) -> dict[Expr, Expr]:
    """ϑ and d of the joints move, α and a are dimensions of links."""
    names = [each for angles in ANGLES[:count] for each in angles[:2]]
    return dict(zip(names, symbols(" ".join(f"{each}'" for each in names)), strict=True))


def dual_velocity(c_hat: Vector, flow: dict[Expr, Expr]) -> Vector:
    """ω(ĉ), (79) over dual numbers."""
    rate = Vector([moving(entry, flow) for entry in c_hat])
    made: Vector = (c_hat.cross(rate) + rate) * (2 / (1 + c_hat.dot(c_hat)))
    return made


def test_equations_157_and_158_the_dual_angular_velocity_of_a_joint() -> None:
    theta, d, *_ = ANGLES[0]
    flow = rates(1)
    c_hat = Vector([Dual(0), Dual(0), (Dual(theta, d) / 2).tan()])
    assert dual_velocity(c_hat, flow) == dual(Vector([0, 0, 1])) * Dual(flow[theta], flow[d])


def lines() -> list[Vector]:
    """K̂ of each joint: the z-axis of the frame before it, in R_o; (160)."""
    found, motion = [], dual(Matrix.identity(3))
    for each in ANGLES:
        found.append(motion @ dual(Vector([0, 0, 1])))
        motion = motion @ dual_orthogonal(link(*each))
    return found


def test_equations_159_to_162_the_screws_of_all_joints_add_up() -> None:
    """ω(ĉ') of the whole chain is Σ (dϑ̂_i/dt) K̂; (159) must end at Ô_i-2,i-1, and (161) start at K̂_0."""
    flow = rates(2)
    one, two = (joint_displacement(*each) for each in ANGLES[:2])
    whole = dual_velocity(Vector(composed(one, two)), flow)
    speeds = [Dual(flow[angles[0]], flow[angles[1]]) for angles in ANGLES[:2]]
    K = lines()
    assert whole == K[0] * speeds[0] + K[1] * speeds[1]
    assert whole != K[1] * speeds[0] + K[2] * speeds[1], "K̂_1 + … + K̂_n of (161) are the axes after the joints"
    after = dual_orthogonal(link(*ANGLES[0])) @ dual_orthogonal(link(*ANGLES[1]))
    relative = dual(Vector([0, 0, 1])) * speeds[1]
    assert K[1] * speeds[1] != after @ relative, "(159) as printed"
    assert K[1] * speeds[1] == dual_orthogonal(link(*ANGLES[0])) @ relative


@cache
def manipulator() -> ph.Equations:
    """Three cylindric joints of which lengths and angles are parameters."""
    system = ph.System("manipulator")
    below, at, turned = system.ground, (0, 0, 0), ()
    for i, (_, _, twist_angle, length) in enumerate(ANGLES, start=1):
        body = system.body(f"B{i}", 1, com=(0.1, 0.2, 0.3), inertia=(1, 2, 2))
        names = [f"theta{i}", f"d{i}"]
        system.joint(f"j{i}", below, body, ph.Cylindrical("z"), at=at, rotation=turned or None, coordinates=names)
        alpha_i, a_i = (system.parameter(each.name, 1) for each in (twist_angle, length))
        below, at, turned = body, (a_i, 0, 0), (("x", alpha_i),)
    system.frame("tip", below, at=at, rotation=turned)
    return system.derive("screw")


def test_equation_163_the_dual_jacobian_holds_axes_turned_and_slid_along() -> None:
    equations = manipulator()
    K = equations.dual_jacobian("tip")
    columns = dict(zip(equations.speeds, K.columns, strict=True))
    names = {each.name: each for each in (*equations.q, *(p.symbol for p in equations.system.parameters.values()))}
    meant = {each: names[each.name] for angles in ANGLES for each in angles if each.name in names}
    for joint, K_hat in zip(equations.system.joints.values(), lines(), strict=True):
        line = dual(*([as_expr(entry).subs(meant) for entry in part(K_hat)] for part in (real_part, dual_part)))
        turning, sliding = (columns[speed.name] for speed in joint.u)
        assert turning == line
        assert sliding == line * Dual(0, 1)  # [0; K] beside [K; K*]


def test_the_dual_jacobian_is_the_jacobian_of_the_point_at_the_origin() -> None:
    """(163) gives ω and the velocity of the origin; that of the tip is dual part + real part × p."""
    equations = manipulator()
    J, K, p_tip = equations.jacobian("tip"), equations.dual_jacobian("tip"), equations.pose("tip").p
    assert same(J[:3].entries(), real_part(K).entries())
    for column, line in zip(J.columns, K.columns, strict=True):
        assert same(column[3:], dual_part(line) + real_part(line).cross(p_tip))
    assert not same(J[3:].entries(), dual_part(K).entries())
    assert equations.velocity_screw("tip") == K @ equations.u


# ---- (164) to (167): Newton-Euler in screw form ---------------------------------------------------------------------


def test_equations_164_to_167_in_six_columns_are_those_in_dual_vectors() -> None:
    V, w, s = (Vector(symbols(" ".join(f"{name}{i}" for i in "123"))) for name in ("V", "w", "s"))
    (mass,) = symbols("m,")
    j = symbols("j11 j12 j13 j22 j23 j33")
    J_o = Matrix([[j[0], j[1], j[2]], [j[1], j[3], j[4]], [j[2], j[4], j[5]]])
    trace = (j[0] + j[3] + j[5]) / 2
    inertia = Inertia(
        mass, s * mass, Matrix([[(trace if i == k else 0) - J_o[i, k] for k in range(3)] for i in range(3)])
    )
    hat = skew(s) * mass
    phi = Matrix(
        [[*(mass if i == k else 0 for k in range(3)), *hat.T[i]] for i in range(3)]
        + [[*hat[i], *J_o[i]] for i in range(3)]
    )
    F = momentum_screw(inertia, dual(w, V))
    six = phi @ Vector([*V, *w])  # (166), (167)
    assert same([*real_part(F), *dual_part(F)], six)
    cross = Matrix([[*skew(w)[i], 0, 0, 0] for i in range(3)] + [[*skew(V)[i], *skew(w)[i]] for i in range(3)])  # (165)
    dual_cross = dual(w, V).cross(F)
    assert same([*real_part(dual_cross), *dual_part(dual_cross)], cross @ six)


def test_equation_166_is_the_motion_of_a_free_body() -> None:
    """Against Poincaré's equations of a free body with an offset mass centre, which start from its energy."""
    system = ph.System("body", gravity=(0, 0, 0))
    body = system.body("body", 2, com=(0.1, 0.2, -0.3), inertia=[[3, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]])
    system.joint("air", system.ground, body, ph.Free())
    equations = system.derive("poincare")
    (inertia,) = (each.inertia for each in equations.tree.links)
    V, V_dot = dual(equations.u[:3], equations.u[3:]), dual(equations.udot[:3], equations.udot[3:])
    f = momentum_screw(inertia, V_dot) + V.cross(momentum_screw(inertia, V))  # (166)
    assert same(equations.inverse_dynamics, [*dual_part(f), *real_part(f)])
    assert force_screw((dual_part(f), real_part(f))) == f


def test_screw_form_equals_newton_and_euler_on_random_mechanisms() -> None:
    for seed in seeds(20, of=100):
        system = random_system(seed, bodies=(1, 4), max_speeds=6)
        ours, theirs = system.derive("screw"), system.derive("newton_euler")
        assert same(ours.inverse_dynamics, theirs.inverse_dynamics), seed  # which holds M u̇ as well


def test_a_screw_joint_moves_along_its_own_screw() -> None:
    system = ph.System("bolt")
    pitch = system.parameter("pitch", "0.01")
    bolt = system.body("bolt", 1, inertia=(1, 1, 1))
    system.joint("thread", system.ground, bolt, ph.Screw("z", pitch), at=(2, 0, 0))
    equations = system.derive("screw")
    displaced = Pose(rotation(("z", theta)), Vector([2 * (1 - cos(theta)), -2 * sin(theta), pitch * theta]))
    for found in (screw_of(equations.velocity_screw("bolt")), screw_of(displaced)):
        assert found.pitch == pitch
        assert same(found.point, (2, 0, 0))
