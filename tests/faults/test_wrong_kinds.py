"""Values of the wrong kind are answered by a sentence that names them; what is not the user's stays as it is."""

from collections.abc import Callable
from typing import Any

import pytest

import polhode as ph
from polhode.errors import PolhodeError, understood


def pendulum() -> ph.System:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    return s


CALLS: dict[str, tuple[Callable[[ph.Equations], Any], str]] = {
    "linearize": (lambda e: e.linearize(parameters={"m": "x"}).eigenvalues(), "parameter 'm': 'x' is not a number"),
    "numbers": (lambda e: e.linearize().second_order.numbers("K", {"m": "x"}), "parameter 'm': 'x' is not a number"),
    "matrix": (lambda e: e.linearize().numbers("X"), "there is no matrix 'X'"),
    "no matrix": (lambda e: e.linearize().numbers(5), "there is no matrix 5"),
    "programme": (lambda e: e.programme_control(5, ["hinge"]), "5 is not a list of conditions"),
    "actuators": (lambda e: e.programme_control([e.q[0]], 5), "5 is not a list of speeds"),
    "bake": (lambda e: e.operations(bake="no"), "bake: 'no' is not True or False"),
    "power": (lambda e: e.power(solved="no"), "solved: 'no' is not True or False"),
    "agrees_with": (lambda e: e.agrees_with(5), "5 is not an Equations"),
    "of": (lambda e: e.simulate(0.1).of(5), "5 is not an Equations"),
    "of parameters": (lambda e: e.simulate(0.1).of(e, [1]), r"\[1\] is not a mapping"),
    "run": (lambda e: e.simulate(0.1, parameters=5), "5 is not values by name"),
    "pose": (lambda e: pendulum().pose("p", 5), "5 is not a mapping from names to numbers"),
    "axis": (lambda e: e.system.ground.axis(3), "3 is not the number of an axis"),
    "actuated": (lambda e: e.compile().inverse_dynamics([0], [0], [0], actuatd=["hinge"]), "Did you mean 'actuated'"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_value_of_the_wrong_kind_is_told(call: str) -> None:
    act, said = CALLS[call]
    with pytest.raises(PolhodeError, match=said):
        act(pendulum().derive())


@pytest.mark.parametrize("error", [AttributeError, KeyError, IndexError, ZeroDivisionError])
def test_a_defect_is_not_blamed_on_a_value(error: type[Exception]) -> None:
    with pytest.raises(error), understood("a vector", 5):
        raise error
