"""Events that change the state, after which the run goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Equations
from polhode.errors import PolhodeError, SimulationError
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory, crossing


@pytest.fixture(scope="module")
def ball() -> tuple[Equations, Any, Any]:
    s = ph.System("ball", gravity=(0, 0, -10))
    joint = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    return s.derive(), joint.q[0], joint.u[0]


#: A fall from 5 m, and bounces that each take 0.8 of the speed: at 1 s, then after 1.6, 1.28, 1.024 s.
BOUNCES = [1.0, 2.6, 3.88, 4.904]


@pytest.mark.parametrize("method", ["auto", "DOP853", "RK45", "rk4", "scipy.DOP853", "scipy.LSODA"])
def test_a_ball_bounces_at_the_times_of_its_parabolas(method: str, ball: tuple[Equations, Any, Any]) -> None:
    equations, z, v = ball
    run = equations.simulate(5, start={"z": 5.0}, on={crossing(z, -1): {"v": -0.8 * v}}, method=method)
    assert run.events[0] == pytest.approx(BOUNCES, abs=1e-6 if method == "scipy.LSODA" else 1e-10)
    assert run.q.min() > -1e-9
    assert (np.diff(run.t) > 0).all()
    assert not run.notices, "energy that the change took is nobody's loss"


@pytest.mark.parametrize("method", ["auto", "DOP853", "Radau", "rk4"])
def test_a_run_that_fails_ends_where_it_failed(method: str, ball: tuple[Equations, Any, Any]) -> None:
    """A bounce that leaves half of the speed, from 5 m: at rest after 1 + 2 s, and never below the floor."""
    equations, z, v = ball
    with pytest.raises(SimulationError, match="without end") as e:
        equations.simulate(8, start={"z": 5.0}, on={crossing(z, -1): {"v": -0.5 * v}}, method=method)
    kept = e.value.trajectory
    assert isinstance(kept, Trajectory)
    assert kept.t[-1] == pytest.approx(3.0, abs=1e-4) and kept.q.min() > -1e-7
    assert len(kept.events[0]) > 8


def test_functions_of_ones_own_do_the_same(ball: tuple[Equations, Any, Any]) -> None:
    equations, _, _ = ball
    on = {lambda t, q, u: q[0]: lambda t, q, u: {"v": -0.8 * u[0]}}
    assert equations.simulate(5, start={"z": 5.0}, on=on).events[0] == pytest.approx(BOUNCES, abs=1e-10)


@pytest.mark.parametrize("method", ["auto", "DOP853", "Radau", "rk4", "scipy.DOP853"])
def test_an_event_may_change_the_state_and_be_passed(method: str, ball: tuple[Equations, Any, Any]) -> None:
    """A curtain at z = 0 that takes a fifth of the speed, and a blow at a given time."""
    equations, z, v = ball
    run = equations.simulate(2, start={"z": 5.0}, on={z: {"v": 0.8 * v}}, method=method)
    assert run.events[0] == pytest.approx([1.0], abs=1e-9)
    assert run.x[-1] == pytest.approx([-13.0, -18.0], abs=1e-7)
    t = equations.system.time
    blow = equations.simulate(2, on={t - 1: {"v": v + 1}, t - 1.5: {"v": v + 2}}, method=method)
    assert blow.events == [pytest.approx([1.0]), pytest.approx([1.5])]
    assert blow.x[-1] == pytest.approx([-18.0, -17.0], abs=1e-7)


@pytest.mark.parametrize("method", ["auto", "Radau", "rk4", "scipy.DOP853"])
@pytest.mark.parametrize("by_python", [False, True])
def test_events_at_the_same_time_all_change_the_state(method: str, by_python: bool) -> None:
    """Two sliders that reach their walls at once, and a third that does so later."""
    s = ph.System("sliders")
    slides = [s.joint(f"x{k}", s.ground, s.body(f"body {k}", 1), ph.Prismatic("x"), speeds=[f"v{k}"]) for k in range(3)]
    e = s.derive()

    def back(k: int) -> Any:
        return (lambda t, q, u: {f"v{k}": -u[k]}) if by_python else {f"v{k}": -slides[k].u[0]}

    on = {each.q[0] - 1: back(k) for k, each in enumerate(slides)}
    run = e.simulate(3, speeds={"v0": 1, "v1": 1, "v2": 0.5}, on=on, method=method)
    assert [len(times) for times in run.events] == [1, 1, 1]
    assert run.x[-1] == pytest.approx([-1, -1, 0.5, -1, -1, -0.5], abs=1e-9)


def test_a_batch_passes_events_that_change_the_state(ball: tuple[Equations, Any, Any]) -> None:
    equations, z, v = ball
    batch = equations.simulate(2, start={"z": np.array([5.0, 3.2])}, on={z: {"v": 0.8 * v}})
    assert [run.status for run in batch] == ["done", "done"]
    assert batch[0].x[-1] == pytest.approx([-13.0, -18.0], abs=1e-7)


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_a_ball_that_comes_to_rest_does_not_fall_through(method: str, ball: tuple[Equations, Any, Any]) -> None:
    equations, z, _ = ball
    with pytest.raises(SimulationError, match="event 0") as e:
        equations.simulate(2, start={"z": 5.0}, on={crossing(z, -1): {"v": 0}}, method=method)
    kept = e.value.trajectory
    assert isinstance(kept, Trajectory) and kept.status == "event_stuck" and kept.t[-1] == pytest.approx(1)


def test_bounces_without_end_end_the_run(ball: tuple[Equations, Any, Any]) -> None:
    equations, z, v = ball
    with pytest.raises(SimulationError, match="without end") as e:
        equations.simulate(10, start={"z": 5.0}, on={crossing(z, -1): {"v": -0.8 * v}})
    kept = e.value.trajectory
    assert isinstance(kept, Trajectory)
    # bounces closer than 2^-20 of a step of at most 1 s are one; five times the last of them was left
    assert 9.0 - 5 * 2**-20 < kept.t[-1] < 9.0 + 1e-9
    assert kept.q.min() > -1e-9


def test_with_constraints_the_new_speeds_are_projected_and_that_is_told() -> None:
    s = four_bar()
    equations = s.derive()
    crank = s.joints["crank"].q[0]
    back = dict.fromkeys(equations.u, -3)
    run = equations.simulate(1, start={"crank": 0.3}, speeds={"crank": 2}, on={crossing(crank - 1): back})
    assert any("brought to the constraints" in notice for notice in run.notices)
    assert run.drift.velocity < 1e-9
    before, after = (run.u[np.searchsorted(run.t, run.events[0][0], side=side)] for side in ("left", "right"))
    assert after[0] < 0.0 < before[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on": {"z": {"v": 0}}}, "is no event"),
        ({"on": 3}, "on"),
        ({"on": {"z": 3}}, "not a change of the state"),
        ({"on": {"z": {"w": 0}}}, "no coordinate, speed or state 'w'"),
        ({"on": {"z": {"v": ph.symbol("strange")}}}, "strange"),
        ({"on": {"z": lambda t, q, u: {"w": 1}}, "start": {"z": 1}}, "no coordinate, speed or state 'w'"),
    ],
)
def test_what_cannot_be_meant_gets_one_sentence(
    options: dict[str, Any], words: str, ball: tuple[Equations, Any, Any]
) -> None:
    equations, z, _ = ball
    on = options["on"]
    if isinstance(on, dict) and words != "is no event":
        options = {**options, "on": dict.fromkeys([z], on["z"])}
    with pytest.raises(PolhodeError, match=words):
        equations.simulate(1, **options)
