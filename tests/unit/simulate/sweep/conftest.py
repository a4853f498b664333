"""A pendulum whose length, mass and start can be varied."""

import pytest

import polhode as ph


@pytest.fixture(scope="session")
def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    l, m = s.parameter("l", 1), s.parameter("m", 1)
    s.joint("hinge", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    s.joint_force("hinge", s.input("F"))
    s.pose("aside", {"hinge": 0.4})
    return s.derive()
