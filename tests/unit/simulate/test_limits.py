"""A run says which joint limits it passed, and when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.simulate.limits import PassedLimit
from polhode.simulate.trajectory import Trajectory


def stone(**limits: object) -> ph.Equations:
    s = ph.System("stone")
    s.parameter("floor", -1)
    s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), **limits)
    return s.derive()


def test_a_run_goes_on_beyond_a_limit_and_says_when_it_passed() -> None:
    run = stone(limits=(0, 10)).simulate(2, start={"height": 4.905})
    (passed,) = run.passed_limits
    assert passed.coordinate == "height" and passed.side == "lower" and passed.limit == 0
    assert passed.time == pytest.approx(1, abs=1e-5)
    assert passed.farthest == pytest.approx(4.905 - 4 * 4.905)
    assert str(passed) in run.notices and str(passed) in str(run)


def test_a_run_within_its_limits_says_nothing() -> None:
    assert stone(limits=(-100, 10)).simulate(1).notices == ()
    assert stone().simulate(1).passed_limits == ()


def test_what_happens_between_samples_is_seen_at_the_steps() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.5, 2))
    run = s.derive().simulate(2, start={"hinge": 1.0}, samples=2)
    assert (run["hinge"] > -0.5).all()
    assert [each.side for each in run.passed_limits] == ["lower"]


def test_a_run_that_starts_beyond_a_limit_has_passed_it_at_once() -> None:
    (passed,) = stone(limits=(2, None)).simulate(0.1).passed_limits
    assert passed.time == 0


def test_limits_by_parameters_take_the_values_of_the_run() -> None:
    s = ph.System("stone")
    floor = s.parameter("floor", -100)
    s.joint("height", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(floor, None))
    e = s.derive()
    assert e.simulate(1).passed_limits == ()
    (passed,) = e.simulate(1, parameters={"floor": -4.905 / 4}).passed_limits
    assert passed.time == pytest.approx(0.5, abs=1e-4)


def test_a_joint_that_follows_another_has_limits_too() -> None:
    s = ph.System("gripper")
    s.joint("open", s.ground, s.body("left", 1), ph.Prismatic("z"))
    s.joint("follow", s.ground, s.body("right", 1), ph.Prismatic("z"), limits=(-2, None))
    s.couple("follow", "open", 2)
    passed = s.derive().simulate(1).passed_limits
    assert [each.coordinate for each in passed] == ["follow"]


def test_limits_come_in_the_order_in_which_they_are_passed() -> None:
    s = ph.System("two")
    for name, floor in (("late", -2), ("soon", -1)):
        s.joint(name, s.ground, s.body(f"stone {name}", 1), ph.Prismatic("z"), limits=(floor, None))
    assert [each.coordinate for each in s.derive().simulate(1).passed_limits] == ["soon", "late"]


def test_a_member_of_a_batch_knows_what_it_passed() -> None:
    batch = stone(limits=(0, None)).simulate(1, start={"height": np.array([1.0, 100.0])})
    assert [len(run.passed_limits) for run in batch] == [1, 0]


def test_a_trajectory_from_a_file_knows_no_limits_until_it_is_told_the_mechanism(tmp_path: Path) -> None:
    e = stone(limits=(0, None))
    path = e.simulate(1).save(tmp_path / "run.npz")
    assert Trajectory.load(path).passed_limits == ()
    assert len(Trajectory.load(path, e).passed_limits) == 1


def test_the_sentence_names_the_side_and_the_place() -> None:
    told = str(PassedLimit("elbow", "upper", 1.0, 0.25, 1.5))
    assert told == "'elbow' passes its upper limit 1 at t = 0.25 s and gets to 1.5; nothing holds it there."


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
