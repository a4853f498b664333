"""Ṁ - 2C is skew, Ṁ = C + Cᵀ, and C u are the velocity terms, whatever the speeds are."""

from typing import Any

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.dynamics.equations import EquationsOfMotion
from polhode.expr import Matrix, Vector, as_expr, directional, is_zero, same, substitute
from polhode.formalisms.poincare import Poincare
from polhode.kinematics.motion import flow
from polhode.model.samples.random_system import random_system


def rate_of(equations: EquationsOfMotion, matrix: Matrix) -> Matrix:
    """The rate of a matrix along the motion, in the speeds of the equations."""
    moving = flow(equations.tree, equations.system.time)
    rates = dict(zip(moving, equations.in_independent_speeds(list(moving.values())), strict=True))
    entries = directional([as_expr(entry) for entry in matrix.entries()], rates)
    width = matrix.shape[1]
    return Matrix([entries[k : k + width] for k in range(0, len(entries), width)])


def is_skew_by(equations: EquationsOfMotion, C: Matrix) -> bool:
    M_dot = rate_of(equations, equations.mass_matrix)
    return same(M_dot.entries(), (C + C.T).entries())


def velocity_terms(equations: EquationsOfMotion) -> Vector:
    """What the bias has at these speeds and not at rest; without loads and drives that is C u."""
    return equations.bias - Vector(substitute(list(equations.bias), dict.fromkeys(equations.u, 0)))


@pytest.mark.parametrize("seed", seeds(10, of=60))
def test_on_random_trees_with_every_kind_of_joint(seed: int) -> None:
    equations = random_system(seed, bodies=(1, 6), loads=False, max_speeds=9).derive("newton_euler").record
    C = equations.coriolis_matrix
    assert same(C @ equations.u, velocity_terms(equations)) and is_skew_by(equations, C)


@pytest.mark.parametrize("seed", seeds(6, of=25))
def test_it_is_the_connection_of_levi_civita_with_the_brackets_of_poincares_equations(seed: int) -> None:
    system = random_system(seed, bodies=(1, 4), loads=False, max_speeds=6)
    equations = system.derive("newton_euler").record
    made = Poincare(system.model(), equations.tree)
    M, p, size = made.enlarged_mass_matrix, made.p, range(len(made.p))
    slopes = [  # v_i(M_jk)
        directional([as_expr(entry) for entry in M.entries()], field) for field in made.fields
    ]

    def slope(i: int, j: int, k: int) -> Any:
        return slopes[i][j * len(p) + k]

    brackets = {(j, k): Vector([as_expr(0)] * len(p)) for j in size for k in size}  # [v_j, v_k] in the fields
    for j, entries in enumerate(made.structure):
        for i, k, c in entries:
            row = list(brackets[j, k])
            row[i] = row[i] + c
            brackets[j, k] = Vector(row)
    lowered = {pair: M @ bracket for pair, bracket in brackets.items()}
    for k, row in enumerate(equations.coriolis_matrix):
        for j, entry in enumerate(row):
            a, b = made.real[k], made.real[j]
            koszul = sum(
                (slope(i, b, a) + slope(b, i, a) - slope(a, i, b)
                 + lowered[i, b][a] - lowered[b, a][i] + lowered[a, i][b]) * p[i]
                for i in size
            )  # fmt: skip
            assert is_zero(koszul - 2 * entry)


def sleigh() -> tuple[ph.System, Any]:
    """A body in a plane with an arm on it."""
    s = ph.System("sleigh", gravity=(0, 0, 0))
    m, a, J = (s.parameter(name) for name in ("m", "a", "J"))
    body = s.body("body", m, (a, 0, 0), inertia=(J, J, J))
    plane = s.joint("plane", s.ground, body, ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z")))
    arm = s.body("arm", 2, (0.3, 0.1, 0), inertia=(1, 1, 1))
    s.joint("elbow", body, arm, ph.Revolute("z"), at=(0.4, 0, 0), speeds=["r"])
    return s, plane


@pytest.mark.parametrize("how", ["embedded", "pseudo", "both"])
def test_on_independent_speeds_and_pseudo_velocities(how: str) -> None:
    s, plane = sleigh()
    (_, _, th), (vx, vy, w) = plane.q, plane.u
    forward, sideward = ph.cos(th) * vx + ph.sin(th) * vy, ph.cos(th) * vy - ph.sin(th) * vx
    if how != "pseudo":
        s.constrain_speed(sideward)
    chosen = {"forward": forward, "spin": w + forward * plane.q[0], "bend": s.joints["elbow"].u[0] - w}
    options = {
        "embedded": {"constraints": "embedded"},
        "pseudo": {"pseudo": {**chosen, "sideward": sideward}},
        "both": {"pseudo": chosen},
    }
    equations = s.derive("newton_euler", **options[how]).record
    C = equations.coriolis_matrix
    assert len(equations.u) == (4 if how == "pseudo" else 3) and same(C @ equations.u, velocity_terms(equations))
    assert is_skew_by(equations, C)


def table(is_driven: bool) -> EquationsOfMotion:
    """An arm on a turntable, its second joint following the first."""
    s = ph.System("table", gravity=(0, 0, 0))
    s.joint("base", s.ground, s.body("table", 1, (1, 0, 0), inertia=(1, 2, 2)), ph.Revolute((1, 2, 2)))
    s.joint("a", "table", s.body("link", 2, (0, 0, 1), inertia=(1, 1, 1)), ph.Revolute("y"), at=(1, 0, 0))
    s.joint("b", "link", s.body("end", 3, (0, 0.2, 1), inertia=(1, 2, 2.5)), ph.Revolute("y"), at=(0, 0, 1))
    s.joint("c", "end", s.body("tip", 1, (1, 0, 0)), ph.Spherical(), at=(0, 0, 1))
    s.couple("b", "a", multiplier=s.parameter("n"))
    if is_driven:
        s.prescribe("base", s.time**2 / 3)
    return s.derive("newton_euler").record


def test_on_a_base_that_moves_in_time_it_is_that_of_the_free_base_at_this_motion() -> None:
    driven, free = table(is_driven=True), table(is_driven=False)
    C, t = driven.coriolis_matrix, driven.system.time
    assert is_skew_by(driven, C) and is_skew_by(free, free.coriolis_matrix)
    there = {free.q[0]: t**2 / 3, free.u[0]: 2 * t / 3}
    rest = [as_expr(entry) for row in free.coriolis_matrix[1:] for entry in row[1:]]
    assert same(substitute(rest, there), C.entries())


def test_the_printed_form_corrected_gives_the_same_forces_but_is_skew_along_the_motion_alone() -> None:
    s, _ = sleigh()
    s.joint("ball", "arm", s.body("ball", 1, (0, 0, 1), inertia=(1, 2, 2)), ph.Spherical("angles"), at=(1, 0, 0))
    equations = s.derive("poincare").record
    theirs, ours = Poincare(s.model(), equations.tree).velocity_matrix(), equations.coriolis_matrix
    assert same(theirs @ equations.u, ours @ equations.u) and not is_skew_by(equations, theirs)
    assert is_skew_by(equations, ours)
