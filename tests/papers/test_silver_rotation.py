"""Silver, A.I. Memo 622 (1981), section 2: ω against Ẇ, a test for each equation, by fingerprint.

The rotation is general (three angles), the body is four mass points anywhere.
"""

from itertools import product
from typing import Any

from polhode.expr import Matrix, Vector, as_expr, directional, same, skew, symbols
from polhode.geometry import (
    angular_velocity,
    inertia_of_moments,
    permutation,
    rotation,
    rotation_rate,
    rotation_second_rate,
    rotational_energy,
    rotational_energy_of_rate,
    second_moments,
)

q, u, ud = symbols("a b c"), symbols("ua ub uc"), symbols("uda udb udc")
THREE = range(3)
UNIT = Matrix.identity(3)
W = rotation(("z", q[0]), ("x", q[1]), ("y", q[2]))
MASSES = symbols("m1 m2 m3 m4")
POINTS = [Vector(symbols(f"x{k} y{k} z{k}")) for k in range(4)]  # r', in the body


def rate(matrix: Matrix) -> Matrix:
    """d/dt."""
    moving = dict(zip((*q, *u), (*u, *ud), strict=True))
    return Matrix([directional([as_expr(x) for x in row], moving) for row in matrix])


def equal(a: Any, b: Any) -> bool:
    """Whether two scalars, vectors or matrices are the same functions."""
    if isinstance(a, Matrix):
        return same(list(map(as_expr, a.entries())), list(map(as_expr, Matrix(b).entries())))
    if isinstance(a, Vector):
        return same(list(map(as_expr, a)), list(map(as_expr, b)))
    return same([as_expr(a)], [as_expr(b)])


def trace(matrix: Matrix) -> Any:
    return matrix[0, 0] + matrix[1, 1] + matrix[2, 2]


Wd = rate(W)
w = angular_velocity(W, Wd)
J_body = Matrix([[sum(m * r[i] * r[j] for m, r in zip(MASSES, POINTS, strict=True)) for j in THREE] for i in THREE])


def in_the_ground(tensor: Matrix) -> Matrix:
    return W @ tensor @ W.T


def test_2_1_W_takes_body_components_to_ground_components() -> None:
    for j, axis in enumerate(UNIT):
        assert equal(W @ axis, W[:, j])


def test_2_2_the_inverse_of_W_is_its_transpose() -> None:
    assert equal(W @ W.T, UNIT)


def test_2_3_contracting_two_pairs_of_permutations_gives_twice_the_identity() -> None:
    for k, l in product(THREE, repeat=2):
        total = sum(permutation(i, j, k) * permutation(i, j, l) for i, j in product(THREE, repeat=2))
        assert total == 2 * UNIT[k, l]


def test_2_4_contracting_one_pair_of_permutations_gives_identities() -> None:
    for j, k, l, m in product(THREE, repeat=4):
        total = sum(permutation(i, j, k) * permutation(i, l, m) for i in THREE)
        assert total == UNIT[j, l] * UNIT[k, m] - UNIT[j, m] * UNIT[k, l]


def test_the_cross_product_is_its_permutations() -> None:
    a, b = Vector(symbols("a1 a2 a3")), Vector(symbols("b1 b2 b3"))
    by_index = [sum(permutation(i, j, k) * a[j] * b[k] for j, k in product(THREE, repeat=2)) for i in THREE]
    assert equal(a.cross(b), by_index)


def test_2_5_the_rate_of_W_is_the_angular_velocity_cross_W() -> None:
    assert equal(Wd, rotation_rate(W, w))
    by_index = [
        [sum(permutation(i, k, l) * w[k] * W[l, j] for k, l in product(THREE, repeat=2)) for j in THREE] for i in THREE
    ]
    assert equal(Wd, by_index)


def test_2_6_the_angular_velocity_comes_back_from_the_rate_of_W() -> None:
    by_index = [
        sum(permutation(i, j, k) * W[j, l] * Wd[k, l] for j, k, l in product(THREE, repeat=3)) / 2 for i in THREE
    ]
    assert equal(w, by_index)
    given = Vector(symbols("w1 w2 w3"))
    assert equal(angular_velocity(W, rotation_rate(W, given)), given)
    assert equal(w, angular_velocity(W, Wd))
    assert equal(skew(w) @ W, Wd)


def test_2_5_differentiated_gives_the_second_rate_of_W() -> None:
    wd = Vector(rate(Matrix([w]))[0])
    assert equal(rate(Wd), rotation_second_rate(W, w, wd))


def kinetic_energy_of_points() -> Any:
    velocities = [Wd @ r for r in POINTS]
    return sum(m * v.dot(v) for m, v in zip(MASSES, velocities, strict=True)) / 2


def test_2_7_and_2_8_second_moments_give_the_kinetic_energy_with_the_rate_of_W() -> None:
    assert equal(rotational_energy_of_rate(Wd, J_body), kinetic_energy_of_points())


def test_2_9_and_2_10_the_inertia_gives_the_kinetic_energy_with_the_angular_velocity() -> None:
    I = Matrix([
        [sum(m * (r.dot(r) * UNIT[i, j] - r[i] * r[j]) for m, r in zip(MASSES, POINTS, strict=True)) for j in THREE]
        for i in THREE
    ])  # fmt: skip
    assert equal(inertia_of_moments(J_body), I)
    assert equal(rotational_energy(w, in_the_ground(I)), kinetic_energy_of_points())


def test_2_11_the_two_inertias_are_made_of_each_other() -> None:
    I = inertia_of_moments(J_body)
    assert equal(I, UNIT * trace(J_body) - J_body)
    assert equal(second_moments(I), J_body)
    assert equal(second_moments(I), UNIT * (trace(I) / 2) - I)


def test_both_inertias_are_tensors() -> None:
    """'The proof is simple and can be supplied by the reader': (2.11) holds in turned components too."""
    assert equal(in_the_ground(inertia_of_moments(J_body)), inertia_of_moments(in_the_ground(J_body)))


def test_both_columns_of_the_summary_are_one_generalized_force() -> None:
    """[ω̇·I + ω × (I·ω)]·∂ω/∂q̇ = tr(∂W/∂q J Ẅᵀ), for each of the three coordinates."""
    I, Wdd = in_the_ground(inertia_of_moments(J_body)), rate(Wd)
    torque = I @ Vector(rate(Matrix([w]))[0]) + w.cross(I @ w)
    for q_k, u_k in zip(q, u, strict=True):
        partial = Vector(directional([as_expr(x) for x in w], {u_k: as_expr(1)}))
        W_D_q = Matrix([directional([as_expr(x) for x in row], {q_k: as_expr(1)}) for row in W])
        assert equal(torque.dot(partial), trace(W_D_q @ J_body @ Wdd.T))


def test_a_wrong_sign_or_factor_would_be_seen() -> None:
    assert not equal(rotation_rate(W, -w), Wd)
    assert not equal(UNIT * trace(J_body) + J_body, inertia_of_moments(J_body))
    assert not equal(UNIT * trace(inertia_of_moments(J_body)) - inertia_of_moments(J_body), J_body)
