"""Orbits over a parameter: a fold of cycles, a period doubling, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph


def test_two_orbits_meet_in_a_fold_and_the_small_one_shrinks_to_the_equilibrium() -> None:
    s = ph.System("subcritical", gravity=(0, 0, 0))
    mu = s.parameter("mu", -0.1)
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    square = x.q[0] ** 2 + x.u[0] ** 2
    s.joint_force(x, (mu + square - square**2) * x.u[0] - x.q[0])  # r' ~ r (mu + r² - r⁴): circles of radius r
    e = s.derive()
    branch = e.orbit_branch("mu", (-0.3, 0.02), e.periodic_orbit(6.2, start={"x": 0.95}), step=0.08)
    (fold,) = branch.special
    assert (fold.kind, fold.value) == ("fold", pytest.approx(-0.25, abs=1e-8))
    square = np.array([orbit["x"] ** 2 + orbit["x'"] ** 2 for orbit in branch])
    assert np.allclose(branch.values, square**2 - square, atol=1e-8) and np.allclose(branch.periods, 2 * np.pi)
    assert {orbit.stability for orbit in branch} == {"stable", "unstable"}
    assert "orbits shrink to an equilibrium" in branch.notices[0] and branch.values.max() == pytest.approx(0.02)


def test_a_swing_that_is_pumped_doubles_its_period() -> None:
    s = ph.System("Mathieu", gravity=(0, 0, 0))
    p = s.parameter("p", 0.1)
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, -(1 + p * s.input("pump")) * x.q[0] - x.u[0] / 10)
    e, pump = s.derive(), {"pump": ph.cos(2 * s.time)}
    still = e.periodic_orbit(np.pi, is_period_known=True, inputs=pump)
    branch = e.orbit_branch("p", (0.05, 0.4), still, inputs=pump, step=0.2)
    (point,) = branch.special
    assert (point.kind, point.value) == ("period doubling", pytest.approx(0.2, rel=0.01))  # p = 2 c, to first order
    there = e.periodic_orbit(np.pi, is_period_known=True, inputs=pump, parameters={"p": point.value})
    assert there.multipliers[0] == pytest.approx(-1, abs=1e-8)


def test_what_cannot_be_followed_is_told() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    e = s.derive()
    orbit = e.periodic_orbit(2, start={"a": 0.5}, hold=["a", "a'"])
    with pytest.raises(ph.PolhodeError, match="orbits of a family"):
        e.orbit_branch("l", (0.5, 2), orbit)
    with pytest.raises(ph.PolhodeError, match="outside the range from 2 to 3"):
        e.orbit_branch("l", (2, 3), orbit)
    with pytest.raises(ph.PolhodeError, match="there is no parameter 'k'"):
        e.orbit_branch("k", (2, 3), orbit)
