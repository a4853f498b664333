"""sweep: from values to vary to results, by whatever runs the chunks, with what has arrived kept."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import partial
from json import dumps, loads
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError, path_of, shown, warn, whole_number
from ...expr import Expr, Function
from ...expr.archive import dump
from ...files.archives import MOST_BYTES, readable
from ...files.reading import read_file
from ...files.version import LOADED_AT, key_of, source_digest, version_digest
from ...files.writing import WAITING, put_in_place
from ..batch.batch import NOT_RUN, REFUSED, as_dataset, of_dataset
from ..batch.members import Which, labels_of
from ..batch.running import check_size, joined
from ..progress import reporting
from ..run import simulate
from ..settings import check_kinds, closing
from ..trajectory.datasets import Dataset, as_archive, of_archive
from ..trajectory.units import units_of
from ..trajectory.values import dependent_of
from .chunks import (
    Arrivals,
    Chunk,
    ChunkResult,
    Work,
    check_client,
    cores,
    cut,
    make_ready,
    merge,
    notices_of,
    on_cluster,
    on_executor,
    on_processes,
    polhode_version,
    run_chunk,
)
from .measures import Design, Measure, design_of, histories, read_measures
from .results import Sweep, SweepInterrupted

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


class Unknowable(Exception):
    """A value whose content cannot be told, such as a function that is in no file; its words name it."""


def content_of(value: Any) -> str:
    """Numbers exactly, arrays by their bytes, expressions by their form, functions by the file that they are in."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | Fraction):
        return repr(value)
    if isinstance(value, Expr):
        return dump([value])
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(f"{content_of(key)}: {content_of(each)}" for key, each in value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(content_of, value)) + "]"
    if isinstance(value, Functions):
        return f"functions {content_of(value.__reduce__()[0].keywords)}"
    if isinstance(value, Function):
        return f"function {value.opaque.digest}"
    if isinstance(value, partial):
        return f"partial {content_of([value.func, value.args, value.keywords])}"
    if isinstance(value, FunctionType):
        return _function(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = [content_of(getattr(value, each.name)) for each in fields(value) if each.compare]
        return f"{type(value).__name__}{source_digest(type(value))}({', '.join(parts)})"
    raise Unknowable(f"{type(value).__name__} {value!r}")


def _function(function: Callable[..., Any]) -> str:
    """A function is known by its file, its place in it, and by what it has taken in from around it."""
    code, name = function.__code__, function.__qualname__
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    try:
        changed = Path(str(file)).stat().st_mtime_ns > LOADED_AT
    except OSError:
        changed = True
    if changed:
        raise Unknowable(f"function '{name}', which is in no file, or in one that was changed since")
    inside = [cell.cell_contents for cell in function.__closure__ or ()]
    around = [inside, function.__defaults__, function.__kwdefaults__, vars(function)]
    return f"{function.__module__}.{name} {code.co_firstlineno} {source_digest(function)} {content_of(around)}"


_WHOLE_RUN = {"end_time": "s", "energy": "J"}


def varied_units(equations: EquationsOfMotion, varied: Iterable[Which]) -> dict[str, str]:
    """Units of varied values by their labels; "" where the model does not tell."""
    system, units = equations.system, units_of(equations)
    symbols: dict[str, dict[str, Expr]] = {
        "parameters": {name: each.symbol for name, each in system.parameters.items()},
        "inputs": {name: each.symbol for name, each in system.inputs.items()},
        "start": dict(zip((*equations.coordinates, *equations.states), (*equations.q, *equations.z), strict=True)),
        "speeds": dict(zip(equations.speeds, equations.u, strict=True)),
        "tau": dict(zip(equations.tree.speeds, equations.tau, strict=True)),
    }
    labels = labels_of(equations)
    return {labels[option, str(name)]: units.get(symbols[option][str(name)], "") for option, name in varied}


def result_units(equations: EquationsOfMotion, measures: Sequence[Measure]) -> dict[str, str]:
    """Units of results by their names; those of functions are not known."""
    units, histories = units_of(equations), _history_units(equations)
    made: dict[str, str] = {}
    for measure in measures:
        if measure.function is not None:
            continue
        if isinstance(measure.of, Expr):
            made[measure.label] = units.get(measure.of, "")
        elif measure.of is not None:
            made[measure.label] = histories.get(measure.of, "")
        elif measure.how == "final":
            made |= {f"{measure.prefix}{name}": unit for name, unit in histories.items()}
        else:
            made[measure.label] = _WHOLE_RUN.get(measure.how, "")
    return made


def _history_units(equations: EquationsOfMotion) -> dict[str, str]:
    """Units of what has a history, by the label that a measure gives it."""
    units = units_of(equations)
    coordinates, speeds = dependent_of(equations)
    symbols = {
        "coordinate": dict(zip(equations.coordinates, equations.q, strict=True)) | coordinates,
        "state": dict(zip(equations.states, equations.z, strict=True)),
        "speed": dict(zip(equations.speeds, equations.u, strict=True)) | speeds,
        "input": {name: each.symbol for name, each in equations.system.inputs.items()},
    }
    return {
        label: "J" if kind == "energy" else units.get(symbols[kind][name], "")
        for label, (kind, name) in histories(equations).items()
    }


_MANIFEST = "sweep.json"
_KIND = "polhode sweep 1"
_TEXTS = ("messages", "notices", "shapes")


@dataclass(frozen=True)
class ChunkStore:
    """A folder with a manifest, and a file for each chunk that has arrived, named by its key."""

    folder: Path
    chunk: int

    @classmethod
    def size_in(cls, folder: str | os.PathLike[str], key: str, count: int) -> int | None:
        """How many members a chunk has in a folder that holds this sweep already; None where it holds none."""
        path = path_of(folder)
        if not path.exists():
            return None
        try:
            found = loads(read_file(path / _MANIFEST, 10**6))
            same = (found["kind"], found["key"], found["members"]) == (_KIND, key, count)
            size = int(found["chunk"])
        except FileNotFoundError:
            if any(not each.name.endswith(WAITING) for each in _listed(path)):
                raise _refused(path, "the folder has other things in it.") from None
            return None
        except (OSError, ValueError, KeyError, TypeError):
            raise _refused(path, f"its {_MANIFEST} cannot be read.") from None
        if not same:
            raise _refused(path, "the folder holds another sweep, or one by another version of polhode or the model.")
        return size

    @classmethod
    def open(cls, folder: str | os.PathLike[str], key: str, count: int, chunk: int) -> ChunkStore:
        """The store of a sweep in a folder, made if it is not there; what a killed process left half-written goes."""
        path = path_of(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            for each in _listed(path):
                if each.name.endswith(WAITING):
                    each.unlink(missing_ok=True)
            words = {"kind": _KIND, "key": key, "members": count, "chunk": chunk}
            put_in_place({path / _MANIFEST: dumps(words).encode()}, private=True)
        except (OSError, ValueError) as error:
            message = f"the folder cannot be written to: {getattr(error, 'strerror', None) or error}."
            raise PolhodeError(message, str(path), "Name a folder that you may write to.", "E-FILE-WRITE") from error
        return cls(path, chunk)

    def get(self, chunk: Chunk) -> ChunkResult | None:
        """The result of a chunk if it has arrived; a damaged file counts as none."""
        path = self._file(chunk)
        try:
            with readable(path, "a result of a sweep", "a sweep"):
                result = _unpacked(read_file(path, MOST_BYTES))
                if len(result.status) != len(chunk) or not result.is_consistent:
                    raise ValueError("its members are not as many as it says")
                return result
        except PolhodeError:
            return None

    def put(self, chunk: Chunk, result: ChunkResult) -> None:
        """Keep a result: it is on the disk before it is in its place."""
        try:
            put_in_place({self._file(chunk): _packed(result)}, private=True)
        except OSError as error:
            message = f"a result cannot be stored: {error.strerror or error}."
            cure = "Make room and run the sweep again: it goes on from what is stored."
            raise PolhodeError(message, str(self.folder), cure, "E-FILE-WRITE") from error

    def _file(self, chunk: Chunk) -> Path:
        return self.folder / f"{chunk.key}.npz"


def _listed(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise _refused(path, f"it cannot be looked into: {error.strerror or error}.") from None


def _refused(path: Path, words: str) -> PolhodeError:
    return PolhodeError(
        words, place=str(path), cure="Name an empty folder as store, or delete it.", code="E-FILE-WRITE"
    )


def _packed(result: ChunkResult) -> bytes:
    if result.batch is not None:
        return as_archive(as_dataset(result.batch))
    variables = {"status": (("member",), result.status), "numbers": (("number",), result.numbers)}
    return as_archive(Dataset({}, variables, {name: dumps(getattr(result, name)) for name in _TEXTS}))


def _unpacked(content: bytes) -> ChunkResult:
    data = of_archive(content)
    if "numbers" not in data.variables:
        batch = of_dataset(data, "store", None)
        nothing = ("",) * len(batch)
        return ChunkResult(batch.status, batch.messages, notices_of(batch), nothing, np.zeros(0), batch)
    messages, notices, shapes = (tuple(map(str, loads(data.attributes[name]))) for name in _TEXTS)
    status, numbers = data.array("status", ("member",), "U"), data.array("numbers", ("number",))
    return ChunkResult(status, messages, notices, shapes, numbers)


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
    """Run a mechanism at every point of a grid of values, or at samples of them, and keep what is asked for."""
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
        message = f"{' and '.join(given)} are given; one of them runs the sweep."
        raise PolhodeError(message, "sweep", "Give one of them.", "E-BATCH-TWICE")
    if client is not None:
        check_client(client)
        return lambda work, chunks: on_cluster(work, chunks, client), max(1, sum(client.nthreads().values()))
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            cure = "Give one of concurrent.futures, or a Dask client as client=."
            raise PolhodeError(f"{shown(executor)} is no executor.", "executor", cure, "E-BATCH-TYPE")
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
            message = f"what this sweep gives cannot be known again: it depends on {unknowable}."
            cure = "Put the function into a module of its own, or leave the store out."
            raise PolhodeError(message, "store", cure, "E-BATCH-UNSUPPORTED") from None
        parts = [os.urandom(16).hex()]
    return key_of(version_digest(), derivation.key, repr(float(duration)), *parts)
