"""Kwatny and Blankenship (1995), section IV, the six degree of freedom arm, and (46) to (52) on it.

Printed numbers are quoted with their digits read as the rationals that the program's data give: 0.0969792 is
931/9600, 0.00510417 is 49/9600, 0.091875 is 147/1600, 0.525 is 21/40. Where docs/errata.md corrects the
paper, the printed value is shown not to hold.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.codegen.ir.count import count
from polhode.codegen.plan import plan
from polhode.expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    cos,
    directional,
    evaluate,
    gradient,
    sin,
    substitute,
    topological,
)
from polhode.expr.normal_form import normal
from polhode.formalisms.poincare import Poincare
from polhode.geometry import Pose, rotation

from .arm import (
    COMPOUND_SHOULDER,
    COMPOUND_WRIST,
    I3_ACROSS,
    I3_ALONG,
    L1,
    L2,
    L3,
    R3,
    SIMPLE_SHOULDER,
    SIMPLE_WRIST,
    chain,
    e,
    m1,
    m2,
    m3,
    s1,
    s2,
    s3,
    six_dof_arm,
    t1,
    t2,
    t3,
)

#: m3 L2 L3/2, the gripper's inertia about the wrist across and along its axis, and their difference.
K = m3 * L2 * L3 / 2
ACROSS = I3_ACROSS + m3 * L3**2 / 4
ALONG = I3_ALONG
DIFFERENCE = ACROSS - ALONG

POINT = {s1: 0.7, s2: -1.3, s3: 0.0, e: 0.4, t1: -0.6, t2: 0.9, t3: 1.7}

REPRESENTATIONS = {
    "compound": (COMPOUND_SHOULDER, COMPOUND_WRIST),
    "simple wrist": (COMPOUND_SHOULDER, SIMPLE_WRIST),
    "simple": (SIMPLE_SHOULDER, SIMPLE_WRIST),
}


def poses_by_hand() -> dict[str, Pose]:
    """Where the bodies are: Rz(s2) Ry(s1) T(3) Ry(e) T(3) Rx(t3) Rz(t2) Ry(t1)."""
    shoulder = Pose(rotation(("z", s2), ("y", s1)), Vector([0, 0, 0]))
    elbow = Pose(rotation(("y", e)), Vector([0, 0, L1]))
    wrist = Pose(rotation(("x", t3), ("z", t2), ("y", t1)), Vector([0, 0, L2]))
    return {"upper": shoulder, "lower": shoulder @ elbow, "gripper": shoulder @ elbow @ wrist}


def kinetic_energy_from_poses(arm: ph.System, poses: dict[str, Pose], moving: dict[Expr, Any]) -> Expr:
    """½ Σ (m c'·c' + w·I w), with c' and Rᵀ R' by differentiating the poses."""
    total = as_expr(0)
    for name, X in poses.items():
        body = arm.bodies[name]
        velocity = Vector(directional([as_expr(entry) for entry in X.point(body.com)], moving))
        R_rate = Matrix([directional([as_expr(entry) for entry in row], moving) for row in X.R])
        spin = X.R.T @ R_rate
        w = Vector([spin[2, 1], spin[0, 2], spin[1, 0]])
        total = total + body.mass * velocity.dot(velocity) + w.dot(body.inertia @ w)
    return total / 2


def at_the_point(roots: Sequence[Any]) -> np.ndarray:
    return np.array(evaluate([as_expr(root) for root in roots], POINT))


# ---- the chain, (46) to (52) -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_equations_46_to_51_phi_H_gives_the_spatial_velocity_of_every_body(name: str) -> None:
    shoulder, wrist = REPRESENTATIONS[name]
    by_hand = chain(shoulder, wrist)
    columns = by_hand.phi @ by_hand.H  # (50)
    arm = six_dof_arm(shoulder, wrist)
    equations = arm.derive("poincare")
    for k, body in enumerate(("upper", "lower", "gripper")):
        R = equations.pose(body).R
        J = equations.jacobian(body)  # in ground components
        in_body = Matrix([*(R.T @ J[:3]), *(R.T @ J[3:])])
        assert in_body == columns[6 * k : 6 * k + 6], body


def test_equation_51_phi_of_three_bodies_is_a_product_of_neighbours() -> None:
    made = Poincare(arm := six_dof_arm(), arm.derive("poincare").tree)
    by_hand = chain(COMPOUND_SHOULDER, COMPOUND_WRIST)
    phi = [[by_hand.phi[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] for j in range(3)] for i in range(3)]
    assert phi[2][0] == phi[2][1] @ phi[1][0]
    gripper = (by_hand.phi @ by_hand.H)[12:]
    wanted = {place: speed for speed, place in enumerate(made.real)}
    for place, column in made.spatial_velocity_map[2].items():
        assert column == gripper[:, wanted[place]]


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_equations_52a_and_52b_inertia_matrix_and_kinetic_energy_of_the_chain(name: str) -> None:
    shoulder, wrist = REPRESENTATIONS[name]
    by_hand = chain(shoulder, wrist).inertia_matrix
    arm = six_dof_arm(shoulder, wrist)
    for formalism in ("poincare", "composite_body", "newton_euler"):
        assert arm.derive(formalism).mass_matrix == by_hand, formalism
    equations = arm.derive()
    assert equations.kinetic_energy == equations.u.dot(by_hand @ equations.u) / 2


def test_inertia_matrix_of_the_compound_arm_is_the_hessian_of_energies_from_poses() -> None:
    arm = six_dof_arm()
    equations = arm.derive("poincare")
    moving = dict(zip(equations.q, equations.coordinate_rates, strict=True))
    T = kinetic_energy_from_poses(arm, poses_by_hand(), moving)
    for row, momentum in zip(equations.mass_matrix, gradient(T, equations.u), strict=True):
        assert list(row) == gradient(momentum, equations.u)


def test_inertia_matrix_of_the_simple_arm_is_the_hessian_of_energies_from_poses() -> None:
    arm = six_dof_arm(SIMPLE_SHOULDER, SIMPLE_WRIST)
    equations = arm.derive("poincare")
    moving = dict(zip(equations.q, equations.coordinate_rates, strict=True))
    turned = Pose(rotation(("x", s3)), Vector([0, 0, 0]))
    T = kinetic_energy_from_poses(arm, {name: turned @ X for name, X in poses_by_hand().items()}, moving)
    for row, momentum in zip(equations.mass_matrix, gradient(T, equations.u), strict=True):
        assert list(row) == gradient(momentum, equations.u)


# ---- the program and its results ---------------------------------------------------------------------------


def test_shoulder_has_two_degrees_of_freedom_as_its_map_and_its_names_say() -> None:
    arm = six_dof_arm()
    assert arm.derive().coordinates == ["s1", "s2", "e", "t1", "t2", "t3"]
    assert arm.derive().speeds == ["w1", "w2", "u1", "v1", "v2", "v3"]
    with pytest.raises(ph.PolhodeError, match="do not add up"):
        six_dof_arm(shoulder=(1, 1, 1))  # r1 as printed


def test_numbers_of_the_printed_rows_follow_from_the_program() -> None:
    assert ACROSS == m3 * (L3**2 + 3 * R3**2) / 12 + m3 * L3**2 / 4 == Fraction(931, 9600)
    assert Fraction(21, 40) == K
    assert Fraction(147, 1600) == DIFFERENCE
    printed = {ACROSS: 0.0969792, ALONG: 0.00510417, DIFFERENCE: 0.091875, K: 0.525}
    for exact, shown in printed.items():
        assert float(exact) == pytest.approx(shown, rel=5e-6)
    cylinder = ph.cylinder(m3, R3, L3)
    assert cylinder[0, 0] == I3_ACROSS
    assert cylinder[2, 2] == 6 * I3_ALONG  # a solid cylinder has m R²/2; the program has m R²/12


def printed_end_effector() -> Matrix:
    """XEndEf with the lost brackets and product signs put back; nothing else is changed."""
    x1 = cos(e) * cos(s1) * cos(s2) - cos(s2) * sin(e) * sin(s1)
    x3 = cos(s1) * cos(s2) * sin(e) + cos(e) * cos(s2) * sin(s1)
    y1 = cos(e) * cos(s1) * sin(s2) - sin(e) * sin(s1) * sin(s2)
    y3 = cos(s1) * sin(e) * sin(s2) + cos(e) * sin(s1) * sin(s2)
    z1 = -cos(s1) * sin(e) - cos(e) * sin(s1)
    z3 = cos(e) * cos(s1) - sin(e) * sin(s1)
    a = cos(t1) * cos(t3) * sin(t2) + sin(t1) * sin(t3)
    b = -(cos(t3) * sin(t1)) + cos(t1) * sin(t2) * sin(t3)
    c = cos(t3) * sin(t1) * sin(t2) - cos(t1) * sin(t3)
    d = cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3)
    x = [
        cos(t1) * cos(t2) * x1 - sin(s2) * a + x3 * b,
        -(cos(t2) * cos(t3) * sin(s2)) - x1 * sin(t2) + cos(t2) * x3 * sin(t3),
        cos(t2) * x1 * sin(t1) - sin(s2) * c + x3 * d,
    ]
    y = [
        cos(t1) * cos(t2) * y1 + cos(s2) * a + y3 * b,
        cos(s2) * cos(t2) * cos(t3) - y1 * sin(t2) + cos(t2) * y3 * sin(t3),
        cos(t2) * y1 * sin(t1) + cos(s2) * c + y3 * d,
    ]
    z = [cos(t1) * cos(t2) * z1 + z3 * b, -z1 * sin(t2) + cos(t2) * z3 * sin(t3), cos(t2) * z1 * sin(t1) + z3 * d]
    return Matrix([
        [*x, 3 * cos(s2) * sin(s1) + 3 * x3 + L3 * x[2]],
        [*y, 3 * sin(s1) * sin(s2) + 3 * y3 + L3 * y[2]],
        [*z, 3 * cos(s1) + 3 * z3 + L3 * z[2]],
        [0, 0, 0, 1],
    ])  # fmt: skip


@pytest.mark.parametrize("wrist", [COMPOUND_WRIST, SIMPLE_WRIST], ids=["compound", "simple"])
def test_XEndEf_all_twelve_entries(wrist: Sequence[int]) -> None:
    X = six_dof_arm(wrist=wrist).derive().pose("end effector")
    assert X.matrix() == printed_end_effector()
    shoulder = Rotation.from_euler("ZY", [POINT[s2], POINT[s1]])
    gripper = Rotation.from_euler("XZY", [POINT[t3], POINT[t2], POINT[t1]])
    lower = shoulder * Rotation.from_euler("Y", POINT[e])
    at = shoulder.apply([0, 0, 3.0]) + lower.apply([0, 0, 3.0]) + (lower * gripper).apply([0, 0, 0.7])
    np.testing.assert_allclose(at_the_point(X.p), at, atol=1e-14)
    np.testing.assert_allclose(at_the_point(list(X.R.entries())), (lower * gripper).as_matrix().ravel(), atol=1e-14)


def test_XEndEf_on_the_simple_shoulder_is_the_printed_one_where_the_third_turn_is_zero() -> None:
    X = six_dof_arm(SIMPLE_SHOULDER, SIMPLE_WRIST).derive().pose("end effector").matrix()
    entries = [as_expr(entry) for entry in X.entries()]
    wanted = [as_expr(entry) for entry in printed_end_effector().entries()]
    assert substitute(entries, {s3: 0}) == wanted
    assert entries != wanted


def test_XEndEf_as_printed_without_its_lost_brackets_is_no_rotation() -> None:
    X = printed_end_effector()
    b = -(cos(t3) * sin(t1)) + cos(t1) * sin(t2) * sin(t3)
    x3 = cos(s1) * cos(s2) * sin(e) + cos(e) * cos(s2) * sin(s1)
    y3 = cos(s1) * sin(e) * sin(s2) + cos(e) * sin(s1) * sin(s2)
    z3 = cos(e) * cos(s1) - sin(e) * sin(s1)
    # The first column reads (A)-(B)+C where (A)(-(B)+C) is meant; (3,1) closes another bracket too early.
    printed = Vector([
        X[0, 0] - x3 * b + x3 + b,
        X[1, 0] - y3 * b + y3 + b,
        cos(t1) * cos(t2) * (-cos(s1) * sin(e)) - cos(e) * sin(s1) + z3 + b,
    ])  # fmt: skip
    assert X[:3, 0].dot(X[:3, 0]) == 1
    assert printed.dot(printed) != 1


def test_GravPotChn_the_printed_value_leaves_out_masses_and_parents() -> None:
    g = ph.symbol("g")
    V = six_dof_arm(gravity=g).derive().potential_energy
    z1 = -cos(s1) * sin(e) - cos(e) * sin(s1)
    z3 = cos(e) * cos(s1) - sin(e) * sin(s1)
    wrist = cos(t2) * z1 * sin(t1) + z3 * (cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3))
    corrected = 6 * cos(s1) + 3 * cos(e + s1) + Fraction(7, 40) * (
        cos(e + s1) * (cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3)) - sin(e + s1) * cos(t2) * sin(t1)
    )  # fmt: skip
    assert g * corrected == V
    poses = poses_by_hand()
    bodies = (("upper", m1, L1), ("lower", m2, L2), ("gripper", m3, L3))
    assert corrected == sum(m * poses[name].point((0, 0, L / 2))[2] for name, m, L in bodies)
    printed = 3 * cos(s1) / 2 + 3 * z3 / 2 + Fraction(35, 100) * wrist
    assert printed != corrected
    assert printed == sum(L / 2 * poses[name].R[2, 2] for name, _, L in bodies)


def test_GravPotChn_its_slope_is_the_gravity_torque_of_newton_and_euler() -> None:
    g = ph.symbol("g")
    equations = six_dof_arm(gravity=g).derive("newton_euler")
    at_rest = substitute(list(equations.bias), dict.fromkeys(equations.u, 0))
    assert at_rest == gradient(equations.potential_energy, equations.q)  # Γ = 1


# ---- the last row of the inertia matrix --------------------------------------------------------------------


def corrected_compound_row() -> list[Any]:
    q = sin(t3) * cos(t1) - sin(t1) * sin(t2) * cos(t3)
    r = sin(t1) * sin(t2) * sin(t3) + cos(t1) * cos(t3)
    M63 = DIFFERENCE * sin(t1) * cos(t2) * q
    M62 = (
        -K * (sin(s1) + sin(e + s1)) * r
        - DIFFERENCE * sin(t1) * cos(t2) * cos(e + s1) * r
        + sin(e + s1) * (DIFFERENCE * sin(t1) ** 2 * cos(t2) ** 2 - ACROSS)
    )
    return [-K * sin(e) * q + M63, M62, M63, *printed_compound_row()[3:]]


def printed_compound_row() -> list[Any]:
    """As printed, but for cos[r + s1/2], 6 cos[s1/2] and -(-(: cos[e + s1/2], 6 cos[s1/2]^2 and (-(."""
    half, slanted = cos(s1 / 2), cos(e + s1 / 2)
    return [
        2 * K * half**2 * cos(t1) * cos(t2) * sin(s2)
        + ACROSS * cos(e + s1) * cos(t1) * cos(t2) * sin(s2)
        + ALONG * cos(t2) * sin(e + s1) * sin(s2) * sin(t1)
        - ACROSS * cos(s2) * sin(t2)
        - 2 * K * slanted * half * cos(s2) * sin(t2),
        -K / 3 * cos(t1) * cos(t2) * (6 * half**2 * cos(s2) * sin(s1) + 3 * sin(2 * s1) / 2)
        + ACROSS * cos(t1) * cos(t2) * (-(cos(e + s1) * cos(s2) * sin(s1)) - cos(s1) * sin(e + s1))
        + ALONG * cos(t2) * (cos(s1) * cos(e + s1) - cos(s2) * sin(s1) * sin(e + s1)) * sin(t1)
        - ACROSS * sin(s1) * sin(s2) * sin(t2)
        - 2 * K * slanted * half * sin(s1) * sin(s2) * sin(t2),
        -ACROSS * sin(t2) - K * cos(e) * sin(t2),
        -ACROSS * sin(t2),
        -DIFFERENCE * cos(t1) * cos(t2) * sin(t1),
        ACROSS * cos(t1) ** 2 * cos(t2) ** 2 + ALONG * cos(t2) ** 2 * sin(t1) ** 2 + ACROSS * sin(t2) ** 2,
    ]


def corrected_simple_row() -> list[Any]:
    M63 = K * sin(t2) + ACROSS * (sin(t1) * sin(t3) + sin(t2) * cos(t1) * cos(t3))
    M62 = -K * sin(e) * cos(t2) * cos(t3) - ACROSS * (
        sin(e) * cos(t1) * cos(t2) + sin(t1) * cos(e) * cos(t3) - sin(t2) * sin(t3) * cos(e) * cos(t1)
    )
    return [M63 - K * sin(e) * sin(t3) * cos(t2) + K * sin(t2) * cos(e), M62, M63, 0, 0, ACROSS]


def printed_simple_row() -> list[Any]:
    return [
        2 * K * cos(s1 / 2) ** 2 * sin(s2) + ACROSS * cos(e + s1) * sin(s2),
        -K * sin(s1) - ACROSS * sin(e + s1),
        0,
        0,
        0,
        ACROSS,
    ]


def test_last_row_of_the_inertia_matrix_compound_joints() -> None:
    M = six_dof_arm().derive("poincare").mass_matrix
    assert list(M[5]) == corrected_compound_row()
    np.testing.assert_allclose(at_the_point(M[5]), at_the_point(corrected_compound_row()), atol=1e-14)


def test_last_row_as_printed_compound_joints_is_right_in_its_last_three_entries_alone() -> None:
    M = six_dof_arm().derive("composite_body").mass_matrix
    agree = [made == shown for made, shown in zip(M[5], printed_compound_row(), strict=True)]
    assert agree == [False, False, False, True, True, True]


def test_last_row_of_the_inertia_matrix_simple_joints() -> None:
    # The simple shoulder is another system, with a third coordinate; its inertia matrix does not depend on
    # where the shoulder stands, so that the paper's s1, s2 (s3 = 0) do not enter at all.
    M = six_dof_arm(SIMPLE_SHOULDER, SIMPLE_WRIST).derive("poincare").mass_matrix
    assert list(M[5]) == corrected_simple_row()
    np.testing.assert_allclose(at_the_point(M[5]), at_the_point(corrected_simple_row()), atol=1e-14)
    for place in (s1, s2, s3):
        assert not any(directional([as_expr(entry) for entry in M.entries()], {place: 1}))


def test_last_row_as_printed_simple_joints_is_wrong_where_it_couples() -> None:
    M = six_dof_arm(SIMPLE_SHOULDER, SIMPLE_WRIST).derive("composite_body").mass_matrix
    agree = [made == shown for made, shown in zip(M[5], printed_simple_row(), strict=True)]
    assert agree == [False, False, False, True, True, True]


def test_last_row_with_a_simple_wrist_on_the_compound_shoulder() -> None:
    M = six_dof_arm(wrist=SIMPLE_WRIST).derive("poincare").mass_matrix
    row = corrected_simple_row()
    M62 = -K * (sin(s1) + sin(e + s1)) * cos(t2) * cos(t3) - ACROSS * (
        sin(e + s1) * cos(t1) * cos(t2) + cos(e + s1) * (sin(t1) * cos(t3) - sin(t2) * sin(t3) * cos(t1))
    )
    assert list(M[5]) == [row[0], M62, *row[2:]]


def test_a_simple_wrist_is_equivalent_to_the_compound_one() -> None:
    simple, compound = six_dof_arm(wrist=SIMPLE_WRIST).derive(), six_dof_arm().derive()
    assert simple.pose("gripper") == compound.pose("gripper")
    # The compound arm's speeds are the rates q' = Γ p of the simple arm's coordinates.
    gamma = simple.kinematic_matrix
    assert gamma.T @ compound.mass_matrix @ gamma == simple.mass_matrix


def test_a_simple_shoulder_is_not_equivalent_to_the_compound_one() -> None:
    simple = six_dof_arm(SIMPLE_SHOULDER, COMPOUND_WRIST)
    assert not simple.joints["shoulder"].type.is_holonomic
    assert (len(simple.derive().coordinates), len(simple.derive().speeds)) == (7, 6)
    rates = simple.derive().kinematic_matrix[2]  # s3' = Σ … : turning leads out of s3 = 0
    assert any(substitute([as_expr(entry) for entry in rates], {s3: 0}))
    assert six_dof_arm().joints["shoulder"].type.is_holonomic


@pytest.mark.parametrize(("name", "printed"), [
    ("compound", printed_compound_row), ("simple", printed_simple_row),
], ids=["compound", "simple"])  # fmt: skip
def test_printed_rows_are_what_an_index_shift_in_46_gives(name: str, printed: Any) -> None:
    shoulder, wrist = REPRESENTATIONS[name]
    shifted = chain(shoulder, wrist, shifted=True).inertia_matrix
    assert list(shifted[5]) == printed()
    right = chain(shoulder, wrist).inertia_matrix
    assert right != shifted


# ---- the reduction by simple joints ------------------------------------------------------------------------


def operations(M: Matrix) -> int:
    """Additions and multiplications of the planned code."""
    program = plan("M", [("q", [s1, s2, s3, e, t1, t2, t3])], [("M", M.shape, [as_expr(x) for x in M.entries()])])
    return count(program).total


def written_size(M: Matrix) -> int:
    """Nodes of the lower triangle in normal form, shared parts written out."""
    total = 0
    for root in (normal(M[i, j]) for i in range(6) for j in range(i + 1)):
        size: dict[int, int] = {}
        for node in topological([root]):
            size[id(node)] = 1 + sum(size[id(arg)] for arg in node.args)
        total += size[id(root)]
    return total


def test_simple_joints_make_the_inertia_matrix_smaller() -> None:
    compound = six_dof_arm().derive("poincare").mass_matrix
    simple = six_dof_arm(SIMPLE_SHOULDER, SIMPLE_WRIST).derive("poincare").mass_matrix
    assert operations(simple) < 0.85 * operations(compound)


@pytest.mark.slow
def test_about_25_percent_is_what_the_index_shift_gives_and_not_the_arm() -> None:
    def ratio(shifted: bool) -> float:
        sizes = [
            written_size(chain(*REPRESENTATIONS[name], shifted=shifted).inertia_matrix)
            for name in ("simple", "compound")
        ]
        return sizes[0] / sizes[1]

    assert ratio(shifted=True) < 1 / 3
    assert 1 / 3 < ratio(shifted=False) < 0.9
