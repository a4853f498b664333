"""Chunks: a sweep cut into pure tasks, each with a digest of all that its result depends on; and where they run.

In this process, in a pool of processes, on an executor of the user's, or on a cluster of dask.distributed: each is a
generator of chunks with their results, in the order in which they arrive.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from multiprocessing import get_context
from operator import index
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...errors import PolhodeError, shown
from ...files.version import key_of
from ...native.compiled import cores
from ..batch.batch import INTERRUPTED, NOT_RUN, Batch
from ..batch.members import Members, Which
from ..batch.running import run_members
from ..initial_state import Floats
from .measures import Measure, Measured, MeasureFailed, Measuring

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: The status of a member whose measure failed, and of one whose worker died again and again.
UNMEASURED, LOST = "unmeasured", "lost"
_KEPT = 4


@dataclass(frozen=True, eq=False)
class Work:
    """Mechanism, duration, options and measures that all chunks of a sweep share."""

    derivation: Derivation
    duration: float
    options: Mapping[str, Any]
    measures: tuple[Measure, ...]
    key: str
    version: str


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive members: the index of the first, and their values of what is varied."""

    first: int
    rows: Mapping[Which, NDArray[Any]]
    of: str  # the key of the work

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))

    @cached_property
    def key(self) -> str:
        """Digest of the work and the values; the result does not depend on the index of the first member."""
        return key_of(self.of, *(f"{option} {name!r} {x.tobytes().hex()}" for (option, name), x in self.rows.items()))


@dataclass(frozen=True, eq=False)
class ChunkResult:
    """Measures of the members of a chunk, or their trajectories: `shapes` are names and shapes of measures as JSON,
    "" for a member that failed; `numbers` their entries, member after member."""

    status: NDArray[np.str_]
    messages: tuple[str, ...]
    notices: tuple[str, ...]
    shapes: tuple[str, ...]
    numbers: Floats
    batch: Batch | None = None

    def check(self, count: int) -> None:
        """Raise ValueError unless there is a text of each kind for each of `count` members, and a number for each."""
        counts = {count, *(len(column) for column in (self.status, self.messages, self.notices, self.shapes))}
        sizes = [prod(shape) for text in self.shapes if text for _, shape in _layout(text)]
        if len(counts) > 1 or sum(sizes) != self.numbers.size:
            raise ValueError("its members are not as many as it says")


def _layout(shapes: str) -> list[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the measures of a member."""
    layout = [(str(name), tuple(map(index, shape))) for name, shape in json.loads(shapes)]
    if any(size < 0 for _, shape in layout for size in shape):
        raise ValueError("a shape is negative")
    return layout


def cut(members: Members, work: Work, size: int) -> list[Chunk]:
    """Chunks of `size` members behind two of one member each, on which it is seen how long one takes."""
    bounds = sorted({*range(min(3, members.count + 1)), *range(2, members.count, size), members.count})
    return [Chunk(low, members.part(slice(low, high)).varied, work.key) for low, high in pairwise(bounds)]


#: Measures, with compiled functions, of the works that this process ran last.
_READY: dict[str, Measuring] = {}


def make_ready(work: Work) -> Measuring:
    """Derive and compile what a work needs, unless this process has done so before."""
    if work.key not in _READY:
        option = work.options.get("functions")
        functions = option if isinstance(option, Functions) else Functions(work.derivation)
        _READY[work.key] = Measuring(work.measures, functions)
        if len(_READY) > _KEPT:
            del _READY[next(iter(_READY))]
    return _READY[work.key]


def polhode_version() -> str:
    """The version of the package that this process has loaded."""
    return str(sys.modules[__name__.partition(".")[0]].__version__)


def run_chunk(work: Work, chunk: Chunk) -> ChunkResult:
    """Run the members of a chunk and measure them; the result has the same bits wherever it runs."""
    if work.version != polhode_version():
        message = f"a worker has polhode {polhode_version()}; the sweep was started by {work.version}."
        raise PolhodeError(message, cure="Install one version everywhere.", code="E-BATCH-FAILED")
    measuring = make_ready(work)
    functions, nothing = measuring.functions, ("",) * len(chunk)
    options = {**work.options, "functions": functions, "progress": False}
    batch = run_members(functions.derivation, work.duration, Members(len(chunk), options, chunk.rows), threads=1)
    if INTERRUPTED in batch.status:
        raise KeyboardInterrupt
    notices = notices_of(batch)
    if not work.measures:
        return ChunkResult(batch.status, batch.messages, notices, nothing, np.zeros(0), batch.without_mechanism())
    status, messages = batch.status.astype(object), list(batch.messages)
    kept: list[Measured] = []
    for i, run in enumerate(batch):
        try:
            kept.append(measuring(run) if run.is_whole else {})
        except MeasureFailed as failed:
            kept.append({})
            status[i], messages[i] = UNMEASURED, str(failed)
    shapes = [json.dumps([[name, array.shape] for name, array in arrays.items()]) if arrays else "" for arrays in kept]
    numbers = np.concatenate([np.zeros(0), *(array.ravel() for arrays in kept for array in arrays.values())])
    return ChunkResult(status.astype(np.str_), tuple(messages), notices, tuple(shapes), numbers)


def notices_of(batch: Batch) -> tuple[str, ...]:
    """Notices of each run as one text."""
    return tuple(" ".join(info.get("notices", ())) for info in batch.infos)


def lost(chunk: Chunk) -> ChunkResult:
    """The result of a chunk whose workers died, every time it was tried."""
    count, last = len(chunk), chunk.first + len(chunk) - 1
    message = f"the worker process died whenever it ran members {chunk.first} to {last}; chunk=1 shows which it is."
    return ChunkResult(np.full(count, LOST), (message,) * count, ("",) * count, ("",) * count, np.zeros(0))


def merge(results: Mapping[int, ChunkResult], count: int) -> tuple[ChunkResult, Measured]:
    """The results of all chunks as one, and measures (N, …) by name, nan where a member has none or was not run."""
    status, messages = np.full(count, NOT_RUN, dtype=object), ["it was not run."] * count
    notices, shapes, numbers = [""] * count, [""] * count, []
    for first in sorted(results):
        result = results[first]
        span = slice(first, first + len(result.status))
        status[span], messages[span] = result.status, result.messages
        notices[span], shapes[span] = result.notices, result.shapes
        numbers.append(result.numbers)
    reference = next(filter(None, shapes), "[]")
    layout = _layout(reference)
    flat = np.full((count, sum(prod(shape) for _, shape in layout)), np.nan)
    entries, start = np.concatenate([np.zeros(0), *numbers]), 0
    for i, text in enumerate(shapes):
        size = flat.shape[1] if text == reference else sum(prod(shape) for _, shape in _layout(text or "[]"))
        if text == reference:
            flat[i] = entries[start : start + size]
        elif text:
            status[i], messages[i] = UNMEASURED, _unlike(_layout(text), layout)
        start += size
    ends = np.cumsum([prod(shape) for _, shape in layout])
    columns = np.split(flat, ends[:-1], axis=1)
    values = {name: x.reshape(count, *shape) for (name, shape), x in zip(layout, columns, strict=False)}
    merged = ChunkResult(status.astype(np.str_), tuple(messages), tuple(notices), tuple(shapes), entries)
    return merged, values


def _unlike(layout: Sequence[tuple[str, tuple[int, ...]]], first: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """Sentence about how measures differ in names or shapes from those of the first member."""
    names = [name for name, _ in layout]
    if names != [name for name, _ in first]:
        return f"the measures are {', '.join(names)}, those of the first member {', '.join(name for name, _ in first)}."
    differing = ((name, a, b) for (name, a), (_, b) in zip(layout, first, strict=True) if a != b)
    name, a, b = next(differing)
    return f"the measure '{name}' has shape {a}, that of the first member {b}."


Arrivals = Iterator[tuple[Chunk, ChunkResult]]

#: Chunks submitted ahead for each worker, so that none waits; on a cluster some are on their way.
_AHEAD, _CLUSTER_AHEAD = 2, 3
#: A chunk that was alone when its worker died so many times is given up.
_MOST_DEATHS = 3
#: Seconds between two looks of a worker whether its parent process is alive.
_LOOKING = 0.5


def check_client(client: Any) -> None:
    """Raise for what is no client that can be waited for."""
    if not hasattr(client, "submit") or not hasattr(client, "nthreads") or getattr(client, "asynchronous", False):
        message = f"{shown(client)} is not a client of dask.distributed that one can wait for."
        cure = "Give Client(cluster) or Client('tcp://…'), not an asynchronous one."
        raise PolhodeError(message, "client", cure, "E-BATCH-TYPE")


def on_cluster(work: Work, chunks: Sequence[Chunk], client: Any) -> Arrivals:
    """Chunks as tasks of a cluster, each under its key; a chunk whose workers died is lost."""
    from distributed import KilledWorker

    def submit(chunk: Chunk) -> Future[ChunkResult]:
        future: Future[ChunkResult] = executor.submit(run_chunk, work, chunk, key=f"polhode-{chunk.key}")
        return future

    executor, ahead = client.get_executor(), max(4, _CLUSTER_AHEAD * sum(client.nthreads().values()))
    cure = "Every worker needs polhode, and whatever module a measure is in."
    try:
        with _failing("the cluster", "client", cure):
            yield from _streamed(submit, deque(chunks), {}, ahead, KilledWorker)
    finally:
        executor.shutdown(wait=False)


def on_executor(work: Work, chunks: Sequence[Chunk], executor: Executor) -> Arrivals:
    """Chunks on an executor of `concurrent.futures`."""
    ahead = _AHEAD * (getattr(executor, "_max_workers", None) or cores())
    cure = "A measure or a controller that goes to other processes must be a function in a module."
    with _failing("the executor", "executor", cure):
        yield from _streamed(lambda chunk: executor.submit(run_chunk, work, chunk), deque(chunks), {}, ahead)


@contextmanager
def _failing(runner: str, place: str, cure: str) -> Iterator[None]:
    """Errors of what runs the chunks, as one sentence."""
    try:
        yield
    except PolhodeError:
        raise
    except Exception as error:
        message = f"{runner} could not run a chunk: {type(error).__name__}: {error}"
        raise PolhodeError(message, place, cure, "E-BATCH-FAILED") from error


def on_processes(work: Work, chunks: Sequence[Chunk], workers: int) -> Arrivals:
    """Run chunks in a pool of processes; chunks of a process that is killed are run again."""
    if workers == 1:
        yield from ((chunk, run_chunk(work, chunk)) for chunk in chunks)
        return
    make_ready(work)  # before processes are forked, so that they need not
    # forked processes have all that is compiled already; elsewhere than on Linux a fork is not safe
    context = get_context("fork" if sys.platform == "linux" else None)
    waiting, suspects, deaths = deque(chunks), deque[Chunk](), dict[str, int]()
    arrived = 0
    while waiting or suspects:
        pool = ProcessPoolExecutor(workers, context, _begin, (work, os.getpid()))
        flying: dict[Future[ChunkResult], Chunk] = {}
        ended = False

        def submitted(chunk: Chunk, pool: ProcessPoolExecutor = pool) -> Future[ChunkResult]:
            with uninterrupted():  # a process may be forked here
                return pool.submit(_run_here, chunk)

        try:
            for queue, ahead in ((suspects, 1), (waiting, _AHEAD * workers)):
                for chunk, result in _streamed(submitted, queue, flying, ahead):
                    arrived += 1
                    yield chunk, result
            ended = True
        except BrokenExecutor:
            ended = True
            done = {future for future in flying if future.done() and not future.cancelled() and not future.exception()}
            yield from ((chunk, future.result()) for future, chunk in flying.items() if future in done)
            dead = [chunk for future, chunk in flying.items() if future not in done]
            for chunk in dead:
                deaths[chunk.key] = deaths.get(chunk.key, 0) + (len(dead) == 1)
                if deaths[chunk.key] < _MOST_DEATHS:
                    suspects.append(chunk)
                elif not arrived:
                    cure = 'In a script, call it under `if __name__ == "__main__":`; or give workers=1.'
                    message = "the worker processes die as soon as they start."
                    raise PolhodeError(message, "sweep", cure, "E-BATCH-FAILED") from None
                else:
                    yield chunk, lost(chunk)
        finally:
            _end(pool, ended)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until this is done, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: ProcessPoolExecutor, ended: bool) -> None:
    """Shut a pool down; after an interrupt its processes are terminated."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=ended, cancel_futures=True)
    for process in processes if not ended else ():
        process.terminate()
        process.join()


def _streamed(
    submit: Callable[[Chunk], Future[ChunkResult]],
    waiting: deque[Chunk],
    flying: dict[Future[ChunkResult], Chunk],
    ahead: int,
    lost_by: type[Exception] | tuple[()] = (),
) -> Arrivals:
    """Submit chunks, a few `ahead`, and yield what arrives; the rest stays in `flying` or `waiting`."""
    while waiting or flying:
        while waiting and len(flying) < ahead:
            flying[submit(waiting[0])] = waiting[0]
            waiting.popleft()
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        broken: BaseException | None = None
        while done:
            future = done.pop()
            failed = future.exception()
            if failed is None or isinstance(failed, lost_by):
                chunk, result = flying.pop(future), None if failed else future.result()
                del future  # a cluster computes again what is held when a worker dies
                yield chunk, result or lost(chunk)
            else:
                broken = broken or failed
        if broken is not None:
            raise broken


#: The work of a pool's process.
_WORK: list[Work] = []


def _begin(work: Work, parent: int) -> None:
    """Begin a worker process: its parent handles Ctrl-C, and warnings are notices of the runs."""
    warnings.simplefilter("ignore", UserWarning)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    _WORK[:] = [work]
    make_ready(work)


def _end_with(parent: int) -> None:
    """End this process when its parent has been killed."""
    while os.getppid() == parent:
        time.sleep(_LOOKING)
    os._exit(1)


def _run_here(chunk: Chunk) -> ChunkResult:
    return run_chunk(_WORK[0], chunk)
