"""Mladenova, section 6: pseudo-velocities, Hamel's equations, reactions, matrix forms and programmes, (214) to (255).

The mechanism is a disc that rolls: six coordinates, a holonomic constraint (it touches) and two nonholonomic ones. The
paper's matrices are formed here from the kinetic energy of the free disc alone, and compared with what is derived. As
pseudo-velocities serve components of the angular velocity, so that no matrix of the paper is constant.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import numpy as np
import pytest

import polhode as ph
from polhode import Equations, Expr, Matrix, Vector
from polhode.dynamics.envelope import envelope
from polhode.expr import as_expr, cos, directional, gradient, jacobian, rank, same, sin, substitute, symbol
from polhode.formalisms.hamel import Hamel
from polhode.geometry.elimination import solve_columns

NAMES = ("x", "y", "z", "yaw", "lean", "spin")
INDEPENDENT = ("d yaw", "d lean", "d spin")


@cache
def disc(rolls: bool = True) -> ph.System:
    """A homogeneous disc in the air or on the ground: its axle is y, and it heads along x."""
    s = ph.System("disc")
    m, r, g = s.parameter("m", 1), s.parameter("r", 1), s.parameter("g", 9.81)
    s.gravity = Vector([0, 0, -g])
    body = s.body("disc", m, inertia=ph.disc(m, r, "y"))
    six = ph.Compound(*(ph.Prismatic(a) for a in "xyz"), *(ph.Revolute(a) for a in "zxy"))
    s.joint("flight", s.ground, body, six, coordinates=NAMES, speeds=[f"d {name}" for name in NAMES])
    if rolls:
        s.roll_wheel("contact", body, r, "y")
    return s


def inverse(matrix: Matrix) -> Matrix:
    return solve_columns(matrix, Matrix.identity(len(matrix))).map(as_expr)


@dataclass(frozen=True)
class Paper:
    """The matrices of section 6.3, from the kinetic and potential energy of the free disc and the rows of rolling."""

    free: Equations
    rolling: Equations

    @property
    def q(self) -> list[Expr]:
        return list(self.free.q)

    @property
    def q_rates(self) -> Vector:
        return self.free.u  # every joint has one coordinate, so that speeds are the rates of coordinates

    @cached_property
    def T(self) -> Expr:
        return self.free.kinetic_energy

    @cached_property
    def Q(self) -> Vector:
        slope = gradient(self.free.potential_energy, self.q)
        return Vector([effort - entry for effort, entry in zip(self.free.tau, slope, strict=True)])

    @cached_property
    def A_1(self) -> Matrix:
        """The angular velocity along the axes of a frame that leans and yaws but does not spin."""
        lean = self.q[4]
        return Matrix([[0, 0, 0, 0, 1, 0], [0, 0, 0, sin(lean), 0, 1], [0, 0, 0, cos(lean), 0, 0]]).map(as_expr)

    @cached_property
    def A_2(self) -> Matrix:
        constraints = self.rolling.constraints
        assert constraints is not None
        return constraints.A

    @cached_property
    def A(self) -> Matrix:
        return Matrix([*self.A_1, *self.A_2])  # (239)

    @cached_property
    def B(self) -> Matrix:
        return inverse(self.A)  # (227)

    @property
    def B_1(self) -> Matrix:
        return Matrix([list(row[:3]) for row in self.B])

    @property
    def B_2(self) -> Matrix:
        return Matrix([list(row[3:]) for row in self.B])

    def dot(self, matrix: Matrix, rates: Vector | None = None) -> Matrix:
        """The rate of a matrix of coordinates."""
        moving = dict(zip(self.q, self.q_rates if rates is None else rates, strict=True))
        flat = directional([as_expr(entry) for entry in matrix.entries()], moving)
        width = matrix.shape[1]
        return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])

    @cached_property
    def momenta(self) -> list[Expr]:
        return gradient(self.T, list(self.q_rates))

    @cached_property
    def H(self) -> Matrix:
        return jacobian(self.momenta, list(self.q_rates))

    @cached_property
    def h_2(self) -> Vector:
        return self.dot(self.H) @ self.q_rates  # (241)

    @cached_property
    def h(self) -> Vector:
        return self.h_2 - Vector(gradient(self.T, self.q))

    @cached_property
    def bound(self) -> dict[Expr, Expr]:
        """q̇ = B_1 π̇ (245), in the rates of yaw, lean and spin."""
        chosen = Vector([u if u.name in INDEPENDENT else as_expr(0) for u in self.q_rates])
        rates = self.B_1 @ (self.A_1 @ chosen)
        return {u: as_expr(r) for u, r in zip(self.q_rates, rates, strict=True) if u.name not in INDEPENDENT}

    def on_constraints(self, entries: Vector | list[Expr]) -> Vector:
        return Vector(substitute([as_expr(entry) for entry in entries], self.bound))

    @cached_property
    def bend(self) -> Vector:
        """(B_1 Ȧ_1 + B_2 Ȧ_2) B_1 π̇ of (246)."""
        B_1, B_2 = self.B_1, self.B_2
        return (B_1 @ self.dot(self.A_1) + B_2 @ self.dot(self.A_2)) @ (B_1 @ (self.A_1 @ self.q_rates))

    @cached_property
    def pi_accelerations(self) -> Vector:
        B_1 = self.B_1
        left = B_1.T @ (self.H @ B_1)
        right = B_1.T @ (self.H @ self.bend + self.Q - self.h)
        return self.on_constraints(
            Vector([row[0] for row in solve_columns(left, [[entry] for entry in right])])
        )  # (249)

    @cached_property
    def q_accelerations(self) -> Vector:
        return self.on_constraints(self.B_1 @ self.pi_accelerations - self.bend)  # (246)

    @cached_property
    def multipliers(self) -> Vector:
        return self.on_constraints(self.B_2.T @ (self.H @ self.q_accelerations + self.h - self.Q))  # (248)


@cache
def matrices() -> Paper:
    return Paper(disc(rolls=False).derive("newton_euler"), disc().derive("composite_body", independent=INDEPENDENT))


@pytest.fixture
def paper() -> Paper:
    return matrices()


def gamma(a: Matrix, b: Matrix, q: list[Expr]) -> dict[tuple[int, int, int], Expr]:
    """γ_kij of (231), as printed."""
    size = range(len(q))
    slope = [jacobian(list(row), q) for row in a]  # slope[i][s][l] = ∂a_is/∂q_l
    curl = [[[slope[i][s][l] - slope[i][l][s] for l in size] for s in size] for i in size]
    return {
        (k, i, j): as_expr(sum((b[s, k] * b[l, j] * curl[i][s][l] for s in size for l in size), start=as_expr(0)))
        for k, i, j in product(size, size, size)
    }


def bracket(X: Vector, Y: Vector, q: list[Expr]) -> Vector:
    """[X, Y] of vector fields."""
    by_X = directional(list(Y), dict(zip(q, X, strict=True)))
    by_Y = directional(list(X), dict(zip(q, Y, strict=True)))
    return Vector(by_X) - Vector(by_Y)


# ---- 6.2: pseudo-velocities ------------------------------------------------------------------------------------


def test_equation_231_gives_the_brackets_of_the_moving_frame(paper: Paper) -> None:
    coefficients, fields = gamma(paper.A, paper.B, paper.q), paper.B.columns
    for k, j in product(range(6), range(6)):
        spread = paper.B @ Vector([coefficients[k, i, j] for i in range(6)])
        assert same(bracket(fields[k], fields[j], paper.q), spread)  # [Π_k, Π_j] = Σ_i γ_kij Π_i


def test_on_the_rotation_group_they_are_the_structure_constants() -> None:
    s = ph.System("turning")
    coordinates = ["a", "b", "c"]
    turns = ph.Compound(*(ph.Revolute(axis) for axis in "zxy"))
    s.joint("j", s.ground, s.body("body", 1, inertia=(1, 2, 3)), turns, coordinates=coordinates)
    made = s.derive()
    R = made.pose("body").R
    spins = [R.T @ _derivative(R, q) for q in made.q]
    a = Matrix.columns_of([[W[2, 1], W[0, 2], W[1, 0]] for W in spins], 3).map(as_expr)  # ω of the body from q̇
    coefficients = gamma(a, inverse(a), list(made.q))
    for k, i, j in product(range(3), repeat=3):
        sign = (k - j) * (j - i) * (i - k) // 2  # γ_kij = ε_kji, so that Σ γ_kij p_i ω_j = (ω × p)_k: Euler's equations
        assert coefficients[k, i, j] == sign


def _derivative(R: Matrix, q: Expr) -> Matrix:
    flat = directional([as_expr(entry) for entry in R.entries()], {q: as_expr(1)})
    return Matrix([flat[0:3], flat[3:6], flat[6:9]])


def test_a_constraint_is_holonomic_where_brackets_of_allowed_motions_stay_allowed(paper: Paper) -> None:
    constraints = paper.rolling.constraints
    assert constraints is not None
    coefficients = gamma(paper.A, paper.B, paper.q)
    leaves = {
        row.part: any(coefficients[k, 3 + place, j] for k in range(3) for j in range(3))
        for place, row in enumerate(constraints.rows)
    }
    assert leaves == {"height": False, "along": True, "across": True}  # (215), (216)


def test_reactions_act_on_constrained_pseudo_velocities_alone(paper: Paper) -> None:
    assert same(
        (paper.A_2 @ paper.B).entries(), [as_expr(int(j == 3 + i)) for i in range(3) for j in range(6)]
    )  # (234)


# ---- 6.2: Hamel's equations ------------------------------------------------------------------------------------


@cache
def balance() -> tuple[Vector, Vector]:
    """B_k of (226) and P_k of (230), as printed, for all six pseudo-velocities on the derived motion."""
    paper = matrices()
    b, q = paper.B, paper.q
    rates = Vector([symbol(f"pi rate {k}", "rate") for k in range(6)])
    back = {name: as_expr(value) for name, value in zip(paper.q_rates, b @ rates, strict=True)}
    (T_star,) = substitute([paper.T], back)  # (228)
    p, slope = gradient(T_star, list(rates)), Vector(gradient(T_star, q))
    motion = {
        **dict(zip(q, b @ rates, strict=True)),
        **dict(zip(rates, [*paper.pi_accelerations, 0, 0, 0], strict=True)),
    }
    changes = directional(p, motion)
    coefficients = gamma(paper.A, b, q)
    B: list[Expr] = []
    for k in range(6):
        turning = sum((coefficients[k, i, j] * p[i] * rates[j] for i, j in product(range(6), repeat=2)), as_expr(0))
        B.append(as_expr(changes[k] - b.columns[k].dot(slope) + turning))  # (226), (232)
    held = dict(zip(rates, [*map(as_expr, paper.A_1 @ paper.q_rates), *[as_expr(0)] * 3], strict=True))  # (220)
    return paper.on_constraints(substitute(B, held)), paper.on_constraints(b.T @ paper.Q)


def test_equation_235_holds_on_the_motion_that_is_derived(paper: Paper) -> None:
    B, P = balance()
    u = Vector([name if name.name in INDEPENDENT else as_expr(0) for name in paper.q_rates])
    udot = Vector([*(0, 0, 0), *paper.rolling.forward_dynamics])
    assert same(paper.pi_accelerations, paper.on_constraints(paper.A_1 @ udot + paper.dot(paper.A_1) @ u))
    assert same(B[:3], P[:3])


def test_equation_236_gives_the_multipliers_with_the_forces_subtracted(paper: Paper) -> None:
    B, P = balance()
    assert same([B[k] - P[k] for k in range(3, 6)], paper.rolling.multipliers)  # (233)
    printed = [B[k] + P[k] for k in range(3, 6)]
    assert not any(wrong == right for wrong, right in zip(printed, paper.multipliers, strict=True))


def test_hamels_formalism_sums_the_printed_coefficients(paper: Paper) -> None:
    dependent_speeds = paper.rolling.dependent_speeds
    assert dependent_speeds is not None
    made = Hamel(disc(), envelope(paper.rolling.tree), dependent_speeds)
    (a, _), (b, _) = made.forms, made.fields
    coefficients = gamma(a, b, paper.q)
    rates = Vector([*made.u, 0, 0, 0])
    for k in range(6):
        turning = sum(
            (coefficients[k, i, j] * made.momenta[i] * rates[j] for i, j in product(range(6), repeat=2)), as_expr(0)
        )
        slope = directional([made.energy], dict(zip(paper.q, b.columns[k], strict=True)))[0]
        assert made.terms(k) == turning - slope - made.forces[k]


@cache
def in_pseudo_velocities() -> Equations:
    """The rolling disc in the components of its angular velocity that the paper's matrices have here."""
    paper = matrices()
    rows = [as_expr(entry) for entry in paper.A_1 @ paper.q_rates]
    return disc().derive("hamel", pseudo=dict(zip(("leaning", "spinning", "turning"), rows, strict=True)))


def test_chosen_pseudo_velocities_give_the_matrices_of_the_paper(paper: Paper) -> None:
    made = in_pseudo_velocities()
    back = dict(zip(made.u, paper.A_1 @ paper.q_rates, strict=True))
    known = made.dependent_speeds
    assert known is not None
    assert same(known.E.entries(), paper.B_1.entries())  # (245)
    assert same(known.gamma, substitute([as_expr(-entry) for entry in paper.bend], known.followed))  # (246)
    assert same(paper.on_constraints(substitute(made.forward_dynamics, back)), paper.pi_accelerations)  # (249)
    assert same(paper.on_constraints(substitute(made.multipliers, back)), paper.multipliers)  # (248)


def test_structure_coefficients_are_those_of_equation_231(paper: Paper) -> None:
    found, printed = in_pseudo_velocities().structure_coefficients, gamma(paper.A, paper.B, paper.q)
    assert all(found[k, i, j] == printed[k, i, j] for k, i, j in product(range(6), repeat=3))
    assert not found.are_constant and not any(found.by_time.entries())


def test_the_descriptor_form_255_in_pseudo_velocities_is_the_papers_multiplied_by_the_inverse(paper: Paper) -> None:
    made = in_pseudo_velocities()
    known, form = made.dependent_speeds, made.descriptor()
    assert known is not None
    n, m = 6, 3
    assert len(form.x) == len(form.f) == 2 * n  # as the paper says
    rates, force = form.f[:n], Vector(form.f[n:])
    assert same(paper.A @ Vector(rates), [*made.u, 0, 0, 0])  # [A_1; A_2] q̇ = (π̇, 0): the first and the last rows
    H_star = Matrix([list(row[n : n + m]) for row in form.E[n:]])
    assert same(H_star.entries(), (paper.B.T @ (paper.H @ paper.B_1)).entries())
    h_star = paper.h - paper.H @ paper.bend
    pushed = paper.Q - h_star + paper.A_2.T @ Vector(form.x[n + m :])  # H B_1 π̈ = Q - h* + A_2ᵀ Λ, corrected
    assert same(force, substitute([as_expr(entry) for entry in paper.B.T @ pushed], known.followed))


# ---- 6.3: matrix forms -----------------------------------------------------------------------------------------


def test_blocks_of_the_inverse_are_columns(paper: Paper) -> None:
    for left, right, expected in (
        (paper.A_1, paper.B_1, Matrix.identity(3)),
        (paper.A_2, paper.B_1, Matrix.zeros(3, 3)),
        (paper.A_1, paper.B_2, Matrix.zeros(3, 3)),
        (paper.A_2, paper.B_2, Matrix.identity(3)),
    ):
        assert same((left @ right).entries(), expected.entries())  # after (245)


def test_equation_242_needs_h_as_the_difference_of_the_rate_of_momenta_and_the_slope_of_energy(paper: Paper) -> None:
    assert same(paper.H.entries(), paper.free.mass_matrix.entries())
    udot = paper.free.udot
    assert same(paper.H @ udot + paper.h - paper.Q, paper.free.inverse_dynamics - paper.free.tau)
    h_1 = Vector(paper.momenta)  # (240) as printed
    assert not same(-(h_1 + paper.h_2), paper.h)
    slope = Vector(gradient(paper.T, paper.q))  # what (240) should call h_1; the sign of h_2 is still wrong
    assert not same(-(slope + paper.h_2), paper.h)


def test_equation_274_needs_the_slope_of_energy_by_coordinates(paper: Paper) -> None:
    none = dict.fromkeys(paper.q_rates, as_expr(0))
    gravity = Vector(gradient(paper.free.potential_energy, paper.q))
    velocity_terms = paper.free.bias - Vector(substitute(paper.free.bias, none))
    assert same(gravity, substitute(paper.free.bias, none))
    assert same(velocity_terms, paper.dot(paper.H) @ paper.q_rates - Vector(gradient(paper.T, paper.q)))
    assert not same(velocity_terms, paper.dot(paper.H) @ paper.q_rates - Vector(paper.momenta))


def test_equations_246_to_249_give_the_accelerations(paper: Paper) -> None:
    assert same(paper.q_accelerations, paper.on_constraints(paper.rolling.accelerations))
    left = paper.B_1.T @ (paper.H @ paper.q_accelerations)
    assert same(paper.on_constraints(left), paper.on_constraints(paper.B_1.T @ (paper.Q - paper.h)))  # (247)


def test_equation_248_gives_the_multipliers(paper: Paper) -> None:
    assert same(paper.multipliers, paper.rolling.multipliers)


def test_equation_250_gives_reactions_on_coordinates_not_on_pseudo_velocities(paper: Paper) -> None:
    gap = paper.on_constraints(paper.H @ paper.q_accelerations + paper.h - paper.Q)
    D = paper.A_2.T @ (paper.B_2.T @ gap)  # (250)
    assert same(D, gap)  # D of (242)
    R = paper.B.T @ gap  # (230)
    assert same(R, [0, 0, 0, *paper.multipliers])
    assert not same(D, R)


# ---- 6.3: programmes and the descriptor form -------------------------------------------------------------------


def _lack(paper: Paper, U: Vector, last: Vector) -> Vector:
    """G U + g of (252), with the last term of g."""
    H_inverse = inverse(paper.H)
    return paper.on_constraints(paper.A_2 @ (H_inverse @ U) + paper.A_2 @ (H_inverse @ (paper.Q - paper.h)) + last)


def test_theorem_5_holds_for_reactions_and_for_any_control_beside_them(paper: Paper) -> None:
    bend = paper.dot(paper.A_2) @ paper.q_rates  # (254)
    ideal = paper.A_2.T @ paper.multipliers
    assert not any(_lack(paper, ideal, bend))
    free = Vector([symbol(f"w {k}", "parameter") for k in range(3)])
    other = ideal + paper.H @ (paper.B_1 @ free)  # G H B_1 = A_2 B_1 = 0: what pushes along the programme is left free
    assert not any(_lack(paper, other, bend))
    assert all(_lack(paper, ideal + Vector([0, 0, 0, 1, 1, 1]), bend)[1:])


def test_equation_253_needs_the_rate_of_the_rows_times_velocities(paper: Paper) -> None:
    ideal = paper.A_2.T @ paper.multipliers
    assert any(_lack(paper, ideal, paper.A_2 @ paper.q_accelerations))  # as printed


def test_the_descriptor_form_255_holds_with_forces_on_coordinates_and_rows_for_all_rates(paper: Paper) -> None:
    H_star = paper.H @ paper.B_1  # n × m
    h_star = paper.on_constraints(paper.h - paper.H @ paper.bend)
    Q, P = paper.on_constraints(paper.Q), paper.on_constraints(paper.B.T @ paper.Q)
    left, reaction = H_star @ paper.pi_accelerations, paper.A_2.T @ paper.multipliers
    assert same(left, reaction - h_star + Q)
    assert not same(left, reaction - h_star + P)  # as printed: P, on pseudo-velocities
    rates = paper.on_constraints(paper.q_rates)
    assert same(paper.A_1 @ rates, paper.on_constraints(paper.A_1 @ paper.q_rates))
    assert not any(paper.A_2 @ rates)
    # As printed, with A_1 alone before q̇, m of the n rates are found; with A_2 below it all are.
    assert (len(paper.A_1), rank(paper.A_1), rank(paper.A)) == (3, 3, 6)


def test_pseudo_velocities_serve_wherever_their_matrix_is_regular() -> None:
    """A car that heads across x: det A of (218) is there as large as anywhere, and B exists."""
    s = ph.System("car", gravity=(0, 0, 0))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    body, axle = s.body("car", 5, com=(0.4, 0, 0), inertia=(1, 1, 2)), s.body("axle", 1, inertia=(1, 1, 1))
    s.joint("ground", s.ground, body, plane, coordinates=["x", "y", "turn"], speeds=["a", "b", "w"])
    s.joint("steer", body, axle, ph.Revolute("z"), at=(1.1, 0, 0))
    s.knife_edge("rear", body)
    s.knife_edge("front", axle)
    car = s.derive("hamel", pseudo={"v": "cos(turn)*a + sin(turn)*b", "s": "steer'"})
    heading, steered, v = np.pi / 2, 0.4, 1.5
    pose = {"turn": heading, "steer": steered}
    run = car.simulate(1, start={**pose, "v": v})
    free = s.derive("routh").simulate(1, start={**pose, "a": 0, "b": v, "w": v * np.tan(steered) / 1.1})
    assert np.allclose(run.q[-1], free.q[-1], atol=1e-6)
