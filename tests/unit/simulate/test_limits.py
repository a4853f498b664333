"""A run says which joint limits it passed, and when."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.simulate import crossing
from polhode.simulate.batch.native_batch import RerunInterpolant
from polhode.simulate.limits import PassedLimit
from polhode.simulate.trajectory.trajectory import Trajectory


def stone(**limits: object) -> ph.Equations:
    s = ph.System("stone")
    s.parameter("floor", -1)
    s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), **limits)
    return s.derive()


def test_a_run_goes_on_beyond_a_limit_and_says_when_it_passed() -> None:
    run = stone(limits=(0, 10)).simulate(2, start={"height": 4.905})
    (passed,) = run.passed_limits
    assert passed.name == "height" and passed.side == "lower" and passed.limit == 0
    assert passed.time == pytest.approx(1, abs=1e-5) and passed.farthest == pytest.approx(4.905 - 4 * 4.905)
    assert str(passed) in run.notices and str(passed) in str(run)


def test_limits_that_are_kept_are_not_reported_and_those_exceeded_at_the_start_are() -> None:
    assert stone(limits=(-100, 10)).simulate(1).notices == () and stone().simulate(1).passed_limits == ()
    (passed,) = stone(limits=(2, None)).simulate(0.1).passed_limits
    assert passed.time == 0
    assert "limits" not in stone().simulate(1).info and "limits" not in stone(limits=(-100, None)).simulate(1).info


def test_what_happens_between_samples_is_seen_at_the_steps() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.5, 2))
    run = s.derive().simulate(2, start={"hinge": 1.0}, samples=2)
    assert (run["hinge"] > -0.5).all() and [each.side for each in run.passed_limits] == ["lower"]


def test_limits_come_in_the_order_in_which_they_are_passed_with_a_sentence() -> None:
    s = ph.System("two")
    for name, floor in (("late", -2), ("soon", -1)):
        s.joint(name, s.ground, s.body(f"stone {name}", 1), ph.Prismatic("z"), limits=(floor, None))
    assert [each.name for each in s.derive().simulate(1).passed_limits] == ["soon", "late"]
    told = str(PassedLimit("elbow", "upper", 1.0, 0.25, 1.5))
    assert told == "'elbow' passes its upper limit 1 at t = 0.25 s and gets to 1.5; nothing holds it there."
    assert str(PassedLimit("elbow", "lower", -1.0, 0.25, -1.5, "speed")).startswith(
        "the speed 'elbow' passes its lower"
    )


def test_a_loaded_run_and_other_times_of_a_run_are_judged_by_themselves(tmp_path: Path) -> None:
    e = stone(limits=(0, None))
    path = e.simulate(1).save(tmp_path / "run.npz")
    assert Trajectory.load(path).passed_limits == () and len(Trajectory.load(path, e).passed_limits) == 1
    run = stone(limits=(0, None)).simulate(2, start={"height": 4.905})
    assert len(run.passed_limits) == 1 and run.at([0.0, 0.5]).passed_limits == ()


def test_limits_that_cannot_be_watched_are_told() -> None:
    s = ph.System("stone")
    low, high = s.parameter("low"), s.parameter("high", 1)
    s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(low, high))
    e = s.derive()
    run = e.simulate(1)
    assert run.notices == ("the lower limit low of 'height' has no value, and was not watched.",)
    crossed = e.simulate(1, parameters={"low": 2})
    assert crossed.passed_limits == ()
    (told,) = crossed.notices
    assert "the lower limit 2 of 'height' is above the upper limit 1: neither was watched" in told
    assert [each.side for each in e.simulate(1, parameters={"low": -1}).passed_limits] == ["lower"]


NATIVE = ["TP86", "taylor", "DOP853", "RK45", "Rodas5P", "Radau"]
SWING: dict[str, Any] = {"start": {"hinge": 0.5}, "speeds": {"hinge": 2.0}, "samples": 2}


def pendulum(*limits: object) -> ph.System:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=limits)
    return s


@pytest.mark.parametrize("method", NATIVE)
def test_a_passage_is_located_where_an_event_would_be(method: str) -> None:
    s = pendulum(-0.7, 0.9)
    event = crossing(s.joints["hinge"].q[0] + 0.7, -1)
    run = s.derive().simulate(2, **SWING, method=method, events=[event])
    (passed,) = run.passed_limits
    assert passed.side == "lower" and passed.time == pytest.approx(run.events[0][0], abs=1e-11)


@pytest.mark.parametrize("method", NATIVE)
def test_a_limit_that_is_passed_within_one_step_is_noted(method: str) -> None:
    peak = np.arccos(np.cos(0.5) - 2.0**2 / (2 * 9.81))  # from its energy
    (passed,) = pendulum(None, float(peak) - 1e-4).derive().simulate(1, **SWING, method=method).passed_limits
    assert passed.time == pytest.approx(0.30601, abs=1e-5) and passed.farthest <= peak + 1e-6
    assert not pendulum(None, float(peak) + 1e-6).derive().simulate(1, **SWING, method=method).passed_limits


def test_a_step_that_an_event_breaks_off_is_looked_at_as_far_as_it_goes() -> None:
    s = pendulum(-0.5, 2)
    s_far = pendulum(-0.61, 2)
    q = s.joints["hinge"].q[0]
    options = {**SWING, "until": q + 0.6}
    (passed,) = s.derive().simulate(5, **options).passed_limits
    assert passed.limit == -0.5 and passed.farthest == pytest.approx(-0.6, abs=1e-9)
    assert not s_far.derive().simulate(5, **{**options, "until": s_far.joints["hinge"].q[0] + 0.6}).passed_limits


def test_a_run_that_turns_stiff_notes_what_each_method_passes() -> None:
    s = ph.System("bushing")
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), limits=(-0.3, 0.2))
    s.joint_force("x", -4e4 * x.u[0] - 4e4 * (x.q[0] - ph.sin(s.time)))
    events = [crossing(x.q[0] - 0.2, 1), crossing(x.q[0] + 0.3, -1)]
    run = s.derive().simulate(5, samples=2, rtol=1e-8, atol=1e-8, events=events)
    assert run.info["switches"]
    times = [passed.time for passed in run.passed_limits]
    assert times == pytest.approx([found[0] for found in run.events], abs=1e-10)


def crank(*limits: object, **rated: object) -> ph.System:
    """A parallelogram, whose crank has limits."""
    s = ph.System("parallelogram")
    bars = {name: s.body(name, 1, (0, 0, 0.5), (0.1, 0.1, 0)) for name in ("crank", "rocker")}
    coupler = s.body("coupler", 1, (1, 0, 0), (0, 0.1, 0.1))
    s.joint("crank", s.ground, bars["crank"], ph.Revolute("y"), limits=limits or None, **rated)
    s.joint("coupler", bars["crank"], coupler, ph.Revolute("y"), at=(0, 0, 1))
    s.joint("rocker", s.ground, bars["rocker"], ph.Revolute("y"), at=(2, 0, 0))
    s.close("pin", coupler, bars["rocker"], "revolute", at_a=(2, 0, 0), at_b=(0, 0, 1), axis="y")
    return s


@pytest.mark.parametrize("method", ["auto", "Radau"])
def test_a_mechanism_with_constraints_notes_its_limits(method: str) -> None:
    s = crank(None, 1.2)
    options = {"start": {"crank": 0.3}, "samples": 2, "method": method, "rtol": 1e-7, "atol": 1e-7}
    run = s.derive().simulate(1.5, **options, events=[s.joints["crank"].q[0] - 1.2])
    (passed,) = run.passed_limits
    assert passed.time == pytest.approx(run.events[0][0], abs=1e-9)


@pytest.mark.parametrize(("method", "count"), [("TP86", 20), ("taylor", 20), ("DOP853", 3)])
def test_members_note_what_they_note_alone(method: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    s = ph.System("pendulum")
    low = s.parameter("low", -1)
    length = s.parameter("l", 1)
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -length)), ph.Revolute("y"), limits=(low, 0.9))
    e = s.derive()
    given = {"l": np.linspace(0.5, 1.5, count), "low": np.linspace(-0.9, -0.2, count)}
    speeds = np.linspace(-5.0, 5.0, count)
    options: dict[str, Any] = {"start": {"hinge": 0.1}, "method": method, "samples": 3, "watch_energy": False}
    batch = e.simulate(2, parameters=given, speeds={"hinge": speeds}, **options)
    monkeypatch.setattr(RerunInterpolant, "__call__", lambda *_: pytest.fail("a member is not run again for this"))
    noted = 0
    for i, member in enumerate(batch):
        own = {name: float(values[i]) for name, values in given.items()}
        alone = e.simulate(2, parameters=own, speeds={"hinge": speeds[i]}, **options)
        assert member.passed_limits == alone.passed_limits
        assert member.info["evaluations"] == alone.info["evaluations"] - 1  # the first rates, by themselves
        noted += len(alone.passed_limits)
    assert noted > count / 2


@pytest.mark.parametrize("method", [*NATIVE, "scipy.DOP853", "rk4"])
def test_a_run_says_when_a_speed_passes_its_limit(method: str) -> None:
    options = {"step": 1e-3} if method == "rk4" else {}
    run = stone(speed_limits=4.905).simulate(2, method=method, samples=11, **options)
    (passed,) = run.passed_limits
    assert (passed.kind, passed.name, passed.side, passed.limit) == ("speed", "height", "lower", -4.905)
    assert passed.time == pytest.approx(0.5, abs=1e-4) and passed.farthest == pytest.approx(-2 * 9.81)
    assert str(passed) in run.notices


@pytest.mark.parametrize("method", NATIVE)
def test_a_speed_that_passes_its_limit_within_one_step_is_noted(method: str) -> None:
    """A pendulum is fastest at the bottom: ½ w² = ½ w₀² + g (1 - cos q₀) from its energy."""
    fastest = float(np.sqrt(2.0**2 + 2 * 9.81 * (1 - np.cos(0.5))))
    for rated, count in ((fastest - 1e-4, 1), (fastest + 1e-6, 0)):
        s = ph.System("pendulum")
        s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speed_limits=rated)
        passed = s.derive().simulate(0.5, start={"hinge": 0.5}, speeds={"hinge": -2.0}, samples=2, method=method)
        assert len(passed.passed_limits) == count
        assert all(each.time == pytest.approx(0.2, abs=0.1) for each in passed.passed_limits)


def test_a_speed_that_follows_time_is_looked_at_where_there_are_samples() -> None:
    s = ph.System("driven")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speed_limits=1)
    s.joint("y", "block", s.body("bead", 1), ph.Prismatic("y"))
    s.prescribe("x", 2 * ph.sin(s.time))
    (passed,) = s.derive().simulate(2, samples=201).passed_limits
    assert (passed.kind, passed.time) == ("speed", 0.0)


def test_an_impact_may_pass_a_limit_and_efforts_that_are_given_beyond_their_limits_are_told_and_act() -> None:
    s = ph.System("ball")
    z = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speed_limits=(-10, 3), speeds=["v"])
    bounce = {crossing(z.q[0], -1): {"v": -0.9 * z.u[0]}}
    run = s.derive().simulate(1, start={"z": 1.0}, on=bounce, samples=2)
    (passed,) = run.passed_limits
    assert passed.side == "upper" and passed.time == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    assert passed.farthest == pytest.approx(0.9 * np.sqrt(2 * 9.81), rel=1e-9)
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), effort_limits=(-2, 1), speeds=["v"])
    e = s.derive()
    run = e.simulate(2, tau={"x": 3 * ph.sin(ph.pi * s.time)}, samples=101)
    assert [(each.kind, each.name, each.side) for each in run.passed_limits] == [
        ("effort", "v", "upper"),
        ("effort", "v", "lower"),
    ]
    assert run.passed_limits[0].farthest == pytest.approx(3.0)
    assert run.speed("v")[50] == pytest.approx(6 / np.pi)  # nothing was clipped
    assert e.simulate(2, tau={"x": 1.0}).passed_limits == ()
    assert x.effort_limits[0].upper == 1


def test_limits_of_efforts_and_speeds_without_a_value_are_told() -> None:
    s = ph.System("stone")
    most, rated = s.parameter("most"), s.parameter("rated", -1)
    s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"), effort_limits=most, speed_limits=rated)
    e = s.derive()
    told = "\n".join(e.simulate(1, tau={"z": 1.0}).notices)
    assert "the upper limit most of the effort 'z' has no value, and was not watched." in told
    assert "with these parameters the lower limit 1 of the speed 'z' is above the upper limit -1" in told


@pytest.mark.parametrize("method", ["auto", "TP86", "DOP853", "RK45", "Radau", "rk4"])
def test_how_far_a_run_goes_beyond_a_limit_is_between_its_steps_too(method: str) -> None:
    """A pendulum from 0.5 rad with 2.5 rad/s rises until cos q = cos 0.5 - 2.5²/(2 g l), again and again."""
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.9, 0.9))
    e = s.derive()
    given: dict[str, Any] = {"speeds": {"hinge": 2.5}, "method": method, "samples": 3}
    given |= {"step": 0.05} if method == "rk4" else {}
    run = e.simulate(9, start={"hinge": 0.5}, **given)
    top = np.arccos(np.cos(0.5) - 2.5**2 / 20)
    assert [each.farthest for each in run.passed_limits] == pytest.approx([top, -top], abs=3e-6)
    batch = e.simulate(9, start={"hinge": np.array([0.5, 0.6])}, **given)
    assert batch[0].passed_limits == run.passed_limits


def test_a_small_angle_that_grows_is_told_and_a_length_is_not() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), small=True)
    s.joint("swing", "block", s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), small=True)
    made = s.derive()
    run = {"method": "rk4", "step": 0.05}
    assert made.simulate(0.1, start={"swing": 0.1, "x": 3}, **run).notices == ()
    (notice,) = made.simulate(0.1, start={"swing": 0.9}, **run).notices
    assert notice.startswith("'swing' is small in these equations, and gets to 0.9 rad")
    assert s.derive(small=[]).simulate(0.1, start={"swing": 0.9}, **run).notices == ()
