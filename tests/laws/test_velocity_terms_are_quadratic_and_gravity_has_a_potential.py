"""Bias without loads is quadratic in u; at rest it is Γᵀ ∂V/∂q; uᵀ(Ṁ - 2C) u = 0."""

import pytest
from tests.seeds import seeds

from polhode.expr import Vector, as_expr, directional, gradient, same, substitute
from polhode.formalisms.poincare import Poincare
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler"])
@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_tripled_speeds_make_ninefold_velocity_terms(seed: int, formalism: str) -> None:
    made = random_system(seed, loads=False, max_speeds=8).derive(formalism)
    at_rest = Vector(substitute(made.bias, dict.fromkeys(made.u, 0)))
    tripled = Vector(substitute(made.bias, {u: 3 * u for u in made.u}))
    assert same(tripled - at_rest, (made.bias - at_rest) * 9)


@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_what_holds_a_mechanism_at_rest_is_the_slope_of_its_potential(seed: int) -> None:
    made = random_system(seed, loads=False, max_speeds=8).derive("newton_euler")
    at_rest = substitute(made.bias, dict.fromkeys(made.u, 0))
    slope = Vector(gradient(made.potential_energy, list(made.q)))
    assert same(at_rest, [as_expr(column.dot(slope)) for column in made.kinematic_matrix.columns])


@pytest.mark.parametrize("seed", seeds(5, of=25))
def test_the_velocity_matrix_does_no_work_beyond_the_change_of_mass(seed: int) -> None:
    system = random_system(seed, bodies=(1, 6), loads=False, max_speeds=7)
    tree = build_tree(system)
    made = Poincare(system, tree)
    twice_T = as_expr(tree.u.dot(made.mass_matrix() @ tree.u))
    (rate,) = directional([twice_T], dict(zip(tree.q, tree.coordinate_rates(), strict=True)))
    assert rate == 2 * tree.u.dot(made.velocity_matrix() @ tree.u)
