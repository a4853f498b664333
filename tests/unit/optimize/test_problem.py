"""Optima with a closed form, and how fast a mesh comes to them."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.optimize.bounds import Range
from polhode.optimize.schemes import SCHEMES


def slider(**options: object) -> ph.Equations:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", s.parameter("m", 1)), ph.Prismatic("x"), **options)
    return s.derive()


@pytest.mark.parametrize("dynamics", ["implicit", "explicit"])
def test_a_mass_is_moved_with_least_effort_by_a_force_that_falls_linearly(dynamics: str) -> None:
    best = (
        slider()
        .collocation(1, start={"x": 0}, end={"x": 1, "x'": 0}, inputs=["x"], nodes=11, dynamics=dynamics)
        .solve()
    )
    assert best.status == "optimal" and best.cost == pytest.approx(12, rel=1e-12)
    assert np.abs(best["tau_x"] - (6 - 12 * best.t)).max() < 1e-10
    assert np.abs(best["x"] - (3 - 2 * best.t) * best.t**2).max() < 1e-12
    assert best.deviation.largest < 1e-10


def test_a_mass_is_moved_fastest_by_full_force_forward_and_back() -> None:
    e = slider(limits=(-5, 5))
    best = e.collocation(
        (0.1, 9), start={"x": 0}, end={"x": 4, "x'": 0}, cost="time", limits={"tau_x": 2}, inputs=["x"],
        parameters={"m": 2}, nodes=41,
    ).solve()  # fmt: skip
    assert best.duration == pytest.approx(2 * sqrt(4), rel=1e-6) and best.cost == pytest.approx(best.duration)
    assert np.abs(np.abs(best["tau_x"]) - 2).min() < 1e-6
    assert (np.diff(np.sign(best["tau_x"][np.abs(best["tau_x"]) > 1])) != 0).sum() == 1, "one switch"


def test_speeds_and_efforts_keep_the_limits_of_the_model_unless_others_are_given() -> None:
    """A unit mass over one metre: with v ≤ 0.8 m/s and 2 N it takes 1/v + v/2 s, with 1 N and any speed 2 s."""
    e = slider(speed_limits=0.8, effort_limits=2)
    task: dict[str, Any] = {"start": {"x": 0}, "end": {"x": 1, "x'": 0}, "cost": "time", "inputs": ["x"], "nodes": 41}
    rated = e.collocation((0.1, 9), **task).solve()
    assert rated.duration == pytest.approx(1 / 0.8 + 0.8 / 2, rel=1e-3)
    assert np.abs(rated["tau_x"]).max() == pytest.approx(2, rel=1e-4)
    assert np.abs(rated["x'"]).max() == pytest.approx(0.8, rel=1e-6)
    other = e.collocation((0.1, 9), **task, limits={"tau_x": 1, "x'": None}).solve()
    assert other.duration == pytest.approx(2, rel=1e-6) and np.abs(other["x'"]).max() > 0.95


def test_limits_by_parameters_take_the_values_of_the_problem() -> None:
    s = ph.System("slider")
    most = s.parameter("most", 2)
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=(-most, 3 * most))
    made = s.derive().collocation(1, start={"x": 0}, end={"x": 1}, inputs=["x"], parameters={"most": 5})
    assert made.limits.controls == (Range(-5.0, 15.0),)


def test_a_free_end_costs_nothing_and_an_interval_is_used_up() -> None:
    e = slider()
    free = e.collocation(1, start={"x": 0, "x'": (None, 3)}, end={"x": 2}, inputs=["x"], nodes=5).solve()
    assert free.cost == pytest.approx(0, abs=1e-10) and free["x'"][0] == pytest.approx(2)
    near = e.collocation(1, start={"x": 0}, end={"x": (1, 2), "x'": 0}, inputs=["x"], nodes=5).solve()
    assert near["x"][-1] == pytest.approx(1, abs=1e-6)


def test_a_terminal_cost_pulls_the_end() -> None:
    """Minimise ∫ F² dt + 3 (x - 1)² from rest in T = 1: F = k (1 - t) with k = 3 (1 - x), x = k/3."""
    e = slider()
    (x,) = e.q
    best = e.collocation(1, start={"x": 0}, terminal_cost=3 * (x - 1) ** 2, inputs=["x"], nodes=5).solve()
    assert best["x"][-1] == pytest.approx(0.5, abs=1e-8)


def brachistochrone() -> ph.Equations:
    """A bead on a wire without friction: what pushes it is perpendicular to its velocity, and is the wire."""
    s = ph.System("bead", gravity=(0, "-9.81", 0))
    s.joint("x", s.ground, s.body("rail", 0), ph.Prismatic("x"), speeds=["vx"])
    bead = s.body("bead", 1)
    s.joint("y", "rail", bead, ph.Prismatic("y"), speeds=["vy"])
    wire, (vx, vy) = s.input("wire", 0), (s.joints[name].u[0] for name in "xy")
    s.force(bead, (-wire * vy, wire * vx, 0))
    return s.derive()


def test_the_fastest_wire_is_a_cycloid() -> None:
    """Johann Bernoulli (1696): x = r (φ - sin φ), y = -r (1 - cos φ), passed at the rate φ' = √(g/r).

    A part of it is as fast as can be too: begun at φ = 0.5, where the bead moves already. The wire presses in
    proportion to the speed, so that the control is constant: a singular arc.
    """
    r, begin, rate = 0.4, 0.5, sqrt(9.81 / 0.4)

    def x(phi):
        return r * (phi - np.sin(phi))

    def y(phi):
        return -r * (1 - np.cos(phi))

    start = {"x": x(begin), "y": y(begin), "vx": -y(begin) * rate, "vy": -r * np.sin(begin) * rate}
    problem = brachistochrone().collocation(
        (0.1, 3), start=start, end={"x": x(pi), "y": y(pi)}, cost="time", inputs=["wire"], limits={"wire": 9}, nodes=41,
        scheme="trapezoidal",
    )  # fmt: skip
    best = problem.solve(guess={"wire": 4})
    assert best.duration == pytest.approx((pi - begin) / rate, rel=1e-4)
    assert best["wire"][5:-5] == pytest.approx(rate, rel=1e-3)
    phi = begin + best.t * rate
    assert np.abs(best["x"] - x(phi)).max() < 1e-3 and np.abs(best["y"] - y(phi)).max() < 1e-3


@pytest.mark.parametrize("scheme", list(SCHEMES))
def test_a_scheme_converges_with_its_order(scheme: str) -> None:
    """A pendulum is raised by a quarter turn: what a plant under the controls deviates goes with the power of h."""
    s = ph.System("pendulum")
    s.joint("a", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    e = s.derive()
    off = []
    for nodes in (9, 17, 33):
        made = e.collocation(1, end={"a": 1.5, "a'": 0}, inputs=["a"], scheme=scheme, nodes=nodes)
        off.append(made.solve(tolerance=1e-11).deviation.largest)
    orders = np.log2(np.array(off[:-1]) / off[1:])
    assert np.abs(orders - SCHEMES[scheme].order).max() < 0.4, orders


def test_a_limit_on_an_expression_is_kept() -> None:
    """The tip of an arm passes below a ceiling that the least effort would pass through."""
    s = ph.System("arm", gravity=(0, 0, 0))
    s.joint("a", s.ground, s.body("upper", 1, (0.5, 0, 0), (0.1, 0.1, 0.1)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("lower", 1, (0.5, 0, 0), (0.1, 0.1, 0.1)), ph.Revolute("z"), at=(1, 0, 0))
    e = s.derive()
    tip = e.pose("lower").p[1] + ph.sin(e.q[0] + e.q[1])
    ends = {"start": {"a": 0.3, "b": 0.2}, "end": {"a": 2.5, "b": 0.4, "a'": 0, "b'": 0}, "inputs": e.speeds}
    for ceiling, holds in ((None, False), (0.95, True)):
        best = e.collocation(1, limits={tip: (None, ceiling)}, nodes=31, **ends).solve()
        height = best.trajectory.values(tip)[0]
        assert (height.max() < 0.95 + 1e-6) == holds


def test_the_tip_of_an_arm_ends_where_it_is_wanted() -> None:
    """Where the tip shall be is an expression of the angles; the farther link does most of the turning."""
    s = ph.System("arm", gravity=(0, 0, 0))
    s.joint("a", s.ground, s.body("upper", 5, (0.5, 0, 0), (0.5, 0.5, 0.5)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("lower", 1, (0.5, 0, 0), (0.1, 0.1, 0.1)), ph.Revolute("z"), at=(1, 0, 0))
    e = s.derive()
    a, b = e.q
    x, y = ph.cos(a) + ph.cos(a + b), ph.sin(a) + ph.sin(a + b)
    best = e.collocation(
        1, start={"b": 0.5}, end={x: 1.0, y: (1.0, None), "a'": 0, "b'": 0}, inputs=e.speeds, nodes=11
    ).solve()
    tip = best.trajectory.values(x, y)[:, -1]
    assert tip == pytest.approx([1.0, 1.0], abs=1e-6) and abs(best["b"][-1] - 0.5) > abs(best["a"][-1])
