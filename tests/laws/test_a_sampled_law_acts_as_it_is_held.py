"""A law that is sampled in native code acts as the same law in Python does that is held; delays shift it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.controlled_arms import InverseDynamics, ServoPID, arm, linkage, slider

import polhode as ph
from polhode.control import ControllerState, Law
from polhode.native.arrays import Floats
from polhode.simulate import Trajectory

START = {"shoulder": 0.4, "elbow": -0.3}
REFERENCE = {"shoulder": "sin(t)", "elbow": "cos(2*t)"}


def by_hand(e: ph.Equations) -> Callable[[float, Floats, Floats], Floats]:
    """The law of `InverseDynamics` in Python."""
    f = e.compile()

    def law(t: float, q: Floats, u: Floats) -> Floats:
        r, rate = np.array([np.sin(t), np.cos(2 * t)]), np.array([np.cos(t), -2 * np.sin(2 * t)])
        wanted = -np.array([np.sin(t), 4 * np.cos(2 * t)]) + 100 * (r - q) + 20 * (rate - u)
        return np.asarray(f.mass_matrix(q) @ wanted + f.bias(q, u))

    return law


@pytest.mark.parametrize("method", ["auto", "Radau", "RK45", "rk4", "scipy.DOP853"])
def test_native_samples_are_those_of_a_python_controller_that_is_held(method: str) -> None:
    e = arm().derive()
    how: dict[str, Any] = {"method": method, "start": START, "samples": 21}
    native = e.simulate(0.5, controller=InverseDynamics(e), reference=REFERENCE, sample_time=0.01, **how)
    python = e.simulate(0.5, tau=ph.held(by_hand(e), 0.01), **how)
    assert np.allclose(native.x, python.x, atol=1e-12) and np.allclose(native.tau, python.tau, atol=1e-11)
    assert np.allclose(native.at([0.123, 0.2871]).tau, python.at([0.123, 0.2871]).tau, atol=1e-9)


def test_a_closed_linkage_is_controlled_as_a_held_one() -> None:
    e = linkage().derive()
    q, u = e.q[0], e.u[0]
    law = Law({e.tau[0]: -20 * q - 5 * u})
    native = e.simulate(0.3, controller=law, sample_time=0.01, start={"crank": 0.5}, samples=7)
    python = e.simulate(
        0.3, tau={"crank": ph.held(lambda t, q, u: -20 * q[0] - 5 * u[0], 0.01)}, start={"crank": 0.5}, samples=7
    )
    assert native.has_constraints and np.allclose(native.x, python.x, atol=1e-12)


@pytest.mark.parametrize("delay", [0.01, 0.004, 0.037])
def test_a_delay_shifts_what_acts(delay: float) -> None:
    e = slider().derive()
    run = e.simulate(
        0.2, controller=Law({e.tau[0]: -e.q[0] - e.u[0]}), sample_time=0.01, delay=delay, start={"x": 1}, samples=201
    )
    asked = run.controller.times
    gave = run.controller.controls[:, 0]
    measured = run.at(asked)
    assert np.allclose(gave, -measured.q[:, 0] - measured.u[:, 0], atol=1e-12)
    at = np.array([0.0015, 0.0315, 0.1015, 0.1965])
    row = np.floor((at - delay) / 0.01 + 1e-9).astype(int)
    assert np.array_equal(run.at(at).tau[:, 0], np.where(row >= 0, gave[np.maximum(row, 0)], 0.0))


def test_a_law_of_time_that_is_delayed_is_the_earlier_one() -> None:
    e = slider().derive()
    t = e.system.time
    late = e.simulate(0.4, controller=Law({e.tau[0]: t + 1}), sample_time=0.02, delay=0.1, samples=5)
    early = e.simulate(0.3, controller=Law({e.tau[0]: t + 1}), sample_time=0.02, samples=4)
    assert np.allclose(late.q[2:], early.q[1:], atol=1e-13) and not late.q[:2].any()


def test_noise_is_known_by_its_seed() -> None:
    e = slider().derive()

    def run(**given: Any) -> Trajectory:
        law = Law({e.tau[0]: -4 * e.q[0] - e.u[0]})
        return e.simulate(1, controller=law, sample_time=0.01, start={"x": 1}, samples=5, **given)

    noise = {"x": 0.01, "v": 0.1}
    one, again, other = (run(noise=noise, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.x, again.x) and not np.allclose(one.x, other.x, atol=1e-6)
    drawn = np.random.default_rng(3).standard_normal((len(one.controller.times) + 1, 2)) * [0.01, 0.1]
    seen = one.at(one.controller.times)
    gave = -4 * (seen.q[:, 0] + drawn[: len(seen), 0]) - (seen.u[:, 0] + drawn[: len(seen), 1])
    assert np.allclose(one.controller.controls[:, 0], gave, atol=1e-9)


def test_converters_have_steps_and_controls_have_limits() -> None:
    e = slider().derive()
    law = Law({e.tau[0]: -40 * e.q[0] - 9 * e.u[0]})
    run = e.simulate(
        1, controller=law, sample_time=0.01, start={"x": 1}, limits={"v": (-5, 30)},
        quantisation={"x": 0.125, e.tau[0]: 0.5},
    )  # fmt: skip
    gave, seen = run.controller.controls[:, 0], run.at(run.controller.times)
    x = 0.125 * np.floor(seen.q[:, 0] / 0.125 + 0.5)
    wanted = np.clip(0.5 * np.floor((-40 * x - 9 * seen.u[:, 0]) / 0.5 + 0.5), -5, 30)
    assert np.mean(np.abs(gave - wanted) < 1e-9) > 0.97  # but where a state lies at a step, by rounding
    assert gave.min() == -5 and any("limits" in notice for notice in run.notices)


@pytest.mark.parametrize(("rule", "order"), [("euler", 1), ("rk4", 1)])
def test_sampling_tends_to_continuous_time(rule: str, order: int) -> None:
    e = slider().derive()
    given: dict[str, Any] = {"controller": ServoPID(e), "reference": "sin(t)", "start": {"x": 0.5}, "samples": 3}
    exact = e.simulate(1, **given)
    errors = [
        abs(e.simulate(1, sample_time=T, discretisation=rule, **given).q - exact.q).max() for T in (0.02, 0.01, 0.005)
    ]
    assert 1.8**order < errors[0] / errors[1] < 2.3**order and 1.8**order < errors[1] / errors[2] < 2.3**order


def test_states_go_from_sample_to_sample() -> None:
    e = slider().derive()
    count, last = ph.symbol("count", "state"), ph.symbol("last", "state")
    states = (ControllerState(count, update=count + 1), ControllerState(last, start=2, update=e.q[0]))
    run = e.simulate(
        0.5,
        controller=Law({e.tau[0]: count + last - e.q[0]}, states=states),
        sample_time=0.1,
        samples=6,
        start={"x": 1},
    )
    log = run.controller
    assert log.names == ("count", "last") and np.array_equal(log.states[:, 0], np.arange(5))
    x = run.at(log.times).q[:, 0]
    assert np.allclose(log.states[:, 1], [2, *x[:-1]]) and np.allclose(log.controls[:, 0], log.states.sum(axis=1) - x)


def test_orientations_are_measured_at_unit_length() -> None:
    s = ph.System("top", gravity=(0, 0, 0))
    s.joint("ball", s.ground, s.body("top", 1, inertia=(1, 2, 3)), ph.Spherical())
    e = s.derive()
    w, x, y, z = e.q
    law = Law(dict(zip(e.tau, [-4 * w * x - e.u[0], -4 * w * y - e.u[1], -4 * w * z - e.u[2]], strict=True)))
    how: dict[str, Any] = {"start": {"ball_e1": 0.6, "ball_e0": 0.8}, "speeds": {"ball_wy": 1}, "samples": 11}

    def python(t: float, q: Floats, u: Floats) -> Floats:
        return np.asarray(-4 * q[0] * q[1:] - u)

    native = e.simulate(2, controller=law, sample_time=0.01, **how)
    assert np.allclose(native.x, e.simulate(2, tau=ph.held(python, 0.01), **how).x, atol=1e-12)


def test_a_law_that_gives_no_number_ends_the_run_at_its_sample() -> None:
    e = slider().derive()
    law = Law({e.tau[0]: ph.sqrt(as_time(e, 0.45))})
    with pytest.raises(ph.PolhodeError, match=r"the law of effort 'v' gave no finite number, at t = 0\.5 s") as caught:
        e.simulate(1, controller=law, sample_time=0.1)
    run = caught.value.trajectory  # type: ignore[attr-defined]
    assert run.status == "controller" and 0.4 < run.t[-1] <= 0.5


def as_time(e: ph.Equations, until: float) -> ph.Expr:
    return until - e.system.time


def test_members_of_a_batch_are_its_single_runs() -> None:
    e = arm().derive()
    given: dict[str, Any] = {"controller": InverseDynamics(e), "sample_time": 0.02, "start": START, "samples": 5}
    batch = e.simulate(0.2, parameters={"kp": [50.0, 150.0]}, **given)
    for k, kp in enumerate((50.0, 150.0)):
        alone = e.simulate(0.2, parameters={"kp": kp}, **given)
        assert np.array_equal(batch[k].x, alone.x) and np.array_equal(batch[k].tau, alone.tau)
