"""Frozen runs: what differs is named with its size, and what is the same is not."""

from __future__ import annotations

from dataclasses import replace

from bench.frozen import Outcome, differences, outcome_of
from bench.frozen_cases import ball, cases, options_of


def fall(height: float) -> Outcome:
    return outcome_of(lambda: ball().simulate(0.1, start={"z": height}, **options_of("DOP853")))


def test_equal_runs_do_not_differ() -> None:
    assert differences({"fall": fall(1.0)}, {"fall": fall(1.0)}) == []


def test_a_run_that_differs_is_named_with_its_largest_difference() -> None:
    (line,) = differences({"fall": fall(1.0)}, {"fall": fall(1.0 + 1e-12)})
    assert line.startswith("fall: states differ; states by 1e-12")


def test_other_events_differ_and_missing_runs_are_named() -> None:
    one = fall(1.0)
    lines = differences({"a": one, "b": one}, {"a": replace(one, events=[[0.5]]), "c": one})
    assert [line.split(";")[0] for line in lines] == ["a: events differ", "b: is missing"]


def test_a_refusal_is_recorded_with_its_sentence() -> None:
    outcome = outcome_of(lambda: ball().simulate(0.1, method="lie4"))
    assert outcome.status == "refused" and "E-RUN-UNSUPPORTED" in outcome.message


def test_names_of_cases_are_unique() -> None:
    names = [name for name, _ in cases()]
    assert len(set(names)) == len(names) > 600
