"""Choice of a method."""

from __future__ import annotations

from polhode.simulate.settings import is_taylor_faster


def test_tighter_tolerances_never_speak_against_taylor() -> None:
    for length in range(1, 400, 7):
        answers = [is_taylor_faster(length, 10.0**-digits) for digits in range(3, 16)]
        assert answers == sorted(answers)


def test_shorter_programs_never_speak_against_taylor() -> None:
    for digits in range(3, 16):
        answers = [is_taylor_faster(length, 10.0**-digits) for length in range(400, 0, -7)]
        assert answers == sorted(answers)


def test_no_relative_tolerance_is_the_tightest() -> None:
    assert is_taylor_faster(250, 0.0)
    assert not is_taylor_faster(251, 0.0)
