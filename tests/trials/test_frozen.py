"""Frozen runs: what differs is named with its size, and what is the same is not."""

from dataclasses import replace

from tests.trials.frozen import Outcome, differences, outcome_of
from tests.trials.frozen_cases import ball, cases, options_of


def fall(height: float) -> Outcome:
    return outcome_of(lambda: ball().simulate(0.1, start={"z": height}, **options_of("DOP853")))


def test_runs_that_differ_are_named() -> None:
    assert differences({"fall": fall(1.0)}, {"fall": fall(1.0)}) == []
    (line,) = differences({"fall": fall(1.0)}, {"fall": fall(1.0 + 1e-12)})
    assert line.startswith("fall: states differ; states by 1e-12")
    one = fall(1.0)
    lines = differences({"a": one, "b": one}, {"a": replace(one, events=[[0.5]]), "c": one})
    assert [line.split(";")[0] for line in lines] == ["a: events differ", "b: is missing"]


def test_refusals_are_recorded_and_names_are_unique() -> None:
    outcome = outcome_of(lambda: ball().simulate(0.1, method="lie4"))
    assert outcome.status == "refused" and "E-RUN-UNSUPPORTED" in outcome.message
    names = [name for name, _ in cases()]
    assert len(set(names)) == len(names) > 600
