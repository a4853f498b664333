"""Mladenova, section 5: the diagonalisation of a symmetric 3×3 matrix by two vector-parameters, (168) to (213).

What the paper writes is written here, and compared with `principal_axes` and with LAPACK.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.linalg import expm

import polhode as ph
from polhode import Expr, Matrix, Vector
from polhode.expr import (
    as_expr,
    cos,
    directional,
    evaluate,
    free_symbols,
    gradient,
    is_zero,
    jacobian,
    same,
    sin,
    symbols,
)
from polhode.geometry.rotations.vector_parameter import composed, from_vector_parameter
from polhode.papers.mladenova.diagonalisation import two_levels

a11, a12, a13, a22, a23, a33 = ENTRIES = symbols("a11 a12 a13 a22 a23 a33")
x, z, u = symbols("x z u")
A = Matrix([[a11, a12, a13], [a12, a22, a23], [a13, a23, a33]])

#: (172) and (173): the coefficients of z^0 … z^4.
C = (
    -a12 * x**4 + 2 * a13 * x**3 + 2 * a13 * x + a12,
    -2 * a23 * x**3 + 4 * a33 * x**2 - 2 * a11 * x**2 - 2 * a22 * x**2 + 6 * a23 * x + 2 * a22 - 2 * a11,
    -6 * a13 * x - 6 * a12,
    -2 * a23 * x + 2 * a11 - 2 * a22,
    a12,
)
D = (
    -a13 * x**4 - 2 * a12 * x**3 - 2 * a12 * x + a13,
    -2 * a33 * x**3 + 2 * a11 * x**3 - 6 * a23 * x**2 + 2 * a11 * x - 4 * a22 * x + 2 * a33 * x + 2 * a23,
    6 * a13 * x**2 + 6 * a12 * x,
    -2 * a11 * x + 2 * a33 * x + 2 * a23,
    -a13,
)

m, r, alpha, beta = symbols("m r alpha beta")

#: (179) and (180): the coefficients of x^0 ….
P = (
    a11 * a13 * a23 - a12 * a13**2 - a13 * a22 * a23 + a12 * a23**2,
    2 * a12**2 * a13 - a13**3 - a11 * a13 * a22 + a13 * a22**2 - a11 * a12 * a23 - a12 * a22 * a23 - a13 * a23**2
    - a13 * a22 * a33 + a11 * a13 * a33 + 2 * a12 * a23 * a33,
    a11 * a12 * a22 - a12**3 + 2 * a12 * a13**2 + 2 * a13 * a22 * a23 - a11 * a13 * a23 - a12 * a23**2
    - a11 * a12 * a33 - a12 * a22 * a33 - a13 * a23 * a33 + a12 * a33**2,
    a11 * a12 * a23 - a12**2 * a13 + a13 * a23**2 - a12 * a23 * a33,
)  # fmt: skip
Q = (
    a11**2 + 4 * a12**2 - 2 * a11 * a22 + a22**2,
    8 * a12 * a13 - 4 * a11 * a23 + 4 * a22 * a23,
    2 * a11**2 + 4 * a12**2 + 4 * a13**2 - 2 * a11 * a22 + 4 * a23**2 - 2 * a11 * a33 + 2 * a22 * a33,
    8 * a12 * a13 - 4 * a11 * a23 + 4 * a23 * a33,
    a11**2 + 4 * a13**2 - 2 * a11 * a33 + a33**2,
)  # fmt: skip


def polynomial(coefficients: tuple[Expr, ...], at: Expr) -> Expr:
    return as_expr(sum((c * at**k for k, c in enumerate(coefficients)), as_expr(0)))


def turned(matrix: Matrix, c: Vector) -> Matrix:
    """Oᵀ(c) matrix O(c)."""
    O = from_vector_parameter(c)
    return (O.T @ matrix @ O).map(as_expr)


@cache
def eliminant() -> Matrix:
    """U of (177)."""
    rows = []
    for shift in range(4):  # the equations times z^shift; columns z^4, z^3, z^2, z, 1, z^5, z^6, z^7
        for coefficients in (C, D):
            powers = {k + shift: c for k, c in enumerate(coefficients)}
            rows.append([powers.get(power, as_expr(0)) for power in (4, 3, 2, 1, 0, 5, 6, 7)])
    return Matrix(rows)


def random_matrix(seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(3, 3))
    return made + made.T


def entries_of(matrix: np.ndarray) -> dict[Expr, float]:
    return dict(zip(ENTRIES, matrix[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]].tolist(), strict=True))


def roots(coefficients: tuple[Expr, ...], matrix: np.ndarray) -> np.ndarray:
    return np.roots(evaluate(list(coefficients), entries_of(matrix))[::-1])


def test_equations_168_and_190_a_rotation_diagonalises_every_symmetric_matrix() -> None:
    found = ph.principal_axes(A)
    assert found.branch == "cosines"
    for seed in range(20):
        matrix = random_matrix(seed)
        moments = np.array(evaluate(list(found.moments), entries_of(matrix)))
        O = np.array(evaluate(list(found.axes.entries()), entries_of(matrix))).reshape(3, 3)
        assert moments == pytest.approx(np.linalg.eigvalsh(matrix), abs=1e-10)
        assert O.T @ matrix @ O == pytest.approx(np.diag(moments), abs=1e-10)
        assert pytest.approx(np.eye(3), abs=1e-10) == O.T @ O and np.linalg.det(O) > 0


def test_equations_169_to_174_the_elements_to_remove_are_polynomials_of_degree_four() -> None:
    B = turned(A, Vector([x, 0, z]))
    scale = (1 + x**2 + z**2) ** 2
    assert B[0, 1] * scale == polynomial(C, z)
    assert B[0, 2] * scale == polynomial(D, z)


def test_equations_175_to_180_the_eliminant_factors_as_printed() -> None:
    assert is_zero(eliminant().det() - 256 * (1 + x**2) ** 3 * polynomial(P, x) ** 2 * polynomial(Q, x))


@pytest.mark.parametrize("seed", range(10))
def test_equation_181_P_has_three_real_roots_and_Q_none(seed: int) -> None:
    """The paper expects one real root at least, up to seven in all; x is the ratio of two components of an axis."""
    matrix = random_matrix(seed)
    found = roots(P, matrix)
    assert np.abs(found.imag).max() < 1e-9
    axes = np.linalg.eigh(matrix)[1]
    assert np.sort(found.real) == pytest.approx(np.sort(axes[2] / axes[1]), rel=1e-6)
    assert np.abs(roots(Q, matrix).imag).min() > 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_two_z_belong_to_each_x_as_U_has_rank_six(seed: int) -> None:
    """The paper says one z for each x: seven pairs. There are six."""
    matrix = random_matrix(seed)
    values = entries_of(matrix)
    for ratio in roots(P, matrix).real:
        U = np.array([evaluate(row, values | {x: ratio}) for row in eliminant()])
        sizes = np.linalg.svd(U, compute_uv=False)
        assert (sizes > 1e-7 * sizes[0]).sum() == 6
        common = [np.roots([evaluate([c], values | {x: ratio})[0] for c in reversed(each)]) for each in (C, D)]
        shared = [one for one in common[0] if np.abs(common[1] - one).min() < 1e-5 * (1 + abs(one))]
        assert len(shared) == 2 and np.abs(np.imag(shared)).max() < 1e-5
        for height in np.real(shared):
            O = np.array(evaluate([as_expr(e) for e in from_vector_parameter((x, 0, z)).entries()],
                                  {x: ratio, z: height})).reshape(3, 3)  # fmt: skip
            assert (O.T @ matrix @ O)[0, 1:] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(("c", "gone", "kept"), [("x0z", "z", "x"), ("xy0", "y", "x"), ("x0z", "x", "z")])
def test_any_two_components_do_at_the_first_level_and_either_may_be_suppressed(c: str, gone: str, kept: str) -> None:
    """The paper has higher degrees for (x, y, 0), which is (x, 0, z) after an exchange of two axes, and no sure root
    where z is kept; (±1 - v₁)/v₂ of each axis v are six."""
    matrix = sympy.Matrix([[2, 3, 5], [3, 7, -4], [5, -4, 11]])
    v = sympy.Matrix([0 if name == "0" else sympy.Symbol(name) for name in c])
    O = (1 - v.dot(v)) * sympy.eye(3) + 2 * v * v.T + 2 * v.hat()
    B = (O.T * matrix * O).applyfunc(sympy.expand)
    left = sympy.resultant(B[0, 1], B[0, 2], sympy.Symbol(gone))
    factors = {(sympy.degree(p), power): p for p, power in sympy.factor_list(left)[1]}
    degrees = {"x": {(2, 3), (3, 2), (4, 1)}, "z": {(1, 6), (4, 1), (6, 1)}}[kept]
    assert {*factors} == degrees
    assert len(sympy.real_roots(factors[(3, 2) if kept == "x" else (6, 1)])) == (3 if kept == "x" else 6)


def test_equations_182_to_184_the_second_level_turns_in_a_plane() -> None:
    C11, C22, C23, C33 = symbols("C11 C22 C23 C33")
    block = Matrix([[C11, 0, 0], [0, C22, C23], [0, C23, C33]]).map(as_expr)
    S = turned(block, Vector([u, 0, 0]))
    a = (C33 - C22) / C23
    assert S[1, 2] * (1 + u**2) ** 2 == C23 * (u**4 - 2 * a * u**3 - 6 * u**2 + 2 * a * u + 1)
    assert is_zero(S[0, 1]) and is_zero(S[0, 2])


def test_equations_185_to_188_are_its_four_roots() -> None:
    """With a = t - 1/t and t = tan β the roots of the paper are 2/cos β and 2/sin β."""
    t = sin(beta) / cos(beta)
    a, M = t - 1 / t, t + 1 / t
    assert a**2 + 4 == M**2
    plus, minus = 2 / cos(beta), 2 / sin(beta)
    assert plus**2 == 2 * (M**2 + a * M) and minus**2 == 2 * (M**2 - a * M)
    found = [(a + M - plus) / 2, (a - M + minus) / 2, (a - M - minus) / 2, (a + M + plus) / 2]
    for root in found:
        assert is_zero(root**4 - 2 * a * root**3 - 6 * root**2 + 2 * a * root + 1)
    assert len(set(found)) == 4


def test_equation_189_composes_both_levels() -> None:
    c, c_tilde = Vector([x, 0, z]), Vector([u, 0, 0])
    O = from_vector_parameter(composed(c, c_tilde))
    assert same(O.entries(), (from_vector_parameter(c) @ from_vector_parameter(c_tilde)).entries())


def numbers(solution: Any, values: dict[Expr, float]) -> tuple[np.ndarray, np.ndarray]:
    """O(c'') and the moments of a solution."""
    O = np.array(evaluate([as_expr(entry) for entry in solution.axes.entries()], values)).reshape(3, 3)
    return O, np.array(evaluate([as_expr(entry) for entry in solution.moments], values))


def test_equations_168_to_190_are_a_call_with_the_printed_polynomials() -> None:
    found = two_levels(A)
    assert same(found.P, P) and same(found.Q, Q)
    assert len(found.solutions) == 24
    matrix = random_matrix(5)
    values = entries_of(matrix)
    made = [numbers(each, values) for each in found.solutions]
    for (O, moments), each in zip(made, found.solutions, strict=True):
        assert O.T @ matrix @ O == pytest.approx(np.diag(moments), abs=1e-10)
        ratio, height, tilde = evaluate([as_expr(e) for e in (each.x, each.z, each.u)], values)
        assert evaluate([polynomial(P, x)], values | {x: ratio})[0] == pytest.approx(0, abs=1e-8)
        c = composed((ratio, 0, height), (tilde, 0, 0))  # (189)
        assert evaluate([as_expr(e) for e in each.vector], values) == pytest.approx(c, rel=1e-9)
    assert len({tuple(np.round(O, 6).ravel()) for O, _ in made}) == 24  # all rotations onto the principal axes
    assert len({tuple(np.round(moments, 6)) for _, moments in made}) == 6  # every permutation, (168)


@pytest.mark.parametrize("seed", range(20))
def test_both_levels_diagonalise_numbers(seed: int) -> None:
    matrix = random_matrix(seed)
    found = two_levels(matrix)
    assert len(found.solutions) == 24
    assert len({round(each.x, 6) for each in found.solutions}) == 3
    for each in found.solutions:
        O, moments = numbers(each, {})
        assert O.T @ matrix @ O == pytest.approx(np.diag(moments), abs=1e-9)
        assert np.sort(moments) == pytest.approx(np.linalg.eigvalsh(matrix), abs=1e-10)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (np.zeros((3, 3)), 3), (np.eye(3), 3), (np.diag([3.0, 1.0, 2.0]), 3), ([[2.0, 1, 0], [1, 2, 0], [0, 0, 5]], 12),
        ([[2.0, 0, 1], [0, 3, 0], [1, 0, 5]], 8), ([[2.0, 0, 0], [0, 3, 1], [0, 1, 5]], 4), (np.ones((3, 3)), 20),
    ],
)  # fmt: skip
def test_zeros_off_the_diagonal_and_double_moments_leave_fewer_solutions(rows: Any, count: int) -> None:
    found = two_levels(rows)
    assert len(found.solutions) == count
    for each in found.solutions:
        O, moments = numbers(each, {})
        assert O.T @ np.asarray(rows) @ O == pytest.approx(np.diag(moments), abs=1e-12)


@pytest.mark.parametrize(
    "rows", [[[1.0, 2], [2, 1]], [[1.0, 2, 3], [0, 1, 2], [0, 0, 1]], [np.eye(3)] * 2, "abc", None]
)
def test_what_is_no_symmetric_matrix_is_refused(rows: Any) -> None:
    with pytest.raises(ph.PolhodeError):
        two_levels(rows)


# ---- (191) to (197): the inertia of a particle, with angles in place of its roots ----------------------------------

flat = r * cos(beta)  # √(ξ² + η²)
xi, eta, zeta = flat * cos(alpha), flat * sin(alpha), r * sin(beta)


def particle(mass: Expr) -> Matrix:
    """(191)."""
    position = Vector([xi, eta, zeta])
    square = position.dot(position)
    return Matrix(
        [[mass * ((square if i == j else 0) - position[i] * position[j]) for j in range(3)] for i in range(3)]
    ).map(as_expr)


Z = {1: (eta + flat) / xi, -1: (eta - flat) / xi}  # (192)
U_ROOTS = {  # (194), r being √(ξ² + η² + ζ²)
    sign: (-sign * (zeta - r) / flat, sign * (flat + r) / zeta, -sign * (zeta + r) / flat, sign * (flat - r) / zeta)
    for sign in (1, -1)
}


def test_equation_191_makes_P_vanish() -> None:
    inertia = particle(as_expr(1))
    values = dict(zip(ENTRIES, (inertia[k] for k in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))), strict=True))
    assert all(is_zero(c.subs(values)) for c in P)


@pytest.mark.parametrize("sign", [1, -1])
def test_equations_192_and_193_the_first_level_turns_about_z(sign: int) -> None:
    inertia = turned(particle(as_expr(1)), Vector([0, 0, Z[sign]]))
    off = sign * zeta * flat
    expected = [[r**2, 0, 0], [0, zeta**2, off], [0, off, flat**2]]
    assert same(inertia.entries(), Matrix(expected).entries())


@pytest.mark.parametrize("sign", [1, -1])
def test_equations_194_to_197_the_second_level_finishes(sign: int) -> None:
    odd, even = Matrix.diagonal([r**2, r**2, 0]), Matrix.diagonal([r**2, 0, r**2])
    for number, root in enumerate(U_ROOTS[sign], start=1):
        c = composed((0, 0, Z[sign]), (root, 0, 0))
        assert same(c, (root, root * Z[sign], Z[sign]))
        done = turned(particle(m), c)
        assert same(done.entries(), ((odd if number % 2 else even) * m).entries())


def test_the_call_takes_x_as_nought_for_a_particle_and_gives_192_to_197() -> None:
    X, Y, Z_, mass = symbols("xi eta zeta m")
    p = Vector([X, Y, Z_])
    found = two_levels([[mass * ((p.dot(p) if i == j else 0) - p[i] * p[j]) for j in range(3)] for i in range(3)])
    assert len(found.solutions) == 8 and all(each.x == 0 for each in found.solutions)
    values = {X: 0.7, Y: -1.1, Z_: 0.4, mass: 2.0}
    rho, size = np.hypot(0.7, -1.1), np.sqrt(0.7**2 + 1.1**2 + 0.4**2)
    for sign, four in ((1, found.solutions[:4]), (-1, found.solutions[4:])):
        roots_194 = (
            -sign * (0.4 - size) / rho,
            sign * (rho + size) / 0.4,
            -sign * (0.4 + size) / rho,
            sign * (rho - size) / 0.4,
        )
        assert evaluate([four[0].z], values)[0] == pytest.approx((-1.1 + sign * rho) / 0.7)  # (192)
        assert sorted(evaluate([each.u for each in four], values)) == pytest.approx(sorted(roots_194))  # (194)
        for each in four:
            moments = numbers(each, values)[1]
            assert np.sort(moments) == pytest.approx([0, 2 * size**2, 2 * size**2], abs=1e-12)  # (195) to (197)


def test_the_closed_form_finds_the_double_moment_of_191() -> None:
    found = ph.principal_axes(particle(m))
    assert found.branch == "double"
    assert same(found.moments, [m * r**2, m * r**2, 0])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        names = free_symbols([as_expr(x) for x in found.axes.entries()])
        values = dict(zip(sorted(names, key=str), rng.uniform(0.5, 2, len(names)).tolist(), strict=True))
        O = np.array(evaluate(list(found.axes.entries()), values)).reshape(3, 3)
        c = evaluate([as_expr(x) for x in found.vector], values)  # (189)
        assert np.array(from_vector_parameter(c)) == pytest.approx(O, abs=1e-12) and np.linalg.det(O) > 0


# ---- (198) to (205): linear equations -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_equations_198_to_204_the_exponential_of_a_symmetric_matrix(seed: int) -> None:
    matrix, start, t = random_matrix(seed), np.array([1.0, -2.0, 0.5]), 0.7
    found = ph.principal_axes(matrix)
    mu, O = found.moments, found.axes
    assert O.T @ matrix @ O == pytest.approx(np.diag(mu), abs=1e-12)  # (200)
    X_tilde = np.exp(mu * t) * (O.T @ start)  # (201) to (203)
    assert O @ X_tilde == pytest.approx(expm(t * matrix) @ start, rel=1e-12)  # (204)


@pytest.mark.parametrize("order", [2, 3])
def test_equation_205_equations_of_higher_order_decouple_alike(order: int) -> None:
    matrix, t = random_matrix(4), 0.6
    starts = np.random.default_rng(1).normal(size=(order, 3))
    companion = np.zeros((3 * order, 3 * order))
    companion[: 3 * (order - 1), 3:] = np.eye(3 * (order - 1))
    companion[3 * (order - 1) :, :3] = matrix
    whole = (expm(t * companion) @ starts.reshape(-1))[:3]
    found = ph.principal_axes(matrix)
    single = np.zeros((order, order))
    single[: order - 1, 1:] = np.eye(order - 1)
    tilde = []
    for k, mu in enumerate(found.moments):
        single[order - 1, 0] = mu
        tilde.append((expm(t * single) @ (starts @ found.axes[:, k]))[0])
    assert found.axes @ tilde == pytest.approx(whole, rel=1e-10)


# ---- (206) to (213): quasi-velocities in place of the printed decoupling -------------------------------------------


@cache
def arm() -> ph.Equations:
    """Three joints whose mass matrix has no zeros."""
    system = ph.System("arm", gravity=(0, 0, "-9.81"))
    upper = system.body("upper", 3, com=(0.1, 0, 0.2), inertia=ph.box(3, "0.2", "0.2", "0.5"))
    fore = system.body("fore", 2, com=(0, 0.05, 0.2), inertia=ph.box(2, "0.1", "0.2", "0.4"))
    hand = system.body("hand", 1, com=(0.1, 0, 0.1), inertia=ph.box(1, "0.1", "0.1", "0.2"))
    system.joint("q1", system.ground, upper, ph.Revolute("y"), at=(0, 0, "0.3"))
    system.joint("q2", upper, fore, ph.Revolute((3, 4, 0)), at=(0, 0, "0.5"))
    system.joint("q3", fore, hand, ph.Revolute("y"), at=(0, 0, "0.4"))
    return system.derive("poincare")


@cache
def quasi() -> tuple[Matrix, Vector, Vector]:
    """O, Λ and the term ΛOᵀȮν + Oᵀh of Λν̇ + … = OᵀP, with ν = Oᵀq̇: (213) as it must be."""
    equations = arm()
    found = ph.principal_axes(equations.mass_matrix)
    O, Lambda = found.axes, found.moments
    flow = dict(zip(equations.q, equations.u, strict=True))
    rate = directional([as_expr(entry) for entry in O.entries()], flow)  # Ȯ, along q̇
    O_dot = Matrix([rate[3 * i : 3 * i + 3] for i in range(3)])
    nu = O.T @ equations.u
    turning = O.T @ (O_dot @ nu)
    h = O.T @ equations.bias
    return O, Lambda, Vector([as_expr(L * w + e) for L, w, e in zip(Lambda, turning, h, strict=True)])


def states(seed: int) -> dict[Expr, float]:
    equations = arm()
    numbers = np.random.default_rng(seed).uniform(-1, 1, size=9).tolist()
    return dict(zip((*equations.q, *equations.u, *equations.tau), numbers, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_equations_206_to_213_quasi_velocities_make_the_mass_matrix_diagonal(seed: int) -> None:
    """With ν = Oᵀq̇ the equations have the printed form, are well defined, and equal the others; q̄ = Oᵀq has neither."""
    equations, (O, Lambda, terms) = arm(), quasi()
    values = states(seed)
    O_here = np.array(evaluate(list(O.entries()), values)).reshape(3, 3)
    diagonal = np.array(evaluate(list(Lambda), values))
    M = np.array(evaluate(list(equations.mass_matrix.entries()), values)).reshape(3, 3)
    assert O_here.T @ M @ O_here == pytest.approx(np.diag(diagonal), abs=1e-10)  # (208)
    tau = np.array([values[effort] for effort in equations.tau])
    nu_dot = (O_here.T @ tau - np.array(evaluate(list(terms), values))) / diagonal  # (213)
    # q̈ = O ν̇ + Ȯ ν; (207) has O'' q̄ besides, which holds q̈ again
    nu = O.T @ equations.u
    along = dict(zip(equations.q, equations.u, strict=True))
    rate = np.array(evaluate(directional([as_expr(e) for e in O.entries()], along), values)).reshape(3, 3)
    found = O_here @ nu_dot + rate @ np.array(evaluate([as_expr(e) for e in nu], values))
    assert found == pytest.approx(np.array(evaluate(list(equations.forward_dynamics), values)), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("seed", range(2))
def test_hamels_equations_in_these_quasi_velocities_are_the_same(seed: int) -> None:
    """(235) with (231), a = Oᵀ and b = O: d/dt ∂T*/∂ν_k - ∂T*/∂π_k + Σ γ_kij ν_j ∂T*/∂ν_i = P_k, T* = ½ Σ Λ_i ν_i²."""
    equations, (O, Lambda, terms) = arm(), quasi()
    q, u, axes = list(equations.q), list(equations.u), range(3)
    nu = O.T @ equations.u
    momenta = [L * v for L, v in zip(Lambda, nu, strict=True)]  # ∂T*/∂ν_i
    a = [[gradient(as_expr(O[s, i]), q) for s in axes] for i in axes]  # ∂a_is/∂q_l
    energies = [gradient(L, q) for L in Lambda]
    weight = gradient(equations.potential_energy, q)
    flow = dict(zip(q, u, strict=True))
    made = []
    for k in axes:
        total = directional([Lambda[k]], flow)[0] * nu[k]  # what d/dt ∂T*/∂ν_k has besides Λ_k ν̇_k
        for s in axes:
            total = total + O[s, k] * (weight[s] - sum(energies[i][s] * nu[i] ** 2 for i in axes) / 2)
            bends = [sum((a[i][s][l] - a[i][l][s]) * u[l] for l in axes) for i in axes]
            total = total + O[s, k] * sum(bends[i] * momenta[i] for i in axes)  # (231)
        made.append(as_expr(total))
    values = states(seed)
    assert evaluate(made, values) == pytest.approx(evaluate(list(terms), values), rel=1e-7, abs=1e-8)


def test_equations_206_to_212_as_printed_hold_accelerations_in_every_term() -> None:
    """q̄ = Oᵀ(q) q: its second rate has Σ ∂Oᵀ/∂q_l q q̈_l besides Oᵀq̈, so that Λ q̄̈ + h̄ = P̄ decouples nothing."""
    equations, (O, _, _) = arm(), quasi()
    bar = [as_expr(entry) for entry in O.T @ equations.q]
    slope = np.array(evaluate(list(jacobian(bar, list(equations.q)).entries()), states(0))).reshape(3, 3)
    O_here = np.array(evaluate(list(O.entries()), states(0))).reshape(3, 3)
    assert np.abs(slope - O_here.T).max() > 0.01
