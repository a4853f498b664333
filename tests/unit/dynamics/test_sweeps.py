"""The reference motion of a sweep is short; the acceleration matrix follows from one of its columns."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.dynamics.sweeps import accelerate, field_from_column
from polhode.expr import Vector, is_zero, symbols
from polhode.geometry import about
from polhode.geometry.inertia import acceleration_matrix
from polhode.kinematics.tree import build_tree


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


@pytest.mark.parametrize("used", [set(), {0, 1, 2}], ids=["alpha is not used", "alpha is used"])
@pytest.mark.parametrize("weights", [(1, 2, 3), (3, 2, 1)])
@pytest.mark.parametrize("k", range(3))
def test_the_column_along_the_axis_gives_the_whole_field(k: int, weights: tuple[int, ...], used: set[int]) -> None:
    w_parent, alpha_parent = Vector(symbols("wx wy wz")), Vector(symbols("ax ay az"))
    angle, rate, rate_of_rate = symbols("q u v")
    axis = Vector([int(i == k) for i in range(3)])
    R = about(axis, angle)
    nu = axis * rate
    w_in = R.T @ w_parent
    w, alpha = w_in + nu, R.T @ alpha_parent + axis * rate_of_rate + w_in.cross(nu)
    column = R.T @ (acceleration_matrix(w_parent, alpha_parent) @ axis)
    W, found = field_from_column(k, w, column, alpha[k], weights, used)
    assert list(W.entries()) == list(acceleration_matrix(w, alpha).entries()) and list(found) == list(alpha)
