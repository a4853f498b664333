"""The short composite bodies give the book's mass matrix, and both orders of elimination its accelerations."""

import pytest
from tests.seeds import seeds

from polhode.dynamics.equations import solve
from polhode.expr import as_expr, same
from polhode.formalisms import composite_body as book
from polhode.formalisms.short import composite_body as short
from polhode.kinematics.passes import VARIANTS, apply
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("passes", [(), *VARIANTS], ids=lambda names: "+".join(names) or "none")
@pytest.mark.parametrize("seed", seeds(2, of=6))
def test_short_composite_bodies_are_the_books(seed: int, passes: tuple[str, ...]) -> None:
    model = random_system(seed, max_speeds=6).model()
    tree = build_tree(model)
    judge, rewritten = book.recipe(model, tree), apply(tree, passes)
    ours = [make(model, rewritten) for make in (short.recipe, short.recipe_by_sparsity)]
    M, udot = [*map(as_expr, judge.mass_matrix().entries())], [*map(as_expr, solve(tree, judge))]
    for made in ours:
        assert same([*map(as_expr, made.mass_matrix().entries())], M)
        assert same([*map(as_expr, solve(rewritten, made))], udot)
