"""By which names a state is given."""

from __future__ import annotations

import polhode as ph
from polhode.linear.state_names import state_names


def test_a_speed_and_an_effort_have_several_names() -> None:
    s = ph.System("cart")
    x = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(x, s.input("F"))
    names = state_names(s.derive().record)
    assert names["v"] is names["d(v)"] and names["tau_v"] is names["tau(v)"] and {"x", "F"} <= {*names}
