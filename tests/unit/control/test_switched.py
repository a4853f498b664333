"""A switch from one controller to another that catches."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import polhode as ph
from polhode.control import Controller, ControllerState, Law, Switched
from polhode.expr import evaluate
from polhode.expr.spelling import spelled
from polhode.model.records import Parameter
from polhode.model.samples.underactuated import cart_pole


class Hold(Controller):
    """A law of its own for the cart, with a gain k and, if it is told to, a state."""

    def __init__(self, equations: Any, k: int = 7, state: str = "", control: str = "F") -> None:
        super().__init__(equations)
        self.k, self.state, self.control = k, state, control

    def design(self) -> Law:
        e = self.equations
        k = ph.symbol("k", "parameter")
        parameters = {"k": Parameter(k, Fraction(self.k))}
        xi = ph.symbol(self.state, "state")
        states = (ControllerState(xi, rate=e.q[0]),) if self.state else ()
        which = e.system.inputs["F"].symbol if self.control == "F" else e.tau[0]
        return Law({which: k * e.q[1] + (xi if self.state else 0)}, states, parameters=parameters)


def controls_at(law: Law, values: dict[str, float], others: dict[str, float] | None = None) -> float:
    at = {x: (values | (others or {})).get(spelled(x), 0.0) for x in law.arguments}
    at |= {each.symbol: float(each.value or 0) for each in law.parameters.values()}
    return float(evaluate(list(law.controls.values()), at)[0])


def test_gains_are_near_or_far_ones_and_whole_turns_are_not_seen_and_a_sampled_switch_has_hysteresis() -> None:
    e = cart_pole().derive()
    law = Switched(Hold(e, 1), Hold(e, 10), within={"theta": 1}, leave=2).law
    assert controls_at(law, {"theta": 0.5}) == 5 and controls_at(law, {"theta": 3}) == 3
    assert controls_at(law, {"theta": 1.5}) == pytest.approx(1.5 + (4 - 2.25) / 3 * (15 - 1.5))
    assert {*law.parameters} == {"far k", "near k"}
    law = Switched(Hold(e, 1), Hold(e, 10), within={"theta": 1}, turning=["theta"]).law
    assert controls_at(law, {"theta": 0.5 + 2 * 3.141592653589793}) == pytest.approx(5)
    e = cart_pole().derive()
    law = Switched(Hold(e, 1), Hold(e, 10), within={"theta": 1}, leave=2, sample_time=0.01).law
    assert law.is_sampled and law.sample_time == 0.01
    near, far = {"is near": 1.0}, {"is near": 0.0}
    assert controls_at(law, {"theta": 1.5}, near) == 15 and controls_at(law, {"theta": 1.5}, far) == 1.5
    assert controls_at(law, {"theta": 3}, near) == 3 and controls_at(law, {"theta": 0.5}, far) == 5


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda e: Switched(1, Hold(e), {"theta": 1}), "1 is not a controller"),
        (lambda e: Switched(Hold(e), Hold(e)), "no width is given"),
        (lambda e: Switched(Hold(e), Hold(e), {"theta": 0}), "the width of theta is not positive"),
        (lambda e: Switched(Hold(e), Hold(e), {"thta": 1}), "no state 'thta'"),
        (lambda e: Switched(Hold(e), Hold(e), {"theta": 1}, leave=1), "not above 1"),
        (lambda e: Switched(Hold(e), Hold(e), {"theta": 1}, turning=["z"]), "no coordinate 'z'"),
        (lambda e: Switched(Hold(e), Hold(e), {"theta": 1}, sample_time=0), "0 is not a time > 0"),
        (lambda e: Switched(Hold(e, state="a"), Hold(e), {"theta": 1}, sample_time=1), "states in continuous time"),
        (lambda e: Switched(Hold(e, state="a"), Hold(e, state="a"), {"theta": 1}).law, "both laws have a state a"),
        (lambda e: Switched(Hold(e), Hold(e, control="x"), {"theta": 1}), "gives F, and Hold tau_x"),
    ],
)
def test_wrong_calls_get_a_sentence(make: Callable[[Any], Any], sentence: str) -> None:
    with pytest.raises(ph.PolhodeError, match=sentence):
        make(cart_pole().derive())
