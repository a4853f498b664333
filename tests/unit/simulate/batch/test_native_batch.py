"""Batches in native code: the same bits as alone, in lanes, pieces and threads; what fails is left to Python."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.members_alone import MembersAlone

import polhode as ph
from polhode.errors import SimulationError
from polhode.model.samples import six_degree_of_freedom_arm
from polhode.ode import native_events
from polhode.ode.native_lanes import LaneRuns
from polhode.ode.native_run import NativeRun
from polhode.simulate import crossing
from polhode.simulate.batch import native_batch
from polhode.simulate.batch.batch import Batch
from polhode.simulate.batch.members import Members
from polhode.simulate.batch.native_batch import run_in_threads
from polhode.simulate.batch.running import run_members


@pytest.fixture(scope="module")
def chain() -> ph.Equations:
    s = ph.System("chain")
    l = s.parameter("l", 1)
    upper, lower = (s.body(name, 1, (0, 0, -l / 2), ph.rod(1, l)) for name in ("upper", "lower"))
    s.joint("a", s.ground, upper, ph.Revolute("y"))
    s.joint("b", upper, lower, ph.Revolute("y"), at=(0, 0, -l))
    return s.derive()


def options(count: int) -> dict[str, Any]:
    return {
        "parameters": {"l": np.linspace(0.5, 1.5, count)},
        "start": {"a": np.linspace(0.2, 2.0, count), "b": 0.3},
        "tau": {"a": np.linspace(-1, 1, count)},
        "samples": 11,
    }


@pytest.mark.parametrize("method", ["auto", "TP86", "DOP853", "RK45", "taylor"])
def test_a_member_has_the_bits_that_it_has_alone(method: str, chain: ph.Equations) -> None:
    given = options(70)
    batch = chain.simulate(1.5, method=method, **given)
    assert not batch.failures
    for i in (0, 31, 32, 69):
        alone = chain.simulate(1.5, method=method, **Members.of(given).member(i))  # type: ignore[union-attr]
        assert np.array_equal(alone.q, batch.q[i]) and np.array_equal(alone.u, batch[i].u)
        assert alone.info["steps"] == batch[i].info["steps"]


def ball() -> ph.Equations:
    """A top that hangs from a spring: a quaternion, a parameter of its own, five speeds."""
    s = ph.System("ball")
    spin = s.parameter("i", 0.3)
    ball = s.body("ball", 1, (0, 0, -0.5), (spin, 0.2, 0.1))
    carrier = s.body("carrier", 0.5)
    s.joint("slide", s.ground, carrier, ph.Prismatic("z"))
    s.joint("socket", carrier, ball, ph.Spherical())
    s.joint_spring("slide", 40)
    return s.derive()


def arm() -> ph.Equations:
    return six_degree_of_freedom_arm().derive()


def slider() -> ph.Equations:
    """A block that a spring and a damper lead after a sine: with strong ones stability bounds the steps."""
    s = ph.System("slider")
    c = s.parameter("c", 240)
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force("x", -c * slide.u[0] - 4400 * (slide.q[0] - ph.sin(3 * s.time)))
    return s.derive()


SLIDERS = {"parameters": {"c": np.linspace(10, 900, 21)}, "start": {"x": 0.1}}
BALLS = {"parameters": {"i": np.linspace(0.2, 0.29, 21)}, "speeds": {"slide": 1.0, "socket_wx": np.linspace(0, 25, 21)}}
ARMS = {"start": {"s1": np.linspace(-1, 2, 18), "e": np.linspace(0.4, 1.0, 18)}}


@pytest.mark.parametrize(("made", "given", "method", "rtol"), [
    (ball, BALLS, "DOP853", 1e-6), (ball, BALLS, "RK23", 1e-4), (ball, BALLS, "taylor", 1e-11),
    (arm, ARMS, "DOP853", 1e-12), (arm, ARMS, "TP86", 1e-9), (arm, ARMS, "RK45", 1e-5),
    (slider, SLIDERS, "DOP853", 1e-8), (slider, SLIDERS, "TP86", 1e-10),
])  # fmt: skip
def test_side_by_side_and_one_after_the_other_are_the_same(
    made: Callable[[], ph.Equations], given: dict[str, Any], method: str, rtol: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    equations = made()
    more: dict[str, Any] = {"method": method, "rtol": rtol, "atol": 1e-8, "samples": 40, "watch_energy": False}
    rounds = _noted(monkeypatch)
    beside = equations.simulate(0.7, **given, **more)
    assert rounds == [LaneRuns], "they did go in lanes"
    monkeypatch.setattr(native_batch, "_LANES_FROM", 1000)
    after = equations.simulate(0.7, **given, **more)
    assert rounds == [LaneRuns, NativeRun]
    assert len({info["steps"] for info in beside.infos}) > 3, "members need different numbers of steps"
    for name in ("steps", "evaluations"):
        assert [info[name] for info in beside.infos] == [info[name] for info in after.infos]
    for name, array in beside.arrays.items():
        assert np.array_equal(array, after.arrays[name])


def _noted(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """What ran the members of each batch from now on, in one thread."""
    found: list[type] = []

    def noted(advances: Any, look: Any) -> bool:
        found.extend(type(advance.func.__self__) for advance in advances)
        return run_in_threads(advances, look)

    monkeypatch.setattr(native_batch, "run_in_threads", noted)
    monkeypatch.setattr(native_batch, "cores", lambda: 1)
    return found


@pytest.mark.parametrize("count", [16, 17, 43])
@pytest.mark.parametrize("method", ["auto", "RK45"])
def test_pieces_lanes_and_threads_change_no_bit(
    count: int, method: str, chain: ph.Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = Members.of({**options(count), "method": method, "progress": False})
    assert members is not None

    def run(threads: int) -> Batch:
        return run_members(chain.derivation, 1.0, members, threads=threads)

    whole = run(1)
    monkeypatch.setattr(native_batch, "_FIRST_STEPS", 1)
    monkeypatch.setattr(native_batch, "_PIECE_SECONDS", 0.0)
    for threads in (1, 2, 3):
        for lanes_from in (16, 1000):
            monkeypatch.setattr(native_batch, "_LANES_FROM", lanes_from)
            again = run(threads)
            assert np.array_equal(again.q, whole.q)
            assert [info["steps"] for info in again.infos] == [info["steps"] for info in whole.infos]


def test_members_that_fail_leave_those_beside_them_as_they_are(chain: ph.Equations) -> None:
    lengths = np.linspace(0.5, 1.5, 24)
    lengths[[3, 11]] = 0.0, np.nan
    speeds = np.linspace(0.0, 2.0, 24)
    speeds[[5, 20]] = 1e200, 40.0
    given = {"parameters": {"l": lengths}, "speeds": {"a": speeds}, "samples": 5, "method": "DOP853", "max_steps": 60}
    batch = chain.simulate(1.0, **given)
    assert set(batch.failures) == {3, 5, 11, 20} and "as many as allowed" in batch.failures[20]
    members = Members.of(given)
    for i in (2, 4, 6, 10, 21, 23):
        assert np.array_equal(chain.simulate(1.0, **members.member(i)).q, batch.q[i])  # type: ignore[union-attr]


def test_a_member_that_turns_stiff_is_run_alone_and_the_others_side_by_side() -> None:
    s = ph.System("stiff")
    c = s.parameter("c", 1.0)
    bob = s.body("bob", 1, (0, 0, -1))
    s.joint("hinge", s.ground, bob, ph.Revolute("y"))
    s.joint_spring("hinge", 0, damping=c)
    equations = s.derive()
    given = {"parameters": {"c": [*np.linspace(0.1, 2.0, 19), 2e4]}, "start": {"hinge": 1.0}, "samples": 4}
    batch = equations.simulate(5.0, **given)
    members = Members.of(given)
    assert batch[19].info["switches"], "it goes on with an implicit method"
    for i in (0, 18, 19):
        assert np.array_equal(equations.simulate(5.0, **members.member(i)).q, batch.q[i])  # type: ignore[union-attr]


def test_ctrl_c_keeps_the_members_that_are_done(chain: ph.Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_batch, "_FIRST_STEPS", 40)
    monkeypatch.setattr(native_batch, "_PIECE_SECONDS", 0.0)
    seen: list[float] = []

    def progress(part: float) -> None:
        seen.append(part)
        if len(seen) > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(native_batch, "cores", lambda: 1)
    whole = chain.simulate(1.0, **options(40))
    with pytest.raises(SimulationError, match=r"interrupted after \d+ of 40 runs") as caught:
        chain.simulate(1.0, progress=progress, **options(40))
    batch = caught.value.trajectory
    assert isinstance(batch, Batch)
    done = batch.status == "done"
    assert 0 < done.sum() < 40 and np.array_equal(batch.q[done], whole.q[done]) and np.isnan(batch.q[~done]).all()
    assert sorted({*batch.status}) == ["done", "interrupted", "not_run"]


def test_what_python_has_a_say_in_is_not_for_native_code(chain: ph.Equations) -> None:
    def controller(t: float, q: np.ndarray, u: np.ndarray) -> dict[str, float]:
        return {"a": -float(u[0])}

    for more in ({"tau": controller}, {"events": [lambda t, q, u: q[0]]}, {"method": "scipy.DOP853"}):
        members = Members.of({"start": {"a": [0.1, 0.2]}, "samples": 3, **more})
        assert members is not None
        assert native_batch.run_natively(chain.derivation, 0.1, members, chain.compile(), lambda part: None) is None
        assert len(run_members(chain.derivation, 0.1, members)) == 2


def test_energy_that_a_member_loses_is_told(chain: ph.Equations) -> None:
    with pytest.warns(UserWarning, match="energy"):
        batch = chain.simulate(
            20, start={"a": [0.0, 3.0], "b": [0.0, 2.0]}, rtol=1e-3, atol=1e-3, method="RK45", samples=41
        )
    assert any("energy" in notice for notice in batch[1].notices)


def test_energy_is_watched_where_inputs_act_on_gravity() -> None:
    s = ph.System("lift")
    s.gravity = (0, 0, -1 - s.input("load", 2))
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    batch = s.derive().simulate(
        1.0, start={"hinge": np.linspace(0.1, 1, 20)}, inputs=[[k] for k in range(20)], samples=4
    )
    assert not batch.failures and not any(info["notices"] for info in batch.infos)


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
    assert batch[0].u[first, 0] == pytest.approx(0.9 * np.sqrt(2 * 9.81 * 0.5), abs=1e-9)


def test_events_end_members_at_their_own_times_and_come_in_their_order(like_alone: MembersAlone) -> None:
    ball = Ball()
    options = {"start": {"z": np.array([1.0, 5.0, 100.0])}, "samples": 5, "until": ball.z}
    batch = like_alone.check(ball.equations, 2.0, options)
    assert list(batch.status) == ["event", "event", "done"]
    assert batch[0].t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-10)
    assert np.isnan(batch.q[0, batch.reached[0] :]).all() and batch.reached[0] == 1
    assert not like_alone.by_python
    ball = Ball()
    events = [ball.v + 1, ball.z - 0.5, crossing(ball.v + 1, 1), ball.v + 1]
    options: dict[str, Any] = {"start": {"z": np.array([1.0, 2.0])}, "samples": 3, "events": events, "on": ball.bounce}
    like_alone.check(ball.equations, 0.9, {**options, "until": crossing(ball.v - 3.0, 1)})
    assert not like_alone.by_python


def test_events_and_limits_are_noted_in_one_run_with_quaternions_of_unit_length(like_alone: MembersAlone) -> None:
    s = ph.System("pendulum")
    hinge = s.joint("h", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.4, 0.9))
    back = {crossing(hinge.q[0] + 0.5, -1): {hinge.u[0]: -hinge.u[0]}}
    options = {"start": {"h": np.array([0.45, 0.6, 0.8])}, "samples": 5, "on": back, "watch_energy": False}
    batch = like_alone.check(s.derive(), 2.0, options)
    assert [len(run.passed_limits) for run in batch] == [1, 1, 1]
    assert not like_alone.by_python
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


class Work:
    """So many steps that are to be taken."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.threads: set[int] = set()

    def advance(self, steps: int) -> bool:
        self.threads.add(threading.get_ident())
        self.left = max(0, self.left - steps)
        return self.left > 0


@pytest.mark.parametrize("threads", [1, 3])
def test_all_work_is_done_each_in_its_thread(threads: int) -> None:
    works = [Work(10_000_000) for _ in range(threads)]
    looks: list[int] = []
    assert run_in_threads([work.advance for work in works], lambda: looks.append(1))
    assert [work.left for work in works] == [0] * threads
    assert looks
    assert all(len(work.threads) == 1 for work in works)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_stops_all(threads: int) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    assert not run_in_threads([lambda steps: True] * threads, interrupted)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_look_raises_is_raised_and_nothing_goes_on(threads: int) -> None:
    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_threads([lambda steps: True] * threads, fails)
