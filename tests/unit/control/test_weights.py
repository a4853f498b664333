"""Predictive controllers take the limits of efforts that the joints of a model have."""

from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import LinearMPC, RealTimeIteration, iLQR


def cart(**limits: Any) -> ph.Equations:
    s = ph.System("cart", gravity=(0, 0, 0))
    s.parameter("f", 2)
    for name in "xy":
        own = {"effort_limits": _force(s, limits[name])} if name in limits else {}
        parent = s.ground if name == "x" else "x cart"
        s.joint(name, parent, s.body(f"{name} cart", 1), ph.Prismatic(name), **own)
    return s.derive()


def _force(s: ph.System, given: Any) -> Any:
    return s.parameters["f"].symbol if given == "f" else given


def predictive(e: ph.Equations, kind: str, **given: Any) -> Any:
    inputs, every = ["tau_x", "tau_y"], {"sample_time": 0.1}
    if kind == "linear":
        return LinearMPC(e.linearize().with_ports(inputs), horizon=3, **every, **given)
    if kind == "nonlinear":
        return RealTimeIteration(e, horizon=3, inputs=inputs, **every, **given)
    cost = e.tau[0] ** 2 + e.tau[1] ** 2
    return iLQR(e, cost, e.q[0] ** 2, duration=0.3, start={"x": 1}, inputs=inputs, iterations=2, **every, **given)


@pytest.mark.filterwarnings("ignore:.*iterations")
@pytest.mark.parametrize("kind", ["linear", "nonlinear", "iterative"])
def test_predictive_control_takes_the_limits_of_the_model(kind: str) -> None:
    made = predictive(cart(x="f", y=(-1, 3)), kind, limits="model")
    assert (made.lower.tolist(), made.upper.tolist()) == ([-2, -1], [2, 3])
    some = predictive(cart(x=5, y=(-1, 3)), kind, limits={"tau_x": 4, "tau_y": "model"})
    assert (some.lower.tolist(), some.upper.tolist()) == ([-4, -1], [4, 3])
    with pytest.warns(UserWarning, match="the model has no limits of tau_y: it was not limited"):
        assert predictive(cart(x=5), kind, limits="model").upper.tolist() == [5, np.inf]
    refused("no control is an effort that has limits in the model", lambda: predictive(cart(), kind, limits="model"))


def test_a_limit_without_a_value_is_told() -> None:
    s = ph.System("cart")
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), effort_limits=s.parameter("f"))
    linear = s.derive().linearize()
    refused("the limit -f of tau_x has no value", lambda: LinearMPC(linear, horizon=3, sample_time=0.1, limits="model"))
