"""Chunks: however a sweep is cut, the same comes of it."""

import json
import os
import pickle
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused
from tests.seeds import TRIAL

import polhode as ph
from polhode.simulate import Trajectory
from polhode.simulate.sweep import Sweep
from polhode.simulate.sweep.chunks import Chunk, ChunkResult, Work, cut, merge, run_chunk
from polhode.simulate.sweep.measures import Design, Measured, design_of, read_measures
from polhode.simulate.trajectory.datasets import read


def ragged(run: Trajectory) -> Any:
    """Two numbers of short pendulums, three of long ones, none of the longest."""
    length = run.parameters["l"]
    if length > 1.7:
        raise ValueError("too long")
    return [length] * (2 if length < 1.2 else 3)


def work_of(equations: ph.Equations, measure: Any, version: str = ph.__version__) -> tuple[Work, Design]:
    design = design_of(equations.record, {"l": np.linspace(0.5, 2, 9)}, False, {"samples": 3})
    measures = read_measures(measure, equations.record)
    return Work(equations.derivation, 0.1, design.members.shared, measures, f"key {measure}", version), design


def merged(equations: ph.Equations, measure: Any, size: int) -> tuple[ChunkResult, Measured]:
    work, design = work_of(equations, measure)
    chunks = cut(design.members, work, size)
    assert sum(len(chunk) for chunk in chunks) == 9
    return merge({chunk.first: run_chunk(work, chunk) for chunk in chunks}, 9)


@pytest.mark.parametrize("measure", ["final", ragged])
def test_it_does_not_matter_how_members_are_cut(pendulum: ph.Equations, measure: Any) -> None:
    whole, values = merged(pendulum, measure, 100)
    for size in (1, 2, 3, 4):
        cut_up, again = merged(pendulum, measure, size)
        assert cut_up.status.tolist() == whole.status.tolist() and cut_up.messages == whole.messages
        for name in values:
            np.testing.assert_array_equal(again[name], values[name])


def test_measures_of_another_shape_than_the_first_fail_with_a_sentence(pendulum: ph.Equations) -> None:
    made, values = merged(pendulum, ragged, 4)
    assert made.status.tolist() == ["done"] * 4 + ["unmeasured"] * 5
    assert "shape (3,), that of the first member (2,)" in made.messages[4]
    assert "raised ValueError: too long" in made.messages[8]
    assert np.isnan(values["ragged"][4:]).all() and np.isfinite(values["ragged"][:4]).all()


def test_a_chunk_is_known_by_its_content_pickles_and_refuses_another_version(pendulum: ph.Equations) -> None:
    work, design = work_of(pendulum, "final")
    chunks = cut(design.members, work, 3)
    assert [(chunk.first, len(chunk)) for chunk in chunks] == [(0, 1), (1, 1), (2, 3), (5, 3), (8, 1)]
    assert len({chunk.key for chunk in chunks}) == len(chunks)
    assert Chunk(7, chunks[2].rows, work.key).key == chunks[2].key
    assert Chunk(2, chunks[2].rows, "another").key != chunks[2].key
    work, design = work_of(pendulum, "final")
    chunk = cut(design.members, work, 3)[2]
    sent, its = pickle.loads(pickle.dumps((work, chunk)))
    assert its.key == chunk.key
    np.testing.assert_array_equal(run_chunk(sent, its).numbers, run_chunk(work, chunk).numbers)
    work, design = work_of(pendulum, "final", version="0.0.0")
    refused(r"started by 0\.0\.0", lambda: run_chunk(work, cut(design.members, work, 3)[0]))


LENGTHS = np.linspace(0.5, 2, 24)
OPTIONS: dict[str, Any] = {"samples": 3, "start": {"hinge": 0.3}, "chunk": 3}


@pytest.fixture(scope="module")
def alone(pendulum: ph.Equations) -> Sweep:
    return pendulum.sweep({"l": LENGTHS}, 0.1, workers=1, **OPTIONS)


def same(a: Sweep, b: Sweep) -> None:
    np.testing.assert_array_equal(a.status, b.status)
    assert a.values.keys() == b.values.keys()
    for name, values in a.values.items():
        np.testing.assert_array_equal(values, b.values[name])


def test_pools_and_executors_give_the_results_of_one_process(pendulum: ph.Equations, alone: Sweep) -> None:
    same(pendulum.sweep({"l": LENGTHS}, 0.1, workers=2, **OPTIONS), alone)
    with ThreadPoolExecutor(2) as threads:
        same(pendulum.sweep({"l": LENGTHS}, 0.1, executor=threads, **OPTIONS), alone)
    scale = 2.0
    made = pendulum.sweep({"l": LENGTHS}, 0.1, workers=2, measure=lambda run: scale * run.parameters["l"], **OPTIONS)
    np.testing.assert_array_equal(made["value"], 2 * LENGTHS)


@pytest.mark.slow
def test_an_executor_of_processes_that_know_nothing_of_this_one(pendulum: ph.Equations, alone: Sweep) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        same(pendulum.sweep({"l": LENGTHS}, 0.1, executor=pool, **OPTIONS), alone)
        with pytest.raises(ph.PolhodeError, match="must be a function in a module"):
            pendulum.sweep({"l": LENGTHS}, 0.1, executor=pool, measure=lambda run: 1.0, **OPTIONS)


def test_a_worker_that_is_killed_loses_nothing(pendulum: ph.Equations, alone: Sweep, tmp_path: Path) -> None:
    mark, here = tmp_path / "killed", os.getpid()

    def killing(run: Trajectory) -> dict[str, Any]:
        if run.parameters["l"] > 1 and os.getpid() != here and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"hinge": run.q[-1, 0], "d(hinge)": run.u[-1, 0]}

    same(pendulum.sweep({"l": LENGTHS}, 0.1, workers=2, measure=killing, **OPTIONS), alone)
    assert mark.exists()


def test_a_chunk_that_always_kills_its_worker_is_given_up_and_the_rest_go_on(pendulum: ph.Equations) -> None:
    here = os.getpid()

    def killing(run: Trajectory) -> float:
        if run.parameters["l"] == LENGTHS[10] and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return 1.0

    made = pendulum.sweep({"l": LENGTHS}, 0.1, workers=2, measure=killing, samples=3, chunk=1)
    assert list(made.failures) == [10]
    assert "the worker process died whenever it ran members 10 to 10" in made.failures[10]
    assert np.isfinite(np.delete(made["killing"], 10)).all()


def test_workers_that_cannot_start_are_told(pendulum: ph.Equations) -> None:
    here = os.getpid()

    def killing(run: Trajectory) -> float:
        return 1.0 if os.getpid() == here else os.kill(os.getpid(), signal.SIGKILL) or 0.0

    with pytest.raises(ph.PolhodeError, match="die as soon as they start"):
        pendulum.sweep({"l": LENGTHS}, 0.1, workers=2, measure=killing, samples=3, chunk=8)


@pytest.mark.parametrize(("options", "told"), [
    ({"workers": 0}, "workers: 0 is not a whole number"), ({"workers": 1.5}, "workers: 1.5 is not a whole number"),
    ({"chunk": 0}, "chunk: 0 is not a whole number"), ({"executor": 5}, "5 is no executor"),
    ({"client": 5}, "5 is not a client"), ({"client": 5, "workers": 2}, "workers and client are given"),
])  # fmt: skip
def test_wrong_runners_are_told(pendulum: ph.Equations, options: dict[str, Any], told: str) -> None:
    refused(told, lambda: pendulum.sweep({"l": LENGTHS}, 0.1, **options))


distributed = pytest.importorskip("distributed")

RUNS = 20_000 if TRIAL else 240
CLUSTER_OPTIONS: dict[str, Any] = {"samples": 2, "start": {"hinge": 0.3}, "rtol": 1e-6}


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
    options = CLUSTER_OPTIONS | {"measure": logged, "store": folder}
    with distributed.Client(cluster) as client:
        made = pendulum.sweep({"l": lengths}, 0.02, client=client, chunk=None if TRIAL else 10, **options)
        killer.join()
        again = pendulum.sweep({"l": lengths}, 0.02, client=client, **options)
    assert not made.failures and again.info["computed"] == 0
    np.testing.assert_array_equal(made["logged"][:, 0], lengths)
    few = slice(None, None, max(1, RUNS // 100))
    alone = pendulum.sweep({"l": lengths[few]}, 0.02, workers=1, measure=lambda run: run.q[-1, 0], **CLUSTER_OPTIONS)
    np.testing.assert_array_equal(made["logged"][few, 1], alone["value"])  # bit for bit
    np.testing.assert_array_equal(again["logged"], made["logged"])
    times = Counter(float(line) for line in Path(log).read_text().split())
    assert times.keys() == {*lengths.tolist()}
    twice = {length for length, count in times.items() if count > 1}
    assert arrived and not twice & arrived


@pytest.mark.slow
def test_what_a_cluster_cannot_run_is_told(pendulum: ph.Equations, cluster: Any) -> None:
    def unreadable(run: Trajectory) -> float:
        return float(os.environ["NO_SUCH_VARIABLE"])

    with distributed.Client(cluster) as client:
        made = pendulum.sweep({"l": [1, 2, 3]}, 0.02, client=client, measure=unreadable, chunk=1, **CLUSTER_OPTIONS)
        assert "raised KeyError" in made.failures[2]
    refused("not a client", lambda: pendulum.sweep({"l": [1, 2, 3]}, 0.02, client=cluster))
