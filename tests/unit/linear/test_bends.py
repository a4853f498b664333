"""Laws that bend or jump at the state that small motions are about."""

from __future__ import annotations

import polhode as ph


def inverted(friction: bool) -> ph.Equations:
    s = ph.System("inverted pendulum", gravity=(0, 0, -10))
    a = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, 1)), ph.Revolute("y"))
    if friction:
        s.joint_force(a, -2 * ph.sign(a.u[0]))
    return s.derive()


def test_dry_friction_at_rest_leaves_stability_unknown() -> None:
    assert inverted(friction=False).equilibrium().stability == "unstable"
    assert inverted(friction=True).equilibrium().stability == "unknown"


def test_small_motions_tell_that_a_law_jumps_at_their_state() -> None:
    assert not inverted(friction=False).linearize().notices
    assert "sign(a') bends or jumps at this state" in inverted(friction=True).linearize().notices[0]
    assert not inverted(friction=True).linearize({"a'": 1.0, "a": ph.pi}).notices[1:]
