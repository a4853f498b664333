"""The short recursion gives the book's efforts."""

import pytest
from tests.seeds import seeds

from polhode.expr import as_expr, same
from polhode.expr.spelling import acceleration_of
from polhode.formalisms import newton_euler as book
from polhode.formalisms.short import newton_euler as short
from polhode.kinematics.passes import VARIANTS, apply
from polhode.kinematics.tree import build_tree
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("passes", [(), *VARIANTS], ids=lambda names: "+".join(names) or "none")
@pytest.mark.parametrize("seed", seeds(3, of=10))
def test_the_short_recursion_is_the_books_on_any_tree(seed: int, passes: tuple[str, ...]) -> None:
    tree = apply(build_tree(random_system(seed).model()), passes)
    ud = [acceleration_of(u) for u in tree.u]
    wrenches = [link.H[0] if link.H else (tree.gravity, tree.gravity) for link in tree.links]
    ours, theirs = (each.inverse_dynamics(tree, tree.u, ud, wrenches, tree.gravity) for each in (short, book))
    assert same([*map(as_expr, ours)], [*map(as_expr, theirs)])
