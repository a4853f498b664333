"""Motions of the whole."""

from __future__ import annotations

import polhode as ph
from polhode.expr import is_zero
from polhode.symmetry.invariant_motions import whole_motions


def named(s: ph.System) -> list[str]:
    return [name for name, _ in whole_motions(s.derive().tree)]


def test_a_free_body_can_move_in_all_six_ways() -> None:
    s = ph.System("free")
    s.joint("fly", s.ground, s.body("bus", 1, inertia=(1, 1, 1)), ph.Free())
    assert len(named(s)) == 6


def test_slides_and_a_hinge_turn_about_an_axis_of_the_ground() -> None:
    s = ph.System("puck")
    kind = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    joint = s.joint("glide", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), kind, coordinates=["x", "y", "a"])
    found = dict(whole_motions(s.derive().tree))
    assert [*found] == [f"shift of the whole along {axis}" for axis in "xy"] + ["turn of the whole about z"]
    x, y, _ = joint.q
    turn = found["turn of the whole about z"]
    assert is_zero(turn[0] + y)
    assert is_zero(turn[1] - x)
    assert is_zero(turn[2] - 1)


def test_a_hinge_lets_nothing_turn_about_another_axis() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, 2))
    assert named(s) == ["turn of the whole about y"]


def test_two_bodies_on_the_ground_move_together_or_not_at_all() -> None:
    s = ph.System("pair")
    s.joint("a", s.ground, s.body("first", 1), ph.Prismatic("x"))
    s.joint("b", s.ground, s.body("second", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("y")))
    assert named(s) == ["shift of the whole along x"]
