"""The record that controllers come to, and the gains in it."""

import pickle
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import ControllerState, Law, Reference
from polhode.control.model_based import gains
from polhode.expr import evaluate
from polhode.laws.law import discretised


def slider() -> tuple[ph.System, ph.Joint]:
    s = ph.System("slider", gravity=(0, 0, 0))
    m = s.parameter("m", 2)
    return s, s.joint("x", s.ground, s.body("block", m), ph.Prismatic("x"), speeds=["v"])


class Hold(ph.control.Controller):
    """m times a wanted acceleration."""

    def design(self) -> ph.control.Law:
        e = self.equations
        wanted = ph.control.Reference("x", 2)
        m = e.system.parameters["m"].symbol
        return ph.control.Law({e.tau[0]: m * wanted.symbols[2] - e.u[0]}, reference=(wanted,))


def test_a_law_has_arguments_of_its_own_and_parameters_of_the_mechanism() -> None:
    s, _ = slider()
    law = Hold(s.derive()).law
    assert [str(x) for x in law.arguments] == ["v", "ref_x''"] and law.is_static and not law.is_sampled
    s, _ = slider()
    own = Hold(s.derive(), parameters={"m": 3}).nominal_law
    ((name, nominal),) = own.parameters.items()
    assert (name, nominal.value) == ("nominal m", 3)
    (control,) = own.controls.values()
    assert s.derive().system.parameters["m"].symbol not in ph.expr.free_symbols([control])
    assert Hold(s.derive()).nominal_law.parameters["nominal m"].value == 2


@pytest.mark.parametrize(("wrong", "sentence"), [
    (lambda x: {}, "a law without controls"), (lambda x: {x.q[0]: x.u[0]}, "x is no effort or input"),
    (lambda x: {ph.symbol("v", "effort"): ph.symbol("w", "acceleration")}, "which its arguments lack"),
    (lambda x: {ph.symbol("v", "effort"): ph.control.Reference("y").symbols[0]}, "which its arguments lack"),
])  # fmt: skip
def test_a_law_that_cannot_be_gets_a_sentence(wrong: Any, sentence: str) -> None:
    _, x = slider()
    refused(sentence, lambda: ph.control.Law(wrong(x)))


def test_states_have_a_rate_or_an_update_and_nominal_values_belong_to_parameters() -> None:
    tau, xi = ph.symbol("v", "effort"), ph.symbol("xi", "state")
    refused("said twice, or not at all", lambda: ph.control.Law({tau: xi}, states=(ph.control.ControllerState(xi),)))
    s, _ = slider()
    refused("no parameter 'n'", lambda: Hold(s.derive(), parameters={"n": 3}))
    refused("is not a set of equations", lambda: Hold(s))  # type: ignore[arg-type] # that is what the sentence is about


def test_gains_are_one_for_all_one_for_each_or_a_matrix() -> None:
    a, b = ph.symbols("a b")
    for given in (2, [2, 2], {"p": 2, "q": 2}, np.eye(2) * 2):
        made = gains("k", given, ["p", "q"], "here")
        values = {each.symbol: each.value for each in made.parameters.values()}
        assert ph.expr.substitute(made.times([a, b]), values) == [2 * a, 2 * b]
    for wrong in ([1, 2, 3], {"p": 1}, {"r": 1}, "x", [[1, 2], [3, 4]], np.nan, None):
        with pytest.raises(ph.PolhodeError):
            gains("k", wrong, ["p", "q"], "here")


def test_controllers_and_laws_pickle() -> None:
    s, _ = slider()
    controller, e = Hold(s.derive(), parameters={"m": 3}), s.derive()
    start = {"start": {"x": 1}, "speeds": {"v": 1}, "reference": "sin(t)"}
    here = e.simulate(1, controller=controller, **start)
    for sent in pickle.loads(pickle.dumps((controller, controller.nominal_law))):
        assert np.array_equal(here.x, e.simulate(1, controller=sent, **start).x)
    controller.gain = lambda t: 2 * t  # type: ignore[attr-defined] # as a user's own may have it
    refused("does not pickle: no name leads to it", lambda: pickle.dumps(controller))


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
