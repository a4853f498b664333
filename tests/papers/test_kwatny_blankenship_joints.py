"""Kwatny and Blankenship (1995), section II, joints: a test for each equation or table.

Where docs/errata.md corrects the paper, the printed form is quoted and shown not to hold.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.expr import Matrix, Vector, as_expr, cos, derivative, directional, evaluate, rank, sin, skew, symbols, tan
from polhode.expr.latex_printer import latex
from polhode.expr.normal_form import normal
from polhode.geometry import Pose, bracket, rotation
from polhode.geometry.rotations.matrix import is_rotation
from polhode.kinematics.joint import (
    compound_configuration,
    compound_kinematic_matrix,
    compound_map,
    exponential,
    kinematic_matrix,
    moore_penrose_kinematic_matrix,
    simple_configuration,
)
from polhode.model.stage import Stage

s = ph.symbol("s")
t1, t2, t3, t4, t5, t6 = t = symbols("t1 t2 t3 t4 t5 t6")
POINT = dict(zip((*t, s), (0.7, -0.4, 1.1, 0.3, -1.9, 0.8, 0.25), strict=True))

X_AXIS, Y_AXIS, Z_AXIS = (1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0)
ROTATIONS = Matrix.columns_of([X_AXIS, Y_AXIS, Z_AXIS], 6)

#: H of the "simple universal" of Tables I and II (Table II lost the braces of its first row), and of the
#: "simple universal-screw" of Table II.
SIMPLE_UNIVERSAL = Matrix([[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
UNIVERSAL_SCREW = Matrix([[0, 1], [0, 0], [1, 0], [0, s], [0, 0], [0, 0]])
#: A joint that is in no table: a slide along x and a screw about a slanted axis.
SLIDE_AND_SCREW = Matrix([[0, 1], [0, 0], [0, 1], [1, 0], [0, 0], [0, 2]])

SPHERICAL_GAMMA = Matrix([
    [1, sin(t1) * tan(t2), cos(t1) * tan(t2)],
    [0, cos(t1), -sin(t1)],
    [0, sin(t1) / cos(t2), cos(t1) / cos(t2)],
])  # fmt: skip

#: (35b), the rotation in it; also (36c).
XYZ_TURNS = Matrix.columns_of([
    [cos(t2) * cos(t3), cos(t2) * sin(t3), -sin(t2)],
    [
        cos(t3) * sin(t1) * sin(t2) - cos(t1) * sin(t3),
        cos(t1) * cos(t3) + sin(t1) * sin(t2) * sin(t3),
        cos(t2) * sin(t1),
    ],
    [
        cos(t1) * cos(t3) * sin(t2) + sin(t1) * sin(t3),
        -cos(t3) * sin(t1) + cos(t1) * sin(t2) * sin(t3),
        cos(t1) * cos(t2),
    ],
], 3)  # fmt: skip


def twist_matrix(p: Sequence[Any]) -> Matrix:
    """The element (7) of se(3) for p = (w, v)."""
    hat = skew(p[:3])
    return Matrix([[*hat[i], p[3 + i]] for i in range(3)] + [[0, 0, 0, 0]])


def rate(X: Pose, rates: dict[Any, Any]) -> Matrix:
    """dX/dt when each coordinate moves at its rate."""
    entries = directional([as_expr(entry) for entry in X.matrix().entries()], rates)
    return Matrix([entries[4 * i : 4 * i + 4] for i in range(4)])


def axial(skew_matrix: Matrix) -> Vector:
    """The vector whose hat is this matrix; the matrix must be skew."""
    a = Vector([skew_matrix[2, 1], skew_matrix[0, 2], skew_matrix[1, 0]])
    assert skew_matrix == skew(a)
    return a


def rate_map(columns: Sequence[Sequence[Any]], eps: Sequence[Any]) -> Matrix:
    """B(eps), word for word (18) with the recursions (23b), (23c)."""
    L_T, R = Matrix.identity(3), Vector([0, 0, 0])
    B = []
    for h, e in zip(columns, eps, strict=True):
        hat = skew(h[:3])
        b1 = axial(L_T.T @ hat @ L_T)  # (18b)
        b2 = L_T.T @ (hat @ R) + L_T.T @ Vector(h[3:])  # (18c)
        B.append([*b1, *b2])
        step = exponential(h, e)
        L_T, R = step.R @ L_T, step.R @ R + step.p  # (23b), (23c)
    return Matrix.columns_of(B, 6)


def numbers(matrix: Matrix) -> np.ndarray:
    """The matrix as floats at one fixed point."""
    return np.reshape(evaluate([as_expr(entry) for entry in matrix.entries()], POINT), matrix.shape)


def printed(matrix: Matrix) -> list[list[str]]:
    """The normal form as LaTeX, without its markup."""
    return [[re.sub(r"_\{(\d)\}", r"\1", latex(entry)).replace("\\", "") for entry in row] for row in normal(matrix)]


# ---- A. the geometry of joints -----------------------------------------------------------------------------


def test_equation_1_and_2a_two_motions_combine_by_the_product_of_their_matrices() -> None:
    X1, X2 = exponential((0, 0, 1, 1, 0, s), t1), exponential((1, 0, 0, 0, 2, 3), t2)
    both = X2 @ X1
    assert both.R == X2.R @ X1.R
    assert both.p == X2.R @ X1.p + X2.p
    assert both.matrix() == X2.matrix() @ X1.matrix()
    np.testing.assert_allclose(numbers(both.matrix()), numbers(X2.matrix()) @ numbers(X1.matrix()), atol=1e-14)


def test_equation_2b_the_inverse_needs_minus_L_R_and_not_the_printed_minus_R() -> None:
    X = exponential((1, 0, 0, 0, 2, 3), t2) @ exponential((0, 0, 1, 1, 0, s), t1)
    corrected = X.inverse()
    assert corrected == Pose(X.R.T, -(X.R.T @ X.p))
    assert X.matrix() @ corrected.matrix() == Matrix.identity(4)
    as_printed = Pose(X.R.T, -X.p)
    assert X.matrix() @ as_printed.matrix() != Matrix.identity(4)


def test_equation_7_the_body_velocity_of_a_motion_is_skew_over_velocity() -> None:
    X = simple_configuration(Stage(Matrix.identity(6)), t)
    p = X.inverse().matrix() @ rate(X, dict(zip(t, symbols("r1 r2 r3 r4 r5 r6"), strict=True)))
    w = axial(p[:3, :3])
    assert p == twist_matrix([*w, *p[:3, 3]])


# ---- B. simple kinematic joints ----------------------------------------------------------------------------


def test_table_I_joint_maps_of_simple_joints() -> None:
    table = {
        "revolute": (ph.Revolute("z"), [[0], [0], [1], [0], [0], [0]]),
        "universal": (ph.JointMap(SIMPLE_UNIVERSAL), [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]),
        "prismatic": (ph.Prismatic("z"), [[0], [0], [0], [0], [0], [1]]),
        "screw": (ph.Screw("z", pitch=s), [[0], [0], [1], [0], [0], [s]]),
        "cylindrical": (ph.Cylindrical("z"), [[0, 0], [0, 0], [1, 0], [0, 0], [0, 0], [0, 1]]),
    }
    for name, (joint, shown) in table.items():
        (stage,) = joint.stages
        assert Matrix(shown) == stage.H, name
        assert rank(stage.H) == stage.speeds == len(shown[0]), name  # (8)


@pytest.mark.parametrize("h", [
    (0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 2, 1), (0, 0, 1, 0, 0, s), (3, 0, 4, 1, -2, s), (2, -1, 2, 5, 0, 1),
])  # fmt: skip
def test_equations_12_to_14_a_joint_of_one_degree_of_freedom_is_an_exponential(h: tuple[Any, ...]) -> None:
    h1, h2 = h[:3], Vector(h[3:])
    X = exponential(h, t1)
    L = X.R.T
    dL = Matrix([derivative(map(as_expr, row), t1) for row in L])
    assert dL == -(skew(h1) @ L)  # (14)
    assert derivative(map(as_expr, X.p), t1) == list(X.R @ h2)
    start = exponential(h, as_expr(0))
    assert start == Pose.identity()
    if any(h1):
        spin = Rotation.from_rotvec(np.array(h1, dtype=float) * POINT[t1]).as_matrix()
        np.testing.assert_allclose(numbers(X.R), spin, atol=1e-14)  # (12b)


def test_equation_13_holds_with_a_hat_on_h1_without_which_it_is_no_matrix() -> None:
    h = (3, 0, 4, 1, -2, s)
    X = exponential(h, t1)
    slope = rate(X, {t1: 1})
    assert slope[:3, :3] == X.R @ skew(h[:3])
    assert slope[:3, 3] == X.R @ Vector(h[3:])
    as_printed = X.R @ Vector(h[:3])  # L^T h1: three numbers where nine are needed
    assert len(as_printed) == 3 and slope[:3, :3].shape == (3, 3)


def test_equation_15_a_simple_joint_is_a_product_of_exponentials_outermost_first() -> None:
    columns = [(1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0)]
    steps = [exponential(h, e) for h, e in zip(columns, t, strict=False)]
    X = simple_configuration(Stage(ROTATIONS), t[:3])
    assert X.matrix() == steps[2].matrix() @ steps[1].matrix() @ steps[0].matrix()
    assert X.matrix() != steps[0].matrix() @ steps[1].matrix() @ steps[2].matrix()


def test_equation_17_takes_products_as_23_does_and_not_the_printed_sums() -> None:
    L1_T, L2_T = rotation(("x", t1)), rotation(("y", t2))
    assert is_rotation(L2_T @ L1_T)  # (23b)
    assert not is_rotation(L2_T + L1_T)  # (17a) as printed
    h1, h2 = (0, 0, 1, 1, 0, 0), (0, 1, 0, 0, 0, 1)
    X1, X2 = exponential(h1, t1), exponential(h2, t2)
    R = (X2 @ X1).p
    assert X2.R @ X1.p + X2.p == R  # (23c), from R_0 = 0 and not the printed I


@pytest.mark.parametrize("H", [
    ROTATIONS, Matrix.identity(6), SIMPLE_UNIVERSAL, UNIVERSAL_SCREW,
], ids=["spherical", "free", "universal", "screw"])  # fmt: skip
def test_equations_18_and_20_columns_of_B_are_the_body_velocities_of_the_coordinates(H: Matrix) -> None:
    eps = t[: H.shape[1]]
    X = Pose.identity()
    for h, e in zip(H.columns, eps, strict=True):
        X = exponential(h, e) @ X
    for b, e in zip(rate_map(H.columns, eps).columns, eps, strict=True):
        assert X.inverse().matrix() @ rate(X, {e: 1}) == twist_matrix(b)


@pytest.mark.parametrize("H", [ROTATIONS, Matrix.identity(6)], ids=["spherical", "free"])
def test_equations_16_and_19_gamma_inverts_B_on_the_span_of_H(H: Matrix) -> None:
    eps = t[: H.shape[1]]
    gamma = kinematic_matrix(Stage(H), eps)
    assert rate_map(H.columns, eps) @ gamma == H
    assert gamma == moore_penrose_kinematic_matrix(H, eps)


@pytest.mark.parametrize(
    "H",
    [ROTATIONS, Matrix.identity(6), SIMPLE_UNIVERSAL, UNIVERSAL_SCREW, SLIDE_AND_SCREW],
    ids=["spherical", "free", "universal", "universal-screw", "slide and screw"],
)  # fmt: skip
def test_equation_11a_the_rate_of_the_configuration_is_X_times_H_beta(H: Matrix) -> None:
    stage = Stage(H)
    beta = Vector(symbols("b1 b2 b3 b4 b5 b6")[: stage.speeds])
    eps = t[: stage.coordinates]
    X = simple_configuration(stage, eps)
    moving = dict(zip(eps, kinematic_matrix(stage, eps) @ beta, strict=True))
    assert rate(X, moving) == X.matrix() @ twist_matrix(H @ beta)


# ---- C. Table II -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "h", [(0, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0), (1, 0, 0, s, 0, 0)], ids=["revolute", "prismatic", "screw"]
)
def test_table_II_one_degree_of_freedom_has_gamma_1(h: tuple[Any, ...]) -> None:
    H = Matrix.columns_of([h], 6)
    assert kinematic_matrix(Stage(H), [t1]) == Matrix([[1]]) == moore_penrose_kinematic_matrix(H, [t1])


def test_table_II_spherical_joint() -> None:
    gamma = kinematic_matrix(Stage(ROTATIONS), t[:3])
    assert gamma == SPHERICAL_GAMMA
    a, b = POINT[t1], POINT[t2]
    expected = [
        [1, np.sin(a) * np.tan(b), np.cos(a) * np.tan(b)],
        [0, np.cos(a), -np.sin(a)],
        [0, np.sin(a) / np.cos(b), np.cos(a) / np.cos(b)],
    ]
    np.testing.assert_allclose(numbers(gamma), expected, rtol=1e-14)


def test_table_II_spherical_joint_reads_as_printed() -> None:
    assert printed(kinematic_matrix(Stage(ROTATIONS), t[:3])) == [
        ["1", "sin(t1) tan(t2)", "cos(t1) tan(t2)"],
        ["0", "cos(t1)", "-sin(t1)"],
        ["0", "frac{sin(t1)}{cos(t2)}", "frac{cos(t1)}{cos(t2)}"],
    ]


@pytest.mark.parametrize("H", [SIMPLE_UNIVERSAL, UNIVERSAL_SCREW], ids=["universal", "universal-screw"])
def test_table_II_two_fixed_axes_give_the_printed_gamma_by_the_moore_penrose_inverse(H: Matrix) -> None:
    assert moore_penrose_kinematic_matrix(H, t[:2]) == Matrix([[1, 0], [0, cos(t1)]])


def test_table_II_another_left_inverse_gives_another_gamma_for_the_simple_universal() -> None:
    B = rate_map(SIMPLE_UNIVERSAL.columns, t[:2])
    other = Matrix([[0, 1, 0, 0, 0, 0], [0, 0, 1 / cos(t1), 0, 0, 0]])
    assert other @ B == Matrix.identity(2)
    assert other @ SIMPLE_UNIVERSAL == Matrix([[1, 0], [0, 1 / cos(t1)]])


@pytest.mark.parametrize("H", [SIMPLE_UNIVERSAL, UNIVERSAL_SCREW], ids=["universal", "universal-screw"])
def test_table_II_the_printed_gamma_of_two_fixed_axes_does_not_give_the_motion(H: Matrix) -> None:
    B = rate_map(H.columns, t[:2])
    both = Matrix([[*b, *h] for b, h in zip(B, H, strict=True)])
    assert rank(both) == 3  # so that B eps' = H beta has no solution
    assert B @ moore_penrose_kinematic_matrix(H, t[:2]) != H


@pytest.mark.parametrize(
    ("H", "coordinates"), [(SIMPLE_UNIVERSAL, 3), (UNIVERSAL_SCREW, 6)], ids=["universal", "universal-screw"]
)
def test_a_simple_joint_of_two_fixed_axes_is_reported_as_nonholonomic(H: Matrix, coordinates: int) -> None:
    first, second = H.columns
    assert rank([first, second, bracket(first, second)]) == 3  # the span is no subalgebra
    joint = ph.JointMap(H)
    assert not joint.is_holonomic
    assert (joint.speeds, joint.coordinates) == (2, coordinates)
    assert kinematic_matrix(joint.stages[0], t[:coordinates]).shape == (coordinates, 2)
    assert ph.JointMap(H, groups=(1, 1)).is_holonomic  # as a compound joint the same axes are


def test_all_other_joints_of_both_tables_are_holonomic() -> None:
    one_axis = (ph.Revolute("z"), ph.Prismatic("x"), ph.Screw("x", pitch=s), ph.Cylindrical("z"))
    for joint in (*one_axis, ph.JointMap(ROTATIONS)):
        assert joint.is_holonomic
        assert joint.coordinates == joint.speeds


# ---- D, E. compound kinematic joints -----------------------------------------------------------------------

#: Two successive joints with screws, slides and axes that do not meet: r = {2, 1, 3}.
STAGES = (
    Stage(Matrix.columns_of([(0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 0, 1)], 6)),
    Stage(Matrix.columns_of([(3, 4, 0, 1, s, 2)], 6)),
    Stage(ROTATIONS),
)
EPS = [t[:2], t[2:3], t[3:6]]


def test_equation_25_compound_kinematics_are_block_diagonal() -> None:
    gamma = compound_kinematic_matrix(STAGES, EPS)
    start = 0
    rest = [list(row) for row in gamma]
    for stage, eps in zip(STAGES, EPS, strict=True):
        end = start + stage.speeds
        assert gamma[start:end, start:end] == kinematic_matrix(stage, eps)
        for row in rest[start:end]:
            row[start:end] = [0] * stage.speeds
        start = end
    assert Matrix(rest) == Matrix.zeros(6, 6)


def test_equation_26_compound_configurations_multiply_outermost_first() -> None:
    first, second, third = (simple_configuration(stage, eps) for stage, eps in zip(STAGES, EPS, strict=True))
    assert compound_configuration(STAGES, EPS).matrix() == third.matrix() @ second.matrix() @ first.matrix()


def test_remark_after_26_a_compound_joint_has_the_configuration_of_the_simple_joint_of_its_columns() -> None:
    singles = [Stage(Matrix.columns_of([h], 6)) for h in ROTATIONS.columns]
    assert compound_configuration(singles, [[e] for e in t[:3]]) == simple_configuration(Stage(ROTATIONS), t[:3])


def test_equations_27_and_28_the_compound_joint_map() -> None:
    L_T, R = Matrix.identity(3), Vector([0, 0, 0])
    columns = []
    for stage, eps in zip(STAGES, EPS, strict=True):
        for h in stage.H.columns:
            hat = skew(h[:3])
            h2 = L_T.T @ (hat @ R) + L_T.T @ Vector(h[3:])
            columns.append([*axial(L_T.T @ hat @ L_T), *h2])  # (28a)
        X = simple_configuration(stage, eps)
        L_T, R = X.R @ L_T, X.R @ R + X.p  # (28b), (28c)
    assert compound_map(STAGES, EPS) == Matrix.columns_of(columns, 6)  # (27)


def test_equation_34_the_compound_joint_map_takes_speeds_to_the_body_velocity() -> None:
    beta = Vector(symbols("b1 b2 b3 b4 b5 b6"))
    X = compound_configuration(STAGES, EPS)
    moving = dict(zip(t, compound_kinematic_matrix(STAGES, EPS) @ beta, strict=True))
    p = twist_matrix(compound_map(STAGES, EPS) @ beta)
    assert X.inverse().matrix() @ rate(X, moving) == p  # (32), multiplied by the inverse of lambda
    assert X.matrix() @ rate(X, moving) != p  # by lambda itself, as the text says


UNIVERSAL_3 = ph.JointMap(ROTATIONS, groups=(1, 1, 1)).stages
ONE_EACH = [[t1], [t2], [t3]]


def test_equation_35a_joint_map_of_the_three_axis_universal_joint() -> None:
    top = [[1, 0, -sin(t2)], [0, cos(t1), cos(t2) * sin(t1)], [0, -sin(t1), cos(t1) * cos(t2)]]
    assert compound_map(UNIVERSAL_3, ONE_EACH) == Matrix([*top, [0, 0, 0], [0, 0, 0], [0, 0, 0]])


def test_equation_35b_configuration_of_the_three_axis_universal_joint() -> None:
    X = compound_configuration(UNIVERSAL_3, ONE_EACH)
    assert Pose(XYZ_TURNS, Vector([0, 0, 0])) == X
    angles = [POINT[t3], POINT[t2], POINT[t1]]
    np.testing.assert_allclose(numbers(X.R), Rotation.from_euler("ZYX", angles).as_matrix(), atol=1e-14)


def test_equation_35b_reads_as_printed() -> None:
    assert printed(compound_configuration(UNIVERSAL_3, ONE_EACH).R) == [
        ["cos(t2) cos(t3)", "cos(t3) sin(t1) sin(t2) - cos(t1) sin(t3)", "cos(t1) cos(t3) sin(t2) + sin(t1) sin(t3)"],
        ["cos(t2) sin(t3)", "cos(t1) cos(t3) + sin(t1) sin(t2) sin(t3)", "cos(t1) sin(t2) sin(t3) - cos(t3) sin(t1)"],
        ["-sin(t2)", "cos(t2) sin(t1)", "cos(t1) cos(t2)"],
    ]


def test_equation_35c_kinematics_of_the_three_axis_universal_joint() -> None:
    assert compound_kinematic_matrix(UNIVERSAL_3, ONE_EACH) == Matrix.identity(3)


# ---- F. the six degree of freedom joint --------------------------------------------------------------------


def test_equation_36a_the_free_joint_keeps_rotation_and_translation_apart() -> None:
    gamma = kinematic_matrix(Stage(Matrix.identity(6)), t)
    assert gamma[:3, 3:] == Matrix.zeros(3, 3) == gamma[3:, :3]


def test_equation_36b_rotational_kinematics_of_the_free_joint() -> None:
    assert kinematic_matrix(Stage(Matrix.identity(6)), t)[:3, :3] == SPHERICAL_GAMMA


def test_equation_36c_translational_kinematics_of_the_free_joint() -> None:
    free = Stage(Matrix.identity(6))
    assert kinematic_matrix(free, t)[3:, 3:] == XYZ_TURNS
    X = simple_configuration(free, t)
    assert Pose(XYZ_TURNS, Vector(t[3:])) == X  # x, y, z are the position in the space frame


def test_remark_after_36_with_translations_first_the_coordinates_are_body_components() -> None:
    swapped = Stage(Matrix.columns_of([*Matrix.identity(6).columns[3:], *Matrix.identity(6).columns[:3]], 6))
    X = simple_configuration(swapped, t)
    assert X.p == X.R @ Vector(t[:3])
