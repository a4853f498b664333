"""Faults of sweeps, by their ids: the whole of it killed at a random moment, a full disk, hostile stores."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.simulate import Trajectory

SCRIPT = """
import sys
import numpy as np
import polhode as ph

def made():
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    return s.derive()

def swept(**options):
    lengths = {"l": np.linspace(0.5, 2, 100)}
    return made().sweep(lengths, 0.1, start={"hinge": 0.3}, samples=3, chunk=5, workers=2, **options)

if __name__ == "__main__":
    result = swept(store=sys.argv[1])
    np.save(sys.argv[2], result["hinge"])
    print(result.info["computed"])
"""


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


@pytest.mark.slow
def test_f40_a_sweep_that_is_killed_goes_on_when_it_is_called_again(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "run.py")]
    store, there = tmp_path / "store", tmp_path / "a.npy"
    process = subprocess.Popen([*command, str(store), str(there)])
    while len(list(store.glob("*.npz"))) < 6 and process.poll() is None:
        time.sleep(0.01)
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 60
    while any(map(is_alive, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(is_alive, workers)), "workers end with who started them"
    kept = len(list(store.glob("*.npz")))
    last = subprocess.run([*command, str(store), str(there)], capture_output=True, text=True, check=True)
    assert kept > 5 and 0 <= int(last.stdout) <= 100 - 5 * (kept - 2) + 5
    whole = subprocess.run([*command, str(tmp_path / "fresh"), str(tmp_path / "b.npy")], check=True)
    assert whole.returncode == 0
    np.testing.assert_array_equal(np.load(there), np.load(tmp_path / "b.npy"))
    assert not list(store.glob(".polhode*"))


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.fixture(scope="module")
def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    return s.derive()


def test_f38_a_full_disk_is_told_and_what_is_stored_stays(
    pendulum: ph.Equations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polhode.simulate.sweep import running as store

    put, count = store.put_in_place, [0]

    def full(*given: object, **options: object) -> None:
        count[0] += 1
        if count[0] == 4:
            raise OSError(28, "No space left on device")
        put(*given, **options)  # type: ignore[arg-type] # as it is called

    monkeypatch.setattr(store, "put_in_place", full)
    options = {"workers": 1, "chunk": 1, "samples": 3, "store": tmp_path / "runs"}
    refused("No space left on device", lambda: pendulum.sweep({"l": np.linspace(1, 2, 6)}, 0.1, **options))
    assert pendulum.sweep({"l": np.linspace(1, 2, 6)}, 0.1, **options).info["computed"] == 4


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"kind": "polhode sweep 1"}', '{"kind": 5, "key": [], "members": {}, "chunk": "x"}']
)
def test_f44_a_store_whose_manifest_is_no_manifest_is_refused(
    pendulum: ph.Equations, tmp_path: Path, content: str
) -> None:
    (tmp_path / "sweep.json").write_text(content)
    refused(r"sweep\.json cannot be read", lambda: pendulum.sweep({"l": [1, 2]}, 0.1, store=tmp_path, workers=1))


def test_f44_a_store_that_is_a_file_or_cannot_be_made_is_told(pendulum: ph.Equations, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "store"):
        with pytest.raises(ph.PolhodeError, match=str(tmp_path)):
            pendulum.sweep({"l": [1, 2]}, 0.1, store=place, workers=1)


def test_f34_a_measure_that_changes_its_mind_does_not_stop_the_sweep(pendulum: ph.Equations) -> None:
    def moody(run: Trajectory) -> object:
        length = run.parameters["l"]
        return {1: 1.0, 2: "high", 3: None, 4: [1, 2], 5: {"a": 1}}[length]

    made = pendulum.sweep({"l": [1, 2, 3, 4, 5]}, 0.1, measure=moody, samples=3, workers=1)
    assert made["moody"][0] == 1.0 and list(made.failures) == [1, 2, 3, 4] and np.isnan(made["moody"][1:]).all()


def test_f48_a_store_is_for_this_user_alone(pendulum: ph.Equations, tmp_path: Path) -> None:
    pendulum.sweep({"l": [1, 2]}, 0.1, store=tmp_path / "runs", workers=1, samples=3)
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in (tmp_path / "runs").iterdir())
