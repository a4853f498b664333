"""Optima with a closed form, and how fast a mesh comes to them."""

import sys
from dataclasses import replace
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.mesh import SCHEMES
from polhode.optimize.problem import Range, first_variables


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
    assert np.abs(best["x"] - (3 - 2 * best.t) * best.t**2).max() < 1e-12 and best.deviation.largest < 1e-10


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


def test_limits_by_parameters_free_ends_and_terminal_costs() -> None:
    s = ph.System("slider")
    most = s.parameter("most", 2)
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=(-most, 3 * most))
    made = s.derive().collocation(1, start={"x": 0}, end={"x": 1}, inputs=["x"], parameters={"most": 5})
    assert made.limits.controls == (Range(-5.0, 15.0),)
    e = slider()
    free = e.collocation(1, start={"x": 0, "x'": (None, 3)}, end={"x": 2}, inputs=["x"], nodes=5).solve()
    assert free.cost == pytest.approx(0, abs=1e-10) and free["x'"][0] == pytest.approx(2)
    near = e.collocation(1, start={"x": 0}, end={"x": (1, 2), "x'": 0}, inputs=["x"], nodes=5).solve()
    assert near["x"][-1] == pytest.approx(1, abs=1e-6)
    # Minimise ∫ F² dt + 3 (x - 1)² from rest in T = 1: F = k (1 - t) with k = 3 (1 - x), x = k/3.
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
    best = problem.solve(guess={"wire": 4}, accuracy=1e-2)
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
        off.append(made.solve(tolerance=1e-11, accuracy=None).deviation.largest)
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


def slider_bounds() -> ph.Equations:
    s = ph.System("slider_bounds")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(-2, 2))
    return s.derive()


FOREIGN = ph.symbol("foreign")
WRONG = {
    "duration is not positive": ({"duration": -1}, "the duration -1 is not positive"),
    "duration None": ({"duration": None}, "the duration None is not positive, or not known"),
    "duration text": ({"duration": "long"}, "'long' is not a number or a pair of them"),
    "duration reversed": ({"duration": (2, 1)}, "the lower end 2 is above the upper one 1"),
    "duration from zero": ({"duration": (0, 1)}, "is not positive"),
    "start unknown": ({"start": {"y": 1}}, "there is no coordinate, speed or state 'y'"),
    "start text": ({"start": {"x": "here"}}, "'here' is not a number or a pair"),
    "start outside": ({"start": {"x": 3}}, "'x' is to be 3, and its limits are -2 and 2"),
    "end unknown": ({"end": {"tau_x": 1}}, "there is no coordinate, speed or state 'tau_x'"),
    "end no mapping": ({"end": 5}, "5 is not values or ranges by names or expressions"),
    "end outside": ({"end": {"x": (3, 4)}}, "'x' is to be between 3 and 4, and its limits"),
    "end foreign": ({"end": {FOREIGN: 1}}, "'foreign' is not known at the end"),
    "end nan": ({"end": {"x": float("nan")}}, "nan is no range"),
    "limits unknown": ({"limits": {"F": 3}}, "there is no coordinate, speed, state or control 'F'"),
    "limits no mapping": ({"limits": [1]}, "[1] are no limits"),
    "limits of three": ({"limits": {"x": (1, 2, 3)}}, "is not a number or a pair of them"),
    "limits reversed": ({"limits": {"x": (1, -1)}}, "the lower end 1 is above the upper one -1"),
    "cost unknown": ({"cost": "energy"}, "there is no cost 'energy'"),
    "cost of nothing": ({"cost": {}}, "there is nothing to make least"),
    "limits below zero": ({"limits": {"x": -20}}, "the lower end 20 is above the upper one -20"),
    "parameters of several": ({"parameters": {"m": [1, 2]}}, "[1, 2] is not one number"),
    "cost wrong kind": ({"cost": object()}, "is not a number or an expression"),
    "cost weight": ({"cost": {"effort": "much"}}, "cost 'effort'"),
    "cost foreign": ({"cost": FOREIGN**2}, "'foreign' is not known along the motion"),
    "limit foreign": ({"limits": {FOREIGN * 2: 1}}, "'foreign' is not known along the motion"),
    "terminal foreign": ({"terminal_cost": FOREIGN}, "'foreign' is not known at the end"),
    "terminal wrong kind": ({"terminal_cost": "x"}, "terminal_cost"),
    "inputs unknown": ({"inputs": ["F"]}, "there is no input 'F'"),
    "inputs none": ({"inputs": []}, "there is nothing to choose"),
    "nodes one": ({"nodes": 1}, "1 is no mesh"),
    "nodes half": ({"nodes": 2.5}, "2.5 is no mesh"),
    "nodes text": ({"nodes": "many"}, "'many' is not a number of nodes"),
    "nodes not to the end": ({"nodes": [0, 0.5]}, "is no mesh"),
    "nodes not growing": ({"nodes": [0, 0.6, 0.5, 1]}, "is no mesh"),
    "scheme": ({"scheme": "euler"}, "there is no scheme 'euler'"),
    "dynamics": ({"dynamics": "quantum"}, "there is no dynamics 'quantum'"),
    "parameters kind": ({"parameters": 3}, "3 is not values by name"),
    "parameters unknown": ({"parameters": {"m": 3}}, "there is no parameter 'm'"),
    "option": ({"node": 3}, "there is no option 'node'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_problem_is_told(case: str) -> None:
    given, sentence = WRONG[case]
    options = {"duration": 1, "start": {"x": 0}, "end": {"x": 1}, "inputs": ["x"], "nodes": 5, **given}
    with pytest.raises(ph.PolhodeError) as told:
        slider_bounds().collocation(**options)
    assert sentence in str(told.value) and told.value.problems[0].code


def test_a_terminal_cost_knows_no_controls() -> None:
    e = cart_pole().derive()
    with pytest.raises(ph.PolhodeError, match="the input 'F' is not known at the end"):
        e.collocation(1, terminal_cost=e.system.inputs["F"].symbol)


def slider_guess() -> ph.Equations:
    s = ph.System("slider_guess")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(-2, 2))
    return s.derive()


CALLS = {
    "guess word": ({"guess": "good"}, "'good' is not a first guess"),
    "guess unknown": ({"guess": {"y": 1}}, "there is no coordinate, speed or state 'y'"),
    "guess nan": ({"guess": {"x": [0, float("nan")]}}, "[0, nan] is not a finite number"),
    "guess text": ({"guess": {"x": "a"}}, "is not a finite number, or several"),
    "tolerance": ({"tolerance": 0}, "solve tolerance: 0 is not a number from 0 to 1"),
    "iterations": ({"iterations": 0.5}, "solve iterations: 0.5 is not a whole number"),
    "options": ({"options": 3}, "3 is not a mapping"),
    "unknown option": ({"options": {"colour": "red"}}, "IPOPT does not take these options"),
    "strange": ({"tolerances": 3}, "there is no option 'tolerances'"),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_is_told(case: str) -> None:
    given, sentence = CALLS[case]
    problem = slider_guess().collocation(1, end={"x": 1}, inputs=["x"], nodes=5)
    with pytest.raises(ph.PolhodeError) as told:
        problem.solve(**given)
    assert sentence in str(told.value) and told.value.problems[0].code


def test_a_solution_of_other_variables_is_no_guess_but_its_trajectory_is() -> None:
    e = slider_guess()
    first = e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5, dynamics="implicit").solve()
    other = e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5, dynamics="explicit")
    refused("has the variables x, x, x, x, which are not those sought here", lambda: other.solve(guess=first))
    assert other.solve(guess=first.trajectory).cost == pytest.approx(first.cost)


def test_without_ipyopt_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = slider_guess().collocation(1, end={"x": 1}, inputs=["x"], nodes=5)
    monkeypatch.setitem(sys.modules, "ipyopt", None)
    refused(r"pip install \"polhode\[optimize\]\"", problem.solve)


def test_a_trajectory_of_one_sample_is_no_guess() -> None:
    e = slider_guess()
    run = e.simulate(1, samples=3)
    with pytest.raises(ph.PolhodeError, match="less than two samples"):
        short = replace(run, t=run.t[:1], q=run.q[:1], u=run.u[:1], z=run.z[:1], tau=None, inputs=None)
        e.collocation(1, end={"x": 1}, inputs=["x"], nodes=5).solve(guess=short)


@pytest.mark.parametrize("guess", [None, "cubic", "linear", {"x": [0, 0.2, 1], "tau_x": 3}])
def test_a_convex_problem_has_one_optimum_from_any_guess(guess: object) -> None:
    problem = slider_guess().collocation(1, end={"x": 1, "x'": 0}, inputs=["x"], nodes=5)
    assert problem.solve(guess=guess).cost == pytest.approx(12)


def test_a_run_is_a_guess_and_a_first_guess_meets_start_and_end_in_the_middle_of_the_durations() -> None:
    e = slider_guess()
    run = e.simulate(1, tau={"x": 1.0}, samples=11)
    for dynamics in ("implicit", "explicit"):
        problem = e.collocation((0.5, 3), end={"x": 1, "x'": 0}, inputs=["x"], nodes=5, dynamics=dynamics)
        assert problem.solve(guess=run).duration == pytest.approx(3), "the slower, the less effort"
    ends = {"start": {"x": 0.5, "x'": 1}, "end": {"x": 1, "x'": -2}}
    problem = slider_guess().collocation((1, 3), **ends, inputs=["x"], nodes=5, dynamics="explicit")
    *variables, duration = first_variables(problem, "cubic")
    y = np.reshape(variables, (-1, 3))[np.argsort(problem.mesh.shares)]
    assert duration == problem.first_duration == 2
    assert np.allclose(y[[0, -1], :2], [[0.5, 1], [1, -2]], rtol=0, atol=1e-14)
    assert np.allclose(y[len(y) // 2, 0], 0.75 + (1 + 2) * duration / 8), "Hermite's cubic half way"
