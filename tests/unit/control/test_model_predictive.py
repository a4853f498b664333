"""Linear predictive control: limits are kept, plans are the least there are, and the law is what was planned."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import LQR, LinearMPC, RealTimeIteration
from polhode.expr import evaluate
from polhode.expr.evaluation import Evaluator
from polhode.laws.law import Law
from polhode.model.samples.underactuated import cart_pole

WEIGHTS: dict[str, Any] = {"Q": {"x": 1, "theta": 1}, "R": 1}


def law_at(mpc: LinearMPC, x: Any) -> list[float]:
    """The control and the bound of its cost that the law gives at a deviation."""
    law = mpc.law
    e = mpc.equations
    known = dict(zip([*e.q, *e.u], np.asarray(x, dtype=float).tolist(), strict=True))
    known |= {each: 0.0 for reference in law.reference for each in reference.symbols}
    return evaluate([*law.controls.values(), *(each.update for each in law.states)], known)  # type: ignore[list-item]


def test_without_limits_it_is_the_regulator_and_the_law_is_the_plan_and_keeps_its_limits() -> None:
    linear = cart_pole().derive().linearize()
    mpc = LinearMPC(linear, **WEIGHTS, horizon=6, sample_time=0.05)
    x = np.array([0.3, 0.2, -0.5, 0.4])
    control, gap = law_at(mpc, x)
    assert control == pytest.approx(float(-(LQR(linear, **WEIGHTS, sample_time=0.05).K @ x)[0]), rel=1e-7)
    assert abs(gap) < 1e-10
    linear = cart_pole().derive().linearize()
    mpc = LinearMPC(linear, **WEIGHTS, horizon=8, sample_time=0.05, limits={"F": (-2, 3)})
    for x in ([0, 0.05, 0, 0], [0, 0.3, 0, 0], [1, -0.4, 0.2, 0], [0.2, 0.1, 0.5, -0.2]):
        planned = mpc.solve(x)
        assert planned.min() >= -2 and planned.max() <= 3
        control, gap = law_at(mpc, x)
        assert control == pytest.approx(planned[0, 0], abs=1e-9)
        assert gap == pytest.approx(mpc.gap(x), abs=1e-9)


def test_the_bound_holds_where_iterations_do_not_suffice_and_limits_are_those_of_the_input_itself() -> None:
    linear = cart_pole().derive().linearize()
    few = LinearMPC(linear, **WEIGHTS, horizon=25, sample_time=0.05, limits={"F": 3}, iterations=1)
    many = LinearMPC(linear, **WEIGHTS, horizon=25, sample_time=0.05, limits={"F": 3}, iterations=30)
    rng = np.random.default_rng(5)
    met = 0
    for _ in range(50):
        x = rng.normal(0, 1, 4) * [1, 0.3, 0.5, 0.5]
        cost = [float(U @ few.H @ U / 2 + (few.F @ x) @ U) for U in (each.solve(x).ravel() for each in (few, many))]
        assert cost[0] - cost[1] <= few.gap(x) + 1e-6 * abs(cost[1]) and many.gap(x) <= 1e-9 * (1 + abs(cost[1]))
        met += cost[0] - cost[1] > 1e-6
    assert met > 5
    s = ph.System("lift", gravity=(0, 0, -10))
    s.joint("z", s.ground, s.body("cage", 2), ph.Prismatic("z"))
    e = s.derive()
    linear = e.linearize(e.equilibrium(free=["tau_z"], given={"z": 0}))
    mpc = LinearMPC(linear, horizon=5, sample_time=0.1, limits={"tau_z": (15, 22)})
    assert law_at(mpc, [-5.0, 0.0])[0] == pytest.approx(22) and law_at(mpc, [9.0, 0.0])[0] == pytest.approx(15)
    with pytest.raises(ph.PolhodeError, match="tau_z is 20 at the operating point, which is not between -5 and 5"):
        LinearMPC(linear, horizon=5, sample_time=0.1, limits={"tau_z": 5})


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"sample_time": None}, "no sample time"), ({"horizon": 0}, "horizon: 0 is not a whole number, 1 or more"),
    ({"horizon": 100_000}, "Take a shorter horizon"), ({"horizon": 2.5}, "not a whole number"),
    ({"iterations": 0}, "number of iterations: 0 is not a whole number, 1 or more"),
    ({"limits": {"G": 1}}, "no control 'G'"), ({"limits": {"F": "much"}}, "not a limit"),
    ({"limits": {"F": (1, 2, 3)}}, "are no limits"), ({"limits": "much"}, "'much' is not a limit"),
    ({"limits": {"F": 0}}, "0 is not a limit"),
    ({"limits": {"F": (1, 2)}}, "F is 0 at the operating point, which is not between 1 and 2"),
    ({"Q": -1}, "not positive semidefinite"), ({"R": [[1, 2], [3, 4]]}, "has the shape 2×2"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    given: dict[str, Any] = {"horizon": 4, "sample_time": 0.05, **WEIGHTS, **wrong}
    refused(sentence, lambda: LinearMPC(cart_pole().derive().linearize(), **given))


def test_laws_and_plans_that_would_be_too_large_are_refused_and_two_inputs_are_planned_side_by_side() -> None:
    mpc = LinearMPC(cart_pole().derive().linearize(), **WEIGHTS, horizon=60, sample_time=0.02, limits={"F": 3})
    refused("Take a shorter horizon", lambda: mpc.law)
    mpc = RealTimeIteration(cart_pole().derive(), **WEIGHTS_ITERATION, horizon=2000)
    refused("nodes, more than", lambda: mpc.law)
    s = ph.System("table", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("slide", 0), ph.Prismatic("x"))
    s.joint("y", "slide", s.body("block", 1), ph.Prismatic("y"))
    linear = s.derive().linearize()
    both = LinearMPC(linear, horizon=4, sample_time=0.2, limits={"tau_x": 1, "tau_y": (-2, 3)})
    s = ph.System("track", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    one = LinearMPC(s.derive().linearize(), horizon=4, sample_time=0.2, limits={"tau_x": 1})
    planned = both.solve([0.9, -0.8, 0.1, 0.0])
    assert planned.shape == (4, 2)
    np.testing.assert_allclose(planned[:, 0], one.solve([0.9, 0.1])[:, 0], atol=1e-9)  # axes do not act on each other
    np.testing.assert_allclose(law_at(both, [0.9, -0.8, 0.1, 0.0])[:2], planned[0], atol=1e-9)


WEIGHTS_ITERATION: dict[str, Any] = {"Q": {"x": 1, "theta": 1}, "R": 0.1, "sample_time": 0.05}


class Loop:
    """A law from sample to sample in plain Python, with the state that it plans with as the truth."""

    def __init__(self, mpc: RealTimeIteration) -> None:
        law: Law = mpc.law
        self.own = [each.symbol for each in law.states]
        self.memory = [float(each.start) for each in law.states]
        self.known = {each.symbol: float(each.value or 0) for each in mpc.equations.system.parameters.values()}
        self.known |= {x: 0.0 for each in law.reference for x in each.symbols}
        self.known |= {each.symbols[0]: float(each.default or 0) for each in law.reference}
        self.law = Evaluator([*law.controls.values(), *(each.update for each in law.states)])  # type: ignore[list-item]
        self.step = Evaluator(mpc.plant.step(mpc.sample_time, "rk4"))
        self.x, self.c = mpc.plant.x, [*law.controls]

    def __call__(self, x: Any) -> tuple[float, np.ndarray]:
        """The control, and the state at the next sample."""
        there = self.known | dict(zip(self.x, np.asarray(x).tolist(), strict=True))
        made = self.law(there | dict(zip(self.own, self.memory, strict=True)))
        self.memory = made[len(self.c) :]
        return made[0], np.array(self.step(there | dict(zip(self.c, made, strict=False))))


def test_near_the_goal_it_is_the_sampled_regulator() -> None:
    e = cart_pole().derive()
    loop = Loop(RealTimeIteration(e, **WEIGHTS_ITERATION, horizon=4))
    K = LQR(e.linearize(), **WEIGHTS_ITERATION).K
    x = np.array([1e-5, -2e-5, 1e-5, 3e-5])
    assert loop(x)[0] == pytest.approx(float(-(K @ x)[0]), rel=1e-4)


def test_at_one_state_steps_come_to_the_least_cost() -> None:
    from scipy.optimize import minimize

    e = cart_pole().derive()
    mpc = RealTimeIteration(e, **WEIGHTS_ITERATION, horizon=5)
    loop, x0 = Loop(mpc), np.array([0.2, 0.5, -0.3, 0.4])
    for _ in range(12):  # the same state again and again, the plan put back by the sample that it was shifted by
        control, ahead = loop(x0)
        blocks = [loop.memory[k * 5 : (k + 1) * 5] for k in range(4)]
        loop.memory = [control, *ahead, *(entry for block in blocks for entry in block), 0.0]
    control, _ = loop(x0)

    def cost(U: np.ndarray) -> float:
        x, total = x0, 0.0
        for c in U:
            total += x @ mpc.Q @ x + c * mpc.R[0, 0] * c
            x = np.array(loop.step(loop.known | dict(zip(loop.x, x.tolist(), strict=True)) | {loop.c[0]: float(c)}))
        return float(total + x @ mpc.final @ x)

    best = minimize(cost, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    assert control == pytest.approx(best.x[0], abs=2e-3)


def test_a_pole_is_swung_back_within_limits() -> None:
    e = cart_pole().derive()
    loop = Loop(RealTimeIteration(e, **WEIGHTS_ITERATION, horizon=12, limits={"F": 8}))
    x, largest = np.array([0, 0.7, 0, 0.0]), 0.0
    for _ in range(90):
        control, x = loop(x)
        largest = max(largest, abs(control))
    assert largest == 8
    assert abs(x[1]) < 0.05 and loop.memory[-1] < 0.1


@pytest.mark.parametrize(("wrong", "sentence"), [
    ({"sample_time": None}, "no sample time"), ({"horizon": 0}, "horizon: 0 is not a whole number, 1 or more"),
    ({"goal": {"theta": 0.5}}, "the goal is no equilibrium: theta' changes by"),
    ({"goal": {"y": 0.5}}, "no coordinate, speed or state 'y'"), ({"steady": {"G": 1}}, "no input 'G'"),
    ({"steady": 1}, "not a dictionary of numbers by the names of inputs"),
    ({"limits": {"F": (1, 2)}}, "not between 1 and 2"), ({"Q": {"y": 1}}, "no weight 'y'"),
    ({"final": -1}, "not positive semidefinite"), ({"Q": {"theta": 1}}, "the cost does not see the mode"),
    ({"step": "leap"}, "no step 'leap'"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence_iteration(wrong: dict[str, Any], sentence: str) -> None:
    refused(sentence, lambda: RealTimeIteration(cart_pole().derive(), **{**WEIGHTS_ITERATION, "horizon": 3, **wrong}))
