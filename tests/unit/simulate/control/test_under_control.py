"""What a run tells of its controller."""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.controlled_arms import InverseDynamics, ServoPID, arm, slider
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import EKF, LQR, ComputedTorque, EnergyShaping, Law, Observed, OperationalSpace, Reference
from polhode.model.samples.underactuated import cart_pole, quadrotor
from polhode.show.panels import panels_of
from polhode.simulate import Trajectory

SAMPLED: dict[str, Any] = {"sample_time": 0.01}


@pytest.mark.parametrize("how", [{}, SAMPLED], ids=["continuous", "sampled"])
def test_a_run_knows_what_was_wanted_and_how_far_it_was_missed(how: dict[str, Any]) -> None:
    e = arm().derive()
    run = e.simulate(1, controller=InverseDynamics(e), reference={"elbow": "sin(t)"}, **how)
    assert np.allclose(run.reference["elbow"], np.sin(run.t)) and not run.reference["shoulder"].any()
    assert np.allclose(run.tracking_error["elbow"], np.sin(run.t) - run["elbow"])
    run.power_audit().check(1e-6, run)
    assert not e.simulate(1).reference and not e.simulate(1).tracking_error


def test_what_has_no_quantity_on_the_mechanism_has_no_error_and_the_log_of_a_sampled_law_is_asked_by_name() -> None:
    e = slider().derive()
    force = Reference("force", unit="N")
    run = e.simulate(1, controller=Law({e.tau[0]: force.symbols[0]}, reference=(force,)), reference=2, samples=3)
    assert run.reference["force"].tolist() == [2, 2, 2] and not run.tracking_error
    e = slider().derive()
    run = e.simulate(0.1, controller=ServoPID(e), reference=1, **SAMPLED)
    log = run.controller
    assert log is not None and np.array_equal(log["v"], log.controls[:, 0])
    assert np.array_equal(log["total error"], log.states[:, 0])
    refused("no control or state of the controller 'w'", lambda: log["w"])


@pytest.mark.parametrize("how", [{}, SAMPLED], ids=["continuous", "sampled"])
def test_time_at_limits_is_told(how: dict[str, Any]) -> None:
    e = slider().derive()
    run = e.simulate(2, controller=Law({e.tau[0]: 4 - 4 * e.system.time}), limits=(-2, 2), rate=1000, **how)
    assert run.at_limits["v"] == pytest.approx(1.0, abs=0.02)  # until t = 0.5, and from 1.5 on
    assert any(told.startswith("the control 'v' was at its limits for 1") for told in run.notices)
    free = e.simulate(2, controller=Law({e.tau[0]: -e.u[0]}), limits=2, **how)
    assert not free.at_limits


def test_files_and_pictures_have_it(tmp_path: Path) -> None:
    e = slider().derive()
    run = e.simulate(1, controller=ServoPID(e), reference="t", samples=11, **SAMPLED)
    header, *rows = run.to_csv(tmp_path / "run.csv").read_text().splitlines()
    assert header == "time [s],q.x [m],u.v [m/s],tau.v [N],reference.x,controller.total error"
    table = np.array([row.split(",") for row in rows], dtype=float)
    assert np.allclose(table[:, 4], run.t) and np.allclose(table[:-1, 5], run.controller.states[::10, 0])
    assert np.array_equal(Trajectory.from_csv(tmp_path / "run.csv").q, run.q)
    assert ("Tracking error", "") in [panel[:2] for panel in panels_of(run, ())]
    assert len(run.plot().axes) == len(panels_of(run, ()))


@pytest.mark.parametrize("how", [{}, SAMPLED], ids=["continuous", "sampled"])
def test_a_closed_run_goes_through_pickling(how: dict[str, Any]) -> None:
    e = slider().derive()
    run = e.simulate(1, controller=ServoPID(e), reference="t", samples=5, **how)
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.tracking_error["x"], run.tracking_error["x"]) and np.array_equal(again.tau, run.tau)


def test_sampled_batches_go_through_sweeps() -> None:
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": "t", "samples": 5, "noise": {"x": 0.01}, **SAMPLED}
    found = e.sweep({"kp": [10.0, 20.0]}, 1, workers=1, **given)
    assert found["x"][1] == e.simulate(1, **given)["x"][-1]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sample_time": 0}, "0 is not a time > 0"),
        ({"sample_time": "a"}, "'a' is not a time"),
        ({"sample_time": -1}, "-1 is not a time > 0"),
        ({"sample_time": 0.1, "delay": -1}, "-1 is not a time ≥ 0"),
        ({"sample_time": 0.1, "noise": {"y": 1}}, "there is no measurement 'y'"),
        ({"sample_time": 0.1, "noise": {"x": -1}}, "-1 is not a standard deviation"),
        ({"sample_time": 0.1, "quantisation": {"x": 0}}, "0 is not a step"),
        ({"sample_time": 0.1, "seed": "a"}, "'a' is not a whole number ≥ 0"),
        ({"sample_time": 0.1, "discretisation": "magic"}, "no discretisation 'magic'"),
        ({"sample_time": 1e-12}, "would be called"),
    ],
)
def test_what_cannot_be_sampled_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    e = slider().derive()
    refused(sentence, lambda: e.simulate(1, controller=ServoPID(e), reference=1, **options))


def test_a_law_that_was_made_for_samples_keeps_to_them() -> None:
    e = slider().derive()
    law = Law({e.tau[0]: -e.u[0]}, sample_time=0.1)
    run = e.simulate(1, controller=law, speeds={"v": 1})
    assert run.controller is not None and len(run.controller.times) == 10
    refused(r"made for samples every 0\.1 s, not 0\.2 s", lambda: e.simulate(1, controller=law, sample_time=0.2))


def test_an_event_and_friction_meet_a_sampled_law() -> None:
    s = ph.System("rubbing", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    s.joint_force(x, ph.sign(x.u[0]) / -2)
    e = s.derive()
    run = e.simulate(2, controller=ServoPID(e), reference=1, until=x.q[0] - 0.5, **SAMPLED)
    assert run.status == "event" and run["x"][-1] == pytest.approx(0.5)
    assert run.controller.times[-1] <= run.t[-1] < run.controller.times[-1] + 0.01


def servo() -> tuple[Any, dict[str, Any]]:
    e = slider().derive()
    return e, {"controller": ServoPID(e), "reference": 1.0}


def test_time_at_limits_is_at_most_the_run_and_short_references_or_long_delays_give_notices() -> None:
    e, given = servo()
    for how in ({}, SAMPLED):
        run = e.simulate(0.05, limits=(1, 1.001), **given, **how)
        assert np.isclose(max(run.at_limits.values()), 0.05)
    late = e.simulate(0.05, limits=(1, 1.001), delay=0.02, sample_time=0.03, **given)
    assert np.isclose(max(late.at_limits.values()), 0.03)
    for how in ({}, SAMPLED):
        run = e.simulate(3, limits=(0, np.inf), **given, **how)
        assert run.tau.min() == 0.0 and run.tau.max() == e.simulate(3, **given, **how).tau.max()
    e, given = servo()
    given["reference"] = ([0, 0.1, 0.2, 0.3], [0, 0.1, 0.2, 0.3])
    for how in ({}, SAMPLED):
        told = [each for each in e.simulate(0.5, **given, **how).notices if "samples of" in each]
        assert len(told) == 1 and "the samples of the reference" in told[0] and "from 0 to 0.3 s" in told[0]
    e, given = servo()
    assert any(
        "nothing that the controller gave acted" in each
        for each in e.simulate(0.1, delay=1, **SAMPLED, **given).notices
    )
    assert not e.simulate(0.1, delay=0.01, **SAMPLED, **given).notices


@pytest.mark.parametrize(("options", "match"), [
    ({"limits": [10, 20]}, "does not say which control"),
    ({"limits": {"tau_elbow": 10, "elbow": 20}}, "given twice"),
    ({"discretisation": ["euler"], **SAMPLED}, "no discretisation"),
    ({"discretisation": 0, **SAMPLED}, "no discretisation"),
    ({"delay": -1, **SAMPLED}, "delay: -1 is not a time ≥ 0"), ({"delay": 10**400, **SAMPLED}, "is not a time ≥ 0"),
    ({"limits": 10**400}, "is not a limit"), ({"sample_time": 0}, "0 is not a time > 0"),
])  # fmt: skip
def test_options_that_could_be_taken_in_two_ways_get_a_sentence(options: dict[str, Any], match: str) -> None:
    e = arm().derive()
    refused(match, lambda: e.simulate(0.1, controller=InverseDynamics(e), reference={"elbow": "sin(t)"}, **options))


HORIZONTAL = {"reference": {"theta": "3*t"}, "speeds": {"theta": 3.0}}


@pytest.fixture(scope="module")
def cart() -> ph.Equations:
    return cart_pole().derive()


def met(run: Any) -> str:
    (told,) = run.conditions_met
    assert told in run.notices
    return str(told)


def test_a_sampled_law_reports_its_singular_set_whether_it_passes_or_stops_there(cart: ph.Equations) -> None:
    run = cart.simulate(0.6, controller=cart.feedback_linearize(["theta"]), sample_time=0.01, **HORIZONTAL)
    told = re.search(r"cos\(theta\) = 0, .* came through there at t = (\S+) s \(from (\S+) to (\S+)\)", met(run))
    assert run.status == "done" and told is not None
    at, before, after = map(float, told.groups())
    assert abs(np.cos(run.at(at)["theta"])) < 1e-3 and before > 0 > after
    short = cart.simulate(0.4, controller=cart.feedback_linearize(["theta"]), sample_time=0.01, **HORIZONTAL)
    assert short.conditions_met == short.notices == ()
    with pytest.raises(ph.PolhodeError, match=r"cos\(theta\) = 0.* the run came near at t = ") as broken:
        cart.simulate(0.6, controller=cart.feedback_linearize(["theta"]), **HORIZONTAL)
    assert len(broken.value.trajectory.conditions_met) == 1  # type: ignore[attr-defined]


def test_passing_more_than_once_is_counted(cart: ph.Equations) -> None:
    theta = cart.q[0] + cart.q[1]
    law = Law({cart.system.inputs["F"].symbol: -cart.u[0]}, singular=(("it is even", ph.sin(5 * theta)),))
    run = cart.simulate(2, controller=law, start={"theta": 2.9, "x": -0.1}, speeds={"theta": 0.0})
    signs = np.sign(np.sin(5 * (run["theta"] + run["x"])))
    count = int((np.diff(signs) != 0).sum())
    assert count > 2 and f"and {count - 1} times more" in met(run)


def test_what_does_not_change_its_sign_is_seen_to_be_near() -> None:
    e = planar_arm().derive()
    hand = OperationalSpace(e, "hand", kp=100, kd=20, axes="xy")
    ((words, value),) = hand.law.singular
    assert words == "'hand' cannot be moved in some direction"
    assert {*map(str, ph.expr.free_symbols([value]))} <= {"q1", "q2", "m1", "m2", "l1", "l2"}  # steps are put in
    start = {"start": {"q1": -0.9, "q2": 1.8}, "sample_time": 0.005}
    inside = e.simulate(1, controller=hand, reference={"x": "0.7 + 0.2*sin(t)", "y": 0}, **start)
    assert inside.conditions_met == ()
    law = Law(hand.nominal_law.controls, reference=hand.law.reference, parameters=hand.nominal_law.parameters,
              singular=(("the arm is stretched", ph.sin(e.q[1]) ** 2),))  # fmt: skip
    still = e.simulate(
        0.1, controller=law, reference={"x": 1.2999, "y": 0}, start={"q1": -0.0065, "q2": 0.017}, sample_time=0.005
    )
    assert "came near at t = " in met(still)


def test_conditions_of_the_controllers_are_looked_at(cart: ph.Equations) -> None:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    e = s.derive()
    torque = ComputedTorque(e, kp=9, kd=6)
    upright = {"ball_e0": 1, "ball_e1": 0, "ball_e2": 0, "ball_e3": 0}
    turned = {"start": {"ball_e0": 0.28, "ball_e1": 0.96}, "speeds": {"ball_wx": 6}, "sample_time": 0.01}
    assert "half a turn away" in met(e.simulate(0.2, controller=torque, reference=upright, limits=2, **turned))
    assert e.simulate(0.2, controller=torque, reference=upright, sample_time=0.01).conditions_met == ()
    shaped = EnergyShaping(cart, {"theta": 0}, ke=30, kd=1, kp=1, kv=1)
    run = cart.simulate(0.02, controller=shaped, start={"theta": 3.0}, sample_time=0.01)
    assert [words for words, _ in shaped.law.singular] == [*shaped.law.conditions] and run.status == "done"


@pytest.mark.parametrize("how", [{}, {"sample_time": 0.005}])
def test_states_of_the_controller_may_be_what_vanishes(how: dict[str, Any]) -> None:
    e = quadrotor().derive()
    outputs = ["pose_x", "pose_y", "pose_z", "pose_a1"]
    law = e.feedback_linearize(outputs, extend=True, at={"thrust": 9.81}, poles=-4)
    down = {"reference": {**dict.fromkeys(outputs, 0.0), "pose_z": "-4*t**3"}, **how}
    falling = e.simulate(0.65, controller=law, **down)
    assert any("thrust integrator 1 = 0" in told for told in falling.conditions_met)
    assert e.simulate(0.2, controller=law, reference=dict.fromkeys(outputs, 0.0), **how).conditions_met == ()


def test_nominal_parameters_and_estimates_are_those_of_the_law(cart: ph.Equations) -> None:
    made = cart.feedback_linearize(["theta"], parameters={"l": 2})
    ((_, value),) = made.nominal_law.with_values({}).singular
    assert value == ph.cos(cart.q[1])
    noise = {"process_noise": 1, "measurement_noise": 1e-4, "sample_time": 0.02}
    loop = Observed(LQR(cart.linearize(), sample_time=0.02), EKF(cart, ["x", "theta"], **noise))
    assert loop.law.singular == ()
    with pytest.raises(ph.PolhodeError, match="which its arguments lack"):
        Law({cart.system.inputs["F"].symbol: cart.u[0]}, singular=(("so", ph.symbol("y", "measurement")),))
