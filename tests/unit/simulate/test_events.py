"""Events given as expressions."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused
from tests.seeds import one_a_kind

import polhode as ph
from polhode.errors import PolhodeError, SimulationError, ValueMissing
from polhode.model.samples import four_bar, motor_driven_pendulum
from polhode.simulate import Trajectory, crossing
from polhode.simulate.events import with_rest


def thrown() -> ph.System:
    s = ph.System("thrown", gravity=(0, 0, -10))
    s.parameter("h", 0.45)
    s.joint("height", s.ground, s.body("stone", 2), ph.Prismatic("z"), speeds=["v"])
    return s


def test_an_expression_is_an_event_and_its_parameters_are_those_of_the_run() -> None:
    s = thrown()
    (z,), (v,) = s.joints["height"].q, s.joints["height"].u
    h = s.parameters["h"].symbol
    equations = s.derive()
    run = equations.simulate(2, speeds=[5.0], events=[z - h, crossing(z - h, direction=1), v])
    assert run.events[0] == pytest.approx([0.1, 0.9]) and run.events[1] == pytest.approx([0.1])
    assert run.events[2] == pytest.approx([0.5])
    higher = equations.simulate(2, speeds=[5.0], events=[z - h], parameters={"h": 0.8})
    assert higher.events[0] == pytest.approx([0.2, 0.8])


@pytest.mark.parametrize("nearest", [0.02, 0.5, 99.98])
def test_a_distance_that_falls_below_a_bound_for_a_moment_of_a_long_step_has_both_events(nearest: float) -> None:
    s = ph.System("passing", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("ball", 1), ph.Prismatic("x"), speeds=["v"])
    away = s.joints["x"].q[0] - nearest
    run = s.derive().simulate(100, speeds=[1.0], events=[ph.sqrt(away**2 + 1e-6) - 0.01])
    half = (0.01**2 - 1e-6) ** 0.5
    assert run.events[0] == pytest.approx([nearest - half, nearest + half], abs=1e-9)


def test_a_run_goes_until_an_expression_or_a_function_is_zero() -> None:
    s = thrown()
    (z,) = s.joints["height"].q
    for until in (z, crossing(z, direction=-1), lambda t, q, u: q[0]):
        run = s.derive().simulate(10, speeds=[5.0], until=until)
        assert run.status == "event" and run.t[-1] == pytest.approx(1.0, abs=1e-10)


def test_a_driven_coordinate_in_an_event_stands_for_its_motion() -> None:
    s = thrown()
    cart = s.joint("slide", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.prescribe("slide", 3 * s.time)
    run = s.derive().simulate(2, speeds=[5.0], until=cart.q[0] - 1)
    assert run.t[-1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("method", ["rk4", "heun"])
@pytest.mark.parametrize("tau", [None, lambda t, q, u: [0.0]], ids=["native", "with a controller"])
def test_fixed_steps_find_events_between_them(method: str, tau: Any) -> None:
    s = thrown()
    (z,), (v,) = s.joints["height"].q, s.joints["height"].u
    fixed: dict[str, Any] = {"method": method, "step": 0.03, "speeds": [5.0], "tau": tau}
    run = s.derive().simulate(2, events=[z - s.parameters["h"].symbol, v, crossing(z, direction=1)], **fixed)
    assert run.events[0] == pytest.approx([0.1, 0.9], abs=1e-12)  # a parabola is within every method's reach
    assert run.events[1] == pytest.approx([0.5], abs=1e-12)
    assert run.events[2] == [] and run.status == "done" and run.t[-1] == 2.0
    ended = s.derive().simulate(2, until=crossing(z, direction=-1), **fixed)
    assert ended.status == "event" and ended.t[-1] == pytest.approx(1.0, abs=1e-12)
    assert (ended.q[-1, 0], ended.u[-1, 0]) == pytest.approx((0.0, -5.0), abs=1e-12)


def test_the_error_of_an_event_found_with_fixed_steps_is_of_fourth_order() -> None:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    equations = s.derive()

    def passes(**options: Any) -> float:
        run = equations.simulate(2, start={"hinge": 2.0}, events=[hinge.q[0]], **options)
        return float(run.events[0][0])

    exact = passes(rtol=1e-12, atol=1e-12)
    coarse, fine = (abs(passes(method="rk4", step=step) - exact) for step in (0.04, 0.01))
    assert fine < 1e-7 and coarse / fine > 4**3.5


def test_a_linkage_that_ends_at_an_event_with_fixed_steps_is_on_its_constraints() -> None:
    equations = four_bar().derive()
    crank = equations.system.joints["crank"].q[0]
    options: dict[str, Any] = {"start": {"crank": 0.3}, "speeds": {"crank": 4.0}, "until": crank - 1}
    runs = [equations.simulate(2, **options, **more) for more in ({}, {"method": "rk4", "step": 0.002})]
    assert [run.status for run in runs] == ["event", "event"]
    assert runs[1].t[-1] == pytest.approx(runs[0].t[-1], abs=1e-8)
    assert max(runs[1].drift.position, runs[1].drift.velocity) < 1e-10


def test_what_is_no_event_is_refused() -> None:
    s = thrown()
    equations = s.derive()
    refused("is no event", lambda: equations.simulate(1, events=["height"]))  # type: ignore[list-item]
    stranger = ph.System("s")
    other = stranger.joint("other", "ground", stranger.body("b", 1), ph.Prismatic("x"))
    refused("depends on the coordinate 'other'", lambda: equations.simulate(1, until=other.q[0]))
    unknown = s.parameter("k")
    with pytest.raises(ValueMissing, match="parameter 'k' of an event has no value"):
        s.derive().simulate(1, until=s.joints["height"].q[0] - unknown)


@pytest.mark.parametrize("method", ["auto", "Radau", "rk4", "gauss4"])
@pytest.mark.parametrize("end", [0.7, 3.0])
def test_an_event_at_the_end_of_a_run_is_found(method: str, end: float) -> None:
    """Where rounding leaves the state a last bit before the zero, too."""
    s = ph.System("slider")
    slide = s.joint("x", s.ground, s.body("body", 1), ph.Prismatic("x"), speeds=["v"])
    e = s.derive()
    given: dict[str, Any] = {"speeds": {"v": 1.0}, "method": method}
    for step in (0.1, 0.01) if method not in ("auto", "Radau") else (None,):
        run = e.simulate(end, events=[slide.q[0] - end], until=s.time - end, step=step, **given)
        assert run.events == [pytest.approx([end])] * 2 and run.status == "event"
    batch = e.simulate(end, start={"x": np.zeros(2)}, events=[slide.q[0] - end], step=step, **given)
    assert [run.events for run in batch] == [[pytest.approx([end])]] * 2


def test_an_event_that_is_zero_at_the_start_is_none_in_momenta_either() -> None:
    """A chain whose second speed is zero at first; M⁻¹ p is zero but for rounding."""
    from tests.trials.frozen_cases import _with_events

    assert [len(times) for times in _with_events("gauss4").events] == [1, 0, 0]


@pytest.fixture(scope="module")
def ball() -> tuple[ph.Equations, Any, Any]:
    s = ph.System("ball", gravity=(0, 0, -10))
    joint = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    return s.derive(), joint.q[0], joint.u[0]


#: A fall from 5 m, and bounces that each take 0.8 of the speed: at 1 s, then after 1.6, 1.28, 1.024 s.
BOUNCES = [1.0, 2.6, 3.88, 4.904]


@pytest.mark.parametrize("method", ["auto", "DOP853", "Radau", "rk4", "scipy.DOP853"])
def test_a_ball_bounces_at_the_times_of_its_parabolas(method: str, ball: tuple[ph.Equations, Any, Any]) -> None:
    equations, z, v = ball
    run = equations.simulate(5, start={"z": 5.0}, on={crossing(z, -1): {"v": -0.8 * v}}, method=method)
    assert run.events[0] == pytest.approx(BOUNCES, abs=1e-10)
    assert run.q.min() > -1e-9 and (np.diff(run.t) > 0).all()
    assert not run.notices, "energy that the change took is nobody's loss"


@pytest.mark.parametrize("method", ["auto", "DOP853", "Radau", "rk4"])
def test_a_run_that_fails_ends_where_it_failed(method: str, ball: tuple[ph.Equations, Any, Any]) -> None:
    """A bounce that leaves half of the speed, from 5 m: at rest after 1 + 2 s, and never below the floor."""
    equations, z, v = ball
    with pytest.raises(SimulationError, match="without end") as e:
        equations.simulate(8, start={"z": 5.0}, on={crossing(z, -1): {"v": -0.5 * v}}, method=method)
    kept = e.value.trajectory
    assert isinstance(kept, Trajectory)
    assert kept.t[-1] == pytest.approx(3.0, abs=1e-4) and kept.q.min() > -1e-7 and len(kept.events[0]) > 8


def test_with_constraints_the_new_speeds_are_projected_and_that_is_told() -> None:
    s = four_bar()
    equations = s.derive()
    crank = s.joints["crank"].q[0]
    back = dict.fromkeys(equations.u, -3)
    run = equations.simulate(1, start={"crank": 0.3}, speeds={"crank": 2}, on={crossing(crank - 1): back})
    assert any("brought to the constraints" in notice for notice in run.notices) and run.drift.velocity < 1e-9
    before, after = run.u[np.searchsorted(run.t, run.events[0][0]) + np.array([-1, 0])]
    assert after[0] < 0.0 < before[0]


@pytest.mark.parametrize(("options", "words"), [
    ({"on": {"z": {"v": 0}}}, "is no event"), ({"on": 3}, "on"), ({"on": {"z": 3}}, "not a change of the state"),
    ({"on": {"z": {"w": 0}}}, "no coordinate, speed or state 'w'"),
    ({"on": {"z": {"v": ph.symbol("strange")}}}, "strange"),
    ({"on": {"z": lambda t, q, u: {"w": 1}}, "start": {"z": 1}}, "no coordinate, speed or state 'w'"),
])  # fmt: skip
def test_what_cannot_be_meant_gets_one_sentence(
    options: dict[str, Any], words: str, ball: tuple[ph.Equations, Any, Any]
) -> None:
    equations, z, _ = ball
    on = options["on"]
    if isinstance(on, dict) and words != "is no event":
        options = {**options, "on": dict.fromkeys([z], on["z"])}
    refused(words, lambda: equations.simulate(1, **options))


@pytest.fixture(scope="module")
def equations() -> ph.Equations:
    return motor_driven_pendulum().derive()


def test_without_states_a_function_stays_what_it_is() -> None:
    system = ph.System("block")
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))

    def g(t: float, q: np.ndarray, u: np.ndarray) -> float:
        return float(q[0])

    assert with_rest(g, system.derive().record, "events") is g


def test_a_controller_may_take_the_states(equations: ph.Equations) -> None:
    shapes = []

    def control(t: float, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> dict[str, float]:
        shapes.append((q.shape, u.shape, z.shape))
        return {"voltage": 4 * (1 - z[0])}

    run = equations.simulate(3, inputs=control)
    assert {*shapes} == {((1,), (1,), (1,))}
    assert run["current"][-1] == pytest.approx(2 / 3, abs=1e-3), "4 (1 - i) = 2 i at rest"
    assert equations.simulate(0.1, inputs=lambda t, q, u: {"voltage": float(len(u))}).inputs[0, 0] == 1.0


def test_events_may_be_functions_of_states_or_expressions_with_them(equations: ph.Equations) -> None:
    current = equations.z[0]

    def reached(t: float, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> float:
        return float(z[0]) - 0.5

    reached.terminal = True  # type: ignore[attr-defined]
    run = equations.simulate(0.02, inputs={"voltage": 3}, events=[current - 0.4, reached], samples=2001)
    assert run.status == "event" and run["current"][-1] == pytest.approx(0.5, abs=1e-10)
    assert float(run.at(run.events[0])["current"][0]) == pytest.approx(0.4, abs=1e-6)
    ended = equations.simulate(1, inputs={"voltage": 3}, until=current - 0.5, method="rk4", step=1e-4)
    assert ended.t[-1] == pytest.approx(run.t[-1], abs=1e-8)


def test_what_a_function_of_the_states_raises_ends_the_run_with_its_sentence(equations: ph.Equations) -> None:
    with pytest.raises(SimulationError, match="the controller of inputs raised IndexError"):
        equations.simulate(1, inputs=lambda t, q, u, z: {"voltage": z[7]})
    with pytest.raises(PolhodeError, match="an event depends on the state 'other', which this run does not have"):
        equations.simulate(1, events=[ph.symbol("other", "state")])


def dropped(mass: float = 2) -> ph.Equations:
    """A ball that falls from 5 m under 10 m/s², and reaches the ground after 1 s."""
    s = ph.System("ball", gravity=(0, 0, -10))
    s.joint("z", s.ground, s.body("ball", mass), ph.Prismatic("z"), speeds=["v"])
    return s.derive()


@pytest.mark.parametrize("change", [lambda t, q, u: 1 / 0, lambda t, q, u: None, lambda t, q, u: {"v": -u}])
def test_a_change_of_the_state_that_cannot_be_used_ends_the_run_with_a_sentence(change: Any) -> None:
    e = dropped()
    with pytest.raises(ph.PolhodeError, match=r"a change of the state (raised|returned None)") as caught:
        e.simulate(2, start={"z": 5}, on={e.q[0]: change})
    assert caught.value.trajectory.t[-1] == pytest.approx(1.0)  # type: ignore[attr-defined]


def test_sensitivities_pass_events_that_the_motion_goes_through() -> None:
    e = dropped()
    on = {e.system.time - 0.5: {"v": e.u[0] + e.q[0]}}
    found = e.sensitivities(0.75, by=["z"], start={"z": 5.0}, on=on)
    assert found.dq[-1, 0, 0] == pytest.approx(1.25)  # z = z₀ + 0.25 z(0.5) + what z₀ does not change


#: Methods of every kind, with the step of those that need one.
METHODS: dict[str, float | None] = {
    **dict.fromkeys(("auto", "taylor", "TP86", "DOP853", "RK45", "RK23", "Radau", "Rodas5P", "scipy.DOP853"), None),
    **dict.fromkeys(("rk4", "heun", "gauss4", "gauss6", "generalised_alpha"), 0.01),
    **({"ida": None} if find_spec("sksundae") else {}),
}
METHODS = {method: METHODS[method] for method in one_a_kind(METHODS)}
EVERY: list[tuple[str, dict[str, Any]]] = [
    (method, {"step": step} if step else {})
    for method, step in METHODS.items()
    if method not in ("RK23", "heun", "gauss6")
]
each_method = pytest.mark.parametrize(("method", "options"), EVERY, ids=[method for method, _ in EVERY])
each_rough_method = pytest.mark.parametrize(("method", "options"), [each for each in EVERY if each[0] != "taylor"])


def near(method: str) -> float:
    """How exact a method is, in steps of 0.01 s."""
    return {"generalised_alpha": 0.05}.get(method, 1e-6)


def sliding(force: Any = None) -> ph.Equations:
    """A body of 1 kg on a straight line, under a force that is a function of position and time."""
    s = ph.System("block", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    if force is not None:
        s.joint_force(slide, force(slide.q[0], s.time))
    return s.derive()


@each_rough_method
@pytest.mark.parametrize("start", [0.7, 1.1])
def test_a_sign_in_a_force_is_switched_where_an_event_changes_the_state(
    method: str, options: dict[str, Any], start: float
) -> None:
    e, arrival = sliding(lambda x, t: -8 * ph.sign(x)), np.sqrt(start / 4)
    on = {e.q[0]: {"v": e.u[0] / 2}}
    run = e.simulate(arrival + 0.2, start={"x": start}, on=on, method=method, **options)
    assert run.q[-1, 0] == pytest.approx(-0.8 * arrival + 0.16, abs=near(method))


@each_rough_method
def test_a_sign_in_a_force_is_that_of_the_state_after_a_change(method: str, options: dict[str, Any]) -> None:
    e = sliding(lambda x, t: -8 * ph.sign(x))
    run = e.simulate(0.5, start={"x": 2}, on={e.system.time - 0.25: {"x": -2, "v": 0}}, method=method, **options)
    assert run.x[-1] == pytest.approx([-1.75, 2.0], abs=near(method))


@each_method
def test_a_run_ends_and_logs_before_a_change_at_the_same_time(method: str, options: dict[str, Any]) -> None:
    e = dropped()
    z, v = e.q[0], e.u[0]
    run = e.simulate(2, start={"z": 5}, events=[3 * z], on={z: {"v": -v}}, until=2 * z, method=method, **options)
    assert run.status == "event" and run.t[-1] == pytest.approx(1.0, abs=near(method))
    assert run.u[-1, 0] == pytest.approx(-10.0, abs=near(method))
    assert [len(times) for times in run.events] == [1, 0, 1]


@each_method
def test_events_at_one_time_change_the_state_once_each_in_their_order(method: str, options: dict[str, Any]) -> None:
    """v = -10 is halved, then 1 more, then three times as much; the last two of one zero, and of time."""
    e = dropped()
    z, v = e.q[0], e.u[0]
    run = e.simulate(1.5, start={"z": 5}, on={z: {"v": v / 2}, 2 * z: {"v": v + 1}}, method=method, **options)
    assert run.events == [pytest.approx([1.0], abs=near(method))] * 2
    assert run.x[-1] == pytest.approx([-3.25, -9.0], abs=2 * near(method))
    e = sliding()
    (x,), (v,), t = e.q, e.u, e.system.time
    on = {x - 1: {"v": 2 * v}, t - 1: {"v": v + 1}, 3 * (t - 1): {"v": 3 * v}}
    run = e.simulate(2, speeds={"v": 1}, on=on, method=method, **options)
    assert run.events == [pytest.approx([1.0])] * 3
    assert run.x[-1] == pytest.approx([10.0, 9.0]) and (np.diff(run.t) > 0).all()


@each_method
def test_an_event_does_not_happen_where_one_before_it_has_moved_it_away(method: str, options: dict[str, Any]) -> None:
    e = dropped()
    z, v = e.q[0], e.u[0]
    run = e.simulate(1.5, start={"z": 5}, on={z: {"z": 3, "v": 0}, 2 * z: {"v": v + 1}}, method=method, **options)
    assert [len(times) for times in run.events] == [1, 0]
    assert run.x[-1] == pytest.approx([1.75, -5.0], abs=near(method))


@each_method
def test_functions_in_python_at_one_time_all_happen_once(method: str, options: dict[str, Any]) -> None:
    run = dropped().simulate(
        1.5, start={"z": 5}, events=[lambda t, q, u: q[0], lambda t, q, u: 2 * q[0]], method=method, **options,
        on={(lambda t, q, u: 3 * q[0]): lambda t, q, u: {"v": -u[0] / 2}, (lambda t, q, u: q[0]): lambda t, q, u: {}},
    )  # fmt: skip
    assert run.events == [pytest.approx([1.0], abs=near(method))] * 4
    assert run.x[-1] == pytest.approx([1.25, 0.0], abs=2 * near(method))


@each_rough_method
@pytest.mark.parametrize(("x", "v"), [(1.0, 0.0), (0.3, 1.4)])
def test_an_event_where_two_signs_of_a_force_change_happens_once(
    method: str, options: dict[str, Any], x: float, v: float
) -> None:
    """x reaches zero with -4 m/s + v where the second sign changes, too."""
    e = sliding(lambda x, t: -7 * ph.sign(x) + ph.sign(t - 0.5))
    given: dict[str, Any] = {"start": {"x": x}, "speeds": {"v": v}, "method": method, **options}
    run = e.simulate(0.7, events=[e.q[0]], **given)
    assert run.events == [pytest.approx([0.5], abs=near(method))]
    run = e.simulate(0.7, on={crossing(e.q[0]): {"v": e.u[0] / 2}}, **given)
    assert run.events == [pytest.approx([0.5], abs=near(method))]
    assert run.u[-1, 0] == pytest.approx((v - 4) / 2 + 1.6, abs=2 * near(method))


@pytest.mark.parametrize(("method", "options"), [each for each in EVERY if each[0] not in ("taylor", "gauss4")])
def test_a_linkage_passes_an_event_that_changes_its_speed_once(method: str, options: dict[str, Any]) -> None:
    s = four_bar()
    e, crank = s.derive(), s.joints["crank"]
    on = {crossing(crank.q[0] - 0.6): {crank.u[0]: crank.u[0] / 2}}
    run = e.simulate(0.4, start={"crank": 0.3}, speeds={"crank": 2}, on=on, method=method, **options)
    assert [len(times) for times in run.events] == [1]
    assert run.events[0] == pytest.approx([0.1264464275], abs=near(method))


@each_rough_method
def test_an_event_at_a_corner_of_a_table_is_passed(method: str, options: dict[str, Any]) -> None:
    force = ph.table([-1, 0, 0.5, 1, 2], [3, -2, 4, -3, 1], kind="held")
    e = sliding(lambda x, t: force(x))
    on = {e.q[0] - 0.5: {"v": 0.7 * e.u[0]}}
    run = e.simulate(0.3, start={"x": 0.2}, speeds={"v": 2}, on=on, method=method, **options)
    assert run.events == [pytest.approx([0.16334], abs=2e-3)]
    assert run.x[-1] == pytest.approx([0.7025, 1.7179], abs=0.02)


@each_method
def test_a_run_has_at_an_event_the_state_after_it(method: str, options: dict[str, Any]) -> None:
    e = dropped()
    z, v = e.q[0], e.u[0]
    times = np.linspace(0, 1.5, 16)
    run = e.simulate(
        1.5, start={"z": 5}, on={z: {"v": -v / 2}, 2 * z: {"v": v + 1}}, samples=times, method=method, **options
    )
    (te,) = run.events[0]
    assert run.at(te).u[0, 0] == pytest.approx(6.0, abs=near(method))
    row = int(np.searchsorted(run.t, te))
    assert run.t[row] == te and np.diff(run.t).min() > 0
    assert run.u[[row - 1, row], 0] == pytest.approx([-10.0, 6.0], abs=near(method))
    assert {*times.tolist()} <= {*run.t.tolist()}
    assert run.u[run.t == 1.0, 0] == pytest.approx([6.0], abs=1e-6)


@pytest.mark.parametrize("method", ["auto", "Radau", "scipy.DOP853"])
def test_events_of_a_linkage_at_one_time_happen_once(method: str) -> None:
    """Where the state is brought to the constraints it leaves the zero, by some tolerances."""
    s = four_bar()
    e, crank = s.derive(), s.joints["crank"]
    g, halved = crank.q[0] - 0.6, {crank.u[0]: crank.u[0] / 2}
    given: dict[str, Any] = {"start": {"crank": 0.3}, "speeds": {"crank": 2}, "method": method}
    run = e.simulate(0.4, events=[3 * g, crossing(g, -1)], on={g: halved, crossing(-2 * g): halved}, **given)
    assert [len(times) for times in run.events] == [1, 0, 1, 1]


def test_two_events_that_follow_each_other_without_end_end_the_run() -> None:
    e = dropped()
    z, v = e.q[0], e.u[0]
    with pytest.raises(SimulationError, match="without end") as caught:
        e.simulate(5, start={"z": 5}, on={z: {"v": -v / 2}, 2 * z: {"v": 0.9 * v}})
    assert caught.value.trajectory.q.min() > -1e-6  # type: ignore[attr-defined]


@pytest.mark.parametrize("direction", [2, -3, 0.5, "down", None])
def test_a_direction_is_rising_falling_or_both(direction: Any) -> None:
    s = ph.System("stone", gravity=(0, 0, -10))
    x = s.joint("x", s.ground, s.body("stone", 1), ph.Prismatic("z")).q[0]
    with pytest.raises(ph.PolhodeError, match="no direction of an event"):
        s.derive().simulate(1, events=[crossing(x, direction=direction)])


@pytest.fixture(scope="module")
def slider() -> tuple[ph.Equations, Any, Any]:
    s = ph.System("slider", gravity=(0, 0, 0))
    joint = s.joint("x", s.ground, s.body("body", 1), ph.Prismatic("x"), coordinates=["x"], speeds=["v"])
    return s.derive(), joint.q[0], joint.u[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_law_sampled_where_the_state_changes_takes_the_state_after_it(
    method: str, slider: tuple[ph.Equations, Any, Any]
) -> None:
    """x = 1 - 2t² is ½ at the first sample, with speed 1 from there on: -4x - 2v = -4, not 2."""
    equations, x, _ = slider
    held = ph.held(lambda t, q, u: -4 * q[0] - 2 * u[0], every=0.5)
    sampled = {"controller": ph.control.PDGravity(equations, 4, 2), "reference": {"x": 0}, "sample_time": 0.5}
    for event in (x - 0.5, lambda t, q, u: q[0] - 0.5):
        for driven in (sampled, {"tau": {"v": held}}):
            given: dict[str, Any] = {"start": {"x": 1}, "on": {event: {"v": 1}}, **driven}
            run = equations.simulate(0.75, method=method, step=METHODS[method], **given)
            assert run.events == [pytest.approx([0.5], abs=1e-12)]
            assert run.x[-1] == pytest.approx([0.625, 0.0], abs=1e-8)
    if method in ("auto", "rk4", "Rodas5P"):
        stepper = equations.stepper(dt=0.25, method=method, batch=2, start={"x": 1}, on={x - 0.5: {"v": 1}}, **sampled)
        for _ in range(3):
            stepper.step()
        assert stepper.q == pytest.approx(0.625) and stepper.u == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_an_event_is_a_change_of_sign(method: str, slider: tuple[ph.Equations, Any, Any]) -> None:
    """x = 1.03 - t: poles are none, nor a zero that lasts; where it ends, g has the other sign."""
    equations, x, _ = slider
    none = [1 / x, 1 / x - 1 / (x - 0.3), ph.maximum(x, 0), lambda t, q, u: max(q[0], 0.0), lambda t, q, u: 1 / q[0]]
    dead = [ph.maximum(x, 0) + ph.minimum(x + 0.5, 0), lambda t, q, u: 0.0 if abs(q[0]) < 0.5 else float(q[0])]
    given: dict[str, Any] = {"start": {"x": 1.03, "v": -1}, "method": method, "step": METHODS[method]}
    run = equations.simulate(2, events=[*none, ph.tan(2.5 * x), *dead], **given)
    assert run.events == [[]] * len(none) + [pytest.approx([1.03])] + [pytest.approx([1.53], abs=1e-9)] * 2


@pytest.mark.parametrize("method", METHODS)
def test_an_event_that_a_change_leaves_at_rest_at_its_zero(method: str, slider: tuple[ph.Equations, Any, Any]) -> None:
    """Pushed through it ends the run, by steps of any length; where two bodies stick together it happens once."""
    equations, x, _ = slider
    step = METHODS.get(method)
    with pytest.raises(SimulationError, match="event 0 of on, 'x - 1/2', follows itself without end") as caught:
        equations.simulate(2, start={"x": 1}, tau={"v": -4}, on={x - 0.5: {"v": 0}}, method=method, step=step)
    run: Any = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.t[-1] == pytest.approx(0.5, abs=1e-5) and len(run.events[0]) == 1
    s = ph.System("two", gravity=(0, 0, 0))
    first, second = (s.joint(name, s.ground, s.body(f"body {name}", m), ph.Prismatic("x")) for name, m in ("a1", "b2"))
    (a, b), (va, vb) = (first.q[0], second.q[0]), (first.u[0], second.u[0])
    common = (va + 2 * vb) / 3
    tau = {"a": -1.3 * a + ph.sin(3 * s.time), "b": -2.6 * b + 2 * ph.sin(3 * s.time)}
    start: dict[str, Any] = {"start": {"a": 0.3, "b": 0.7123}, "speeds": {"a": 0.7, "b": -0.1}}
    run = s.derive().simulate(3, **start, tau=tau, on={a - b: {"a'": common, "b'": common}}, method=method, step=step)
    assert run.events == [pytest.approx([0.46595], abs=1e-4)] and abs(run.q[-1, 0] - run.q[-1, 1]) < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_an_event_that_is_zero_along_the_motion_never_happens(method: str) -> None:
    """By rounding alone it would change its sign millions of times."""
    s = ph.System("two", gravity=(0, 0, 0))
    first, second = (s.joint(name, s.ground, s.body(f"body {name}", 1), ph.Prismatic("x")) for name in "ab")
    a, b = first.q[0], second.q[0]
    zero = 3.1 * a * a + 0.7 * a - b * (3.1 * b + 0.7)
    given: dict[str, Any] = {"start": {"a": 0.3, "b": 0.3}, "tau": {"a": -a, "b": -b}, "step": METHODS[method]}
    run = s.derive().simulate(5, events=[zero, lambda t, q, u: q[0] - 0.1], method=method, **given)
    assert [len(times) for times in run.events] == [0, 1] and "event 0 of events" in run.notices[-1]
    assert "was zero all along, and did not change its sign" in run.notices[-1]


@pytest.mark.parametrize(("method", "step"), [("auto", None), ("Radau", None), ("rk4", 0.01),
    ("generalised_alpha", 0.01), ("generalised_alpha", 0.05)])  # fmt: skip
def test_an_event_that_a_constraint_keeps_at_zero_never_happens(method: str, step: float | None) -> None:
    """A mass on a circle, at whose turning points the dense output leaves it; the crossing of the lowest is found."""
    s = ph.System("on a circle", gravity=(0, 0, -9.81))
    joint = s.joint("at", s.ground, s.body("mass", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    (x, z), (vx, vz) = joint.q, joint.u
    s.constrain(x * x + z * z - 1)
    zeros = [1000 * (x * x + z * z - 1), ph.sqrt(x * x + z * z) - 1, x * vx + z * vz]
    given: dict[str, Any] = {"start": {x.name: 0.6, z.name: -0.8}, "method": method, "step": step}
    run = s.derive().simulate(3, events=[*zeros, x], **given)
    assert [len(times) for times in run.events] == [0, 0, 0, 3]
    assert sum("was zero all along, and did not change its sign" in each for each in run.notices) == 3


def test_sentences_about_events_name_what_is_wrong(slider: tuple[ph.Equations, Any, Any]) -> None:
    equations, x, v = slider
    given: dict[str, Any] = {"start": {"x": 4, "v": -1}, "tau": {"v": -4}}
    wrong: dict[str, dict[str, Any]] = {
        "event 1 of events, '<lambda>', returned None, which is no number": {"events": [x, lambda t, q, u: None]},
        r"event 0 of until, '<lambda>', returned array\(\[4.\]\), which is no": {"until": lambda t, q, u: q},
        r"event 0 of until, .* returned np.True_, which is no number": {"until": lambda t, q, u: q[0] > 0},
        r"the function <lambda> does not take \(t, q, u\)": {"events": [lambda t, q: 1.0]},
        "on 'v': nan is not a finite number": {"on": {x: {"v": np.nan}}},
        "event 0 of on, 'x', sets a value that is not finite": {"on": {x: {"v": ph.sqrt(v)}}},
        r"event 0 of on, 'v \+ 2', sets a value": {"on": {v + 2: lambda t, q, u: {"v": np.nan}}},
        "a new value depends on the effort 'v', which is no part": {"on": {x: {"v": equations.efforts[0]}}},
    }
    for message, options in wrong.items():
        refused(message, lambda options=options: equations.simulate(2, **given, **options))
    with pytest.raises(SimulationError, match=r"at t = 1.18614 s event 0 of events, 'sqrt\(x\) - 1', is nan") as caught:
        equations.simulate(2, **given, events=[ph.sqrt(x) - 1])
    run: Any = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.events[0] == pytest.approx([1.0]) and run.t[-1] == pytest.approx((33**0.5 - 1) / 4, abs=1e-11)


@pytest.mark.parametrize("method", ["auto", "RK45", "Radau", "rk4", "gauss4"])
def test_a_change_among_samples_that_are_close_is_where_it_belongs(
    method: str, slider: tuple[ph.Equations, Any, Any]
) -> None:
    equations, x, _ = slider
    samples = [0, 0.2, *(0.5 + k * 1e-12 for k in range(-3, 4)), 1]
    given: dict[str, Any] = {"samples": samples, "on": {x - 0.5: {"v": 2}}, "method": method}
    run = equations.simulate(1, start={"v": 1}, step=0.1 if METHODS.get(method) else None, **given)
    assert run.events[0] == pytest.approx([0.5], abs=1.01e-12) and set(run.u[run.t > 0.5 + 1.1e-12, 0]) == {2.0}
