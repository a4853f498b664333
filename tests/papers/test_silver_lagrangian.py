"""Silver, A.I. Memo 622 (1981), sections 1 and 3 and Appendix A: a test for each equation, by fingerprint.

The chain has four joints, two that turn and two that slide in turn, about and along axes in general position; masses,
mass centres, inertias and offsets are symbols. Every vector here is in ground components.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

import polhode as ph
from polhode.expr import Expr, Matrix, Vector, as_expr, directional, gradient, same, symbol
from polhode.formalisms import newton_euler, silver, uicker_kahn
from polhode.geometry import Pose, angular_velocity
from polhode.geometry.twist import Wrench
from polhode.kinematics.motion import kinetic_energy, world_poses
from polhode.kinematics.tree import Tree, build_tree

JOINTS = (ph.Revolute((1, 2, 2)), ph.Prismatic((3, 0, 4)), ph.Revolute((0, 3, -4)), ph.Prismatic("y"))
N = len(JOINTS)
LINKS, ZERO, STILL = range(N), Vector([0, 0, 0]), [0] * N
TURNS = [0, 2]


def chain() -> ph.System:
    system = ph.System("chain", gravity=[symbol(f"g{k}") for k in range(3)])
    carrier = system.ground
    for k, kind in enumerate(JOINTS):
        xx, yy, zz, xy, xz, yz = (symbol(f"{name}{k}") for name in ("xx", "yy", "zz", "xy", "xz", "yz"))
        body = system.body(
            f"link {k}",
            symbol(f"m{k}"),
            [symbol(f"c{axis}{k}") for axis in "xyz"],
            [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        )
        place = [symbol(f"p{axis}{k}") for axis in "xyz"]
        system.joint(f"joint {k}", carrier, body, kind, at=place, rotation=[("x", symbol(f"twist{k}"))])
        carrier = body
    return system


SYSTEM = chain()
TREE: Tree = build_tree(SYSTEM)
q, u = list(TREE.q), list(TREE.u)
ud = [symbol(speed.name, "acceleration") for speed in u]


def equal(a: Any, b: Any) -> bool:
    flat = [list(x.entries()) if isinstance(x, Matrix) else list(x) if isinstance(x, tuple) else [x] for x in (a, b)]
    return same([as_expr(entry) for entry in flat[0]], [as_expr(entry) for entry in flat[1]])


def along(value: Any, field: dict[Expr, Any]) -> Any:
    """The derivative of a scalar, vector or matrix along a direction."""
    if isinstance(value, Matrix):
        return Matrix([along(row, field) for row in value])
    if isinstance(value, Vector):
        return Vector(directional([as_expr(entry) for entry in value], field))
    return directional([as_expr(value)], field)[0]


def d_dt(value: Any) -> Any:
    return along(value, dict(zip((*q, *u), (*u, *ud), strict=True)))


def d_dq(value: Any, j: int) -> Any:
    return along(value, {q[j]: as_expr(1)})


def d_dqd(value: Any, j: int) -> Any:
    return along(value, {u[j]: as_expr(1)})


@cache
def poses() -> list[Pose]:
    return world_poses(TREE)


@cache
def axis(j: int) -> Vector:
    """ẑ_j: along the joint's axis, whether it turns about it or slides along it."""
    turn, slide = TREE.links[j].H[0]
    return poses()[j].R @ (turn if j in TURNS else slide)


@cache
def centre(i: int) -> Vector:
    """r_i: the mass centre of a link."""
    return poses()[i].point(SYSTEM.bodies[f"link {i}"].com)


@cache
def v(i: int) -> Vector:
    return d_dt(centre(i))


@cache
def w(i: int) -> Vector:
    return angular_velocity(poses()[i].R, d_dt(poses()[i].R))


def m(i: int) -> Any:
    return SYSTEM.bodies[f"link {i}"].mass


@cache
def inertia(i: int) -> Matrix:
    """The inertia about the mass centre in ground components."""
    return poses()[i].R @ SYSTEM.bodies[f"link {i}"].inertia @ poses()[i].R.T


@cache
def K() -> Any:
    return sum((m(i) * v(i).dot(v(i)) + w(i).dot(inertia(i) @ w(i))) / 2 for i in LINKS)


@cache
def F(i: int) -> Vector:
    return d_dt(v(i)) * m(i)


@cache
def torque(i: int) -> Vector:
    return inertia(i) @ d_dt(w(i)) + w(i).cross(inertia(i) @ w(i))


@cache
def efforts_without_gravity() -> list[Any]:
    return newton_euler.inverse_dynamics(TREE, u, ud, [Wrench.zero()] * N, ZERO)


PAIRS = [(i, j) for i in LINKS for j in LINKS]


def total(terms: Sequence[Any]) -> Any:
    return sum(terms[1:], start=terms[0])


@pytest.mark.parametrize("j", LINKS)
def test_1_1_lagrange_gives_the_efforts_of_newton_and_euler(j: int) -> None:
    assert equal(d_dt(d_dqd(K(), j)) - d_dq(K(), j), efforts_without_gravity()[j])


@pytest.mark.parametrize("i", LINKS)
def test_1_2_the_trace_form_gives_the_efforts(i: int) -> None:
    terms = []
    for j in LINKS:
        W, J = poses()[j].matrix(), uicker_kahn.pseudo_inertia(TREE.links[j].inertia)
        terms.append(uicker_kahn.trace(d_dq(W, i) @ J @ d_dt(d_dt(W)).T))
    assert equal(total(terms), efforts_without_gravity()[i])
    assert all(equal(term, 0) for term in terms[:i])  # the sum may begin at j = i


def test_1_2_partial_derivatives_are_products_with_operator_matrices() -> None:
    links = uicker_kahn.segments(TREE, "uicker_kahn")
    for pose, (first, second) in zip(poses(), uicker_kahn.partials(links), strict=True):
        W = pose.matrix()
        for k in LINKS:
            assert equal(first.get(k, Matrix.zeros(4, 4)), d_dq(W, k))
            for l in LINKS:
                assert equal(second.get((k, l), Matrix.zeros(4, 4)), d_dq(d_dq(W, k), l))


@pytest.mark.parametrize("i", LINKS)
def test_1_3_euler_s_torque_is_the_rate_of_angular_momentum(i: int) -> None:
    assert equal(d_dt(inertia(i) @ w(i)), torque(i))


def test_3_1_the_kinetic_energy_is_that_of_mass_centres_and_of_turning() -> None:
    assert equal(K(), kinetic_energy(TREE))


@pytest.mark.parametrize("j", LINKS)
def test_3_2_momentum(j: int) -> None:
    terms = [m(i) * v(i).dot(d_dqd(v(i), j)) + w(i).dot(inertia(i) @ d_dqd(w(i), j)) for i in LINKS]
    assert equal(d_dqd(K(), j), total(terms))


@pytest.mark.parametrize("j", LINKS)
def test_3_3_rate_of_momentum(j: int) -> None:
    terms = [
        m(i) * d_dt(v(i)).dot(d_dqd(v(i), j))
        + m(i) * v(i).dot(d_dt(d_dqd(v(i), j)))
        + d_dt(w(i)).dot(inertia(i) @ d_dqd(w(i), j))
        + w(i).dot(d_dt(inertia(i)) @ d_dqd(w(i), j))
        + w(i).dot(inertia(i) @ d_dt(d_dqd(w(i), j)))
        for i in LINKS
    ]
    assert equal(d_dt(d_dqd(K(), j)), total(terms))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_4_partial_velocities_change_as_velocities_depend_on_coordinates(i: int, j: int) -> None:
    assert equal(d_dt(d_dqd(v(i), j)), d_dq(v(i), j))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_5_the_rate_of_the_inertia(i: int, j: int) -> None:
    partial = d_dqd(w(i), j)
    assert equal(w(i).dot(d_dt(inertia(i)) @ partial), w(i).cross(inertia(i) @ w(i)).dot(partial))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_6_partial_angular_velocities_turn_too(i: int, j: int) -> None:
    assert equal(d_dt(d_dqd(w(i), j)), d_dq(w(i), j) + w(i).cross(d_dqd(w(i), j)))


def test_3_6_without_its_cross_product_would_not_hold() -> None:
    assert not equal(d_dt(d_dqd(w(3), 0)), d_dq(w(3), 0))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_7_a_triple_product_turned_round(i: int, j: int) -> None:
    partial = d_dqd(w(i), j)
    assert equal(w(i).dot(inertia(i) @ w(i).cross(partial)), -w(i).cross(inertia(i) @ w(i)).dot(partial))


@pytest.mark.parametrize("j", LINKS)
def test_3_8_rate_of_momentum_after_cancelling(j: int) -> None:
    terms = [
        m(i) * d_dt(v(i)).dot(d_dqd(v(i), j))
        + m(i) * v(i).dot(d_dq(v(i), j))
        + d_dt(w(i)).dot(inertia(i) @ d_dqd(w(i), j))
        + w(i).dot(inertia(i) @ d_dq(w(i), j))
        for i in LINKS
    ]
    assert equal(d_dt(d_dqd(K(), j)), total(terms))


@pytest.mark.parametrize("j", LINKS)
def test_3_9_dependence_of_energy_on_position(j: int) -> None:
    terms = [
        m(i) * v(i).dot(d_dq(v(i), j)) + w(i).dot(inertia(i) @ d_dq(w(i), j)) + w(i).dot(d_dq(inertia(i), j) @ w(i)) / 2
        for i in LINKS
    ]
    assert equal(d_dq(K(), j), total(terms))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_10_dependence_of_the_inertia_on_position(i: int, j: int) -> None:
    assert equal(w(i).dot(d_dq(inertia(i), j) @ w(i)) / 2, -w(i).cross(inertia(i) @ w(i)).dot(d_dqd(w(i), j)))


@pytest.mark.parametrize("j", LINKS)
def test_3_11_and_3_12_forces_and_torques_projected_on_partial_velocities(j: int) -> None:
    terms = [F(i).dot(d_dqd(v(i), j)) + torque(i).dot(d_dqd(w(i), j)) for i in LINKS]
    assert equal(total(terms), d_dt(d_dqd(K(), j)) - d_dq(K(), j))
    assert all(equal(term, 0) for term in terms[:j])  # the sum may begin at i = j


def arm_of(j: int, i: int) -> Vector:
    """p_{j,i}: from anywhere along the axis of joint j to the mass centre of link i."""
    return centre(i) - (poses()[j].p + axis(j) * symbol("anywhere"))


@pytest.mark.parametrize("i", LINKS)
def test_3_13_velocities_add_up_over_the_joints(i: int) -> None:
    parts = [(axis(j) * u[j]).cross(arm_of(j, i)) if j in TURNS else axis(j) * u[j] for j in range(i + 1)]
    assert equal(v(i), total(parts))


@pytest.mark.parametrize("i", LINKS)
def test_3_14_angular_velocities_add_up_over_the_joints(i: int) -> None:
    assert equal(w(i), total([axis(j) * u[j] if j in TURNS else ZERO for j in range(i + 1)]))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_3_15_and_3_16_partial_velocities(i: int, j: int) -> None:
    moves, turns = j <= i, j <= i and j in TURNS
    linear = (axis(j).cross(arm_of(j, i)) if turns else axis(j)) if moves else ZERO
    assert equal(d_dqd(v(i), j), linear)
    assert equal(d_dqd(w(i), j), axis(j) if turns else ZERO)


@pytest.mark.parametrize("j", LINKS)
def test_the_joint_force_and_the_joint_torque_are_sums_over_the_links_beyond(j: int) -> None:
    if j in TURNS:
        effort = axis(j).dot(total([arm_of(j, i).cross(F(i)) + torque(i) for i in range(j, N)]))
    else:
        effort = axis(j).dot(total([F(i) for i in range(j, N)]))
    assert equal(effort, efforts_without_gravity()[j])


def test_the_recursion_of_section_3_2_is_luh_s() -> None:
    """Our Newton-Euler goes by second moments, Silver's formalism by mass centres: the same functions."""
    inertias = [silver.central_inertia(link) for link in TREE.links]
    free = [Wrench.zero()] * N
    ours = newton_euler.inverse_dynamics(TREE, u, ud, free, TREE.gravity)
    assert equal(Vector(silver.inverse_dynamics(TREE, inertias, u, ud, free, TREE.gravity)), Vector(ours))


def test_gravity_is_an_acceleration_of_the_base_against_it() -> None:
    """Printed: 'give it a vector acceleration equal to that due to gravity'. It must be opposite."""
    potential = -total([m(i) * TREE.gravity.dot(centre(i)) for i in LINKS])
    weight = Vector(gradient(as_expr(potential), q))

    def efforts_at_rest(acceleration_of_base: Vector) -> Vector:
        inertias = [silver.central_inertia(link) for link in TREE.links]
        gravity = -acceleration_of_base  # the formalism's argument is g, and it accelerates the base by -g
        return Vector(silver.inverse_dynamics(TREE, inertias, STILL, STILL, [Wrench.zero()] * N, gravity))

    assert equal(efforts_at_rest(-TREE.gravity), weight)
    assert not equal(efforts_at_rest(TREE.gravity), weight)
    assert equal(efforts_at_rest(TREE.gravity), -weight)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_A_1_partial_velocities_are_derivatives_of_positions(i: int, j: int) -> None:
    assert equal(d_dqd(v(i), j), d_dq(centre(i), j))


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_A_1_holds_for_the_inertia_tensor_too(i: int, j: int) -> None:
    assert equal(d_dq(inertia(i), j), d_dqd(d_dt(inertia(i)), j))


@pytest.mark.parametrize("j", LINKS)
def test_A_2_an_axis_turns_with_its_link(j: int) -> None:
    assert equal(d_dt(axis(j)), w(j).cross(axis(j)))


@pytest.mark.parametrize(("k", "j"), PAIRS)
def test_A_3_an_axis_turns_about_the_axes_before_it(k: int, j: int) -> None:
    about = axis(j) if j in TURNS else ZERO
    assert equal(d_dq(axis(k), j), about.cross(axis(k)) if j <= k else ZERO)
