"""sweep: from values to vary to results, by whatever runs the chunks, with what has arrived kept."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from ...errors import PolhodeError, shown, warn, whole_number
from ...files.version import key_of, version_digest
from ..batch.batch import NOT_RUN, REFUSED
from ..batch.running import check_size, joined
from ..progress import reporting
from ..run import simulate
from ..settings import check_kinds, closing
from .chunks import Chunk, ChunkResult, Work, cut, make_ready, merge, polhode_version, run_chunk
from .cluster import check_client, on_cluster
from .content import Unknowable, content_of
from .design import Design, design_of
from .executors import Arrivals, cores, on_executor, on_processes
from .measures import read_measures
from .results import Sweep, SweepInterrupted
from .store import ChunkStore
from .units import result_units, varied_units

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: How long a chunk should take, in seconds; so much is lost at most when a worker dies.
_CHUNK_SECONDS = 0.5
#: At least so many chunks for each worker, so that all end at about the same time.
_CHUNKS_EACH = 4


def sweep(
    derivation: Derivation,
    vary: Mapping[str, Any],
    duration: float,
    *,
    measure: Any = "final",
    zip: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    client: Any = None,
    store: str | os.PathLike[str] | None = None,
    chunk: int | None = None,
    **options: Any,
) -> Sweep:
    """Run a mechanism at every point of a grid of values, or at samples of them, and keep what is asked for.

    The options are those of `Equations.sweep`.

    What `simulate` takes goes to every run. A run that fails has its sentence in `failures`, and nan for results.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> l = s.parameter("l", 1)
    >>> _ = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -l)), ph.Revolute("y"))
    >>> lengths = s.derive().sweep({"l": [0.5, 1, 2]}, 10, measure="max:hinge", start={"hinge": 0.1}, workers=1)
    >>> lengths["max:hinge"].round(6).tolist()
    [0.1, 0.1, 0.1]
    """
    check_kinds(options.get("functions"), options.get("progress"), options.get("audit", False))
    derivation, options = closing(derivation, **options)
    equations = derivation.equations
    design = design_of(equations, vary, zip, options)
    measures = read_measures(measure, equations)
    if not measures:
        check_size(derivation, duration, design.members)
    run_all = _runner(workers, executor, client)
    key = _key(derivation, duration, design, measures, durable=store is not None)
    work = Work(derivation, duration, design.members.shared, measures, key, polhode_version())
    return _Running(work, design, store, run_all, _whole(chunk, "chunk"), options.get("progress")).go()


class _Running:
    """One sweep under way."""

    def __init__(
        self,
        work: Work,
        design: Design,
        store: str | os.PathLike[str] | None,
        run_all: tuple[Callable[[Work, Sequence[Chunk]], Arrivals], int],
        chunk: int | None,
        progress: Any,
    ) -> None:
        self.work, self.design, self.folder, self.progress = work, design, store, progress
        self.run_all, self.workers = run_all
        self.size = chunk
        self.results: dict[int, ChunkResult] = {}
        self.computed = 0
        self.count = design.members.count
        self.key = key_of(
            work.key, *(f"{which} {rows.tobytes().hex()}" for which, rows in design.members.varied.items())
        )

    def go(self) -> Sweep:
        """Run what is not stored yet."""
        began = time.perf_counter()
        name = self.work.derivation.model.name
        with reporting(self.progress, f"sweeping {name}", self.count, "runs") as report:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # each is a notice of its run, and told below
                    self._all(report)
            except KeyboardInterrupt:
                made = self._sweep(began)
                done = int((made.status != NOT_RUN).sum())
                kept = "Call it again with this store to go on." if self.folder else "See `sweep` of this error."
                raise SweepInterrupted(
                    f"the sweep was interrupted after {done} of {self.count} runs.", sweep=made, cure=kept
                ) from None
        made = self._sweep(began)
        if made.notices:
            i, text = next(iter(made.notices.items()))
            warn(f"{len(made.notices)} of {self.count} runs have notices; that of run {i}: {text}")
        return made

    def _all(self, report: Callable[[float], None]) -> None:
        found = None if self.folder is None else ChunkStore.size_in(self.folder, self.key, self.count)
        first = [] if found else self._first_members()
        size = found or self.size or self._size(first)
        store = None if self.folder is None else ChunkStore.open(self.folder, self.key, self.count, size)
        missing = []
        for k, chunk in enumerate(cut(self.design.members, self.work, size)):
            result = first[k][0] if k < len(first) else None
            if result is not None and store is not None:
                store.put(chunk, result)
            if result is None and store is not None:
                result = store.get(chunk)
            if result is None:
                missing.append(chunk)
            else:
                self.results[chunk.first] = result
        done = sum(len(each.status) for each in self.results.values())
        report(done)
        if not missing:
            return
        for chunk, result in self.run_all(self.work, missing):
            if store is not None and "lost" not in result.status:
                store.put(chunk, result)
            self.results[chunk.first] = result
            self.computed += len(chunk)
            done += len(chunk)
            report(done)

    def _first_members(self) -> list[tuple[ChunkResult, float]]:
        """The first two members, run here: they show what is wrong with the call, and how long a member takes."""
        make_ready(self.work)
        made = []
        for chunk in cut(self.design.members, self.work, self.count)[:2]:
            began = time.perf_counter()
            made.append((run_chunk(self.work, chunk), time.perf_counter() - began))
        self.computed += len(made)
        told = {result.messages[0] for result, _ in made if result.status[0] == REFUSED}
        if len(told) == 1 and all(result.status[0] == REFUSED for result, _ in made):
            last = Chunk(self.count - 1, self.design.members.part(slice(self.count - 1, None)).varied, self.work.key)
            if run_chunk(self.work, last).messages[0] in told:  # it is not the values that are wrong
                simulate(self.work.derivation, self.work.duration, **self.design.members.member(0))
        return made

    def _size(self, first: Sequence[tuple[ChunkResult, float]]) -> int:
        """How many members make a chunk."""
        fit = int(_CHUNK_SECONDS / max(first[-1][1], 1e-9))
        return max(1, min(fit, -(-self.count // (_CHUNKS_EACH * self.workers))))

    def _sweep(self, began: float) -> Sweep:
        merged = merge(self.results, self.count)
        info = {"computed": self.computed, "wall_time": time.perf_counter() - began}
        batch = None
        if not self.work.measures and self.results:
            functions = make_ready(self.work).functions
            parts = {first: each.batch for first, each in self.results.items() if each.batch is not None}
            batch = joined(parts, self.work.derivation, self.work.duration, self.design.members, functions)
        design, equations = self.design, self.work.derivation.equations
        told = result_units(equations, self.work.measures)
        return Sweep(
            design.axes, design.zipped, merged.values, merged.status, merged.messages, merged.notices, batch, info,
            equations.system.name, varied_units(equations, design.members.varied),
            {name: told.get(name, "") for name in merged.values},
        )  # fmt: skip


def _runner(workers: int | None, executor: Any, client: Any) -> tuple[Callable[[Work, Sequence[Chunk]], Arrivals], int]:
    """What runs the chunks, and how many at a time."""
    given = [
        name for name, each in (("workers", workers), ("executor", executor), ("client", client)) if each is not None
    ]
    if len(given) > 1:
        raise PolhodeError(
            f"{' and '.join(given)} are given; one of them runs the sweep.", place="sweep", code="E-SWEEP-080"
        )
    if client is not None:
        check_client(client)
        return lambda work, chunks: on_cluster(work, chunks, client), max(1, sum(client.nthreads().values()))
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            raise PolhodeError(
                f"{shown(executor)} is no executor.",
                place="executor",
                cure="Give one of concurrent.futures, or a Dask client as client=.",
                code="E-SWEEP-081",
            )
        return lambda work, chunks: on_executor(work, chunks, executor), cores()
    count = _whole(workers, "workers") or cores()
    return lambda work, chunks: on_processes(work, chunks, min(count, len(chunks))), count


def _whole(given: Any, place: str) -> int | None:
    return None if given is None else whole_number(given, "a whole number ≥ 1", least=1, place=place)


def _key(derivation: Derivation, duration: float, design: Design, measures: Any, durable: bool) -> str:
    """The digest of all that every member's result follows from, besides its own values."""
    try:
        parts = [content_of(design.members.shared), content_of(measures)]
    except Unknowable as unknowable:
        if durable:
            raise PolhodeError(
                f"what this sweep gives cannot be known again: it depends on {unknowable}.",
                place="store",
                cure="Put the function into a module of its own, or leave the store out.",
                code="E-SWEEP-083",
            ) from None
        parts = [os.urandom(16).hex()]
    return key_of(version_digest(), derivation.key, repr(float(duration)), *parts)
