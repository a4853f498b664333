"""The short recursion gives the book's efforts; the motion to measure accelerations from is free, and short."""

from __future__ import annotations

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import as_expr, is_zero, same
from polhode.expr.spelling import acceleration_of
from polhode.formalisms import newton_euler as book
from polhode.formalisms.short import newton_euler as short
from polhode.formalisms.short.newton_euler import accelerate
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


def test_every_turn_of_the_reference_makes_an_entry_of_w_vanish_and_a_floating_base_stands() -> None:
    system = ph.System("swimmer", gravity=(0, 0, -9.81))
    on = system.body("trunk", mass=1, com=(1, 2, 3), inertia=[1, 2, 3])
    system.joint("base", system.ground, on, ph.Free())
    for k, axis in enumerate("xyz"):
        link = system.body(f"link {k}", mass=1, com=(1, 2, 3), inertia=[1, 2, 3])
        system.joint(f"joint {k}", on, link, ph.Revolute(axis), at=(1, 2, 3))
        on = link
    tree = build_tree(system)
    motion = accelerate(tree, tree.u, None, tree.gravity)
    zeros = [sum(is_zero(entry) for entry in W.entries()) for W in motion.W]
    assert zeros[0] == 3 and all(zeros[1:])
    assert not any(motion.a[0])
