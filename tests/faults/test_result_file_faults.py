"""Faults of saved results: names that collide, flipped bits, damaged and hostile files; one sentence for each."""

import io
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, PolhodeError
from polhode.files.reading import TooLarge, read_file
from polhode.simulate import Batch, Trajectory
from polhode.simulate.sweep import Sweep

KINDS = ["npz", "nc", "zarr"]
#: Names that mean something to a file, or that another column is spelled like.
NAMES = [
    "x", "d(x)", "tau(x)", "input(x)", "status", "message", "notice", "time", "member", "own_x", "own_time", "h ",
    " h", "trailing\\", "a/b", "int", "zarr.json", "coordinate_0", "speed_0", "x_0", "x'", "e\u0301", "é", "energy",
    "l (result)", "\ud800", "n\u00e4me\n", ".", "_x", "axis",
]  # fmt: skip


def slides(*names: str) -> ph.Equations:
    """Blocks that slide at constant speed, a coordinate of each name."""
    s = ph.System("blocks", gravity=(0, 0, 0))
    for k, name in enumerate(names):
        s.joint(name, s.ground, s.body(f"block {k}", s.parameter("m", 1) if k == 0 else 1), ph.Prismatic("x"))
    return s.derive()


def run_of(equations: ph.Equations, **options: object) -> Trajectory:
    """Coordinate k at 10 k with speed 1 + k."""
    n = len(equations.coordinates)
    return equations.simulate(1, start=(10.0 * np.arange(n), 1.0 + np.arange(n)), samples=3, **options)


def same(a: Batch, b: Batch) -> None:
    for field in ("q", "u", "z"):
        np.testing.assert_array_equal(getattr(a, field), getattr(b, field))
    assert (a.coordinates, a.speeds, a.messages) == (b.coordinates, b.speeds, b.messages)
    assert a.status.tolist() == b.status.tolist() and list(a.varied) == list(b.varied)
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one.t, other.t)
        np.testing.assert_array_equal(one.q, other.q)


@pytest.fixture(scope="module")
def hostile() -> Batch:
    """Runs of coordinates with hostile names, one of them ended between two samples."""
    e = slides(*NAMES)
    n = len(NAMES)
    batch = e.simulate(
        1, start=(10.0 * np.arange(n), 1.0 + np.arange(n)), samples=3, parameters={"m": [1, 2]}, until=e.q[0] - 0.7
    )
    assert isinstance(batch, Batch) and batch.own
    return batch


@pytest.mark.parametrize("kind", KINDS)
def test_h3_columns_of_any_name_are_read_as_they_were_saved(hostile: Batch, kind: str, tmp_path: Path) -> None:
    same(Batch.load(hostile.save(tmp_path / f"runs.{kind}")), hostile)


def test_h3_a_variable_of_a_dataset_is_what_it_says_and_h3_a_result_of_a_sweep_is_never_another_one_s() -> None:
    run = run_of(slides(*NAMES))
    for data in (run.to_xarray(), run_of(slides(*NAMES), parameters={"m": [1, 2]}).to_xarray().isel(member=0)):
        assert len(data.data_vars) >= 2 * len(NAMES) and "d(x)" not in data and data["x"].values[0] == 0
        named = {str(each.attrs.get("long_name")): each.values for each in data.data_vars.values()}
        assert named["coordinate d(x)"][0] == 10.0 and named["speed x"][0] == 1.0
        assert named["coordinate h "][0] == 110.0
        assert data["time"].dims == ("time",)
    e = slides("x", "d(x)")
    sweep = e.sweep({"m": [1, 2]}, 1, start=[5, 7], speeds={"x": 1, "d(x)": 2}, workers=1, samples=3)
    assert sweep["speed:x"].tolist() == [1, 1] and sweep["coordinate:d(x)"].tolist() == [9, 9]
    assert sweep["d(d(x))"].tolist() == [2, 2] and sweep["x"].tolist() == [6, 6]
    refused(r"'d\(x\)' means 'coordinate:d\(x\)' or 'speed:x'", lambda: sweep["d(x)"])
    refused("or 'speed:x'", lambda: e.sweep({"m": [1]}, 1, measure="max:d(x)", workers=1))
    measured = e.sweep({"m": [1]}, 1, measure=["max:speed:x", "max:coordinate:d(x)"], speeds={"x": 3}, workers=1)
    assert measured["max:speed:x"].tolist() == [3] and measured["max:coordinate:d(x)"].tolist() == [0]


def test_h3_values_spelled_alike_are_apart_and_measures_have_names(tmp_path: Path) -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("b", s.parameter("x(0)", 1)), ph.Prismatic("x"))
    sweep = s.derive().sweep({"x(0)": [1, 2], "start:x": [3, 4, 5]}, 1, workers=1, samples=3)
    assert sweep.shape == (2, 3) and sweep.dimensions == ("parameter:x(0)", "start:x")
    assert sweep["x"].tolist() == [[3, 4, 5], [3, 4, 5]]
    sweep = slides("x").sweep({"m": [1]}, 1, measure=["final", lambda run: {"x": 5.0}], workers=1, samples=3)
    assert "two measures give a result 'x'" in sweep.failures[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", ["final", None])
@pytest.mark.parametrize("zipped", [False, True])
def test_h3_a_sweep_over_hostile_names_is_read_as_it_was_saved(
    kind: str, measure: str | None, zipped: bool, tmp_path: Path
) -> None:
    s = ph.System("blocks", gravity=(0, 0, 0))
    for k, name in enumerate(("status", "time", "member", "m_0")):
        s.joint(name, s.ground, s.body(f"block {k}", s.parameter(f"{name} ", 1)), ph.Prismatic("x"))
    vary = {"status ": [1, 2], "time ": [1, 3], "start:member": [5, 6]}
    sweep = s.derive().sweep(vary, 1, measure=measure, zip=zipped, workers=1, samples=3)
    found = Sweep.load(sweep.save(tmp_path / f"sweep.{kind}"))
    assert list(found.axes) == list(sweep.axes) and found.shape == sweep.shape
    assert list(found.values) == list(sweep.values)
    for name in sweep.values:
        np.testing.assert_array_equal(found[name], sweep[name])
    if measure is None:
        assert found.trajectories is not None and sweep.trajectories is not None
        same(found.trajectories, sweep.trajectories)
    header = sweep.to_csv(tmp_path / "sweep.csv").read_text().splitlines()[0].split(",")
    assert len({*header}) == len(header)


def test_h3_a_name_that_means_two_things_is_refused() -> None:
    run = run_of(slides("x", "x'"))
    batch = run_of(slides("x", "x'"), parameters={"m": [1, 2]})
    for each in (run, batch):
        with pytest.raises(PolhodeError, match=r"run\.column\(\"coordinate\", \"x'\"\) or run\.speed\('x'\)"):
            each["x'"]
    assert run.column("coordinate", "x'")[0] == 10 and run.speed("x")[0] == 1 and run["x"][0] == 0
    refused("no kind of column 'speeds'", lambda: run.column("speeds", "x"))


def test_h3_files_of_the_version_before_are_still_read(tmp_path: Path) -> None:
    """As version 1 wrote them: no checksum, variables spelled, names of varied values in a list."""
    from polhode.simulate.trajectory.datasets import Dataset, as_archive

    dims = ("member", "time")
    names = {"q": ["x"], "u": ["x"], "z": []}
    columns = {"q": ["x"], "u": ["d(x)"], "z": []}
    about = {"names": names, "columns": columns, "varied": ["m"], "parameters": {"m": [1, 2]}, "reached": [2, 1]}
    about |= {"infos": [{}, {}], "notices": []}
    coordinates = {"member": (("member",), np.arange(2)), "time": (("time",), np.array([0.0, 1.0]))}
    coordinates["m"] = (("member",), np.array([1.0, 2.0]))
    variables = {"x": (dims, np.array([[0.0, 1.0], [2.0, np.nan]])), "d(x)": (dims, np.ones((2, 2)))}
    variables |= {"status": (("member",), np.array(["done", "event"])), "message": (("member",), np.array(["", "b"]))}
    old = Dataset(coordinates, variables, {"kind": "polhode batch 1", "about": json.dumps(about)})
    (tmp_path / "old.npz").write_bytes(as_archive(old))
    batch = Batch.load(tmp_path / "old.npz")
    assert batch["x"][1, 0] == 2 and batch[1].q.shape == (1, 1) and batch.varied["m"].tolist() == [1, 2]
    new = Dataset(coordinates, variables, {"kind": "polhode batch 2", "about": json.dumps(about)})
    (tmp_path / "new.npz").write_bytes(as_archive(new))
    refused("checksum", lambda: Batch.load(tmp_path / "new.npz"), FormatError)


def test_h4_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    script = (
        "import resource, sys\nfrom polhode.files.reading import read_file\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, used + 2**26))\n"
        "assert read_file(sys.argv[1], 8_000_000_000) == b'abc'\n"
    )
    if not Path("/proc/self/statm").exists():
        pytest.skip("no /proc here")
    assert resource.RLIMIT_AS
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "a")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_h4_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    for size in (0, 1, 99, 100, 101, 3_000_000):
        (tmp_path / "a").write_bytes(b"x" * size)
        assert len(read_file(tmp_path / "a", max(size, 100))) == size
        with pytest.raises(TooLarge):
            read_file(tmp_path / "a", size - 1)
    if Path("/proc/self/status").exists():  # whose size is stated as zero
        assert read_file("/proc/self/status", 10**6).startswith(b"Name:")
        refused("", lambda: read_file("/proc/self/status", 10), TooLarge)


def results(folder: Path) -> dict[str, Path]:
    """A batch and a sweep in every format."""
    e = slides("x", "y")
    batch = e.simulate(1, parameters={"m": [1, 2, 3]}, speeds={"x": 1.5, "y": -0.25}, samples=9, until=e.q[0] - 1)
    sweep = e.sweep({"m": [1, 2]}, 1, measure="final", speeds={"x": 1.5}, workers=1, samples=3)
    made = {f"batch.{kind}": batch.save(folder / f"batch.{kind}") for kind in KINDS}
    return made | {f"sweep.{kind}": sweep.save(folder / f"sweep.{kind}") for kind in KINDS}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return results(tmp_path_factory.mktemp("saved"))


def load(path: Path) -> Batch | Sweep:
    return (Batch if path.name.startswith("batch") else Sweep).load(path)


def numbers(found: Batch | Sweep) -> list[object]:
    if isinstance(found, Batch):
        return [
            found.t.tolist(), found.q.tolist(), found.u.tolist(), found.varied["m"].tolist(),
            found.parameters["m"].tolist(),
        ]  # fmt: skip
    return [{name: each.tolist() for name, each in found.values.items()}, found.axes["m"].tolist()]


@pytest.mark.parametrize("name", [f"{what}.{kind}" for what in ("batch", "sweep") for kind in KINDS])
def test_h5_a_flipped_bit_changes_no_number(name: str, saved: dict[str, Path], tmp_path: Path) -> None:
    chance, whole = Random(name), repr(numbers(load(saved[name])))
    copy = tmp_path / name
    for _ in range(30):
        shutil.rmtree(copy, ignore_errors=True)
        if saved[name].is_dir():
            shutil.copytree(saved[name], copy)
            target = chance.choice(sorted(path for path in copy.rglob("*") if path.is_file()))
        else:
            target = Path(shutil.copy(saved[name], tmp_path / name))
        content = bytearray(target.read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        target.write_bytes(content)
        try:
            found = load(copy)
        except PolhodeError:
            continue
        assert repr(numbers(found)) == whole


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_h8_a_pipe_in_a_store_is_refused(saved: dict[str, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(saved["batch.zarr"], tmp_path / "batch.zarr")
    victim = next(path for path in sorted(copy.rglob("*")) if path.is_file() and path.parent != copy)
    victim.unlink()
    os.mkfifo(victim)
    refused("named pipe", lambda: Batch.load(copy), FormatError)


def test_h8_an_array_larger_than_its_file_is_refused(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }"
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    for name, read in (("t", Trajectory.load), ("array_0", Batch.load)):
        with zipfile.ZipFile(tmp_path / "big.npz", "w") as archive:
            archive.writestr(f"{name}.npy", npy)
        with pytest.raises(FormatError, match="an array and its header differ"):
            read(tmp_path / "big.npz")


def test_h8_a_zarr_array_larger_than_memory_is_refused(saved: dict[str, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(saved["batch.zarr"], tmp_path / "batch.zarr")
    record = json.loads((copy / "time" / "zarr.json").read_text())
    record["shape"] = [10**15]
    (copy / "time" / "zarr.json").write_text(json.dumps(record))
    refused("", lambda: Batch.load(copy), FormatError)


def rewritten(path: Path, change: object) -> None:
    """A dataset with another record `about`, and a checksum that agrees with it."""
    from dataclasses import replace

    from polhode.simulate.trajectory.datasets import read, write

    data = read(path)
    about = json.loads(data.attributes["about"])
    change(about)  # type: ignore[operator]
    write(replace(data, attributes={**data.attributes, "about": json.dumps(about)}), path)


@pytest.mark.parametrize("name", ["batch.npz", "sweep.npz"])
@pytest.mark.parametrize(
    "wrong", [None, [], {}, 5, "x", [1], {"q": 5}, {"q": ["x"], "u": [], "z": []}, [None] * 3, [-1, 99, 0]]
)
def test_h8_a_record_that_is_wrong_is_one_sentence(
    name: str, wrong: object, saved: dict[str, Path], tmp_path: Path
) -> None:
    keys: list[str] = []
    rewritten(Path(shutil.copy(saved[name], tmp_path / name)), lambda about: keys.extend(about))
    for key in keys:
        path = Path(shutil.copy(saved[name], tmp_path / name))
        rewritten(path, lambda about, key=key: about.update({key: wrong}))
        try:
            found = load(path)
        except FormatError:
            continue
        if isinstance(found, Batch):
            assert all(run.q.shape == (len(run.t), 2) for run in found)
        repr(found)
    for key in keys:
        path = Path(shutil.copy(saved[name], tmp_path / name))
        rewritten(path, lambda about, key=key: about.pop(key))
        try:
            load(path)
        except FormatError:
            continue


def test_h8_a_damaged_result_in_a_store_is_computed_again(tmp_path: Path) -> None:
    e = slides("x")
    for measure in ("final", None):
        options = {"workers": 1, "samples": 3, "chunk": 2, "measure": measure, "speeds": {"x": 2}}
        store = tmp_path / str(measure)
        first = e.sweep({"m": [1, 2, 3, 4]}, 1, store=store, **options)
        files = sorted(store.glob("*.npz"))
        contents = [path.read_bytes() for path in files]
        with np.load(io.BytesIO(contents[0])) as archive:
            arrays = dict(archive)
        record = json.loads(arrays["meta"].tobytes())
        for key, wrong in (("shapes", ['[["x", [3]]]']), ("shapes", ["[5]"]), ("messages", []), ("about", "{}")):
            if key in record["attributes"]:
                changed = {**record, "attributes": {**record["attributes"], key: json.dumps(wrong)}}
                file = io.BytesIO()
                np.savez(file, **{**arrays, "meta": np.frombuffer(json.dumps(changed).encode(), dtype=np.uint8)})
                files[0].write_bytes(file.getvalue())
                again = e.sweep({"m": [1, 2, 3, 4]}, 1, store=store, **options)
                assert again.info["computed"] >= 1 and again.status.tolist() == first.status.tolist()
                if measure:
                    assert again["x"].tolist() == first["x"].tolist() == [2, 2, 2, 2]
        files[0].write_bytes(contents[-1])  # the result of other members
        assert e.sweep({"m": [1, 2, 3, 4]}, 1, store=store, **options).status.tolist() == ["done"] * 4


def test_h10_cells_and_characters_beyond_csv_are_refused(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("time,q." + "x" * 200_000 + "\n0,1\n")
    refused("field limit", lambda: Trajectory.from_csv(tmp_path / "run.csv"), FormatError)


def test_h10_a_sample_file_with_such_a_cell_is_told(tmp_path: Path) -> None:
    from polhode.cli.simulate import read_samples

    (tmp_path / "f.csv").write_text("0,1\n1," + "1" * 200_000 + "\n")
    refused("field limit", lambda: read_samples(tmp_path / "f.csv", "F", "input F"), FormatError)
    sweep = slides("\ud800").sweep({"m": [1]}, 1, workers=1, samples=3)
    refused("half of a character", lambda: sweep.to_csv(tmp_path / "sweep.csv"))
