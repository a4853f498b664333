"""The wrenches with which constraints act on bodies come to Aᵀλ on the speeds."""

import pytest
from tests.random_constraints import random_constrained_system
from tests.seeds import seeds

from polhode.constraints import constraints_of
from polhode.constraints.wrenches import constraint_wrenches
from polhode.expr import as_expr, same
from polhode.kinematics.motion import link_jacobian
from polhode.kinematics.tree import build_tree


@pytest.mark.parametrize("seed", seeds(8, of=100))
def test_wrenches_and_efforts_of_constraints_are_the_multiplied_rows(seed: int) -> None:
    system = random_constrained_system(seed)
    tree = build_tree(system)
    constraints = constraints_of(system, tree)
    wrenches, efforts = constraint_wrenches(system, constraints, constraints.multipliers)
    for place, (n, f) in enumerate(wrenches):
        for speed, w, v in link_jacobian(tree, place):
            efforts[speed] = as_expr(efforts[speed] + w.dot(n) + v.dot(f))
    assert same(efforts, constraints.A.T @ constraints.multipliers)
