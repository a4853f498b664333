"""Controls are chosen, named and limited alike in linearize, collocation, RealTimeIteration and simulate."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque, Controller, Law, RealTimeIteration


def arm(declared: bool = False, motor: bool = False) -> ph.System:
    """Two hinges whose joints, coordinates and speeds have names of their own; the second has limits."""
    s = ph.System("arm", gravity=(0, 0, -10))
    upper = s.body("upper", 1, com=(0, 0, -1))
    one = s.joint("shoulder", s.ground, upper, ph.Revolute("y"), coordinates=["a"], speeds=["va"])
    lower = s.body("lower", 1, com=(0, 0, -1))
    s.joint(
        "elbow", upper, lower, ph.Revolute("y"), at=(0, 0, -1), coordinates=["b"], speeds=["vb"], effort_limits=(-2, 3)
    )
    if declared:
        s.joint_force(one, s.input("F"))
    if motor:
        s.motor("elbow", 50, inertia=1e-4)
    return s


def predictive(equations: ph.Equations, inputs: Any = None, limits: Any = None) -> RealTimeIteration:
    return RealTimeIteration(equations, Q=1, R=1, horizon=2, sample_time=0.1, inputs=inputs, limits=limits)


CHOOSERS: dict[str, Callable[[ph.Equations, Any], list[str]]] = {
    "linearize": lambda e, inputs: list((e.linearize() if inputs is None else e.linearize().with_ports(inputs)).inputs),
    "collocation": lambda e, inputs: list(e.collocation(1, inputs=inputs, nodes=3).names.controls),
    "RealTimeIteration": lambda e, inputs: list(predictive(e, inputs).plant.inputs),
    "controller": lambda e, inputs: [str(x) for x in ComputedTorque(e, kp=1, kd=1, inputs=inputs).law.controls],
}


@pytest.mark.parametrize("chooser", ["linearize", "collocation", "RealTimeIteration"])
@pytest.mark.parametrize(("options", "controls"), [
    ({}, ["tau_va", "tau_vb"]), ({"motor": True}, ["tau_vb"]), ({"motor": True, "declared": True}, ["F"]),
])  # fmt: skip
def test_controls_that_are_not_named_are_the_same_everywhere(
    chooser: str, options: dict[str, bool], controls: list[str]
) -> None:
    assert CHOOSERS[chooser](arm(**options).derive(), None) == controls


def test_a_controller_drives_all_efforts_where_nothing_is_declared() -> None:
    assert CHOOSERS["controller"](arm().derive(), None) == ["tau_va", "tau_vb"]


@pytest.mark.parametrize("chooser", [*CHOOSERS])
@pytest.mark.parametrize(
    "names", [("shoulder", "elbow"), ("va", "vb"), ("tau_va", "tau_vb"), ("tau(va)", "tau(vb)"), "tau"]
)
def test_controls_are_called_by_the_same_names_everywhere(chooser: str, names: Any) -> None:
    equations = arm().derive()
    inputs = list(equations.tau) if names == "tau" else list(names)
    assert CHOOSERS[chooser](equations, inputs) == ["tau_va", "tau_vb"]


@pytest.mark.parametrize("chooser", ["linearize", "collocation", "RealTimeIteration"])
def test_an_input_is_called_by_its_name_or_its_symbol_everywhere(chooser: str) -> None:
    s = arm(declared=True)
    e = s.derive()
    for name in ("F", e.symbols["F"]):
        assert CHOOSERS[chooser](e, [name]) == ["F"]


def of_collocation(e: ph.Equations, limits: Any) -> list[tuple[float, float]]:
    read = e.collocation(1, inputs=["elbow", "shoulder"], limits=limits, nodes=3).limits.controls
    return [(each.lower, each.upper) for each in read]


def of_prediction(e: ph.Equations, limits: Any) -> list[tuple[float, float]]:
    made = predictive(e, ["elbow", "shoulder"], limits)
    return list(zip(made.lower.tolist(), made.upper.tolist(), strict=True))


class Shaking(Controller):
    """Efforts far beyond any limits, in time alone."""

    def design(self) -> Law:
        wave = 50 * ph.sin(40 * self.equations.system.time)
        return Law({self.equations.tau[0]: wave, self.equations.tau[1]: -wave})


def of_run(e: ph.Equations, limits: Any) -> list[tuple[float, float]]:
    """The extremes of the efforts that acted."""
    run = e.simulate(0.5, controller=Shaking(e), limits=limits, sample_time=0.01)
    ends = [(float(each.min()), float(each.max())) for each in run.tau.T[::-1]]
    return [(-np.inf if low < -40 else low, np.inf if high > 40 else high) for low, high in ends]


FORMS: list[tuple[Any, tuple[float, float], tuple[float, float]]] = [
    (5, (-5, 5), (-5, 5)),
    ((-4, 6), (-4, 6), (-4, 6)),
    ({"shoulder": 5, "elbow": (-1, 2)}, (-1, 2), (-5, 5)),
    ({"tau_va": 5, "tau_vb": "model"}, (-2, 3), (-5, 5)),
    ({"tau(va)": (None, 6), "tau(vb)": (-1, np.inf)}, (-1, np.inf), (-np.inf, 6)),
    ({"shoulder": None, "elbow": 1}, (-1, 1), (-np.inf, np.inf)),
]


@pytest.mark.parametrize("reader", [of_collocation, of_prediction, of_run])
@pytest.mark.parametrize(("limits", "elbow", "shoulder"), FORMS)
def test_limits_are_spelt_alike_everywhere(
    reader: Callable[[ph.Equations, Any], list[tuple[float, float]]],
    limits: Any,
    elbow: tuple[float, float],
    shoulder: tuple[float, float],
) -> None:
    assert reader(arm().derive(), limits) == [elbow, shoulder]


@pytest.mark.parametrize("reader", [of_collocation, of_prediction, of_run])
def test_limits_by_symbol_and_of_the_model_are_taken_everywhere(reader: Callable[..., Any]) -> None:
    e = arm().derive()
    assert reader(e, {e.tau[1]: 1, e.tau[0]: (-7, 7)}) == [(-1, 1), (-7, 7)]
    if reader is of_run:
        assert reader(e, "model") == [(-2, 3), (-np.inf, np.inf)]
    else:
        with pytest.warns(match="the model has no limits of tau_va"):
            assert reader(e, "model") == [(-2, 3), (-np.inf, np.inf)]
    refused(r"there is no .*control 'wrist'", lambda: reader(e, {"wrist": 1}))


@pytest.mark.parametrize("key", ["elbow", "vb", "tau_vb", "tau(vb)", "symbol"])
def test_efforts_of_a_run_are_called_by_the_same_names(key: str) -> None:
    e = arm().derive()
    run = e.simulate(0.1, tau={e.tau[1] if key == "symbol" else key: 2.5})
    assert run.tau[0].tolist() == [0, 2.5]
    with pytest.raises(ph.PolhodeError, match="the controller gives it too"):
        e.simulate(
            0.1,
            controller=ComputedTorque(e, kp=1, kd=1),
            reference={"a": 0, "b": 0},
            tau={e.tau[1] if key == "symbol" else key: 1},
        )
    refused("there is no effort 'tau_vc'", lambda: e.simulate(0.1, tau={"tau_vc": 1}))
