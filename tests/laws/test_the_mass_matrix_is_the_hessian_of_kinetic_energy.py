"""M = Mᵀ = ∂²T/∂u² = Σ Jᵀ I J, positive definite; T = ½ uᵀ M u."""

import numpy as np
import pytest
from tests.seeds import seeds

from polhode.expr import Matrix, evaluate, gradient, jacobian, same
from polhode.model.samples.random_system import random_state, random_system


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_the_mass_matrix_is_the_second_derivative_of_kinetic_energy(seed: int) -> None:
    made = random_system(seed, max_speeds=10).derive("newton_euler")
    hessian = jacobian(gradient(made.kinetic_energy, made.u), made.u)
    assert same(made.mass_matrix.entries(), hessian.entries())
    assert same(made.mass_matrix.entries(), made.mass_matrix.T.entries())


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_kinetic_energy_is_half_the_square_of_speeds_in_the_mass_matrix(seed: int) -> None:
    made = random_system(seed, max_speeds=10).derive("composite_body")
    assert 2 * made.kinetic_energy == made.u.dot(made.mass_matrix @ made.u)


@pytest.mark.parametrize("seed", seeds(4, of=15))
def test_the_mass_matrix_sums_the_bodies_seen_through_their_jacobians(seed: int) -> None:
    system = random_system(seed, max_speeds=8)
    made = system.derive("composite_body")
    size = len(made.u)
    total = Matrix.zeros(size, size)
    for name, body in system.bodies.items():
        if body.mass:
            J, R = made.jacobian(name), made.pose(name).R
            J_w = J[:3, :]
            to_com = R @ body.com
            J_c = Matrix.columns_of([J[3:, :].columns[k] + J_w.columns[k].cross(to_com) for k in range(size)], 3)
            total = total + J_c.T @ J_c * body.mass + J_w.T @ (R @ body.inertia @ R.T) @ J_w
    assert same(made.mass_matrix.entries(), total.entries())


@pytest.mark.parametrize("seed", seeds(8, of=60))
def test_the_mass_matrix_is_positive_definite(seed: int) -> None:
    system = random_system(seed, max_speeds=16)
    made = system.derive("composite_body")
    values = random_state(system, seed + 1000)
    M = np.array([evaluate(row, values) for row in made.mass_matrix]).reshape(len(made.u), len(made.u))
    np.testing.assert_array_equal(M, M.T)
    assert not len(M) or np.linalg.eigvalsh(M)[0] > 0
