"""The short articulated bodies give the book's accelerations, and tell how they came to them."""

import pytest
from tests.seeds import seeds

from polhode.expr import as_expr, same
from polhode.formalisms import articulated_body as book
from polhode.formalisms.short import articulated_body as short
from polhode.formalisms.short.articulated_body import ArticulatedInertia, articulated
from polhode.geometry import Inertia
from polhode.kinematics.passes import VARIANTS, apply
from polhode.kinematics.tree import Tree, build_tree
from polhode.model.samples.random_system import random_system


def accelerations(module: object, tree: Tree) -> list[object]:
    wrenches = [link.H[0] if link.H else (tree.gravity, tree.gravity) for link in tree.links]
    return [*map(as_expr, module.forward_dynamics(tree, tree.u, tree.tau, wrenches, tree.gravity))]  # type: ignore[attr-defined]


@pytest.mark.parametrize("passes", [(), *VARIANTS], ids=lambda names: "+".join(names) or "none")
@pytest.mark.parametrize("seed", seeds(2, of=6))
def test_short_articulated_bodies_are_the_books_on_any_tree(seed: int, passes: tuple[str, ...]) -> None:
    tree = apply(build_tree(random_system(seed, max_speeds=6).model()), passes)
    assert same(accelerations(short, tree), accelerations(book, tree))


def test_what_is_told_on_the_way_is_what_the_accelerations_are_made_of() -> None:
    tree = build_tree(random_system(3, bodies=3, max_speeds=6, loads=False).model())
    free = [(tree.gravity * 0, tree.gravity * 0) for _ in tree.links]
    found = articulated(tree, tree.u, tree.tau, free, tree.gravity)
    assert {each.speed for own in found.speeds for each in own} == {*range(len(tree.u))}
    for link, own, (alpha, a) in zip(tree.links, found.speeds, found.added, strict=True):
        for each in own:
            (hw, hv), (n, f) = each.H, each.share
            assert same([as_expr(hw.dot(n) + hv.dot(f))], [as_expr(1)]), "a unit effort is felt as such"
        assert len(own) == len(link.speeds) and len(alpha) == len(a) == 3


def test_an_inertia_is_shifted_as_the_matrix_of_moments_is() -> None:
    tree = build_tree(random_system(5, bodies=2, max_speeds=6).model())
    link = tree.links[-1]
    turned = ArticulatedInertia.of(link.inertia).turned(link.X.R).about(link.X.p)
    expected = ArticulatedInertia.of(Inertia.seen_from(link.inertia, link.X))
    for ours, theirs in ((turned.A, expected.A), (turned.B, expected.B), (turned.C, expected.C)):
        assert same([*map(as_expr, ours.entries())], [*map(as_expr, theirs.entries())])
