"""Events of members are handled by native code, with the bits that a run alone has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.members_alone import MembersAlone

import polhode as ph
from polhode.ode import native_events
from polhode.simulate import crossing


@pytest.fixture
def like_alone(monkeypatch: pytest.MonkeyPatch) -> MembersAlone:
    return MembersAlone(monkeypatch)


class Ball:
    """A ball on a vertical line, with its height z, speed v and what a bounce leaves of that."""

    def __init__(self) -> None:
        s = ph.System("ball")
        joint = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
        self.z, self.v, self.left = joint.q[0], joint.u[0], s.parameter("left", 0.8)
        self.bounce = {crossing(self.z, -1): {"v": -self.left * self.v}}
        self.equations = s.derive()


@pytest.mark.parametrize("method", ["auto", "taylor", "DOP853", "Radau"])
def test_bouncing_balls_have_the_bits_that_they_have_alone(method: str, like_alone: MembersAlone) -> None:
    ball = Ball()
    options = {"start": {"z": np.array([0.5, 1.0, 30.0])}, "parameters": {"left": np.array([0.9, 0.8, 0.5])}}
    batch = like_alone.check(ball.equations, 1.5, {**options, "samples": 16, "on": ball.bounce, "method": method})
    assert not like_alone.by_python
    assert [len(run.events[0]) for run in batch] == [3, 2, 0]
    # a stone's speed when it meets the ground, turned
    first = int(np.argmin(np.abs(batch[0].t - batch[0].events[0][0])))
    assert batch[0].u[first + 1, 0] == pytest.approx(0.9 * np.sqrt(2 * 9.81 * 0.5), abs=1e-9)


def test_an_event_ends_members_at_its_own_time_for_each(like_alone: MembersAlone) -> None:
    ball = Ball()
    options = {"start": {"z": np.array([1.0, 5.0, 100.0])}, "samples": 5, "until": ball.z}
    batch = like_alone.check(ball.equations, 2.0, options)
    assert list(batch.status) == ["event", "event", "done"]
    assert batch[0].t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)
    assert np.isnan(batch.q[0, batch.reached[0] :]).all() and batch.reached[0] == 1
    assert not like_alone.by_python


def test_several_events_in_one_step_come_in_their_order(like_alone: MembersAlone) -> None:
    ball = Ball()
    events = [ball.v + 1, ball.z - 0.5, crossing(ball.v + 1, 1), ball.v + 1]
    options: dict[str, Any] = {"start": {"z": np.array([1.0, 2.0])}, "samples": 3, "events": events, "on": ball.bounce}
    like_alone.check(ball.equations, 0.9, {**options, "until": crossing(ball.v - 3.0, 1)})
    assert not like_alone.by_python


def test_events_and_limits_are_noted_in_one_run(like_alone: MembersAlone) -> None:
    s = ph.System("pendulum")
    hinge = s.joint("h", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.4, 0.9))
    back = {crossing(hinge.q[0] + 0.5, -1): {hinge.u[0]: -hinge.u[0]}}
    options = {"start": {"h": np.array([0.45, 0.6, 0.8])}, "samples": 5, "on": back, "watch_energy": False}
    batch = like_alone.check(s.derive(), 2.0, options)
    assert [len(run.passed_limits) for run in batch] == [1, 1, 1]
    assert not like_alone.by_python


def test_quaternions_at_events_have_unit_length(like_alone: MembersAlone) -> None:
    s = ph.System("top")
    pivot = s.joint("pivot", s.ground, s.body("top", 1, (0, 0, 0.5), (1, 2, 3)), ph.Spherical(), speeds=["a", "b", "c"])
    turn = {crossing(pivot.q[1] - 0.2, 1): {"a": -pivot.u[0]}}
    batch = like_alone.check(s.derive(), 1.0, {"speeds": {"a": np.array([1.0, 2.0])}, "samples": 4, "on": turn})
    assert np.abs(np.linalg.norm(batch[1].q, axis=1) - 1).max() < 1e-15
    assert not like_alone.by_python


def test_members_that_native_code_cannot_tell_of_are_left_to_python(like_alone: MembersAlone) -> None:
    ball = Ball()
    given = {"left": np.array([0.5, 0.9])}
    batch = ball.equations.simulate(2.0, start={"z": 1.0}, parameters=given, samples=4, on=ball.bounce)
    assert list(batch.status) == ["event_stuck", "done"]
    assert "follows itself without end" in batch.failures[0] or "goes on through it" in batch.failures[0]
    assert like_alone.by_python == 1


def test_more_events_than_the_log_has_room_for_are_left_to_python(
    like_alone: MembersAlone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_events, "_MOST_ROOM", 2)
    ball = Ball()
    options = {"start": {"z": np.array([0.2, 1.5])}, "samples": 4, "on": ball.bounce}
    like_alone.check(ball.equations, 1.5, options)
    assert like_alone.by_python == 1


def test_events_in_python_go_one_by_one(like_alone: MembersAlone) -> None:
    ball = Ball()
    options = {"start": {"z": np.array([0.5, 1.0])}, "samples": 4, "until": lambda t, q, u: q[0] - 0.1}
    with pytest.warns(UserWarning, match="under the interpreter's lock"):
        batch = ball.equations.simulate(1.0, **options)
    assert list(batch.status) == ["event", "event"]
    assert like_alone.by_python == 2
