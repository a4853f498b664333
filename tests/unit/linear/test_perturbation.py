"""Small motions without what nothing depends on."""

from __future__ import annotations

import polhode as ph


def test_the_angle_of_a_turntable_is_left_out() -> None:
    s = ph.System("cart on a turntable", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("table", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("x", "table", s.body("slide", 1), ph.Prismatic("x"))
    hinge = s.joint("b", "slide", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -hinge.u[0])
    at = s.derive().equilibrium()
    assert at.steady.states == ["b", "a'", "x'", "b'"]  # at rest nothing depends on x either
    assert len(at.eigenvalues) == 4
    spun = s.derive().equilibrium(given={"a'": 1})
    assert spun.steady.states == ["x", "b", "a'", "x'", "b'"]
