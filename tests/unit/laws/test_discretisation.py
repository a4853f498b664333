"""From continuous time to samples: the rules have their orders, and a law without rates stays as it is."""

import numpy as np
import pytest

import polhode as ph
from polhode.control import ControllerState, Law, Reference
from polhode.expr import evaluate
from polhode.laws.discretisation import discretised

XI, ETA, V = ph.symbol("xi", "state"), ph.symbol("eta", "state"), ph.symbol("v", "speed")
TAU, T = ph.symbol("v", "effort"), ph.symbol("T", "parameter")


@pytest.mark.parametrize(("rule", "order"), [("euler", 1), ("rk4", 4)])
def test_a_rule_has_its_order(rule: str, order: int) -> None:
    states = (ControllerState(XI, rate=ETA), ControllerState(ETA, rate=V - XI))
    made = discretised(Law({TAU: XI}, states=states), T, rule)
    errors = []
    for step in (0.2, 0.1):
        found = evaluate([each.update for each in made.states], {XI: 1.0, ETA: 0.5, V: 2.0, T: step})
        exact = [2 - np.cos(step) + 0.5 * np.sin(step), np.sin(step) + 0.5 * np.cos(step)]
        errors.append(np.abs(np.array(found) - exact).max())
    assert errors[0] / errors[1] == pytest.approx(2 ** (order + 1), rel=0.2)


def test_time_goes_on_inside_a_step_and_updates_stay() -> None:
    time = ph.symbol("t", "time")
    made = discretised(Law({TAU: XI}, states=(ControllerState(XI, rate=time**3),)), 1, "rk4")
    assert evaluate([made.states[0].update], {XI: 0.0, time: 1.0}) == pytest.approx([15 / 4])
    law = Law({TAU: XI}, states=(ControllerState(XI, update=XI + V),))
    assert discretised(law, T) is law
    law = Law({TAU: XI}, states=(ControllerState(XI, rate=V),), reference=(Reference("x"),))
    with pytest.raises(ph.PolhodeError, match="no discretisation 'tustin'"):
        discretised(law, T, "tustin")
