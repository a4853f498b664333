"""The short recursion gives the book's efforts; the motion to measure accelerations from is free, and short."""

import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import Vector, as_expr, is_zero, same, symbols
from polhode.expr.spelling import acceleration_of
from polhode.formalisms import newton_euler as book
from polhode.formalisms.short import newton_euler as short
from polhode.formalisms.short.newton_euler import accelerate, field_from_column
from polhode.geometry import about
from polhode.geometry.inertia import acceleration_matrix
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


@pytest.mark.parametrize("wanted", [set(), {0, 1, 2}], ids=["alpha is not wanted", "alpha is wanted"])
@pytest.mark.parametrize("weights", [(1, 2, 3), (3, 2, 1)])
@pytest.mark.parametrize("k", range(3))
def test_the_column_along_the_axis_gives_the_whole_field(k: int, weights: tuple[int, ...], wanted: set[int]) -> None:
    w_parent, alpha_parent = Vector(symbols("wx wy wz")), Vector(symbols("ax ay az"))
    angle, rate, rate_of_rate = symbols("q u v")
    axis = Vector([int(i == k) for i in range(3)])
    R = about(axis, angle)
    nu = axis * rate
    w_in = R.T @ w_parent
    w, alpha = w_in + nu, R.T @ alpha_parent + axis * rate_of_rate + w_in.cross(nu)
    column = R.T @ (acceleration_matrix(w_parent, alpha_parent) @ axis)
    W, found = field_from_column(k, w, column, alpha[k], weights, wanted)
    assert list(W.entries()) == list(acceleration_matrix(w, alpha).entries())
    assert list(found) == list(alpha)
