from __future__ import annotations

import polhode as ph


def test_a_small_angle_that_grows_is_told_and_a_length_is_not() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), small=True)
    s.joint("swing", "block", s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), small=True)
    made = s.derive()
    run = {"method": "rk4", "step": 0.05}
    assert made.simulate(0.1, start={"swing": 0.1, "x": 3}, **run).notices == ()
    (notice,) = made.simulate(0.1, start={"swing": 0.9}, **run).notices
    assert notice.startswith("'swing' is small in these equations, and gets to 0.9 rad")
    assert s.derive(small=[]).simulate(0.1, start={"swing": 0.9}, **run).notices == ()
