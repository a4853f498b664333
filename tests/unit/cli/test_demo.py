"""The demonstration, and the arm that it shows."""

from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

from polhode.cli import demo
from polhode.compare import Agreement, Comparison, Finding, Row
from polhode.model.samples import six_degree_of_freedom_arm


def test_both_wrists_reach_the_same_place_and_others_are_refused() -> None:
    poses = []
    for wrist in demo.WRISTS:
        run = six_degree_of_freedom_arm(wrist).derive().simulate(0, start="reach")
        poses.append(np.concatenate([part.ravel() for part in run.pose("gripper")]))
    assert np.abs(poses[0] - poses[1]).max() < 1e-14
    refused("compound, spherical", lambda: six_degree_of_freedom_arm("ball"))


@pytest.mark.slow
def test_the_demonstration_agrees_conserves_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = demo.demonstrate(tmp_path / "out", seconds=1.0)
    assert all(comparison.agree for comparison in outcome.comparisons.values())
    assert all(run.energy_drift < 1e-9 for run in outcome.trajectories.values()) and outcome.distance < 1e-8
    assert all(path.stat().st_size > 0 for path in outcome.files)
    assert {path.suffix for path in outcome.files} >= {".html", ".csv"}
    said = capsys.readouterr().out
    assert said.count("formalisms agree exactly") == 2 and "energy drift" in said
    assert max(len(line) for line in said.splitlines() if str(tmp_path) not in line) <= 80


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused("cannot be created", lambda: demo.demonstrate(tmp_path / "file" / "out"))


def test_comparisons_are_tables_with_disagreements_and_shared_graphs() -> None:
    comparison = six_degree_of_freedom_arm().compare(["newton_euler", "composite_body"], run=False)
    lines = str(comparison).splitlines()
    assert len(lines) == 2 + 6 + 1
    assert lines[-1] == (
        "2 formalisms agree exactly, by 2 distinct derivations of M, 1 of τ and 2 of u̇; "
        "and so does the reference derivation"
    )
    assert comparison.cheapest("mass_matrix").formalism in comparison.formalisms
    assert comparison.as_json()["rows"][0]["nanoseconds"] is None
    row = Row("one", "bias", 1, 1, 0, 0, 1.0)
    fine, wrong = Agreement(("mass matrix",), ()), Agreement((), (Finding("applied effort", "speed 'x'", ("one",)),))
    assert "the formalisms DISAGREE" in str(Comparison("s", ("one", "two"), False, {}, fine, (row,)))
    alone = Comparison("s", ("one",), True, {}, wrong, (row,))
    assert not alone.agree
    assert "the reference derivation DISAGREES on applied effort of speed 'x' (by one)" in str(alone)
    found = six_degree_of_freedom_arm().compare(["newton_euler", "composite_body", "poincare"], run=False)
    assert found.derivations["inverse_dynamics"] == (("newton_euler", "composite_body"), ("poincare",))
    assert len(found.derivations["mass_matrix"]) == 3
    assert found.as_json()["derivations"]["inverse_dynamics"] == (("newton_euler", "composite_body"), ("poincare",))
