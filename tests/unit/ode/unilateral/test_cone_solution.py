"""Forces in friction cones: laws of contact hold, closed forms come out, plain Python gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.judges.cones import PinocchioCones, bodies_in_contact, plain_records, random_contacts

from polhode.native.arrays import Floats
from polhode.ode.unilateral.cone_problem import OPEN, SLIPPING, STICKING
from polhode.ode.unilateral.cone_solution import solve_cones
from polhode.ode.unilateral.forces import ConeMemory


def _cross(a: Floats) -> Floats:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _bodies(rng: np.random.Generator, bodies: int, contacts: int) -> tuple[Floats, Floats]:
    """G and b of points of free bodies on the ground and on each other."""
    pairs = ((int(rng.integers(bodies)), int(rng.integers(-1, bodies))) for _ in range(contacts))
    masses = (10 ** rng.uniform(-1, 1) for _ in range(bodies))
    matrix, rows = bodies_in_contact(masses, pairs, lambda: rng.normal(size=3) * (rng.random() < 0.5), rng)
    free = rng.normal(size=6 * bodies) * 2
    free[2::6] -= 9.81
    return matrix, rows @ free


def _solved(
    groups: list[tuple[int, int]], matrix: Any, free: Any, friction: Any, start: Floats | None = None
) -> ConeMemory:
    memory = ConeMemory(groups)
    memory.matrix[:], memory.free[:], memory.friction[:] = matrix, free, friction
    if start is not None:
        memory.force[:] = start
    assert memory.solve()
    return memory


def _check_laws(memory: ConeMemory, matrix: Floats, free: Floats) -> None:
    """Signorini, Coulomb and maximum dissipation, relative to the loads."""
    force, velocity = memory.force, matrix @ memory.force + free
    scale, load = np.abs(free).max(), np.abs(force).max() + 1e-300
    row = 0
    for (normal, tangents), mu in zip(memory.groups, memory.friction, strict=True):
        radius = mu
        if normal:
            assert force[row] >= 0
            assert velocity[row] >= -1e-9 * scale
            assert force[row] * velocity[row] <= 1e-9 * scale * load
            radius = mu * force[row]
            row += 1
        tangent = slice(row, row + tangents)
        slip = np.linalg.norm(velocity[tangent])
        assert np.linalg.norm(force[tangent]) <= radius + 1e-10 * load
        assert force[tangent] @ velocity[tangent] + radius * slip <= 1e-9 * scale * load
        row += tangents


def test_random_bodies_on_each_other_obey_the_laws() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        bodies, contacts = int(rng.integers(1, 5)), int(rng.integers(1, 9))
        matrix, free = _bodies(rng, bodies, contacts)
        memory = ConeMemory([(1, 2)] * contacts)
        memory.matrix[:], memory.free[:], memory.friction[:] = matrix, free, rng.uniform(0, 1.2, contacts)
        assert memory.solve() or not _has_solution_surely(matrix, free)
        if memory.record.residual <= 1e-12:
            _check_laws(memory, matrix, free)


def _has_solution_surely(matrix: Floats, free: Floats) -> bool:
    """True where some motion leaves every contact open, which is enough for a solution to exist."""
    from scipy.optimize import linprog

    values, vectors = np.linalg.eigh(matrix)
    basis = (vectors * np.sqrt(np.maximum(values, 0)))[0::3]
    found = linprog(np.zeros(basis.shape[1]), A_ub=-basis, b_ub=free[0::3] - 1e-6, bounds=(None, None))
    return bool(found.status == 0)


def test_a_mass_on_a_plane_sticks_slips_or_leaves() -> None:
    mass, weight = 2.0, 20.0
    groups, matrix = [(1, 2)], np.eye(3) / mass
    sticks = _solved(groups, matrix, [-weight / mass, 3.0 / mass, 4.0 / mass], [0.3])
    assert sticks.modes[0] == STICKING
    assert sticks.force == pytest.approx([weight, -3.0, -4.0])
    slips = _solved(groups, matrix, [-weight / mass, 6.0 / mass, 8.0 / mass], [0.3])
    assert slips.modes[0] == SLIPPING
    assert slips.force == pytest.approx([weight, -0.6 * 6.0, -0.8 * 6.0])
    leaves = _solved(groups, matrix, [1.0, 6.0, 8.0], [0.3])
    assert leaves.modes[0] == OPEN
    assert not leaves.force.any()


def test_dry_friction_without_a_normal_row_has_a_bound() -> None:
    """Two sliders on one another, and one on the ground, pulled: bounds 2 and 3."""
    matrix = np.array([[2.0, -1.0], [-1.0, 1.0]])  # of unit masses: relative, and of the lower one
    both = _solved([(0, 1), (0, 1)], matrix, [4.5, 0.0], [2.0, 3.0])
    assert both.modes.tolist() == [SLIPPING, STICKING]
    assert both.force == pytest.approx([-2.0, -2.0])
    assert both.velocity == pytest.approx([2.5, 0.0])


def test_stops_without_friction_are_a_linear_complementarity_problem() -> None:
    """Newton's cradle, three balls, the first moving: G and b in relative velocities."""
    matrix, free = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([-1.0, 0.0])
    memory = _solved([(1, 0), (1, 0)], matrix, free, [0.0, 0.0])
    assert memory.force == pytest.approx([2 / 3, 1 / 3])


def test_a_pushed_tripod_is_no_convex_relaxation() -> None:
    """All three feet slip, and the motion keeps them on the ground."""
    rng = np.random.default_rng(1)
    feet = np.array([[1.0, 0, -0.5], [-0.5, 0.8, -0.5], [-0.5, -0.8, -0.5]])
    rows = np.vstack([np.hstack([np.eye(3)[[2, 0, 1]], (-_cross(foot))[[2, 0, 1]]]) for foot in feet])
    inverse = np.diag([1, 1, 1, 2, 2, 1.5])
    free = rows @ np.array([6.0, 1.0, -9.81, 0, 0, 1.0])
    memory = _solved([(1, 2)] * 3, rows @ inverse @ rows.T, free, [0.3] * 3, rng.uniform(0, 1, 9))
    assert memory.modes.tolist() == [SLIPPING] * 3
    assert memory.velocity[0::3] == pytest.approx(0, abs=1e-11)
    _check_laws(memory, rows @ inverse @ rows.T, free)


def test_forces_that_are_not_unique_give_one_motion() -> None:
    """A box on four corners: twelve rows, rank six."""
    corners = np.array([[x, y, -0.3] for x in (-0.5, 0.5) for y in (-0.4, 0.4)])
    rows = np.vstack([np.hstack([np.eye(3)[[2, 0, 1]], (-_cross(corner))[[2, 0, 1]]]) for corner in corners])
    matrix = rows @ np.diag([1, 1, 1, 3, 3, 2.0]) @ rows.T
    for push in (1.0, 8.0):
        free = rows @ np.array([push, 0, -9.81, 0, 0, 0])
        velocities = [
            _solved([(1, 2)] * 4, matrix, free, [0.5] * 4, start).velocity
            for start in (np.zeros(12), np.ones(12), np.arange(12.0))
        ]
        assert velocities[1] == pytest.approx(velocities[0], abs=1e-10)
        assert velocities[2] == pytest.approx(velocities[0], abs=1e-10)
        assert np.abs(velocities[0]).max() == pytest.approx(max(0.0, push - 0.5 * 9.81), abs=1e-9)


def test_plain_python_gives_the_same() -> None:
    rng = np.random.default_rng(3)
    matrix, free = _bodies(rng, 2, 4)
    native = _solved([(1, 2)] * 4, matrix, free, [0.4] * 4)
    memory = ConeMemory([(1, 2)] * 4)
    memory.matrix[:], memory.free[:], memory.friction[:] = matrix, free, 0.4
    problem, linear = plain_records(memory)
    assert solve_cones(problem, linear) == 0
    assert problem.force[:12] == pytest.approx(native.force, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("bodies", [1, 2, 5, 10])
def test_thirty_contacts_are_solved_from_zero_in_few_steps(bodies: int) -> None:
    """Many contacts on few bodies, whose forces are not unique: one row of steps by splitting, and Newton's."""
    rng = np.random.default_rng(bodies)
    for _ in range(8):
        matrix, free = random_contacts(rng, bodies, 30)
        memory = _solved([(1, 2)] * 30, matrix, free[0], [0.5] * 30)
        assert memory.record.steps <= 80 and memory.record.splittings <= 20
        _check_laws(memory, matrix, free[0])


@pytest.mark.parametrize(("contacts", "bodies"), [(3, 3), (6, 3), (30, 10)])
def test_pinocchio_has_the_same_motion(contacts: int, bodies: int) -> None:
    pytest.importorskip("pinocchio")
    rng = np.random.default_rng(contacts)
    for _ in range(4):
        matrix, (free, _) = random_contacts(rng, bodies, contacts)
        theirs = PinocchioCones(matrix, 0.5, 1e-10)
        ours = _solved([(1, 2)] * contacts, matrix, free, [0.5] * contacts).velocity[theirs.order]
        assert theirs.velocities(free[theirs.order]) == pytest.approx(ours, abs=1e-7 * np.abs(free).max())


@pytest.mark.parametrize(("contacts", "bodies"), [(4, 2), (12, 6)])
def test_clarabel_has_the_same_motion(contacts: int, bodies: int) -> None:
    """Convex problems in the cones, whose normal velocities are shifted by μ|w_T| until that is a fixed point."""
    clarabel = pytest.importorskip("clarabel")
    from scipy.sparse import csc_matrix

    rng, mu, n = np.random.default_rng(contacts), 0.5, 3 * contacts
    options = clarabel.DefaultSettings()
    options.verbose, options.tol_gap_abs, options.tol_gap_rel, options.tol_feas = False, 1e-10, 1e-10, 1e-10
    scaled = csc_matrix(-np.diag(np.tile([mu, 1.0, 1.0], contacts)))
    cones = [clarabel.SecondOrderConeT(3)] * contacts
    for _ in range(4):
        matrix, (free, _) = random_contacts(rng, bodies, contacts)
        upper, velocity = csc_matrix(np.triu(matrix)), free
        for _ in range(60):
            shifted = free.copy()
            shifted[0::3] += mu * np.hypot(velocity[1::3], velocity[2::3])
            made = clarabel.DefaultSolver(upper, shifted, scaled, np.zeros(n), cones, options).solve()
            before, velocity = velocity, matrix @ np.array(made.x) + free
            if np.abs(velocity - before).max() < 1e-9:
                break
        ours = _solved([(1, 2)] * contacts, matrix, free, [mu] * contacts).velocity
        assert velocity == pytest.approx(ours, abs=1e-5 * np.abs(free).max())
