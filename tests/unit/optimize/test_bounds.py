"""Every wrong description of a problem is answered by a sentence."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.model.samples.underactuated import cart_pole


def slider() -> ph.Equations:
    s = ph.System("slider")
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
    with pytest.raises(PolhodeError) as told:
        slider().collocation(**options)
    assert sentence in str(told.value) and told.value.problems[0].code


def test_a_terminal_cost_knows_no_controls() -> None:
    e = cart_pole().derive()
    with pytest.raises(PolhodeError, match="the input 'F' is not known at the end"):
        e.collocation(1, terminal_cost=e.system.inputs["F"].symbol)
