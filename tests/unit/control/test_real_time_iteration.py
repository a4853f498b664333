"""Real-time iterations: near the goal the regulator, far from it a plan that comes to the least cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.control import LQR, RealTimeIteration
from polhode.expr.evaluation import Evaluator
from polhode.laws.law import Law
from polhode.model.samples.underactuated import cart_pole

WEIGHTS: dict[str, Any] = {"Q": {"x": 1, "theta": 1}, "R": 0.1, "sample_time": 0.05}


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
    loop = Loop(RealTimeIteration(e, **WEIGHTS, horizon=4))
    K = LQR(e.linearize(), **WEIGHTS).K
    x = np.array([1e-5, -2e-5, 1e-5, 3e-5])
    assert loop(x)[0] == pytest.approx(float(-(K @ x)[0]), rel=1e-4)


def test_at_one_state_steps_come_to_the_least_cost() -> None:
    from scipy.optimize import minimize

    e = cart_pole().derive()
    mpc = RealTimeIteration(e, **WEIGHTS, horizon=5)
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
    loop = Loop(RealTimeIteration(e, **WEIGHTS, horizon=12, limits={"F": 8}))
    x, largest = np.array([0, 0.7, 0, 0.0]), 0.0
    for _ in range(90):
        control, x = loop(x)
        largest = max(largest, abs(control))
    assert largest == 8
    assert abs(x[1]) < 0.05 and loop.memory[-1] < 0.1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"sample_time": None}, "no sample time"),
        ({"horizon": 0}, "horizon: 0 is not a whole number, 1 or more"),
        ({"goal": {"theta": 0.5}}, "the goal is no equilibrium: theta' changes by"),
        ({"goal": {"y": 0.5}}, "no coordinate, speed or state 'y'"),
        ({"steady": {"G": 1}}, "no input 'G'"),
        ({"steady": 1}, "not a dictionary of numbers by the names of inputs"),
        ({"limits": {"F": (1, 2)}}, "not between 1 and 2"),
        ({"Q": {"y": 1}}, "no weight 'y'"),
        ({"final": -1}, "not positive semidefinite"),
        ({"Q": {"theta": 1}}, "the cost does not see the mode"),
        ({"step": "leap"}, "no step 'leap'"),
    ],
)
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        RealTimeIteration(cart_pole().derive(), **{**WEIGHTS, "horizon": 3, **wrong})


def test_a_plan_that_would_be_too_large_is_refused() -> None:
    mpc = RealTimeIteration(cart_pole().derive(), **WEIGHTS, horizon=2000)
    with pytest.raises(ph.PolhodeError, match="nodes, more than"):
        _ = mpc.law
