"""Angles counted from the ground: a body without mass that turns back by what its parent has turned."""

from __future__ import annotations

from fractions import Fraction

import polhode as ph


def chain(absolute: bool) -> ph.System:
    s = ph.System("chain")
    s.body("upper", 2, (0, 0, "-0.5"), ph.rod(2, 1))
    s.body("lower", 3, (0, 0, "-0.7"), ph.rod(3, Fraction(7, 5)))
    s.joint("a", s.ground, "upper", ph.Revolute("y"))
    if not absolute:
        s.joint("b", "upper", "lower", ph.Revolute("y"), at=(0, 0, -1))
        return s
    s.joint("back", "upper", s.body("level"), ph.Revolute("y"), at=(0, 0, -1))
    s.couple("back", "a", multiplier=-1)
    s.joint("b", "level", "lower", ph.Revolute("y"))
    return s


def test_absolute_angles_give_the_relative_ones_equations_in_other_coordinates() -> None:
    mine, usual = chain(True).derive(), chain(False).derive()
    one, two = mine.compile(), usual.compile()
    udot = one.forward_dynamics([0.3, 1.1], [0.4, -0.2], [0.5, 0.7])
    # q_b = θ_b - θ_a; the efforts on absolute angles are τ_a - τ_b and τ_b of the relative ones
    back = two.forward_dynamics([0.3, 1.1 - 0.3], [0.4, -0.2 - 0.4], [0.5 + 0.7, 0.7])
    assert abs(udot[0] - back[0]) < 1e-12 and abs(udot[1] - (back[0] + back[1])) < 1e-12
    assert mine.coordinates == ["a", "b"] and "a - b" in repr(ph.normal(mine.mass_matrix)).replace("b - a", "a - b")
