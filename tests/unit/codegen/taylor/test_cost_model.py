"""When Taylor steps are taken to be cheaper."""

from __future__ import annotations

from polhode.codegen.taylor.cost_model import is_taylor_faster


def test_tolerances_and_length_decide_for_taylor() -> None:
    for length in range(1, 400, 7):
        answers = [is_taylor_faster(length, 10.0**-digits) for digits in range(3, 16)]
        assert answers == sorted(answers)
    for digits in range(3, 16):
        answers = [is_taylor_faster(length, 10.0**-digits) for length in range(400, 0, -7)]
        assert answers == sorted(answers)
    assert is_taylor_faster(250, 0.0)
    assert not is_taylor_faster(251, 0.0)
