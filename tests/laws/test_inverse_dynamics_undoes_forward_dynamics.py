"""τ(q, u, u̇(q, u, τ)) = τ and u̇(q, u, τ(q, u, u̇)) = u̇, exactly."""

import pytest
from tests.seeds import seeds

from polhode.expr import same, substitute
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_the_efforts_of_the_accelerations_of_efforts_are_those_efforts(seed: int, formalism: str) -> None:
    made = random_system(seed, max_speeds=8).derive(formalism)
    back = substitute(made.inverse_dynamics, dict(zip(made.udot, made.forward_dynamics, strict=True)))
    assert same(back, made.tau)


@pytest.mark.parametrize("formalism", ["poincare", "composite_body", "articulated_body"])
@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_the_accelerations_of_the_efforts_of_accelerations_are_those_accelerations(seed: int, formalism: str) -> None:
    made = random_system(seed, max_speeds=8).derive(formalism)
    back = substitute(made.forward_dynamics, dict(zip(made.tau, made.inverse_dynamics, strict=True)))
    assert same(back, made.udot)


@pytest.mark.parametrize("seed", seeds(5, of=20))
def test_efforts_are_mass_times_acceleration_and_bias(seed: int) -> None:
    made = random_system(seed, max_speeds=8).derive("newton_euler")
    assert same(made.inverse_dynamics, made.mass_matrix @ made.udot + made.bias)
    assert same(made.forcing, made.tau - made.bias)
