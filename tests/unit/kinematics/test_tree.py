"""The tree of links."""

import polhode as ph


def test_quaternions_begin_at_their_real_parts() -> None:
    s = ph.System()
    arm, ball, free = (s.body(name, 1, inertia=(1, 1, 1)) for name in ("arm", "ball", "free"))
    s.joint("a", s.ground, arm, ph.Revolute("z"))
    s.joint("b", arm, ball, ph.Spherical())
    s.joint("c", s.ground, free, ph.Free())
    tree = s.derive().tree
    assert [tree.q[k].name for k in tree.quaternions] == ["b_e0", "c_e0"]
