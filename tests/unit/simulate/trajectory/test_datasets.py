"""Datasets on disk: whole or not at all, and never code."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

from polhode.errors import FormatError
from polhode.simulate.trajectory.datasets import Dataset, as_archive, of_archive, read, write

DATA = Dataset(
    {"l": (("l",), np.array([0.1, 0.2])), "time": (("time",), np.array([0.0, 1.0, 2.0]))},
    {
        "d(x)(0)": (("l", "time"), np.array([[1.0, np.nan, -0.0], [1e-300, 3.0, np.pi]])),
        "told": (("l",), np.array(["", "a sentence – with signs."])),
        "count": (("l",), np.array([1, 2])),
    },
    {"kind": "test", "about": '{"é": 1}'},
)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_what_is_read_is_what_was_written(kind: str, tmp_path: Path) -> None:
    found = read(write(DATA, tmp_path / f"data.{kind}"))
    assert found.attributes == DATA.attributes
    for wanted, made in ((DATA.coordinates, found.coordinates), (DATA.variables, found.variables)):
        assert made.keys() == wanted.keys()
        for name, (dims, array) in wanted.items():
            assert made[name][0] == dims
            np.testing.assert_array_equal(made[name][1], array)


def test_names_of_any_kind_and_extensions_that_do_not_exist(tmp_path: Path) -> None:
    strange = Dataset({}, {"a/b": (("x",), np.ones(1)), "": (("x",), np.ones(1))})
    assert of_archive(as_archive(strange)).variables.keys() == strange.variables.keys()
    refused("cannot hold", lambda: write(Dataset({}, {"a/b": (("x",), np.ones(1))}), tmp_path / "data.nc"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["data.csv", "data", "data.nd"])
def test_an_extension_that_is_none_is_told(name: str, tmp_path: Path) -> None:
    refused(r"\.nc", lambda: write(DATA, tmp_path / name))


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_file_that_is_not_there_or_is_damaged_is_told(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"data.{kind}"
    refused(r"cannot be read|damaged", lambda: read(path), FormatError)
    if kind == "zarr":
        path.mkdir()
        (path / "zarr.json").write_text("{")
    else:
        write(DATA, path)
        path.write_bytes(path.read_bytes()[:100])
    refused(r"damaged|cannot be read", lambda: read(path), FormatError)


def test_a_pickle_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (tmp_path / "ran",)

    file = io.BytesIO()
    np.savez(file, meta=np.array([Bad()], dtype=object))
    (tmp_path / "bad.npz").write_bytes(file.getvalue())
    refused("", lambda: read(tmp_path / "bad.npz"), FormatError)
    (tmp_path / "worse.npz").write_bytes(pickle.dumps(Bad()))
    refused("", lambda: read(tmp_path / "worse.npz"), FormatError)
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_zarr_did_not_make_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "data.zarr").mkdir()
    (tmp_path / "data.zarr" / "thesis.txt").touch()
    refused("not replaced", lambda: write(DATA, tmp_path / "data.zarr"))
    assert (tmp_path / "data.zarr" / "thesis.txt").exists()
