"""Controllers: names of gains and of integrals, and nominal values of parameters."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.loop_in_c import built

import polhode as ph
from polhode.control import EKF, LQR, ComputedTorque, Controller, Law, Observed
from polhode.model.samples.arms import six_degree_of_freedom_arm
from polhode.model.samples.underactuated import cart_pole


def slider(mass: str = "m") -> ph.System:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter(mass, 2)), ph.Prismatic("x"), speeds=["v"])
    return s


def test_a_gain_with_the_name_of_a_parameter_is_refused_for_every_controller():
    regulator = LQR(slider("K_tau_v_x").derive().linearize())
    for controller in (regulator, ComputedTorque(slider("kp").derive(), kp=1, kd=1)):
        with pytest.raises(ph.PolhodeError, match="has the name of a parameter of 'slider'"):
            _ = controller.law


def test_the_integral_of_an_error_is_called_the_same_in_all_controllers():
    torque = ComputedTorque(slider().derive(), kp=4, kd=4, ki=1)
    regulator = LQR(cart_pole().derive().linearize(), integral={"x": 1})
    assert [each.symbol.name for each in (*torque.law.states, *regulator.law.states)] == ["integral of x"] * 2


@pytest.mark.parametrize("wrong", ["x", 3, {"zz": 1}, {"m": None}, {"m": [1, 2]}])
def test_nominal_values_are_numbers_by_the_names_of_parameters(wrong):
    with pytest.raises(ph.PolhodeError, match="ComputedTorque parameters"):
        ComputedTorque(slider().derive(), kp=1, kd=1, parameters=wrong)


def test_gains_of_uneven_rows_get_a_sentence():
    with pytest.raises(ph.PolhodeError, match="neither one gain"):
        ComputedTorque(cart_pole().derive(), kp=[1, [2, 3]], kd=1, inputs=["tau_x", "tau_theta"])


def test_a_law_that_nobody_would_read_is_told_of() -> None:
    e = six_degree_of_freedom_arm().derive()
    said = str(ComputedTorque(e, kp=100, kd=20, inputs=e.speeds))
    assert "symbols and numbers, see law.controls" in said and len(said) < 30_000


REFERENCE = {"shoulder": 1.0, "elbow": -0.5}
HOWS = [{}, {"sample_time": 0.01}]
IDS = ["continuous", "sampled"]


def arm(shoulder: Any = None, elbow: Any = None) -> ph.System:
    """Two links with limits of their motors; a parameter `strength` is there for them."""
    s = ph.System("arm")
    s.parameter("strength", 6)
    upper, fore = (s.body(name, 1, (0, 0, -0.25), (0.01, 0.01, 0.01)) for name in ("upper", "fore"))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"), effort_limits=_read(s, shoulder))
    s.joint("elbow", upper, fore, ph.Revolute("y"), at=(0, 0, -0.5), effort_limits=_read(s, elbow), speeds=["w"])
    return s


def _read(s: ph.System, given: Any) -> Any:
    return s.parameters["strength"].symbol if given == "strength" else given


def torque(e: ph.Equations) -> ComputedTorque:
    return ComputedTorque(e, kp=100, kd=20)


@pytest.mark.parametrize("how", HOWS, ids=IDS)
def test_controls_keep_the_limits_of_the_model(how: dict[str, Any]) -> None:
    e = arm(6, (-1, 2)).derive()
    run = e.simulate(1, controller=torque(e), reference=REFERENCE, limits="model", **how)
    assert run.tau.max(axis=0).tolist() == [6.0, 2.0] and {*run.at_limits} == {"shoulder", "w"}
    by_hand = e.simulate(1, controller=torque(e), reference=REFERENCE, limits={"shoulder": 6, "elbow": (-1, 2)}, **how)
    assert np.array_equal(run.x, by_hand.x)
    free = e.simulate(1, controller=torque(e), reference=REFERENCE, **how)
    assert free.tau.max() > 40, "nothing is clipped unless it is asked for"
    assert {each.kind for each in free.passed_limits} == {"effort"} and not run.passed_limits


@pytest.mark.parametrize("how", HOWS, ids=IDS)
def test_one_control_may_have_numbers_and_another_those_of_the_model(how: dict[str, Any]) -> None:
    e = arm(6, 2).derive()
    run = e.simulate(1, controller=torque(e), reference=REFERENCE, limits={"shoulder": 3, "elbow": "model"}, **how)
    assert run.tau.max(axis=0).tolist() == [3.0, 2.0]


@pytest.mark.parametrize("how", HOWS, ids=IDS)
def test_controls_without_limits_are_told(how: dict[str, Any]) -> None:
    e = arm(shoulder=6).derive()
    run = e.simulate(1, controller=torque(e), reference=REFERENCE, limits="model", **how)
    assert run.tau[:, 0].max() == 6 and run.tau[:, 1].max() > 10
    assert "the model has no limits of tau_w: it was not limited." in run.notices


@pytest.mark.parametrize("how", HOWS, ids=IDS)
def test_members_have_the_limits_of_their_parameters(how: dict[str, Any]) -> None:
    e = arm("strength", 2).derive()
    strengths = np.array([3.0, 4.0, 5.0])
    options: dict[str, Any] = {"controller": torque(e), "reference": REFERENCE, "limits": "model", **how}
    batch = e.simulate(1, parameters={"strength": strengths}, **options)
    assert [run.tau[:, 0].max() for run in batch] == strengths.tolist()
    for run, strength in zip(batch, strengths, strict=True):
        alone = e.simulate(1, parameters={"strength": strength}, **options)
        assert np.array_equal(run.x, alone.x) and run.at_limits == alone.at_limits


def test_an_observer_knows_the_limits_of_the_model() -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), effort_limits=s.parameter("f", 1))
    e = s.derive()
    noise = {"process_noise": 1e-8, "measurement_noise": 1e-2}
    ekf = EKF(e, ["x"], inputs=["tau_x"], sample_time=0.02, start={"x": 1.0}, covariance=0, **noise)
    loop = Observed(LQR(e.linearize().with_ports(["tau_x"]), 100, 1, sample_time=0.02), ekf)
    run = e.simulate(1, controller=loop, start={"x": 1.0}, limits="model")
    assert run.at_limits and np.abs(run.controller["estimate of x"] - run.at(run.controller.times)["x"]).max() < 1e-6


WRONG = [
    ({"limits": "model"}, None, "no control is an effort that has limits in the model", "E-LOOP-025"),
    ({"limits": {"elbow": "model"}}, 6, "the model has no limits of tau_w", "E-LOOP-026"),
    ({"limits": "robot"}, 6, "'robot' is not a limit", "E-LOOP-022"),
    ({"limits": {"wrist": "model"}}, 6, "there is no control 'wrist'", "E-LOOP-020"),
]


@pytest.mark.parametrize(("options", "shoulder", "sentence", "code"), WRONG)
def test_what_the_model_does_not_have_gets_a_sentence(options: Any, shoulder: Any, sentence: str, code: str) -> None:
    e = arm(shoulder).derive()
    for call in (
        lambda: e.simulate(1, controller=torque(e), reference=REFERENCE, **options),
        lambda: torque(e).compile(**options),
        lambda: torque(e).export("c", "nowhere", **options),
    ):
        with pytest.raises(ph.PolhodeError, match=sentence) as found:
            call()
        assert found.value.problems[0].code == code and found.value.problems[0].cure
    assert not Path("nowhere").exists()


def test_a_parameter_of_a_limit_needs_a_value() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=s.parameter("most"))
    e = s.derive()
    with pytest.raises(ph.PolhodeError, match="most"):
        e.simulate(1, controller=Law({x.tau[0]: -x.u[0]}), limits="model")


# ---- compiled and as source -----------------------------------------------------------------------------------------


def test_a_compiled_law_keeps_limits() -> None:
    e = arm("strength", (-1, 2)).derive()
    state: dict[str, Any] = {"q": [0.0, 0.0], "u": [0.0, 0.0], "reference": REFERENCE}
    free = torque(e).compile()(**state)
    assert (free > 10).all()
    assert torque(e).compile(limits="model")(**state).tolist() == [6.0, 2.0]
    assert torque(e).compile(limits="model", parameters={"nominal strength": 5})(**state).tolist() == [5.0, 2.0]
    assert torque(e).compile(limits={"shoulder": 3})(**state).tolist() == [3.0, free[1]]
    with pytest.warns(UserWarning, match="the model has no limits of tau_w: it was not limited"):
        torque(arm(6).derive()).compile(limits="model")


def test_a_compiled_law_of_an_observer_gives_what_the_run_gave() -> None:
    s = ph.System("cart", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"), effort_limits=1)
    e = s.derive()
    ekf = EKF(e, ["x"], inputs=["tau_x"], sample_time=0.02, process_noise=1, measurement_noise=1e-2)
    loop = Observed(LQR(e.linearize().with_ports(["tau_x"]), 100, 1, sample_time=0.02), ekf)
    run = e.simulate(0.5, controller=loop, start={"x": 1.0}, limits="model")
    at = run.at(run.controller.times)
    controls, after = loop.compile(limits="model")(q=at.q, u=at.u, states=run.controller.states, t=at.t)
    assert np.abs(controls).max() == 1 and np.allclose(controls, run.controller.controls, atol=1e-12)
    assert np.allclose(after[:-1], run.controller.states[1:], atol=1e-12)


@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc here")
def test_exported_c_keeps_limits(tmp_path: Path) -> None:
    e = arm(6, (None, 2)).derive()
    torque(e).export("c", tmp_path, prefix="own", limits="model")
    record = json.loads((tmp_path / "own_control_law.json").read_text(encoding="utf-8"))
    assert record["limits"] == {"tau_shoulder": [-6.0, 6.0], "tau_w": [None, 2.0]}
    assert "tau_shoulder is kept from -6 to 6." in (tmp_path / "own_control_law.c").read_text(encoding="utf-8")
    (tmp_path / "main.c").write_text(
        """#include <stdio.h>
#include "own_control_law.h"
int main(void) {
  const double p[] = {100, 20}, y[4] = {0, 0, 0, 0}, far[6] = {1, 0, 0, -0.5, 0, 0}, near[6] = {0, 0, 0, 0, 0, 0};
  double w[POLHODE_OWN_CONTROL_LAW_WORK], tau[2];
  own_control_law_setup(p, w);
  own_control_law(y, far, w, tau);
  printf("%.17g %.17g ", tau[0], tau[1]);
  own_control_law(y, near, w, tau);
  printf("%.17g %.17g", tau[0], tau[1]);
  return 0;
}
"""
    )
    assert [float(x) for x in built(tmp_path, "own_control_law.c", "main.c").split()] == [6.0, 2.0, 0.0, 0.0]


@pytest.mark.parametrize("target", ["c", "fortran", "numpy"])
def test_a_hostile_name_in_a_limit_does_not_reach_the_source(target: str, tmp_path: Path) -> None:
    s = ph.System("slider")
    hostile = '*/ system("x") /*\n"""'
    x = s.joint(
        "x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=s.parameter(hostile, 3), speeds=["v"]
    )

    class Brake(Controller):
        def design(self) -> Law:
            return Law({x.tau[0]: -x.u[0]})

    for path in Brake(s.derive()).export(target, tmp_path, limits="model"):
        text = path.read_text(encoding="utf-8")
        assert path.suffix == ".json" or not any(part in text for part in ("*/ system", 'system("', "system(x) /*"))


def test_without_limits_source_says_nothing_of_them(tmp_path: Path) -> None:
    e = arm(6).derive()
    torque(e).export("c", tmp_path, prefix="own")
    assert "limits" not in json.loads((tmp_path / "own_control_law.json").read_text(encoding="utf-8"))
    assert "is kept from" not in (tmp_path / "own_control_law.c").read_text(encoding="utf-8")
