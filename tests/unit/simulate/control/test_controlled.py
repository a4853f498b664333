"""A law in continuous time becomes part of the mechanism: runs, batches, sweeps and sensitivities know it."""

from typing import Any

import numpy as np
import pytest
from tests.controlled_arms import InverseDynamics, ServoPID, arm, linkage, slider
from tests.planar_arm import planar_arm
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque, ControllerState, Law, OperationalSpace, PDGravity, Reference
from polhode.simulate.control.controlled import curves_of


def test_laws_are_laws_of_efforts_or_of_inputs_and_leave_other_efforts() -> None:
    e = slider().derive()
    control = -3 * e.q[0] - e.u[0]
    by_law = e.simulate(2, controller=Law({e.tau[0]: control}), start={"x": 1})
    by_tau = e.simulate(2, tau={"v": control}, start={"x": 1})
    assert np.array_equal(by_law.x, by_tau.x) and np.array_equal(by_law.tau, by_tau.tau)
    s = ph.System("pushed", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    force = s.input("F")
    s.joint_force(x, force)
    e = s.derive()
    law = Law({force: -4 * x.q[0] - 2 * x.u[0]})
    run = e.simulate(1, controller=law, start={"x": 1}, samples=5)
    assert np.allclose(run.inputs[:, 0], -4 * run.q[:, 0] - 2 * run.u[:, 0])
    held = e.simulate(1, controller=law, start={"x": 1}, samples=5, sample_time=0.25, limits={"F": 1})
    assert np.array_equal(held.inputs[:4, 0], held.controller.controls[:, 0]) and held.inputs.min() == -1
    e = arm().derive()
    law = Law({e.tau[0]: -5 * e.u[0]})
    run = e.simulate(1, controller=law, tau={"elbow": 0.5})
    assert (run.effort("elbow") == 0.5).all() and np.allclose(run.effort("shoulder"), -5 * run.u[:, 0])


def test_controller_states_are_states_without_mass() -> None:
    e = slider().derive()
    run = e.simulate(3, controller=ServoPID(e), reference="sin(t)", start={"x": 1, "total error": 0.25}, rate=200)
    assert run.states == ("total error",) and run["total error"][0] == 0.25
    rates = np.gradient(run["total error"], run.t)
    assert np.allclose(rates[1:-1], (np.sin(run.t) - run["x"])[1:-1], atol=1e-3)
    run.power_audit().check(1e-6, run)


def test_a_sampled_controllers_states_start_where_the_run_says() -> None:
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": "sin(t)", "samples": 11}
    start = {"x": 1, "total error": 0.25}
    smooth = e.simulate(1, start=start, **given)
    run = e.simulate(1, start=start, sample_time=1e-3, **given)
    assert run.controller is not None and run.controller["total error"][0] == 0.25 and run["x"][0] == 1
    assert np.allclose(run.q, smooth.q, atol=5e-3)
    assert not np.allclose(run.q, e.simulate(1, start={"x": 1}, sample_time=1e-3, **given).q, atol=5e-3)
    arrays = e.simulate(1, start=([1.0], [0.0], [0.25]), sample_time=1e-3, **given)
    assert np.array_equal(arrays.x, run.x)
    two = slider()
    two.joint("y", two.ground, two.body("idle", 1), ph.Prismatic("y"))
    pair = two.derive()
    both = pair.simulate(
        1, start=([1.0, 0], [0.0, 0], [0.25]), sample_time=1e-3, **given | {"controller": ServoPID(pair)}
    )
    assert np.array_equal(both["x"], run["x"])
    batch = e.simulate(1, start={"x": 1, "total error": [0.0, 0.25]}, sample_time=1e-3, **given)
    assert np.array_equal(batch[1].x, run.x) and not np.array_equal(batch[0].x, run.x)
    fixed = e.simulate(1, start=start, sample_time=0.01, method="rk4", step=0.01, **given)
    assert fixed.controller is not None and fixed.controller["total error"][0] == 0.25
    for wrong, sentence in (
        ({"total eror": 1}, "Did you mean 'total error'"),
        ({"total error": "a"}, "is not a number"),
    ):
        with pytest.raises(ph.PolhodeError, match=sentence):
            e.simulate(1, start=wrong, sample_time=0.01, **given)
    moving = e.simulate(1, start={"v": 1, "total error": 0.25}, sample_time=0.01, **given)
    assert moving.u[0].tolist() == [1]


def test_parameters_change_the_mechanism_and_not_what_its_controller_takes_it_to_be() -> None:
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": 1.0, "samples": 5}
    both = e.simulate(1, parameters={"m": 4, "nominal m": 4}, **given)
    as_designed = e.simulate(1, **given)
    heavier = e.simulate(1, parameters={"m": 4}, **given)
    assert np.allclose(both.q, as_designed.q, atol=1e-8) and not np.allclose(heavier.q, as_designed.q, atol=1e-3)
    assert heavier.tau[0, 0] == as_designed.tau[0, 0] == both.tau[0, 0] / 2
    assert np.allclose(
        e.simulate(1, controller=ServoPID(e, parameters={"m": 4}), reference=1, samples=5).tau[0], both.tau[0]
    )


def test_a_nominal_parameter_without_a_value_has_the_mechanisms_and_gains_are_varied_in_batches_and_sweeps() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter("m")), ph.Prismatic("x"), speeds=["v"])
    e = s.derive()
    one = e.simulate(1, controller=ServoPID(e), reference=1, parameters={"m": 3}, samples=5)
    two = e.simulate(1, controller=ServoPID(e, parameters={"m": 3}), reference=1, parameters={"m": 3}, samples=5)
    assert np.array_equal(one.x, two.x)
    e = arm().derive()
    given: dict[str, Any] = {"controller": InverseDynamics(e), "reference": {"elbow": "sin(t)"}, "samples": 11}
    kp = np.array([50.0, 100.0, 150.0])
    batch = e.simulate(1, parameters={"kp": kp, "m": [1, 2, 3]}, **given)
    for k, member in enumerate(batch):
        alone = e.simulate(1, parameters={"kp": kp[k], "m": 1.0 + k}, **given)
        assert np.array_equal(alone.x, member.x) and np.array_equal(alone.tau, member.tau)
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": "sin(t)", "samples": 5}
    found = e.sweep({"kp": [10.0, 20.0]}, 1, measure="final", workers=1, **given)
    assert found["x"][1] == e.simulate(1, **given)["x"][-1] != found["x"][0]


def test_sensitivities_go_through_the_law() -> None:
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": "sin(t)", "samples": 3, "rtol": 1e-10}
    by_kp = e.sensitivities(1, by=["kp"], **given)
    ends = [e.simulate(1, parameters={"kp": 20 + d}, **given)["x"][-1] for d in (-1e-3, 1e-3)]
    assert np.isclose(by_kp.dq[-1, 0, 0], (ends[1] - ends[0]) / 2e-3, rtol=1e-4)
    refused("no derivatives here", lambda: e.sensitivities(1, by=["kp"], controller=_sampled(e)))


def _sampled(e: ph.Equations) -> Law:
    return Law({e.tau[0]: -e.u[0]}, sample_time=0.1)


def test_a_law_of_a_stiff_arm_runs_on_the_elastic_one() -> None:
    stiff, elastic = arm().derive(), arm(elastic=True).derive()
    c, start = InverseDynamics(stiff), {"shoulder": 0.3, "elbow": -0.2}
    run = elastic.simulate(1, controller=c, start=start)
    assert abs(run.q[-1]).max() < 0.02
    with pytest.raises(ph.PolhodeError, match="has no coordinate 'elbow rotor', which the law depends on"):
        u = elastic.q[elastic.coordinates.index("elbow rotor")]
        stiff.simulate(1, controller=Law({stiff.tau[0]: -u}))
    refused("has no effort 'x'", lambda: stiff.simulate(1, controller=Law({ph.symbol("x", "effort"): -stiff.u[0]})))


def test_a_linkage_is_controlled_alike_with_multipliers_and_embedded_and_what_is_prescribed_is_measured_too() -> None:
    ends = []
    for independent in (None, ["crank"]):
        e = linkage().derive(independent=independent)
        speed = {u.name: u for joint in e.system.joints.values() for u in joint.u}
        total = ph.symbol("total", "state")
        states = (ControllerState(total, rate=0.4 - e.q[0] - speed["coupler"] / 10),)
        law = Law({e.tau[0]: 40 * (0.4 - e.q[0]) - 8 * speed["crank"] + 20 * total - speed["slide"]}, states=states)
        how: dict[str, Any] = {"controller": law, "start": {"crank": 0.6}, "samples": 3, "hold": ["crank"]}
        runs = [e.simulate(0.5, **how), e.simulate(0.5, sample_time=0.01, **how)]
        assert runs[0].has_constraints and abs(runs[0]["crank"] - runs[1]["crank"]).max() < 2e-3
        ends.append([run["crank"] for run in runs])
    assert np.allclose(ends[0], ends[1], atol=1e-8)
    s = ph.System("turntable")
    table = s.body("table", 1, inertia=(1, 1, 1))
    turn = s.joint("turn", s.ground, table, ph.Revolute("z"))
    slide = s.joint("slide", table, s.body("block", 1), ph.Prismatic("x"))
    s.prescribe("turn", 2 * s.time)
    e = s.derive()
    law = Law({e.tau[0]: -50 * slide.q[0] - 5 * slide.u[0] - turn.q[0] - turn.u[0]})
    run = e.simulate(1, controller=law, samples=3)
    assert np.allclose(run.tau[:, 0], -50 * run.q[:, 0] - 5 * run.u[:, 0] - 2 * run.t - 2)
    assert abs(e.simulate(1, controller=law, sample_time=1e-3, samples=3).q - run.q).max() < 2e-4


@pytest.mark.parametrize(("options", "sentence"), [
    ({"controller": 5}, "5 is no controller"), ({"reference": 1, "functions": 5}, "is not what equations"),
    ({"reference": 1, "parameters": 5}, "is not values by name"),
    ({"reference": 1, "parameters": {"kq": 5}}, "no parameter 'kq'"),
    ({"reference": 5}, "'reference' is of a controller"), ({"limits": 5}, "'limits' is of a controller"),
    ({}, "there is no curve for it"), ({"reference": {"y": 1}}, "there is no reference 'y'"),
    ({"reference": np.sin}, "a Python function has no derivatives"), ({"reference": "x"}, "nothing called 'x'"),
    ({"reference": ph.symbol("x", "coordinate")}, "depends on the coordinate 'x'"),
    ({"reference": True}, "True is not a curve in time"),
    ({"reference": [1, 2, 3]}, "is not a number or an expression"),
    ({"reference": ph.sampled([0, 1], [0, 1])}, "derivative 2 of it"),
    ({"reference": ph.sampled([0, 1], [0, 1], "held")}, "have none"),
    ({"reference": 1, "tau": {"v": 1}}, "the effort 'v' is given, and the controller gives it too"),
    ({"reference": 1, "tau": {"x": 1}}, "the effort 'x' is given"),
    ({"reference": 1, "tau": [1.0]}, "gives some of the efforts"),
    ({"reference": 1, "delay": 0.1}, "'delay' needs sample_time"),
    ({"reference": 1, "noise": {"x": 0.1}}, "'noise' needs sample_time"),
    ({"reference": 1, "quantisation": {"x": 0.1}}, "'quantisation' needs sample_time"),
    ({"reference": 1, "limits": -2}, "-2 is not a limit"),
    ({"reference": 1, "limits": {"y": 2}}, "there is no control 'y'"),
    ({"reference": 1, "limits": {"v": (2, 1)}}, "are no limits"),
    ({"reference": 1, "limits": {"v": "a"}}, "is not a limit"),
])  # fmt: skip
def test_what_cannot_be_closed_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    e = slider().derive()
    if not sentence.endswith("is of a controller"):
        options = {"controller": ServoPID(e), **options}
    refused(sentence, lambda: e.simulate(1, **options))


def test_references_are_curves_of_many_kinds() -> None:
    e = slider().derive()
    c = ServoPID(e)
    t = np.linspace(0, 1, 41)
    wanted = e.simulate(1, controller=c, reference=e.system.time**3, start={"x": 0}, samples=5)
    run = e.simulate(1, tau={"v": "12*t"}, samples=41)  # m x'' = 12 t: x = t³
    for curve in ("t**3", {"x": "t**3"}, ph.sampled(t, t**3, "cubic"), (t, t**3), run, {"x": run}):
        made = e.simulate(1, controller=c, reference=curve, samples=5)
        assert np.allclose(made.q, wanted.q, atol=2e-3), curve
    still = Reference("x", 0, default=1 / 2)
    law = Law({e.tau[0]: still.symbols[0] - e.q[0] - e.u[0]}, reference=(still,))
    assert abs(e.simulate(40, controller=law, samples=3).q[-1, 0] - 0.5) < 1e-3


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_references_in_order_are_a_list_a_tuple_or_an_array(kind: Any) -> None:
    e = arm().derive()
    run = e.simulate(1, controller=InverseDynamics(e), reference=kind([0.2, -0.1]), samples=3)
    assert np.allclose(run.reference["shoulder"], 0.2) and np.allclose(run.reference["elbow"], -0.1)


def test_a_reference_that_is_no_function_of_time_is_told_what_time_is() -> None:
    e = slider().derive()
    refused(r"system\.time", lambda: e.simulate(1, controller=ServoPID(e), reference=ph.symbol("tt")))
    message = refused("", lambda: e.simulate(1, controller=ServoPID(e), reference="sin(theta)"))
    assert "Only numbers can be used" not in message


FOUR = [f"ball_e{k}" for k in range(4)]


@pytest.fixture(scope="module")
def top() -> ph.Equations:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    return s.derive()


@pytest.fixture(scope="module")
def torque(top: ph.Equations) -> ComputedTorque:
    return ComputedTorque(top, kp=100, kd=20)


def named(*components: Any) -> dict[str, Any]:
    return dict(zip(FOUR, components, strict=True))


def test_numbers_that_are_no_orientation_are_refused(top: ph.Equations, torque: ComputedTorque) -> None:
    sentence = r"orientation of 'ball': its quaternion has length 1\.41421, not 1"
    for given in (named(1, 1, 0, 0), named(ph.sqrt(2), 0, 0, 0), named(0, "sqrt(2)", 0, 0)):
        with pytest.raises(ph.PolhodeError, match=sentence):
            top.simulate(1, controller=torque, reference=given)
    with pytest.raises(ph.PolhodeError, match="length 0, not 1"):
        top.simulate(1, controller=PDGravity(top, kp=9, kd=6), reference=named(0, 0, 0, 0))
    f = torque.compile()
    state = {"q": [1, 0, 0, 0], "u": [0, 0, 0]}
    for given in (named(1, 1, 0, 0), np.r_[1, 0, 0, 1, 0, 0, np.zeros(6)]):
        with pytest.raises(ph.PolhodeError, match=sentence):
            f(**state, reference=given)
    batch = np.zeros((2, 12))
    batch[:, 0] = 1, 0.5
    refused(r"length 0\.5", lambda: f(**state, reference=batch))


def test_rounded_numbers_are_made_a_unit_quaternion(top: ph.Equations, torque: ComputedTorque) -> None:
    run = top.simulate(3, controller=torque, reference=named(0.7071, 0.7071, 0, 0))
    assert np.allclose(run.q[-1], [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=1e-6) and run.notices == ()
    assert abs(sum(each[-1] ** 2 for each in run.reference.values()) - 1) < 1e-12
    assert np.isfinite(torque.compile()(q=[1, 0, 0, 0], u=[0, 0, 0], reference=named(0.7071, 0.7071, 0, 0))).all()


def test_curves_are_divided_by_their_lengths_and_so_are_their_derivatives(torque: ComputedTorque) -> None:
    model, law = torque.equations.system, torque.law
    t = model.time
    given, lengths = curves_of(law, named(ph.cos(t) * (2 + t), ph.sin(t) * (2 + t), 0, 0), model)
    plain, none = curves_of(law, named(ph.cos(t), ph.sin(t), 0, 0), model)
    assert not none and [*lengths] == ["ball"]
    for symbol, curve in plain.items():
        for now in (0.0, 0.7):
            a, b = (ph.expr.evaluate([each], {t: now})[0] for each in (curve, given[symbol]))
            assert abs(a - b) < 1e-12, symbol


@pytest.mark.parametrize("how", [{}, {"sample_time": 0.01}])
def test_lengths_that_were_not_one_are_told(top: ph.Equations, torque: ComputedTorque, how: dict[str, Any]) -> None:
    run = top.simulate(1, controller=torque, reference=named(1, "t", 0, 0), **how)
    assert "for the orientation of 'ball' had lengths from 1 to 1.41" in run.notices[0]
    assert np.allclose(run.q[-1], [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=0.01)
    again = top.simulate(1, controller=torque, reference=run, **how)
    assert again.notices == () and again.loop is not None and [*again.loop.lengths] == ["ball"]


def test_a_frame_asks_for_an_orientation_as_a_joint_does() -> None:
    s = ph.System("free", gravity=(0, 0, 0))
    s.joint("pose", s.ground, s.body("box", 1, inertia=(1, 2, 3)), ph.Free())
    e = s.derive()
    made = OperationalSpace(e, "box", kp=9, kd=6, orientation="reference")
    assert [each.name for each in made.law.orientations["box"]] == ["e0", "e1", "e2", "e3"]
    with pytest.raises(ph.PolhodeError, match="orientation of 'box': its quaternion has length 2"):
        e.simulate(1, controller=made, reference={"x": 0, "y": 0, "z": 0, "e0": 2, "e1": 0, "e2": 0, "e3": 0})
    assert not ComputedTorque(planar_arm().derive(), kp=1, kd=1).law.orientations
