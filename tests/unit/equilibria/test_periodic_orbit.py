"""Periodic orbits: published periods, Liouville's formula for multipliers, families, and sentences."""

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import ellipk
from tests.refusals import refused

import polhode as ph


@pytest.fixture(scope="module")
def van_der_pol() -> ph.Equations:
    s = ph.System("van der Pol", gravity=(0, 0, 0))
    mu = s.parameter("mu", 1)
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, mu * (1 - x.q[0] ** 2) * x.u[0] - x.q[0])
    return s.derive()


@pytest.fixture(scope="module")
def pendulum() -> ph.Equations:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    return s.derive()


def test_van_der_pols_orbit_has_the_published_period_and_liouvilles_product_of_multipliers(
    van_der_pol: ph.Equations,
) -> None:
    orbit = van_der_pol.periodic_orbit(6, start={"x": 2})
    assert orbit.period == pytest.approx(6.66328685932313, abs=1e-11)  # D. Viswanath, Physica D 133 (1999)
    assert orbit.stability == "stable" and orbit.residual < 1e-10
    orbit = van_der_pol.periodic_orbit(7, start={"x": 2}, parameters={"mu": 0.4})
    run = van_der_pol.simulate(
        orbit.period, start=(orbit.x[:1], orbit.x[1:]), parameters={"mu": 0.4}, samples=2001, rtol=1e-11, atol=1e-12
    )
    trace = simpson(0.4 * (1 - run["x"] ** 2), x=run.t)
    assert orbit.multipliers[0] == pytest.approx(1, abs=1e-8)
    assert orbit.multipliers[1].real == pytest.approx(np.exp(trace), rel=1e-7)


def test_pendulums_swing_and_go_over_the_top_with_known_periods(pendulum: ph.Equations) -> None:
    orbit = pendulum.periodic_orbit(2.2, start={"a": 1}, hold=["a", "a'"])
    assert orbit.period == pytest.approx(4 * ellipk(np.sin(0.5) ** 2) / np.sqrt(9.81), abs=1e-9)
    assert orbit.stability == "neutral" and "family" in orbit.notices[0] and np.abs(orbit.run["a"][-1] - 1) < 1e-8
    orbit = pendulum.periodic_orbit(1, speeds={"a": 8}, hold=["a", "a'"], turns={"a": 1})
    assert orbit.run["a"][-1] - orbit["a"] == pytest.approx(2 * np.pi, abs=1e-8)


def test_what_is_no_orbit_is_told(van_der_pol: ph.Equations, pendulum: ph.Equations) -> None:
    with pytest.raises(ph.PolhodeError, match=r"no periodic orbit was found: after .* misses its start"):
        pendulum.periodic_orbit(1, start={"a": 1}, hold=["a", "a'"], is_period_known=True)
    refused("this is an equilibrium, no orbit", lambda: pendulum.periodic_orbit(2, start={"a": 1e-12}))
    refused("-1 is not a time > 0", lambda: van_der_pol.periodic_orbit(-1))
    refused("there is no coordinate or speed 'y'", lambda: van_der_pol.periodic_orbit(6, hold=["y"]))


def test_a_law_of_an_input_is_part_of_the_motion_and_a_forced_oscillator_has_its_period() -> None:
    s = ph.System("driven", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, s.input("force"))
    law = (1 - x.q[0] ** 2) * x.u[0] - x.q[0]
    orbit = s.derive().periodic_orbit(6.5, start={"x": 2}, inputs={"force": law})
    assert orbit.period == pytest.approx(6.66328685932313, abs=1e-11)
    s = ph.System("forced", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, s.input("force") - 4 * x.q[0] - x.u[0] / 2)
    orbit = s.derive().periodic_orbit(2 * np.pi / 3, inputs={"force": ph.cos(3 * s.time)}, is_period_known=True)
    # x = Re e^{3it} / (4 - 9 + 1.5 i)
    assert orbit["x"] == pytest.approx((1 / (-5 + 1.5j)).real, abs=1e-9)
    decay = np.exp(-0.25 * 2 * np.pi / 3)
    assert np.allclose(np.abs(orbit.multipliers), decay, atol=1e-9) and orbit.stability == "stable"


def test_a_period_that_the_drive_does_not_have_is_refused() -> None:
    s = ph.System("driven", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, ph.sin(s.time) - 2 * x.q[0] - x.u[0] / 5)
    equations = s.derive()
    refused("does not repeat after 3 s", lambda: equations.periodic_orbit(3, is_period_known=True))
    refused("driven in time", lambda: equations.periodic_orbit(6))
    assert equations.periodic_orbit(2 * np.pi, is_period_known=True).stability == "stable"


def test_turns_are_whole_and_a_period_is_a_time(pendulum: ph.Equations) -> None:
    refused(r"turns: 0\.5 is not a whole number", lambda: pendulum.periodic_orbit(2, turns={"a": 0.5}))  # type: ignore[dict-item]
    refused("is not a time", lambda: pendulum.periodic_orbit("x"))  # type: ignore[arg-type]


@pytest.mark.parametrize(("damping", "word"), [(2e-6, "stable"), (-2e-6, "unstable")])
def test_slow_growth_of_an_orbit_is_seen(damping: float, word: str) -> None:
    s = ph.System("forced", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, ph.cos(3 * s.time) - 4 * x.q[0] - damping * x.u[0])
    orbit = s.derive().periodic_orbit(2 * np.pi / 3, is_period_known=True)
    assert np.abs(orbit.multipliers) == pytest.approx([np.exp(-damping * np.pi / 3)] * 2, abs=1e-9)
    assert orbit.stability == word and "error bound" in orbit.stability.reason


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


def test_a_swing_that_is_pumped_doubles_its_period_and_what_cannot_be_followed_is_told() -> None:
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
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    e = s.derive()
    orbit = e.periodic_orbit(2, start={"a": 0.5}, hold=["a", "a'"])
    refused("orbits of a family", lambda: e.orbit_branch("l", (0.5, 2), orbit))
    refused("outside the range from 2 to 3", lambda: e.orbit_branch("l", (2, 3), orbit))
    refused("there is no parameter 'k'", lambda: e.orbit_branch("k", (2, 3), orbit))
