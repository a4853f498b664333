"""Kwatny and Blankenship (1995): what their functions return, by the calls that a user makes.

XXeuc, GammaKin, XXCompnd, GamCompnd and HCompnd are `ph.joint_kinematics`; RgdChn, Cmat and PoincFunc are
`Equations.poincare_form`. Each equation is derived in the other files of this paper; here is the way to it.
"""

from typing import Any

import pytest

import polhode as ph
from polhode.expr import Matrix, Vector, cos, gradient, same, sin, symbols, tan
from polhode.expr.inverse import inverse
from polhode.geometry import Pose

from .arm import L1, L2, L3, six_dof_arm

s = ph.symbol("s")
TURNS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


# ---- joints: Table II, (35), (36) ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "h", [(0, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0), (1, 0, 0, s, 0, 0)], ids=["revolute", "prismatic", "screw"]
)
def test_table_II_joints_of_one_degree_of_freedom(h: tuple[Any, ...]) -> None:
    made = ph.joint_kinematics(h, coordinates=["z1"])
    assert made.gamma == Matrix([[1]])
    assert Matrix.columns_of([h], 6) == made.H


def test_table_II_spherical_joint_GammaKin() -> None:
    made = ph.joint_kinematics(TURNS, coordinates=["y1", "y2", "y3"])
    y1, y2, _ = made.q
    assert made.gamma == Matrix([
        [1, sin(y1) * tan(y2), cos(y1) * tan(y2)],
        [0, cos(y1), -sin(y1)],
        [0, sin(y1) / cos(y2), cos(y1) / cos(y2)],
    ])  # fmt: skip


@pytest.mark.parametrize(("H", "coordinates"), [
    ([[0, 1], [0, 0], [1, 0], [0, s], [0, 0], [0, 0]], 6), ([[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], 3),
], ids=["universal-screw", "universal"])  # fmt: skip
def test_table_II_two_axes_of_one_simple_joint_need_more_coordinates_than_speeds(H: Any, coordinates: int) -> None:
    made = ph.joint_kinematics(H)
    assert not made.is_holonomic
    assert made.gamma.shape == (coordinates, 2)  # printed as {{1, 0}, {0, cos z1}}
    assert ph.joint_kinematics(H, groups=(1, 1)).gamma == Matrix.identity(2)


@pytest.mark.parametrize("how", ["r = {1, 1, 1}", "a list of maps"])
def test_equation_35_the_three_axis_universal_joint(how: str) -> None:
    given = {"groups": (1, 1, 1)} if how.startswith("r") else {}
    H = TURNS if given else [[[row[k]] for row in TURNS] for k in range(3)]
    made = ph.joint_kinematics(H, **given, coordinates=["t1", "t2", "t3"])
    t1, t2, t3 = made.q
    assert made.H[:3] == Matrix([  # (35a)
        [1, 0, -sin(t2)], [0, cos(t1), cos(t2) * sin(t1)], [0, -sin(t1), cos(t1) * cos(t2)],
    ])  # fmt: skip
    assert Pose(ph.rotation(("z", t3), ("y", t2), ("x", t1)), Vector([0, 0, 0])) == made.X  # (35b)
    assert made.gamma == Matrix.identity(3)  # (35c)


def test_equation_36_the_free_joint() -> None:
    made = ph.joint_kinematics(Matrix.identity(6), coordinates=["ax", "ay", "az", "x", "y", "z"])
    ax, ay, az, x, y, z = made.q
    turned = ph.rotation(("z", az), ("y", ay), ("x", ax))
    assert made.gamma[:3, :3] == Matrix([  # (36b)
        [1, sin(ax) * tan(ay), cos(ax) * tan(ay)], [0, cos(ax), -sin(ax)],
        [0, sin(ax) / cos(ay), cos(ax) / cos(ay)],
    ])  # fmt: skip
    assert made.gamma[3:, 3:] == turned  # (36c)
    assert made.gamma[:3, 3:] == made.gamma[3:, :3] == Matrix.zeros(3, 3)  # (36a)
    assert Pose(turned, Vector([x, y, z])) == made.X


# ---- the thin disc: (54), (55) ------------------------------------------------------------------------------------


def disc(groups: tuple[int, ...], speeds: list[str]) -> ph.System:
    made = ph.System("thin disc")
    joint = ph.JointMap(TURNS, groups=groups)
    body = made.body("disc", 5, inertia=ph.disc(5, 2))
    made.joint("j", made.ground, body, joint, coordinates=["t1", "t2", "t3"], speeds=speeds)
    return made


def test_equation_54_what_RgdChn_and_Cmat_return_for_the_disc() -> None:
    form = disc((3,), ["w1", "w2", "w3"]).derive().poincare_form
    w1, w2, w3 = form.p
    assert ph.joint_kinematics(TURNS, coordinates=list(form.q)).gamma == form.V  # (54a)
    assert Matrix.diagonal([5, 5, 10]) == form.M  # (54b)
    assert form.C @ form.p == Vector([5 * w2 * w3, -5 * w1 * w3, 0])  # printed with the opposite signs
    assert form.X["j"] == Pose(ph.rotation(("z", form.q[2]), ("y", form.q[1]), ("x", form.q[0])), Vector([0, 0, 0]))


def test_equation_54_that_C_is_not_skew_though_M_is_constant_and_the_christoffel_one_is() -> None:
    e = disc((3,), ["w1", "w2", "w3"]).derive()
    printed, ours = e.poincare_form.C, e.coriolis_matrix
    assert printed + printed.T != Matrix.zeros(3, 3)
    assert ours + ours.T == Matrix.zeros(3, 3)
    assert ours @ e.u == printed @ e.u


def test_equation_55_what_they_return_for_the_disc_on_three_axes() -> None:
    e = disc((1, 1, 1), ["u1", "u2", "u3"]).derive("poincare")
    form = e.poincare_form
    assert Matrix.identity(3) == form.V
    assert e.mass_matrix == form.M
    assert form.C @ form.p + form.F - form.Q == e.bias  # PoincFunc
    assert e.coriolis_matrix @ e.u == e.bias


# ---- the six degree of freedom arm ------------------------------------------------------------------------------


def test_program_of_section_IV_configuration_matrices_make_XEndEf() -> None:
    e = six_dof_arm().derive()
    form = e.poincare_form
    end = Pose.identity()
    for name, length in zip(("shoulder", "elbow", "wrist"), (L1, L2, L3), strict=True):
        end = end @ form.X[name] @ Pose(Matrix.identity(3), Vector([0, 0, length]))
    assert end == e.pose("end effector")
    assert e.joint_poses == dict(form.X)
    assert Matrix.identity(6) == form.V


def test_program_of_section_IV_PoincFunc_returns_the_bias() -> None:
    arm = six_dof_arm(gravity=ph.symbol("g"))
    e = arm.derive("newton_euler")
    form = e.poincare_form
    assert Vector(gradient(form.potential, form.q)) == form.F  # V = 1
    assert same(form.C @ form.p + form.F - form.Q, e.bias)
    assert same(e.coriolis_matrix @ e.u, form.C @ form.p)
    assert e.coriolis_matrix == e.velocity_terms.matrix  # speeds are rates: Christoffel's


def test_remark_before_53a_kinetic_energy_is_of_the_quasivelocities_and_not_of_their_rates() -> None:
    e = six_dof_arm().derive()
    M, printed = e.poincare_form.M, e.udot  # T = (1/2) p'^t M p' as printed
    assert e.kinetic_energy == e.u.dot(M @ e.u) / 2
    assert e.kinetic_energy != printed.dot(M @ printed) / 2


# ---- (53c): Q in either frame -------------------------------------------------------------------------------------


def test_equation_53c_forces_along_coordinates_act_on_the_quasivelocities_by_V_transposed() -> None:
    s = disc((3,), ["w1", "w2", "w3"])
    Q = Vector([s.input(name) for name in ("Q1", "Q2", "Q3")])
    for k, force in enumerate(Q):
        s.coordinate_force("j", force, index=k)
    form = s.derive().poincare_form
    assert form.Q == form.V.T @ Q == form.on_speeds(Q)
    assert form.on_coordinates(form.Q) == Q
    printed = inverse(form.V).T @ Q  # Q_p = V^-T Q
    assert printed != form.Q
    assert form.Q.dot(form.p) == Q.dot(form.V @ form.p)  # one power


def test_equation_53c_forces_along_quasivelocities_are_given_as_they_are() -> None:
    s = disc((3,), ["w1", "w2", "w3"])
    Q_p = symbols("P1 P2 P3")
    for k, force in enumerate(Q_p):
        s.joint_force("j", force, index=k)
    assert list(s.derive().poincare_form.Q) == list(Q_p)


@pytest.mark.parametrize("frame", ["gripper", "ground"])
def test_Q_of_a_force_given_in_the_body_or_in_the_space_frame(frame: str) -> None:
    arm = six_dof_arm()
    F = Vector(symbols("F1 F2 F3"))
    arm.force("gripper", F, at=(0, 0, L3), frame=frame)
    e = arm.derive()
    in_space = e.pose("gripper").R @ F if frame == "gripper" else F
    assert same(e.poincare_form.Q, e.jacobian("end effector")[3:].T @ in_space)
