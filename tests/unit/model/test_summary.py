"""A model at a glance."""

from __future__ import annotations

import polhode as ph
from polhode.model.summary import cell_of, counted


def test_a_system_says_what_it_is_made_of() -> None:
    s = ph.System("cart")
    assert repr(s) == "System('cart': nothing yet)"
    m = s.parameter("m", 2, "kg")
    s.input("push", 0, "N")
    s.state("charge", rate=1, start=3)
    slide = s.joint("slide", s.ground, s.body("block", m, (0, 0, "0.25")), "prismatic")
    s.joint_spring(slide, 5)
    s.pose("begin", {"slide": 1})
    assert repr(s) == "System('cart': 1 body, 1 joint, 1 force)"
    text = cell_of(s.model()).text()
    for told in (
        "block  m     (0, 0, 0.25)",
        "m          2      kg",
        "joint spring on 'slide'",
        "poses: begin",
        "gravity",
    ):
        assert told in text
    assert counted(s.model()) in repr(s.model())


def test_a_value_that_is_not_given_is_asked_for() -> None:
    s = ph.System()
    s.parameter("m")
    assert "m          ?" in cell_of(s.model()).text()
