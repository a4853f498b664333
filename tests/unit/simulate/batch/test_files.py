"""Batches on disk: what is read is what was written, bit for bit, also of members that stopped between samples."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.errors import FormatError
from polhode.simulate import Batch


@pytest.fixture(scope="module")
def batch() -> Batch:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    s.joint_force("hinge", s.input("F"))
    e = s.derive()
    made = e.simulate(
        0.4, samples=5, parameters={"l": [0.2, 1, 0, -0.0]}, start={"hinge": 0.2}, inputs={"F": 0.1}, until=e.q[0]
    )
    assert isinstance(made, Batch) and made.own
    return made


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_saved_batch_is_read_as_it_was(batch: Batch, kind: str, tmp_path: Path) -> None:
    path = batch.save(tmp_path / f"runs.{kind}")
    batch.save(path)  # a second time, over the first
    assert batch.functions is not None
    found = Batch.load(path, batch[0].equations)
    assert found.failures == batch.failures and found.coordinates == batch.coordinates
    np.testing.assert_array_equal(found.varied["l"], batch.varied["l"])
    for a, b in zip(found, batch, strict=True):
        for name in ("t", "q", "u"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert (a.status, a.message, a.parameters) == (b.status, b.message, b.parameters)
    np.testing.assert_array_equal(found[1].tau, batch[1].tau)
    np.testing.assert_array_equal(found[1].energy.total, batch[1].energy.total)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_as_a_dataset_it_has_members_and_time(batch: Batch) -> None:
    data = batch.to_xarray()
    assert (data.sizes["member"], data.sizes["time"]) == (4, 5)
    assert data["hinge"].dims == ("member", "time")
    assert data["l"].values.tolist() == [0.2, 1, 0, 0]
    assert data["status"].values.tolist()[0] == "event"


def test_a_batch_from_a_file_does_not_know_its_mechanism_unless_told(batch: Batch, tmp_path: Path) -> None:
    found = Batch.load(batch.save(tmp_path / "runs.npz"))
    with pytest.raises(ph.PolhodeError, match="does not know its mechanism"):
        found.values(batch[0].equations.q[0])
    with pytest.raises(ph.PolhodeError, match="state, input or speed 'hing'"):
        found["hing"]


def test_another_dataset_is_refused(tmp_path: Path) -> None:
    from polhode.simulate.trajectory.datasets import Dataset, write

    path = write(Dataset({}, {"a": (("x",), np.ones(2))}), tmp_path / "a.npz")
    with pytest.raises(FormatError, match="not a saved batch"):
        Batch.load(path)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_varied_value_with_a_space_in_its_name_is_saved_without_a_warning(kind: str, tmp_path: Path) -> None:
    s = ph.System("block")
    s.joint("x", s.ground, s.body("b", s.parameter("front mass", 1)), ph.Prismatic("x"))
    batch = s.derive().simulate(0.1, samples=3, parameters={"front mass": [1, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        path = batch.save(tmp_path / f"runs.{kind}")
    assert Batch.load(path).varied["front mass"].tolist() == [1, 2]
