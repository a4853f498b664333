"""Controllers: names of gains and of integrals, and nominal values of parameters."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.loop_in_c import built
from tests.refusals import refused

import polhode as ph
from polhode.control import EKF, LQR, ComputedTorque, Controller, HighGain, KalmanFilter, Law, Luenberger, Observed
from polhode.expr.evaluation import Evaluator
from polhode.model.samples.arms import six_degree_of_freedom_arm
from polhode.model.samples.underactuated import cart_pole


def slider(mass: str = "m") -> ph.System:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter(mass, 2)), ph.Prismatic("x"), speeds=["v"])
    return s


def test_names_of_gains_integrals_and_nominal_values_are_checked() -> None:
    regulator = LQR(slider("K_tau_v_x").derive().linearize())
    for controller in (regulator, ComputedTorque(slider("kp").derive(), kp=1, kd=1)):
        with pytest.raises(ph.PolhodeError, match="has the name of a parameter of 'slider'"):
            _ = controller.law
    torque = ComputedTorque(slider().derive(), kp=4, kd=4, ki=1)
    regulator = LQR(cart_pole().derive().linearize(), integral={"x": 1})
    assert [each.symbol.name for each in (*torque.law.states, *regulator.law.states)] == ["integral of x"] * 2
    with pytest.raises(ph.PolhodeError, match="neither one gain"):
        ComputedTorque(cart_pole().derive(), kp=[1, [2, 3]], kd=1, inputs=["tau_x", "tau_theta"])


@pytest.mark.parametrize("wrong", ["x", 3, {"zz": 1}, {"m": None}, {"m": [1, 2]}])
def test_nominal_values_are_numbers_by_the_names_of_parameters(wrong):
    refused("ComputedTorque parameters", lambda: ComputedTorque(slider().derive(), kp=1, kd=1, parameters=wrong))


def test_a_law_that_nobody_would_read_is_told_of() -> None:
    e = six_degree_of_freedom_arm().derive()
    said = str(ComputedTorque(e, kp=100, kd=20, inputs=e.speeds))
    assert "operations, see law.controls" in said and len(said) < 30_000


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
def test_controls_keep_limits_of_their_own_or_of_the_model_or_none(how: dict[str, Any]) -> None:
    e = arm(6, (-1, 2)).derive()
    run = e.simulate(1, controller=torque(e), reference=REFERENCE, limits="model", **how)
    assert run.tau.max(axis=0).tolist() == [6.0, 2.0] and {*run.at_limits} == {"shoulder", "w"}
    by_hand = e.simulate(1, controller=torque(e), reference=REFERENCE, limits={"shoulder": 6, "elbow": (-1, 2)}, **how)
    assert np.array_equal(run.x, by_hand.x)
    free = e.simulate(1, controller=torque(e), reference=REFERENCE, **how)
    assert free.tau.max() > 40, "nothing is clipped unless it is asked for"
    assert {each.kind for each in free.passed_limits} == {"effort"} and not run.passed_limits
    e = arm(6, 2).derive()
    run = e.simulate(1, controller=torque(e), reference=REFERENCE, limits={"shoulder": 3, "elbow": "model"}, **how)
    assert run.tau.max(axis=0).tolist() == [3.0, 2.0]
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
    ({"limits": "model"}, None, "no control is an effort that has limits in the model", "E-CONTROL-MISSING"),
    ({"limits": {"elbow": "model"}}, 6, "the model has no limits of tau_w", "E-CONTROL-MISSING"),
    ({"limits": "robot"}, 6, "'robot' is not a limit", "E-CONTROL-TYPE"),
    ({"limits": {"wrist": "model"}}, 6, "there is no control 'wrist'", "E-CONTROL-NAME"),
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


def test_a_parameter_of_a_limit_needs_a_value_and_a_compiled_law_keeps_limits() -> None:
    s = ph.System("slider")
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=s.parameter("most"))
    e = s.derive()
    refused("most", lambda: e.simulate(1, controller=Law({x.tau[0]: -x.u[0]}), limits="model"))
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


NOISE: dict[str, Any] = {"process_noise": 1e-3, "measurement_noise": 1e-4}


def loop(e: ph.Equations, law: Law, duration: float, x: list[float], step: float, **wanted: float) -> np.ndarray:
    """The closed loop in plain Python: the state at the end, with a law in continuous time or sampled each step."""
    record = e.record
    symbols = [*record.q, *record.u, *record.z]
    known = {each.symbol: float(each.value or 0) for each in record.system.parameters.values()}
    known |= {each.symbol: float(each.value or 0) for each in law.parameters.values()}
    known |= dict.fromkeys([*record.tau, *(each.symbol for each in record.system.inputs.values())], 0.0)
    for each in law.reference:
        known |= dict.fromkeys(each.symbols, 0.0) | {each.symbols[0]: wanted.get(each.name, float(each.default or 0))}
    own = [each.symbol for each in law.states]
    change = [each.update if each.rate is None else each.rate for each in law.states]
    measured = Evaluator([*law.measured.values()])
    control = Evaluator([*law.controls.values(), *change])
    rates = Evaluator(list(record.state_rates))
    first, count = len(x), len(law.controls)

    def act(state: np.ndarray) -> tuple[dict[Any, float], np.ndarray]:
        there = known | dict(zip([*symbols, *own], state.tolist(), strict=True))
        there |= dict(zip(law.measured, measured(there), strict=True))
        made = control(there)
        return there | dict(zip(law.controls, made[:count], strict=True)), np.array(made[count:])

    def f(state: np.ndarray, acting: dict[Any, float] | None = None) -> np.ndarray:
        there, changed = act(state) if acting is None else (acting, np.zeros(len(own)))
        there = there | dict(zip(symbols, state[:first].tolist(), strict=True))
        return np.concatenate([rates(there), changed])

    state = np.array([*x, *(float(each.start) for each in law.states)])
    for _ in range(round(duration / step)):
        acting, after = (None, None) if law.sample_time is None else act(state)
        k1 = f(state, acting)
        k2 = f(state + step / 2 * k1, acting)
        k3 = f(state + step / 2 * k2, acting)
        state = state + step * (k1 + 2 * k2 + 2 * k3 + f(state + step * k3, acting)) / 6
        if after is not None:
            state[first:] = after
    return state


def test_a_filter_estimates_the_loop_exactly_and_holds_a_pole_upright() -> None:
    e = cart_pole().derive()
    linear = e.linearize()
    ekf = EKF(e, ["x", "theta"], **NOISE, sample_time=0.02)
    law = Observed(LQR(linear, sample_time=0.02), ekf).law
    assert [str(x) for x in law.measurements] == ["y_x", "y_theta"] and law.sample_time == 0.02 and law.is_sampled
    state = loop(e, law, 5, [0.1, 0.15, 0, 0], 0.02)
    assert np.abs(state[:4]).max() < 0.06
    np.testing.assert_allclose(state[4:8], state[:4], atol=1e-4)
    e = cart_pole().derive()
    start = {"x": 0.1, "theta": 0.15}
    ekf = EKF(e, ["x"], **NOISE, sample_time=0.01, start=start, covariance=0)
    law = Observed(LQR(e.linearize(), sample_time=0.01), ekf).law
    state = loop(e, law, 1, [0.1, 0.15, 0, 0], 0.01)
    np.testing.assert_allclose(state[4:8], state[:4], atol=1e-12)  # steps of the filter are those of the loop


@pytest.mark.parametrize("sample_time", [None, 0.02])
def test_a_linear_filter_and_regulator_have_the_poles_of_both(sample_time: float | None) -> None:
    linear = cart_pole().derive().linearize()
    regulator = LQR(linear, sample_time=sample_time)
    observer = KalmanFilter(linear, ["x"], process_noise=1, measurement_noise=1e-2, sample_time=sample_time)
    law = Observed(regulator, observer).law
    own = [each.symbol for each in law.states]
    change = [each.update if sample_time else each.rate for each in law.states]
    values = {each.symbol: float(each.value or 0) for each in law.parameters.values()}
    values |= {x: float(each.default or 0) for each in law.reference for x in each.symbols}
    A, B, C = regulator.A, regulator.B, observer.C
    whole = Evaluator([*law.controls.values(), *change])  # type: ignore[list-item]

    def column(x: np.ndarray) -> np.ndarray:
        there = dict(zip(own, x[4:].tolist(), strict=True)) | dict(zip(law.measured, (C @ x[:4]).tolist(), strict=True))
        made = np.array(whole(values | there))
        return np.concatenate([A @ x[:4] + B @ made[:1], made[1:]])

    found = np.linalg.eigvals(np.array([column(each) for each in np.eye(8)]).T)
    both = np.concatenate([regulator.poles, observer.poles])
    np.testing.assert_allclose(np.sort_complex(found.round(9)), np.sort_complex(both.round(9)), atol=1e-5)


def test_a_pole_is_held_by_a_high_gain_observer_and_poles_of_an_observer_are_those_that_are_wanted() -> None:
    e = cart_pole().derive()
    law = Observed(LQR(e.linearize()), HighGain(e, epsilon=0.02)).law
    state = loop(e, law, 4, [0.1, 0.15, 0, 0], 0.005)
    assert np.abs(state[:4]).max() < 0.1
    np.testing.assert_allclose(state[4:], state[:4], atol=1e-3)
    linear = cart_pole().derive().linearize()
    poles = [-4, -5, -6 + 2j, -6 - 2j]
    made = Luenberger(linear, ["x", "theta"], poles=poles)
    np.testing.assert_allclose(np.sort_complex(made.poles), np.sort_complex(poles), atol=1e-6)


def ball() -> ph.Equations:
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("b", 1, inertia=(1, 2, 3)), ph.Spherical())
    return s.derive()


def test_an_orientation_is_estimated_from_two_directions() -> None:
    e = ball()
    R = e.pose("b").R
    seen = {f"r{i}{j}": R[i][j] for i in range(3) for j in (0, 1)}
    ekf = EKF(e, seen, process_noise=1e-8, measurement_noise=1e-4, sample_time=0.05)
    half = 0.25
    start = {"ball_e0": float(np.cos(half)), "ball_e1": float(np.sin(half))}
    run = e.simulate(10, start=start, speeds={"ball_wx": 0.3, "ball_wy": 0.2, "ball_wz": -0.4}, samples=201)
    made = ekf.filter(run)
    assert made.covariances.shape == (201, 6, 6)
    np.testing.assert_allclose(np.abs(made.x[-1, :4] @ run.q[-1]), 1, atol=1e-5)
    np.testing.assert_allclose(made.x[-1, 4:], run.u[-1], atol=2e-3)
    np.testing.assert_allclose(np.linalg.norm(made.x[:, :4], axis=1), 1, atol=1e-12)


def test_innovations_are_as_large_as_they_are_said_to_be_and_outputs_that_do_not_tell_the_state_are_refused() -> None:
    s = ph.System("pendulum")
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -hinge.u[0] / 5)
    e = s.derive()
    run = e.simulate(20, start={"a": 2.0}, samples=1001)
    rng = np.random.default_rng(1)
    y = run.q + rng.normal(0, 0.05, run.q.shape)
    ekf = EKF(e, ["a"], process_noise=1e-8, measurement_noise=0.05**2, sample_time=0.02, start={"a": 1.9})
    made = ekf.filter(run, y)
    assert made.normalised_innovations.mean() == pytest.approx(1, abs=0.15)
    assert np.abs(made["a'"] - run.u[:, 0])[-200:].max() < 0.02
    assert np.abs(made["a"] - run.q[:, 0])[-200:].max() < 4 * made.deviation("a")[-200:].max()
    e = cart_pole().derive()
    refused("nothing that is measured depends on x, x'", lambda: EKF(e, ["theta"], **NOISE, sample_time=0.01))
    with pytest.raises(ph.PolhodeError, match=r"do not observe the mode with the eigenvalue 0 1/s \(in x'?\)"):
        KalmanFilter(e.linearize(), ["theta"], **NOISE)
    with pytest.raises(ph.PolhodeError, match="no noise drives the mode"):
        KalmanFilter(e.linearize(), ["x"], process_noise={"x": 1}, measurement_noise=1)


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda e: EKF(e, ["x"], **NOISE), "no sample time"),
    (lambda e: EKF(e, ["y"], **NOISE, sample_time=0.1), "no state 'y'"),
    (lambda e: EKF(e, [], **NOISE, sample_time=0.1), "nothing is measured"),
    (lambda e: EKF(e, ["x"], **NOISE, sample_time=0.1, start={"y": 1}), "no coordinate, speed or state 'y'"),
    (lambda e: EKF(e, ["x"], **NOISE, sample_time=0.1, step="leap"), "no step 'leap'"),
    (lambda e: EKF(e, ["x"], process_noise=1, measurement_noise=0, sample_time=0.1), "not positive definite"),
    (lambda e: EKF(e, {"a": e.udot[0]}, **NOISE, sample_time=0.1), "no part of the state"),
    (lambda e: EKF(ph.System("s"), ["x"], **NOISE, sample_time=0.1), "is not a set of equations"),
    (lambda e: HighGain(e, ["x"]), "measures every coordinate"),
    (lambda e: HighGain(e, epsilon=0), "0 is not a number > 0"),
    (lambda e: HighGain(e, gains=[1]), "not positive numbers"),
    (lambda e: Luenberger(e.linearize(), ["x"], poles=[-1]), "4 poles with negative real parts"),
    (lambda e: Luenberger(e.linearize(), ["x"], poles=[-1, -1, -2, -3j]), "negative real parts"),
    (lambda e: Luenberger(e.linearize(), ["x"], poles=[-1, -1, -1, -1]), "cannot be placed"),
    (lambda e: KalmanFilter(e, ["x"], **NOISE), "not a set of linear equations"),
    (lambda e: KalmanFilter(e.linearize(), ["x"], **NOISE, start={"y": 0}), "no state 'y'"),
    (lambda e: EKF(ball(), ["ball_rx"], **NOISE, sample_time=0.1), "'ball_rx' is a small turn"),
    (lambda e: KalmanFilter(ball().linearize(), None, **NOISE), "is a small turn"),
    (lambda e: Observed(LQR(e.linearize()), 3), "3 is not an Observer"),
])  # fmt: skip
def test_wrong_calls_get_a_sentence(make: Any, sentence: str) -> None:
    refused(sentence, lambda: make(cart_pole().derive()))


@pytest.mark.parametrize(("given", "sentence"), [
    (([0, 0.1, 0.3], [0, 0, 0]), "0.1 s to 0.2 s apart"), (([0, 0.1], [0, 0, 0]), "have the shape"),
    (([0, 0.1], None), "no measurements"), (([0, 0.1], [0, np.nan]), "is not finite numbers"),
    (([0, 0.1], {"z": [0, 0]}), "no measurement 'z'"), (([0, 0.1], {}), "no measurement of 'x'"),
    (([0, 0.1], [0, 0], {"G": 1}), "no control 'G'"), (("now", [0, 0]), "times: .now. is not finite numbers"),
])  # fmt: skip
def test_samples_that_do_not_fit_get_a_sentence(given: Any, sentence: str) -> None:
    ekf = EKF(cart_pole().derive(), ["x"], **NOISE, sample_time=0.1)
    refused(sentence, lambda: ekf.filter(*given))


def test_an_observer_and_a_controller_must_keep_one_time_and_a_filter_that_diverges_says_so() -> None:
    e = cart_pole().derive()
    linear = e.linearize()
    ekf = EKF(e, ["x"], **NOISE, sample_time=0.1)
    refused(r"every 0.2 s and the observer every 0.1 s", lambda: Observed(LQR(linear, sample_time=0.2), ekf).law)
    refused("the observer changes in continuous time", lambda: Observed(LQR(linear, sample_time=0.2), HighGain(e)).law)
    refused("the controller changes in continuous time", lambda: Observed(LQR(linear, integral={"x": 1}), ekf).law)
    s = ph.System("runaway", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, slide.q[0] ** 5)
    ekf = EKF(s.derive(), ["x"], **NOISE, sample_time=0.5, start={"x'": 1e250}, covariance=0)
    refused("the filter diverged at t =", lambda: ekf.filter(np.arange(200) * 0.5, np.zeros(200)))
