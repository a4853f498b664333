"""Chunks on a cluster: given a client of dask.distributed, of a scheduler in this process, on this machine or afar.

A worker that dies takes with it what it had not sent; the scheduler gives that to another one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from ...errors import PolhodeError, fault_at, shown
from .chunks import Chunk, Work, lost, run_chunk
from .executors import Arrivals

fault = fault_at("client")

#: Chunks under way for each thread of the cluster: one that runs, and some on their way there and back.
_AHEAD = 3


def check_client(client: Any) -> None:
    """Raise for what is no client that can be waited for."""
    if not hasattr(client, "submit") or not hasattr(client, "nthreads") or getattr(client, "asynchronous", False):
        raise fault(
            f"{shown(client)} is not a client of dask.distributed that one can wait for.",
            "Give Client(cluster) or Client('tcp://…'), not an asynchronous one.",
            "E-SWEEP-060",
        )


def on_cluster(work: Work, chunks: Sequence[Chunk], client: Any) -> Arrivals:
    """All chunks as tasks of the cluster, each under its own key; results come here as soon as they are there."""
    from distributed import KilledWorker, as_completed

    ahead = max(4, _AHEAD * sum(client.nthreads().values()))
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
                    "E-SWEEP-061",
                ) from error
            else:
                yield chunk, future.result()
            future.release()
            if waiting:
                submit()
    finally:
        arriving.clear()
