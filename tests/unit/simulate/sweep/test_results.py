"""Results of a sweep: over their grid, in memory and on disk."""

import csv
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError
from polhode.simulate.sweep import Sweep


@pytest.fixture(scope="module")
def grid(pendulum: ph.Equations) -> Sweep:
    measures = ["final", "max:hinge", lambda run: {"history": run.q}]
    return pendulum.sweep({"l": [0.0, 1.0], "hinge": [0.1, 0.2, 0.3]}, 0.1, measure=measures, samples=3, workers=1)


def test_a_measure_is_over_the_grid_and_a_dataset_has_the_grid_s_dimensions(grid: Sweep) -> None:
    assert grid.shape == (2, 3) and grid["max:hinge"].shape == (2, 3) and grid["history"].shape == (2, 3, 3, 1)
    assert np.isnan(grid["max:hinge"][0]).all() and grid["max:hinge"][1].tolist() == [0.1, 0.2, 0.3]
    assert grid.at(5) == {"l": 1.0, "hinge(0)": 0.3}
    assert "2 l × 3 hinge(0): 6 runs, 3 of them without a result" in repr(grid)
    refused("'max:hinge'", lambda: grid["max:hige"])
    data = grid.to_xarray()
    assert data["hinge"].dims == ("l", "hinge(0)")
    assert float(data["max:hinge"].sel({"l": 1.0, "hinge(0)": 0.2})) == 0.2
    assert data["status"].values.tolist() == [["singular_mass_matrix"] * 3, ["done"] * 3]
    assert "'hinge'" in data["message"].values[0, 0]


def test_a_table_has_a_row_for_each_run(grid: Sweep, tmp_path: Path) -> None:
    with grid.to_csv(tmp_path / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 and list(rows[0])[:3] == ["l", "hinge(0) [rad]", "hinge [rad]"]
    assert [float(row["max:hinge [rad]"]) for row in rows[3:]] == [0.1, 0.2, 0.3]
    assert float(rows[5]["history.2"]) == grid["history"][1, 2, 2, 0]
    assert (
        rows[0]["max:hinge [rad]"] == "nan"
        and rows[0]["status"] == "singular_mass_matrix"
        and "'hinge'" in rows[0]["message"]
    )
    refused("to_csv", lambda: grid.save(tmp_path / "again.csv"))


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_what_is_saved_is_read_again(grid: Sweep, kind: str, tmp_path: Path) -> None:
    found = Sweep.load(grid.save(tmp_path / f"runs.{kind}"))
    assert found.values.keys() == grid.values.keys() and found.failures == grid.failures
    for name, values in grid.values.items():
        np.testing.assert_array_equal(found.values[name], values)
    for name, values in grid.axes.items():
        np.testing.assert_array_equal(found.axes[name], values)


@pytest.mark.parametrize("kind", ["nc", "npz"])
@pytest.mark.parametrize("zipped", [True, False])
def test_whole_trajectories_are_read_again(pendulum: ph.Equations, kind: str, zipped: bool, tmp_path: Path) -> None:
    vary = {"l": [0.0, 0.5, 2.0], "hinge": [0.1, 0.2, 0.3]}
    until = pendulum.q[0] - 0.05
    made = pendulum.sweep(vary, 0.3, measure=None, zip=zipped, samples=4, workers=1, until=until)
    assert made.trajectories is not None and made.trajectories.own
    assert made.to_xarray()["hinge"].dims == (("member", "time") if zipped else ("l", "hinge(0)", "time"))
    found = Sweep.load(made.save(tmp_path / f"runs.{kind}"), pendulum)
    assert found.trajectories is not None and found.failures == made.failures
    for a, b in zip(found.trajectories, made.trajectories, strict=True):
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a.t, b.t)
        assert a.parameters == b.parameters


def test_a_result_whose_name_an_axis_has_is_named_apart(pendulum: ph.Equations) -> None:
    measure = {"l": "max:hinge", "status": "steps"}
    made = pendulum.sweep({"l": [1, 2]}, 0.1, measure=measure, start={"hinge": 0.2}, samples=3, workers=1)
    data = made.to_xarray()
    assert data["l"].values.tolist() == [1, 2] and data["l (result)"].values.tolist() == made["l"].tolist() == [
        0.2,
        0.2,
    ]
    assert data["status"].values.tolist() == ["done", "done"]


def test_another_file_is_refused(pendulum: ph.Equations, tmp_path: Path) -> None:
    path = pendulum.simulate(0.1, parameters={"l": [1, 2]}, samples=3).save(tmp_path / "batch.npz")
    refused("not a saved sweep", lambda: Sweep.load(path), FormatError)
