"""Sweeps on a cluster: two workers, one of them killed midway, and nothing is lost or needlessly done twice."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from tests.seeds import TRIAL

import polhode as ph
from polhode.errors import PolhodeError
from polhode.simulate import Trajectory
from polhode.simulate.trajectory.datasets import read

distributed = pytest.importorskip("distributed")

RUNS = 20_000 if TRIAL else 240
OPTIONS: dict[str, Any] = {"samples": 2, "start": {"hinge": 0.3}, "rtol": 1e-6}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    quiet = {"silence_logs": 50, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as made:
        yield made


def stored(folder: Path) -> set[float]:
    """The lengths of pendulums whose chunk has arrived."""
    return {float(l) for path in folder.glob("*.npz") for l in read(path).variables["numbers"][1][::2]}


@pytest.mark.slow
def test_a_killed_worker_loses_nothing_and_what_had_arrived_is_not_done_again(
    pendulum: ph.Equations, cluster: Any, tmp_path: Path
) -> None:
    lengths, log, folder = np.linspace(0.5, 2, RUNS), str(tmp_path / "log"), tmp_path / "runs"

    def logged(run: Trajectory) -> list[float]:
        line = f"{run.parameters['l']!r}\n".encode()
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)
        return [run.parameters["l"], run.q[-1, 0]]

    arrived: set[float] = set()

    def kill() -> None:
        while not (manifest := folder / "sweep.json").exists():
            time.sleep(0.01)
        chunks = RUNS / json.loads(manifest.read_text())["chunk"]
        while len(list(folder.glob("*.npz"))) < chunks / 2:
            time.sleep(0.01)
        arrived.update(stored(folder))
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    options = OPTIONS | {"measure": logged, "store": folder}
    with distributed.Client(cluster) as client:
        made = pendulum.sweep({"l": lengths}, 0.02, client=client, chunk=None if TRIAL else 10, **options)
        killer.join()
        again = pendulum.sweep({"l": lengths}, 0.02, client=client, **options)
    assert not made.failures and again.info["computed"] == 0
    np.testing.assert_array_equal(made["logged"][:, 0], lengths)
    few = slice(None, None, max(1, RUNS // 100))
    alone = pendulum.sweep({"l": lengths[few]}, 0.02, workers=1, measure=lambda run: run.q[-1, 0], **OPTIONS)
    np.testing.assert_array_equal(made["logged"][few, 1], alone["value"])  # bit for bit
    np.testing.assert_array_equal(again["logged"], made["logged"])
    times = Counter(float(line) for line in Path(log).read_text().split())
    assert times.keys() == {*lengths.tolist()}
    twice = {length for length, count in times.items() if count > 1}
    assert not twice & arrived


@pytest.mark.slow
def test_what_a_cluster_cannot_run_is_told(pendulum: ph.Equations, cluster: Any) -> None:
    def unreadable(run: Trajectory) -> float:
        return float(os.environ["NO_SUCH_VARIABLE"])

    with distributed.Client(cluster) as client:
        made = pendulum.sweep({"l": [1, 2, 3]}, 0.02, client=client, measure=unreadable, chunk=1, **OPTIONS)
        assert "raised KeyError" in made.failures[2]
    with pytest.raises(PolhodeError, match="not a client"):
        pendulum.sweep({"l": [1, 2, 3]}, 0.02, client=cluster)
