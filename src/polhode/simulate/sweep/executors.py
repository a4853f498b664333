"""Where chunks run: in this process, in a pool of processes, or by an executor of the user's own.

Each is a generator of chunks with their results, in the order in which they arrive.

Chunks on a cluster: given a client of dask.distributed, of a scheduler in this process, on this machine or afar.

A worker that dies takes with it what it had not sent; the scheduler gives that to another one.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any

from ...errors import PolhodeError, fault_at, shown
from .chunks import Chunk, ChunkResult, Work, lost, make_ready, run_chunk

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
