"""The judge of events: samples whose sign is certain show what is missed, misplaced or not there."""

import numpy as np
from tests.trials.events_attack import Verdict, judge

T = np.linspace(0, 6, 6001)
ROOTS = [np.pi / 2, 3 * np.pi / 2]


def cosine(a: float, events: list[float]) -> Verdict:
    return judge(T, np.cos(T), a, events, np.cos(events))


def test_events_are_right_missed_spurious_misplaced_or_uncertain() -> None:
    assert cosine(1e-9, ROOTS) == Verdict(2)
    (missed,) = cosine(1e-3, ROOTS[:1]).missed
    assert abs(missed - ROOTS[1]) < 1e-3 and cosine(1e-3, [*ROOTS, 5.5]).spurious == [5.5]
    verdict = cosine(1e-6, [ROOTS[0], ROOTS[1] + 1e-4])
    ((event, root),) = verdict.misplaced
    assert event == ROOTS[1] + 1e-4 and abs(root - ROOTS[1]) < 1e-3
    assert not verdict.missed and not verdict.spurious
    touch = np.cos(T) + 1 - 1e-7  # dips below zero by 1e-7, at π
    assert judge(T, touch, 1e-6, [], np.zeros(0)) == Verdict(0)
    assert judge(T, touch, 1e-6, [3.1413, 3.1418], np.zeros(2)) == Verdict(0)
    assert len(judge(T, touch, 1e-9, [], np.zeros(0)).missed) == 2
    # g turns several times between samples: its value at the event counts, not the line between its neighbours.
    coarse = np.linspace(0.0, 6.0, 40)
    verdict = judge(coarse, np.cos(40 * coarse) + 0.5, 1e-6, [2.0], np.zeros(1))
    assert not verdict.spurious and not verdict.misplaced
