"""Chunks: a sweep cut into tasks that are pure, each known by a digest of all that its result follows from.

Where chunks run: in this process, in a pool of processes, or by an executor of the user's own.

Each is a generator of chunks with their results, in the order in which they arrive.

Chunks on a cluster: given a client of dask.distributed, of a scheduler in this process, on this machine or afar.

A worker that dies takes with it what it had not sent; the scheduler gives that to another one.
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
from multiprocessing.context import BaseContext
from operator import index
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...errors import PolhodeError, fault_at, shown
from ...files.version import key_of
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
    """What all chunks of a sweep share: the mechanism, how long it runs, the options of a run, what is kept of it."""

    derivation: Derivation
    duration: float
    options: Mapping[str, Any]
    measures: tuple[Measure, ...]
    key: str
    version: str


@dataclass(frozen=True, eq=False)
class Chunk:
    """Members in a row, by the place of the first and the values that are their own."""

    first: int
    rows: Mapping[Which, NDArray[Any]]
    of: str  # the key of the work

    def __len__(self) -> int:
        return len(next(iter(self.rows.values())))

    @cached_property
    def key(self) -> str:
        """The digest of the work and of the values; not of the place, which the result does not depend on."""
        told = [f"{option} {name!r} {rows.tobytes().hex()}" for (option, name), rows in self.rows.items()]
        return key_of(self.of, *told)


@dataclass(frozen=True, eq=False)
class ChunkResult:
    """What is kept of the members of a chunk: their measures, or their trajectories.

    A member's `shapes` are the names and shapes of its measures, as text, or nothing if it failed; their numbers stand
    one behind the other in `numbers`, member after member.
    """

    status: NDArray[np.str_]
    messages: tuple[str, ...]
    notices: tuple[str, ...]
    shapes: tuple[str, ...]
    numbers: Floats
    batch: Batch | None = None

    @property
    def is_consistent(self) -> bool:
        """Whether there is a text of each kind for each member, and as many numbers as the shapes state."""
        counts = {len(each) for each in (self.status, self.messages, self.notices, self.shapes)}
        sizes = [prod(shape) for each in self.shapes if each for _, shape in _layout(each)]
        return len(counts) == 1 and sum(sizes) == self.numbers.size


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


@dataclass(frozen=True, eq=False)
class _Ready:
    functions: Functions
    measuring: Measuring


#: What this process made ready for the works seen last: a chunk brings its work along, but not its compiled code.
_READY: dict[str, _Ready] = {}


def make_ready(work: Work) -> _Ready:
    """Derive and compile what a work needs, unless this process has done so before."""
    if work.key not in _READY:
        given = work.options.get("functions")
        functions = given if isinstance(given, Functions) else Functions(work.derivation)
        _READY[work.key] = _Ready(functions, Measuring(work.measures, functions))
        if len(_READY) > _KEPT:
            del _READY[next(iter(_READY))]
    return _READY[work.key]


def polhode_version() -> str:
    """The version of the package that this process has loaded."""
    return str(sys.modules[__name__.partition(".")[0]].__version__)


def run_chunk(work: Work, chunk: Chunk) -> ChunkResult:
    """Run the members of a chunk and keep what is asked for; the same chunk gives the same bits, wherever it runs."""
    if work.version != polhode_version():
        message = f"a worker has polhode {polhode_version()}; the sweep was started by {work.version}."
        raise PolhodeError(message, cure="Install one version everywhere.", code="E-BATCH-FAILED")
    ready = make_ready(work)
    options = {**work.options, "functions": ready.functions, "progress": False}
    derivation = ready.functions.derivation
    batch = run_members(derivation, work.duration, Members(len(chunk), options, chunk.rows), threads=1)
    if INTERRUPTED in batch.status:
        raise KeyboardInterrupt
    notices = notices_of(batch)
    if not work.measures:
        nothing = ("",) * len(chunk)
        return ChunkResult(batch.status, batch.messages, notices, nothing, np.zeros(0), batch.without_mechanism())
    status, messages = batch.status.astype(object), list(batch.messages)
    kept: list[Measured] = []
    for i, run in enumerate(batch):
        try:
            kept.append(ready.measuring(run) if run.is_whole else {})
        except MeasureFailed as failed:
            kept.append({})
            status[i], messages[i] = UNMEASURED, str(failed)
    shapes = [json.dumps([[name, array.shape] for name, array in each.items()]) if each else "" for each in kept]
    numbers = [array.ravel() for each in kept for array in each.values()]
    flat = np.concatenate(numbers) if numbers else np.zeros(0)
    return ChunkResult(status.astype(np.str_), tuple(messages), notices, tuple(shapes), flat)


def notices_of(batch: Batch) -> tuple[str, ...]:
    """What a reader of each run should know, in one text each."""
    return tuple(" ".join(info.get("notices", ())) for info in batch.infos)


def lost(chunk: Chunk) -> ChunkResult:
    """The result of a chunk whose workers died, every time it was tried."""
    last = chunk.first + len(chunk) - 1
    told = f"the worker process died whenever it ran members {chunk.first} to {last}; give chunk=1 to see which it is."
    nothing = ("",) * len(chunk)
    return ChunkResult(np.full(len(chunk), LOST), (told,) * len(chunk), nothing, nothing, np.zeros(0))


@dataclass(frozen=True, eq=False)
class Merged:
    """The results of all chunks in one: measures (N, …) by name, nan where there are none."""

    status: NDArray[np.str_]
    messages: tuple[str, ...]
    notices: tuple[str, ...]
    values: Measured


def merge(results: Mapping[int, ChunkResult], count: int) -> Merged:
    """Put the results of chunks at their places; members that are in none were not run."""
    status, messages = np.full(count, NOT_RUN, dtype=object), ["it was not run."] * count
    notices, shapes, numbers = [""] * count, [""] * count, []
    for place in sorted(results):
        each = results[place]
        span = slice(place, place + len(each.status))
        status[span], messages[span] = each.status, each.messages
        notices[span], shapes[span] = each.notices, each.shapes
        numbers.append(each.numbers)
    reference = next(filter(None, shapes), "[]")
    layout = _layout(reference)
    flat = np.full((count, sum(prod(shape) for _, shape in layout)), np.nan)
    taken, at = np.concatenate([np.zeros(0), *numbers]), 0
    for i, own in enumerate(shapes):
        if not own:
            continue
        size = flat.shape[1] if own == reference else sum(prod(shape) for _, shape in _layout(own))
        if own == reference:
            flat[i] = taken[at : at + size]
        else:
            status[i], messages[i] = UNMEASURED, _unlike(_layout(own), layout)
        at += size
    values, column = {}, 0
    for name, shape in layout:
        values[name] = flat[:, column : column + prod(shape)].reshape(count, *shape)
        column += prod(shape)
    return Merged(status.astype(np.str_), tuple(messages), tuple(notices), values)


def _unlike(own: Sequence[tuple[str, tuple[int, ...]]], first: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """How measures differ in names or shapes from those of the first member, in words."""
    names = [name for name, _ in own]
    if names != [name for name, _ in first]:
        return f"the measures are {', '.join(names)}, those of the first member {', '.join(name for name, _ in first)}."
    differing = ((name, a, b) for (name, a), (_, b) in zip(own, first, strict=True) if a != b)
    name, a, b = next(differing)
    return f"the measure '{name}' has shape {a}, that of the first member {b}."


fault = fault_at("client")

#: Chunks under way for each thread of the cluster: one that runs, and some on their way there and back.
_CLUSTER_AHEAD = 3


def check_client(client: Any) -> None:
    """Raise for what is no client that can be waited for."""
    if not hasattr(client, "submit") or not hasattr(client, "nthreads") or getattr(client, "asynchronous", False):
        raise fault(
            f"{shown(client)} is not a client of dask.distributed that one can wait for.",
            "Give Client(cluster) or Client('tcp://…'), not an asynchronous one.",
            "E-BATCH-TYPE",
        )


def on_cluster(work: Work, chunks: Sequence[Chunk], client: Any) -> Arrivals:
    """All chunks as tasks of the cluster, each under its own key; results come here as soon as they are there."""
    from distributed import KilledWorker, as_completed

    ahead = max(4, _CLUSTER_AHEAD * sum(client.nthreads().values()))
    waiting, under_way = deque(chunks), dict[str, Chunk]()
    arriving = as_completed(raise_errors=False)

    def submit() -> None:
        chunk = waiting.popleft()
        under_way[f"polhode-{chunk.key}"] = chunk
        arriving.add(client.submit(run_chunk, work, chunk, key=f"polhode-{chunk.key}"))

    try:
        while waiting and len(under_way) < ahead:
            submit()
        for future in arriving:
            chunk = under_way.pop(future.key)
            error = future.exception() if future.status != "finished" else None
            if isinstance(error, KilledWorker):
                yield chunk, lost(chunk)
            elif isinstance(error, PolhodeError):
                raise error
            elif error is not None:
                raise fault(
                    f"the cluster could not run a chunk: {type(error).__name__}: {error}",
                    "Every worker needs polhode, and whatever module a measure is in.",
                    "E-BATCH-FAILED",
                ) from error
            else:
                yield chunk, future.result()
            future.release()
            if waiting:
                submit()
    finally:
        arriving.clear()


Arrivals = Iterator[tuple[Chunk, ChunkResult]]

#: Chunks that wait in line for each worker, so that none has to wait for us.
_AHEAD = 2
#: A chunk that was alone when its worker died so many times is given up.
_MOST_DEATHS = 3
#: How often a worker looks whether it is still wanted, in seconds.
_LOOKING = 0.5


def in_this_process(work: Work, chunks: Sequence[Chunk]) -> Arrivals:
    """One chunk after the other."""
    for chunk in chunks:
        yield chunk, run_chunk(work, chunk)


def on_executor(work: Work, chunks: Sequence[Chunk], executor: Executor) -> Arrivals:
    """All chunks on an executor of `concurrent.futures`; should it break, what has arrived has."""
    ahead = _AHEAD * (getattr(executor, "_max_workers", None) or cores())
    try:
        yield from _streamed(lambda chunk: executor.submit(run_chunk, work, chunk), deque(chunks), {}, lambda: ahead)
    except PolhodeError:
        raise
    except Exception as error:
        message = f"the executor could not run a chunk: {type(error).__name__}: {error}"
        cure = "A measure or a controller that goes to other processes must be a function in a module."
        raise PolhodeError(message, "executor", cure, "E-BATCH-FAILED") from error


def on_processes(work: Work, chunks: Sequence[Chunk], workers: int) -> Arrivals:
    """All chunks in a pool of processes of our own, made anew where one of them is killed.

    Any of the chunks that were under way may have been the cause of that: they are run again one at a time, and one
    that is alone when its worker dies, three times over, is given up.
    """
    if workers == 1:
        yield from in_this_process(work, chunks)
        return
    make_ready(work)  # before processes are forked, so that they need not
    context = _context()
    waiting, suspects, deaths = deque(chunks), deque[Chunk](), dict[str, int]()
    arrived = 0
    while waiting or suspects:
        pool = ProcessPoolExecutor(workers, context, _begin, (work, os.getpid()))
        flying: dict[Future[ChunkResult], Chunk] = {}
        ended = False

        def submitted(chunk: Chunk, pool: ProcessPoolExecutor = pool) -> Future[ChunkResult]:
            with _uninterrupted():  # a process may be forked here
                return pool.submit(_run_here, chunk)

        try:
            for chunk, result in _streamed(submitted, suspects, flying, lambda: 1):
                arrived += 1
                yield chunk, result
            for chunk, result in _streamed(submitted, waiting, flying, lambda: _AHEAD * workers):
                arrived += 1
                yield chunk, result
            ended = True
        except BrokenExecutor:
            ended = True
            yield from ((chunk, future.result()) for future, chunk in flying.items() if _is_there(future))
            dead = [chunk for future, chunk in flying.items() if not _is_there(future)]
            alone = len(dead) == 1
            for chunk in dead:
                deaths[chunk.key] = deaths.get(chunk.key, 0) + alone
                if deaths[chunk.key] < _MOST_DEATHS:
                    suspects.append(chunk)
                elif not arrived:
                    raise _stillborn() from None
                else:
                    yield chunk, lost(chunk)
        finally:
            _end(pool, ended)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until this is done, where the system can make it wait."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: ProcessPoolExecutor, ended: bool) -> None:
    """End a pool; where it is interrupted its processes are not waited for, which may never hear of it."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=ended, cancel_futures=True)
    for process in processes if not ended else ():
        process.terminate()
        process.join()


def _streamed(
    submit: Callable[[Chunk], Future[ChunkResult]],
    waiting: deque[Chunk],
    flying: dict[Future[ChunkResult], Chunk],
    most: Callable[[], int],
) -> Arrivals:
    """Submit chunks, a few ahead, and give back what arrives; what has not stays in `flying` or `waiting`."""
    while waiting or flying:
        while waiting and len(flying) < most():
            flying[submit(waiting[0])] = waiting[0]
            waiting.popleft()
        done, _ = wait(flying, return_when=FIRST_COMPLETED)
        broken: BaseException | None = None
        for future in done:
            failed = future.exception()
            if failed is None:
                yield flying.pop(future), future.result()
            broken = broken or failed
        if broken is not None:
            raise broken


def _is_there(future: Future[ChunkResult]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


#: The work of a pool's process.
_WORK: list[Work] = []


def _begin(work: Work, parent: int) -> None:
    """Begin a worker process: Ctrl-C is for who started it, and warnings are in the notices of the runs."""
    warnings.simplefilter("ignore", UserWarning)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()
    _WORK[:] = [work]
    make_ready(work)


def _end_with(parent: int) -> None:
    """End this process when the one that started it has been killed: nobody would take its results any more."""
    while os.getppid() == parent:
        time.sleep(_LOOKING)
    os._exit(1)


def _run_here(chunk: Chunk) -> ChunkResult:
    return run_chunk(_WORK[0], chunk)


def _context() -> BaseContext:
    """Forked processes have all that is compiled already; elsewhere than on Linux a fork is not safe."""
    return get_context("fork" if sys.platform == "linux" else None)


def _stillborn() -> PolhodeError:
    return PolhodeError(
        "the worker processes die as soon as they start.",
        place="sweep",
        cure='In a script, call it under `if __name__ == "__main__":`; or give workers=1.',
        code="E-BATCH-FAILED",
    )


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
