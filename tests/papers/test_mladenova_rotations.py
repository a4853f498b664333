"""Mladenova, sections 2.1, 2.4 to 2.6: vectors, vector-parameters, tangent bundles; (8) to (20) and (64) to (88).

By fingerprint, on symbols; by number where a root or a branch decides. Printed lines that do not hold are shown not to.
"""

import numpy as np
import pytest
from tests.papers.rotation_group import UNIT, along, b, c, cd, cdd, moving, outer, same, skew, vee, w, x

import polhode as ph
from polhode import Matrix, Rotation, Vector
from polhode.expr import cos, sin, sqrt, symbols, tan, unit_symbols
from polhode.geometry.rotations import sine_vector, unit_tangents, vector_parameter
from polhode.geometry.rotations.moving import MovingRotation
from polhode.geometry.rotations.quaternion import product
from polhode.papers.mladenova.tangent_bundle import product_with_rates

e = unit_symbols(["e1", "e2", "e3"])
phi = ph.symbol("phi")
BODY_RATE = Rotation.from_quaternion(b).rate(w, "quaternion")
MANY = Rotation.random(2000, seed=11)
OTHERS = Rotation.random(2000, seed=12)


def test_equation_8_rodrigues_formula() -> None:
    X, n = Vector(x), Vector(e)
    turned = X * cos(phi) + n * ((1 - cos(phi)) * n.dot(X)) + n.cross(X) * sin(phi)
    assert same(turned, Rotation.from_axis_angle(e, phi).apply(x))


def test_equation_9_needs_beta_after_its_scalar_product() -> None:
    b0, beta, X = b[0], Vector(b[1:]), Vector(x)
    turned = X * (2 * b0 * b0 - 1) + beta * (2 * beta.dot(X)) + beta.cross(X) * (2 * b0)
    assert same(turned, Rotation.from_quaternion(b).apply(x))


def test_equations_10_to_12_the_matrix_in_eulers_parameters() -> None:
    b0, b1, b2, b3 = b
    B = Matrix([
        [b0**2 + b1**2 - b2**2 - b3**2, 2 * (b1 * b2 - b0 * b3), 2 * (b1 * b3 + b0 * b2)],
        [2 * (b1 * b2 + b0 * b3), b0**2 - b1**2 + b2**2 - b3**2, 2 * (b2 * b3 - b0 * b1)],
        [2 * (b1 * b3 - b0 * b2), 2 * (b2 * b3 + b0 * b1), b0**2 - b1**2 - b2**2 + b3**2],
    ])  # fmt: skip
    assert same(B, Rotation.from_quaternion(b).matrix)
    assert same(B @ B.T, UNIT)
    assert same(sum(entry * entry for entry in b), 1)


def test_equations_13_to_20_the_angular_velocity_in_both_frames() -> None:
    r = Rotation.from_quaternion(b)
    B = r.matrix
    Bd = along(B, moving(b, BODY_RATE))
    space, body = vee(Bd @ B.T), vee(B.T @ Bd)  # (13): both are skew
    assert same(space, r.velocity(BODY_RATE, "quaternion", "space"))
    assert same(body, r.velocity(BODY_RATE, "quaternion")) and same(body, w)
    turned = B @ Vector(x)  # (17) without the dot that is printed over x'
    assert same(Bd @ Vector(x), space.cross(turned))  # (16), (18)
    assert same(r.rate(w, "matrix"), Bd) and same(r.velocity(Bd, "matrix"), w)


def test_cayleys_transformation_and_equations_65_and_66() -> None:
    O, C = Rotation.from_vector(c).matrix, skew(c)
    assert same((UNIT + C) @ (UNIT - C).inv(), O)
    assert same((UNIT - C).inv() * 2 - UNIT, O)
    square = Vector(c).dot(c)
    assert same((UNIT * (1 - square) + outer(c, c) * 2 + C * 2) / (1 + square), O)
    assert same((O - O.T) / (1 + O[0, 0] + O[1, 1] + O[2, 2]), C)
    assert same(O @ O.T, UNIT)  # (64)
    assert same(Rotation.from_matrix(O).vector, c)


def test_equation_67_composes_vector_parameters() -> None:
    other = symbols("d1 d2 d3")
    both = Rotation.from_vector(c) @ Rotation.from_vector(other)
    assert same(vector_parameter.composed(c, other), both.vector)
    assert same(Rotation.from_vector(c).inverse().vector, -Vector(c))


def test_vector_parameters_are_a_natural_parameterisation() -> None:
    one, other = Rotation.from_vector(c), symbols("d1 d2 d3")
    conjugated = one @ Rotation.from_vector(other) @ one.inverse()
    assert same(conjugated.vector, one.apply(other))


def test_equation_68_needs_a_root() -> None:
    d = Rotation.from_vector(c).sine_vector
    assert same(d, Vector(c) / sqrt(1 + Vector(c).dot(c)))
    given = MANY.vector
    square = (given**2).sum(axis=1, keepdims=True)
    assert np.abs(MANY.sine_vector - given / np.sqrt(1 + square)).max() < 1e-12
    assert np.abs(MANY.sine_vector - given / (1 + square)).max() > 0.1
    assert np.abs(np.linalg.norm(MANY.sine_vector, axis=1) - np.sin(MANY.angle / 2)).max() < 1e-14


def test_equation_69_the_matrix_in_the_sine_chart() -> None:
    b0, D = b[0], skew(b[1:])
    assert same(UNIT + (UNIT * b0 + D) @ D * 2, Rotation.from_sine_vector(b[1:], cosine=b0).matrix)


def test_equation_70_composes_sine_vectors_up_to_the_sign_of_what_becomes_the_root() -> None:
    p = unit_symbols(["p0", "p1", "p2", "p3"])
    d1, d2 = Vector(p[1:]), Vector(b[1:])
    assert same(d1 * b[0] + d2 * p[0] + d1.cross(d2), product(p, b)[1:])
    one, two = MANY.sine_vector, OTHERS.sine_vector
    found = np.stack(sine_vector.composed(one.T, two.T), axis=-1)
    assert np.abs(found - (MANY @ OTHERS).sine_vector).max() < 1e-11
    roots = [np.sqrt(1 - (d**2).sum(axis=1)) for d in (one, two)]
    printed = one * roots[1][:, None] + two * roots[0][:, None] + np.cross(one, two)
    wrong = np.abs(printed - (MANY @ OTHERS).sine_vector).max(axis=1) > 1e-9
    assert 0.3 < wrong.mean() < 0.4  # of evenly distributed rotations
    assert np.array_equal(wrong, roots[0] * roots[1] < (one * two).sum(axis=1))


PSI, THETA, PHI = symbols("psi theta phi")
PSI2, THETA2, PHI2 = symbols("psi' theta' phi'")


def eulerian(psi: ph.Expr, theta: ph.Expr, phi: ph.Expr, sign: int) -> Vector:
    """(71), with the sign of its third component."""
    scale = tan(theta / 2) / cos((psi + phi) / 2)
    return Vector([-scale * cos((psi - phi) / 2), scale * sin((psi - phi) / 2), sign * tan((phi + psi) / 2)])


def test_equation_71_is_of_a_turn_backwards_about_the_line_of_nodes() -> None:
    assert same(eulerian(PSI, THETA, PHI, 1), Rotation.from_euler("zxz", (PHI, -THETA, PSI)).vector)
    backwards = Rotation.from_euler("zxz", (PHI, THETA, PSI)).inverse()
    assert same(eulerian(PSI, THETA, PHI, -1), backwards.vector)  # which the lines after it use


def test_the_composition_of_eulerian_angles_needs_two_signs() -> None:
    one, two = eulerian(PSI, THETA, PHI, -1), eulerian(PSI2, THETA2, PHI2, -1)
    found = vector_parameter.composed(one, two)
    t, t2 = tan(THETA / 2), tan(THETA2 / 2)
    bottom = cos((PSI + PHI + PSI2 + PHI2) / 2) - t * t2 * cos((PSI - PHI - PSI2 + PHI2) / 2)
    first = -t * cos((PSI - PHI - PSI2 - PHI2) / 2) - t2 * cos((PSI + PHI + PSI2 - PHI2) / 2)
    second = t * sin((PSI - PHI - PSI2 - PHI2) / 2) + t2 * sin((PSI + PHI + PSI2 - PHI2) / 2)
    total = -sin((PSI + PHI + PSI2 + PHI2) / 2)
    assert same(found, Vector([first, second, total + t * t2 * sin((PSI - PHI - PSI2 + PHI2) / 2)]) / bottom)
    printed = (total + t * t2 * sin((PSI - PHI + PSI2 - PHI2) / 2)) / bottom
    assert not same(found[2], printed)
    assert not same(vector_parameter.composed(two, one), found)  # c'' is <c, c'>, printed <c', c>


def test_the_inversion_of_eulerian_angles_with_a_sine_in_the_second_component() -> None:
    r = (MANY @ OTHERS)[:200]
    angles = r.inverse().euler("zxz")  # phi, theta, psi
    c1, c2, c3 = r.vector.T
    for found, given in ((np.arctan2(c2, c1) - np.arctan(c3), angles[:, 0]),
                         (-np.arctan2(c2, c1) - np.arctan(c3), angles[:, 2])):  # fmt: skip
        turns = (found - given) / np.pi
        assert np.abs(turns - np.round(turns)).max() < 1e-10
    theta = 2 * np.arctan(np.cos(np.arctan(c3)) * np.hypot(c1, c2))
    assert np.abs(theta - angles[:, 1]).max() < 1e-10
    scale = np.tan(angles[:, 1] / 2) / np.cos((angles[:, 2] + angles[:, 0]) / 2)
    assert np.allclose(c2, scale * np.sin((angles[:, 2] - angles[:, 0]) / 2))
    assert not np.allclose(c2, scale * np.cos((angles[:, 2] - angles[:, 0]) / 2))


def test_equation_72_is_the_vector_over_the_scalar() -> None:
    q0, q1, q2, q3 = b
    assert same(Rotation.from_quaternion(b).vector, (q1 / q0, q2 / q0, q3 / q0))
    assert not same(Rotation.from_quaternion(b).vector, (-q3 / q0, -q2 / q0, q1 / q0))


def test_equations_73_and_74_bryant_angles() -> None:
    f1, f2, f3 = symbols("f1 f2 f3")
    t1, t2, t3 = (tan(f / 2) for f in (f1, f2, f3))
    three = vector_parameter.composed((0, 0, t3), vector_parameter.composed((0, t2, 0), (t1, 0, 0)))
    closed = Vector([t1 - t2 * t3, t2 + t1 * t3, t3 - t1 * t2]) / (1 + t1 * t2 * t3)
    assert same(three, closed)
    assert same(closed, Rotation.from_euler("zyx", (f3, f2, f1)).vector)


def test_the_exponential_vector_and_the_vector_parameter() -> None:
    c_, l = MANY.vector, MANY.exponential
    length, angle = (np.linalg.norm(v, axis=1, keepdims=True) for v in (c_, l))
    assert np.abs(2 * c_ / length * np.arctan(length) - l).max() < 1e-12
    assert np.allclose(l / angle * np.tan(angle / 2), c_, rtol=1e-9)


def test_equations_75_to_78_a_point_of_a_moving_body() -> None:
    p, pd, pdd = symbols("p1 p2 p3"), symbols("s1 s2 s3"), symbols("u1 u2 u3")
    r = Rotation.from_vector(c)
    O = r.matrix
    Od = along(O, moving(c, cd))
    Odd = along(Od, moving((*c, *cd), (*cd, *cdd)))
    W = Od @ O.T
    Wd = along(W, moving((*c, *cd), (*cd, *cdd)))
    assert same(W @ W, -(Od @ Od.T)) and same(Wd, Odd @ O.T + Od @ Od.T)  # (76)
    arm = O @ Vector(x)  # r - p of (75)
    assert same(Od @ Vector(x) + Vector(pd), W @ arm + Vector(pd))  # (77)
    place = arm + Vector(p)
    velocity = along(place, moving((*c, *p), (*cd, *pd)))
    acceleration = along(velocity, moving((*c, *cd, *p, *pd), (*cd, *cdd, *pd, *pdd)))
    assert same(acceleration, (Wd + W @ W) @ arm + Vector(pdd))  # (78)
    tangential, speed = Wd @ arm, W @ arm
    assert not same(tangential.cross(speed), (0, 0, 0))  # the text calls them parallel


def test_equations_79_and_80_are_velocity_and_acceleration_in_the_frame_that_stays() -> None:
    r = Rotation.from_vector(c)
    C, V, A = Vector(c), Vector(cd), Vector(cdd)
    scale = 2 / (1 + C.dot(C))
    omega = (C.cross(V) + V) * scale
    assert same(omega, r.velocity(cd, "vector", "space"))
    O = r.matrix
    assert same(omega, vee(along(O, moving(c, cd)) @ O.T))
    assert same((V - C.cross(V)) * scale, r.velocity(cd, "vector", "body"))
    epsilon = (C.cross(A) + A - omega * C.dot(V)) * scale
    assert same(epsilon, r.acceleration(cd, cdd, "vector", "space"))
    assert same(epsilon, along(omega, moving((*c, *cd), (*cd, *cdd))))


def test_equation_81_is_the_kinematic_equation_in_the_frame_that_stays() -> None:
    r = Rotation.from_vector(c)
    O = r.matrix
    cdot = (O.T + UNIT) @ Vector(w) / (1 + O[0, 0] + O[1, 1] + O[2, 2])
    assert same(cdot, r.rate(w, "vector", "space"))
    assert same(cdot, (UNIT + outer(c, c) - skew(c)) @ Vector(w) / 2)
    assert same(r.velocity(cdot, "vector", "space"), w)


def test_theorem_1_the_group_of_rotations_with_angular_velocities() -> None:
    c2, w2 = symbols("d1 d2 d3"), symbols("u1 u2 u3")
    one, two = Rotation.from_vector(c), Rotation.from_vector(c2)
    both = MovingRotation(one, w, "space") @ MovingRotation(two, w2, "space")
    assert same(both.velocity("space"), Vector(w) + one.apply(w2))
    assert same(skew(both.velocity("space")), skew(w) + one.matrix @ skew(w2) @ one.matrix.T)
    rates = moving((*c, *c2), (*one.rate(w, "vector", "space"), *two.rate(w2, "vector", "space")))
    O = both.rotation.matrix
    assert same(both.velocity("space"), vee(along(O, rates) @ O.T))
    nothing = both @ both.inverse()
    assert nothing.rotation.equals(Rotation.identity(exact=True)) and same(nothing.velocity(), (0, 0, 0))


def test_theorem_2_the_same_group_in_vector_parameters_with_their_rates() -> None:
    c2, c2d = symbols("d1 d2 d3"), symbols("u1 u2 u3")
    one, two = Rotation.from_vector(c), Rotation.from_vector(c2)
    both = MovingRotation.from_rate(one, cd) @ MovingRotation.from_rate(two, c2d)
    composite, written_out = product_with_rates((c, cd), (c2, c2d))
    assert same(composite, both.rotation.vector) and same(both.rate("vector"), written_out)
    assert same(written_out, along(vector_parameter.composed(c, c2), moving((*c, *c2), (*cd, *c2d))))


def test_theorem_2_on_numbers_in_batches_with_inverse_and_unit() -> None:
    one, two, three = (tuple(np.random.default_rng(k).normal(size=(2, 50, 3))) for k in range(3))
    left = product_with_rates(product_with_rates(one, two), three)
    right = product_with_rates(one, product_with_rates(two, three))
    assert np.allclose(left, right, rtol=1e-8, atol=1e-8)
    nothing = product_with_rates(one, (-one[0], -one[1]))
    assert np.abs(nothing).max() < 1e-12 and np.allclose(product_with_rates(one, ((0, 0, 0), (0, 0, 0))), one)
    step = 1e-6
    later = product_with_rates((one[0] + step * one[1], one[1]), (two[0] + step * two[1], two[1]))[0]
    c3, rate = product_with_rates(one, two)
    gap = np.abs((later - c3) / step - rate).max(axis=1)
    assert (gap < 1e-4 * (1 + np.abs(c3).max(axis=1)) ** 3).all()


def test_a_product_of_half_a_turn_has_no_vector_parameter() -> None:
    for quarter in ((1, 0, 0), (1.0, 0.0, 0.0)):
        with pytest.raises(ph.PolhodeError, match="half a turn"):
            product_with_rates((quarter, (1, 2, 3)), (quarter, (0, 0, 1)))
    with pytest.raises(ph.PolhodeError, match="3 components"):
        product_with_rates(((1.0, 0.0), (1, 2, 3)), ((1, 0, 0), (0, 0, 1)))


PAIR = Rotation.from_quaternion(b)
X, Y = unit_tangents.pair_of(PAIR)


def test_equation_82_a_unit_tangent_vector_of_the_sphere_is_a_rotation() -> None:
    assert same([X.dot(X), Y.dot(Y), X.dot(Y)], [1, 1, 0])
    O = Matrix.columns_of([X, Y, X.cross(Y)], 3)
    assert same(O, PAIR.matrix)
    assert unit_tangents.rotation_of(X, Y).equals(PAIR)


def test_equations_83_and_84_its_vector_parameter() -> None:
    Z, (e1, e2, e3) = X.cross(Y), UNIT
    trace = 1 + X.dot(e1) + Y.dot(e2) + Z.dot(e3)
    by_components = Vector([Y.dot(e3) - Z.dot(e2), Z.dot(e1) - X.dot(e3), X.dot(e2) - Y.dot(e1)]) / trace
    assert same(by_components, PAIR.vector)
    a = skew(e1) @ X + skew(e2) @ Y + skew(e3) @ Z
    assert same(a / trace, PAIR.vector)
    assert same(a, PAIR.axial_vector)
    square = PAIR.vector.dot(PAIR.vector)
    assert same(trace, 4 / (1 + square))
    assert same(a, PAIR.vector * 4 / (1 + square)) and not same(a, PAIR.vector * (1 + square))  # the line before (85)


def test_equation_85_has_a_branch_on_either_side_of_a_right_angle() -> None:
    a, near = MANY.axial_vector, MANY.angle < np.pi / 2
    root = np.sqrt(np.maximum(4 - (a**2).sum(axis=1), 0))[:, None]
    plus, minus = a / (2 + root), a / (2 - root)
    assert np.allclose(plus[near], MANY.vector[near], atol=1e-6) and np.allclose(minus[~near], MANY.vector[~near])
    assert not np.isclose(minus[near], MANY.vector[near]).all(axis=1).any()  # as printed
    trace = np.trace(MANY.matrix, axis1=1, axis2=2)
    assert np.allclose(trace, 1 + np.where(near, 1, -1) * root[:, 0], atol=1e-6)  # after (86), printed with - alone


def test_equations_86_to_88_do_not_multiply_unit_tangent_vectors() -> None:
    """The columns of the product are not in the span of the printed ones, whatever A and B are."""
    x1, y1 = unit_tangents.pair_of(MANY)
    x2, y2 = unit_tangents.pair_of(OTHERS)
    x3, y3 = unit_tangents.pair_of(MANY @ OTHERS)
    made = unit_tangents.composed((x1, y1), (x2, y2))
    assert np.abs(made[0] - x3).max() < 1e-14 and np.abs(made[1] - y3).max() < 1e-14
    columns = np.stack([np.concatenate([x1, y1], axis=1), np.concatenate([x2, y2], axis=1)], axis=-1)
    wanted = np.concatenate([x3, y3], axis=1)
    best = [np.linalg.lstsq(A, v, rcond=None)[1][0] for A, v in zip(columns[:100], wanted[:100], strict=True)]
    assert np.min(best) > 1e-3  # the squared residual that A and B leave at best
    for branch in (1, -1):
        roots = [branch * np.sqrt(4 - (r.axial_vector**2).sum(axis=1)) for r in (MANY, OTHERS)]
        bottom = sum(roots) - roots[0] * roots[1] - (MANY.axial_vector * OTHERS.axial_vector).sum(axis=1)
        printed = ((2 - roots[1])[:, None] * x1 + (2 - roots[0])[:, None] * x2) / bottom[:, None]
        assert np.abs(printed - x3).max(axis=1).min() > 1e-3


def test_theorem_3_the_product_is_that_of_rotations() -> None:
    other = Rotation.from_vector(c)
    assert same(unit_tangents.composed(unit_tangents.pair_of(PAIR), unit_tangents.pair_of(other)),
                unit_tangents.pair_of(PAIR @ other))  # fmt: skip


def test_what_is_no_unit_tangent_vector_is_refused() -> None:
    with pytest.raises(ph.PolhodeError, match="R Rᵀ differs from 1"):
        unit_tangents.rotation_of([1.0, 0, 0], [0.1, 1, 0])
    good = ([1.0, 0, 0], [0, 1, 0])
    for wrong in (([1.0, 0, 0], [0.1, 1, 0]), ([1.0, 0, 0], [1.0, 0, 0]), ([0.0] * 3, [0, 1, 0])):
        for pairs in ((good, wrong), (wrong, good)):
            with pytest.raises(ph.PolhodeError, match="R Rᵀ differs from 1"):
                unit_tangents.composed(*pairs)
    with pytest.raises(ph.PolhodeError, match="not orthogonal"):
        unit_tangents.composed((b[:3], b[1:]), unit_tangents.pair_of(PAIR))
