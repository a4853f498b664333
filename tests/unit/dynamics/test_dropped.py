from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import substitute


def test_what_is_dropped_is_the_second_order_and_what_is_beyond() -> None:
    s = ph.System("cart")
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("swing", "cart", s.body("bob", 2, (0, 0, -1)), ph.Revolute("y"))
    made = s.derive(small=["swing"])
    lost = {part.name: part for part in made.dropped}
    assert set(lost) == {"x", "swing"}
    assert lost["x"].second == 0  # cos(swing) swing'' - sin(swing) swing'² loses terms of third order
    assert str(lost["x"]) == "equation of 'x': higher orders"
    assert lost["swing"].has_more
    swing, push = made.q[1], made.udot[0]
    assert lost["swing"].second == swing**2 * push
    assert not s.derive(small=["swing", "x"]).dropped["swing"].products  # the push is small then, and all of it beyond
    with pytest.raises(PolhodeError, match="there is no equation that lost anything 'z'"):
        made.dropped["z"]


def test_products_of_small_variables_are_listed() -> None:
    s = ph.System("whirl", gravity=(0, 0, 0))
    s.joint("turn", s.ground, s.body("arm"), ph.Revolute("z"))
    s.joint("slide", "arm", s.body("bead", 2), ph.Prismatic("x"))
    made = s.derive(small=["slide"])
    (part,) = made.dropped
    slide, speed = made.q[1], made.u[1]
    assert part.products == ((slide, slide), (slide, speed))
    assert not part.has_more
    gap = s.derive().inverse_dynamics[0] - made.inverse_dynamics[0]
    assert part.second == gap
    assert substitute([part.second], {slide: 0})[0] == 0


def test_whole_equations_dropped_nothing() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    assert str(s.derive().dropped) == "nothing was dropped."
    assert len(s.derive(small=["x"]).dropped) == 0
