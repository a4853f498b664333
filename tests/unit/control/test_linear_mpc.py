"""Linear predictive control: limits are kept, plans are the least there are, and the law is what was planned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.control import LQR, LinearMPC
from polhode.expr import evaluate
from polhode.model.samples.underactuated import cart_pole

WEIGHTS: dict[str, Any] = {"Q": {"x": 1, "theta": 1}, "R": 1}


def law_at(mpc: LinearMPC, x: Any) -> list[float]:
    """The control and the bound of its cost that the law gives at a deviation."""
    law = mpc.law
    e = mpc.equations
    known = dict(zip([*e.q, *e.u], np.asarray(x, dtype=float).tolist(), strict=True))
    known |= {each: 0.0 for reference in law.reference for each in reference.symbols}
    return evaluate([*law.controls.values(), *(each.update for each in law.states)], known)  # type: ignore[list-item]


def test_without_limits_it_is_the_regulator() -> None:
    linear = cart_pole().derive().linearize()
    mpc = LinearMPC(linear, **WEIGHTS, horizon=6, sample_time=0.05)
    x = np.array([0.3, 0.2, -0.5, 0.4])
    control, gap = law_at(mpc, x)
    assert control == pytest.approx(float(-(LQR(linear, **WEIGHTS, sample_time=0.05).K @ x)[0]), rel=1e-7)
    assert abs(gap) < 1e-10


def test_the_law_is_the_plan_and_keeps_its_limits() -> None:
    linear = cart_pole().derive().linearize()
    mpc = LinearMPC(linear, **WEIGHTS, horizon=8, sample_time=0.05, limits={"F": (-2, 3)})
    for x in ([0, 0.05, 0, 0], [0, 0.3, 0, 0], [1, -0.4, 0.2, 0], [0.2, 0.1, 0.5, -0.2]):
        planned = mpc.solve(x)
        assert planned.min() >= -2 and planned.max() <= 3
        control, gap = law_at(mpc, x)
        assert control == pytest.approx(planned[0, 0], abs=1e-9)
        assert gap == pytest.approx(mpc.gap(x), abs=1e-9)


def test_the_bound_holds_where_iterations_do_not_suffice() -> None:
    linear = cart_pole().derive().linearize()
    few = LinearMPC(linear, **WEIGHTS, horizon=25, sample_time=0.05, limits={"F": 3}, iterations=1)
    many = LinearMPC(linear, **WEIGHTS, horizon=25, sample_time=0.05, limits={"F": 3}, iterations=30)
    rng = np.random.default_rng(5)
    met = 0
    for _ in range(50):
        x = rng.normal(0, 1, 4) * [1, 0.3, 0.5, 0.5]
        cost = [float(U @ few.H @ U / 2 + (few.F @ x) @ U) for U in (each.solve(x).ravel() for each in (few, many))]
        assert cost[0] - cost[1] <= few.gap(x) + 1e-6 * abs(cost[1])
        assert many.gap(x) <= 1e-9 * (1 + abs(cost[1]))
        met += cost[0] - cost[1] > 1e-6
    assert met > 5


def test_limits_are_those_of_the_input_itself() -> None:
    s = ph.System("lift", gravity=(0, 0, -10))
    s.joint("z", s.ground, s.body("cage", 2), ph.Prismatic("z"))
    e = s.derive()
    linear = e.linearize(e.equilibrium(free=["tau_z"], given={"z": 0}))
    mpc = LinearMPC(linear, horizon=5, sample_time=0.1, limits={"tau_z": (15, 22)})
    assert law_at(mpc, [-5.0, 0.0])[0] == pytest.approx(22)
    assert law_at(mpc, [9.0, 0.0])[0] == pytest.approx(15)
    with pytest.raises(ph.PolhodeError, match="tau_z is 20 at the operating point, which is not between -5 and 5"):
        LinearMPC(linear, horizon=5, sample_time=0.1, limits={"tau_z": 5})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"sample_time": None}, "no sample time"),
        ({"horizon": 0}, "horizon: 0 is not a whole number, 1 or more"),
        ({"horizon": 100_000}, "Take a shorter horizon"),
        ({"horizon": 2.5}, "not a whole number"),
        ({"iterations": 0}, "number of iterations: 0 is not a whole number, 1 or more"),
        ({"limits": {"G": 1}}, "no control 'G'"),
        ({"limits": {"F": "much"}}, "not a limit"),
        ({"limits": {"F": (1, 2, 3)}}, "are no limits"),
        ({"limits": "much"}, "'much' is not a limit"),
        ({"limits": {"F": 0}}, "0 is not a limit"),
        ({"limits": {"F": (1, 2)}}, "F is 0 at the operating point, which is not between 1 and 2"),
        ({"Q": -1}, "not positive semidefinite"),
        ({"R": [[1, 2], [3, 4]]}, "has the shape 2×2"),
    ],
)
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    given: dict[str, Any] = {"horizon": 4, "sample_time": 0.05, **WEIGHTS, **wrong}
    with pytest.raises(ph.PolhodeError, match=sentence):
        LinearMPC(cart_pole().derive().linearize(), **given)


def test_a_law_that_would_be_too_large_is_refused() -> None:
    mpc = LinearMPC(cart_pole().derive().linearize(), **WEIGHTS, horizon=60, sample_time=0.02, limits={"F": 3})
    with pytest.raises(ph.PolhodeError, match="Take a shorter horizon"):
        _ = mpc.law


def test_two_inputs_are_planned_side_by_side() -> None:
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
