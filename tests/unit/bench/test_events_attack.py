"""The judge of events: samples whose sign is certain show what is missed, misplaced or not there."""

from __future__ import annotations

import numpy as np
from bench.events_attack import Verdict, judge

T = np.linspace(0, 6, 6001)
ROOTS = [np.pi / 2, 3 * np.pi / 2]


def test_events_at_the_roots_are_right() -> None:
    assert judge(T, np.cos(T), 1e-9, ROOTS) == Verdict(2)


def test_a_root_without_an_event_is_missed_and_an_event_elsewhere_is_spurious() -> None:
    (missed,) = judge(T, np.cos(T), 1e-3, ROOTS[:1]).missed
    assert abs(missed - ROOTS[1]) < 1e-3
    assert judge(T, np.cos(T), 1e-3, [*ROOTS, 5.5]).spurious == [5.5]


def test_an_event_away_from_its_root_is_misplaced() -> None:
    verdict = judge(T, np.cos(T), 1e-6, [ROOTS[0], ROOTS[1] + 1e-4])
    ((event, root),) = verdict.misplaced
    assert event == ROOTS[1] + 1e-4 and abs(root - ROOTS[1]) < 1e-3
    assert not verdict.missed and not verdict.spurious


def test_where_no_sign_is_certain_nothing_is_asked_for() -> None:
    touch = np.cos(T) + 1 - 1e-7  # dips below zero by 1e-7, at π
    assert judge(T, touch, 1e-6, []) == Verdict(0)
    assert judge(T, touch, 1e-6, [3.1413, 3.1418]) == Verdict(0)
    assert len(judge(T, touch, 1e-9, []).missed) == 2
