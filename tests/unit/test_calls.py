"""Public calls: arguments of the wrong kind are one sentence; what is not the user's mistake keeps its traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.calls import public


@pytest.fixture(scope="module")
def e() -> ph.Equations:
    s = ph.System("arm")
    s.joint("hinge", s.ground, s.body("arm", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    return s.derive()


#: Calls that raised TypeError, AttributeError and the like, and what the sentence says now.
WRONG: list[tuple[Callable[[ph.Equations], Any], str]] = [
    (lambda e: e.linearize().state_space(parameters="xyz"), "state_space parameters: 'xyz' is not a mapping or None"),
    (lambda e: ph.symbol("w").subs(5), "subs replacements: 5 is not a mapping"),
    (lambda e: e.stepper(dt=0.1).step(dt=np.full(3, np.nan)), "is not seconds > 0"),
    (lambda e: ph.box(1), "box: missing a required argument: 'x'"),
    (lambda e: ph.box(1, 2, 3, 4, 5), "box: too many positional arguments"),
    (lambda e: ph.log(), "log: missing a required argument: 'x'"),
    (lambda e: e.simulate(0.1, metod="rk4"), "simulate: there is no option 'metod'"),
    (lambda e: e.sweep({"m": [1]}, 0.1, metod="rk4"), "sweep: there is no option 'metod'"),
    (lambda e: e.power("yes"), "power solved: 'yes' is not True or False"),
    (lambda e: e.equilibrium()["nothing"], "Equilibrium: there is no value 'nothing'"),
    (lambda e: ph.System(graivty=3), "System: there is no option 'graivty'"),
    (lambda e: ph.System(1, 2, 3), "System: too many positional arguments"),
    (lambda e: ph.dual(1.0).map(5), "map function: 5 is not a function"),
    (lambda e: ph.Matrix.zeros("a", 2), "zeros rows: 'a' is not a whole number"),
    (lambda e: ph.RotationSpline([0, 1], [1, 1], chart={}), "RotationSpline"),
    (lambda e: e.simulate(-1), "[E-CALL-NUMBER]"),
    (lambda e: e.simulate(0.1, max_steps=1.5), "max_steps: 1.5 is not a whole number ≥ 1"),
    (lambda e: e.equilibrium({"hinge": 0.3}), "equilibrium free: {'hinge': 0.3} is not a list of names"),
    (lambda e: ph.System("s").derive(independent=["u"]), "derive independent: there is no speed 'u'"),
    (lambda e: e.derivatives("bias", "mass"), "there is no parameter, input or effort 'mass'"),
    (lambda e: e.pose("nothing"), "pose: there is no body or frame 'nothing'"),
    (lambda e: e.simulate(0.1)["nothing"], "Trajectory: the trajectory has no value 'nothing'"),
]


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_arguments_of_the_wrong_kind_are_named_in_a_sentence(e: ph.Equations, k: int) -> None:
    call, said = WRONG[k]
    with pytest.raises(ph.PolhodeError) as caught:
        call(e)
    assert said in str(caught.value)
    problem = caught.value.problems[0]
    assert problem.place and problem.cure and problem.code


def test_results_are_mappings_and_defects_keep_their_traceback(e: ph.Equations) -> None:
    rest = e.equilibrium()
    assert "hinge" in rest and "nothing" not in rest and rest.get("nothing", 3) == 3
    with pytest.raises(ph.PolhodeError, match="E-CALL-TYPE") as caught:
        ph.Pose.identity().point(5)
    assert isinstance(caught.value.__cause__, TypeError)

    def mine(entry: Any) -> Any:
        raise KeyError("mine")

    refused("mine", lambda: ph.Matrix([[1]]).map(mine), KeyError)
    assert public(ph.box) is ph.box
    assert ph.__getattr__("box") is ph.box


def test_a_call_inside_the_package_is_not_checked() -> None:
    def flagged(on: bool = False) -> Any:
        return on

    checked = public(flagged)
    refused("'x' is not True or False", lambda: checked("x"))  # type: ignore[arg-type]
    inside = eval("lambda call: call('x')", {"__name__": "polhode.somewhere"})
    assert inside(checked) == "x"


@pytest.mark.parametrize(("call", "said"), [
    (lambda: ph.box(1, -1, 1, 1), "box: its edge -1 is negative"),
    (lambda: ph.rod(1, -1), "rod: its length -1 is negative"),
    (lambda: ph.rod(-1, 1), "rod: its mass -1 is negative"),
    (lambda: ph.cylinder(1, -2, 1), "cylinder: its radius -2 is negative"),
    (lambda: ph.disc(1, "-0.5"), "disc: its radius -1/2 is negative"),
    (lambda: ph.sphere(1, -3), "sphere: its radius -3 is negative"),
])  # fmt: skip
def test_solids_have_no_negative_sizes(call: Callable[[], Any], said: str) -> None:
    assert said in refused("", call)


def test_a_flat_or_massless_solid_is_one() -> None:
    assert ph.box(0, 1, 1, 1) == ph.Matrix.zeros(3, 3) and ph.box(12, 1, 1, 0)[2, 2] == 2
    assert ph.sphere(ph.symbol("m"), ph.symbol("r"))[0, 0] == ph.symbol("m") * ph.symbol("r") ** 2 * 2 / 5


@pytest.mark.parametrize("m", [-1, [-1.0], np.array([-1.0, 2.0])])
def test_compiled_functions_refuse_negative_masses_as_runs_do(e: ph.Equations, m: Any) -> None:
    states = np.zeros((np.size(m), 1)) if np.ndim(m) else [0.0]
    refused(r"body 'arm': the mass -1 .* is negative", lambda: e.compile().mass_matrix(states, parameters={"m": m}))
    refused(r"body 'arm': the mass -1 .* is negative", lambda: e.stepper(dt=0.1, parameters={"m": -1}))


@pytest.mark.parametrize("method", ["scipy.BDF", "Radau", "DOP853"])
def test_a_tolerance_without_bound_is_refused(e: ph.Equations, method: str) -> None:
    refused(r"atol: 1e\+308 is not a number", lambda: e.simulate(0.1, method=method, atol=1e308))
