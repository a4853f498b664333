"""Interrupts: how a run ended is read from what it returned or raised."""

from typing import Any

import pytest
from tests.trials.frozen_cases import ball
from tests.trials.interrupts import outcome_of

from polhode.simulate import Trajectory


@pytest.fixture(scope="module")
def whole() -> Trajectory:
    return ball().simulate(0.1, samples=5)


def interrupted(t: float) -> Any:
    if t > 0:
        raise KeyboardInterrupt
    return 0.0


def test_a_run_that_ended_before_the_signal_does_not_count(whole: Trajectory) -> None:
    assert outcome_of(lambda: whole, whole, 9.0, "thread") == "after"


def test_an_interrupt_without_a_trajectory_is_named(whole: Trajectory) -> None:
    def go() -> Any:
        return interrupted(1.0)

    assert outcome_of(go, whole, 9.0, "timer") == "no trajectory"
    assert outcome_of(lambda: interrupted(1.0), whole, 9.0, "process") == "before"


def test_an_interrupted_run_keeps_the_rows_it_has(whole: Trajectory) -> None:
    def run() -> Any:
        return ball().simulate(0.1, samples=5, tau={"v": interrupted})

    assert outcome_of(run, whole, 9.0, "process") == "right"
