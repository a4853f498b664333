"""Sweeps: members are cut into chunks, which run here, in processes or on a cluster, and may be stored in a folder."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import partial
from json import dumps, loads
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

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
from ...native.compiled import cores
from ..batch.batch import REFUSED, as_dataset, of_dataset
from ..batch.members import Members, Which, labels_of
from ..batch.running import check_size, joined
from ..progress import reporting
from ..run import simulate
from ..settings import check_kinds, closing
from ..trajectory.datasets import Dataset, as_archive, of_archive
from ..trajectory.units import units_by_kind, units_of
from .chunks import (
    LOST,
    Arrivals,
    Chunk,
    ChunkResult,
    Work,
    check_client,
    cut,
    make_ready,
    merge,
    notices_of,
    on_cluster,
    on_executor,
    on_processes,
    polhode_version,
    run_chunk,
    uninterrupted,
)
from .measures import KINDS, Design, Measure, design_of, histories, read_measures
from .results import Sweep, SweepInterrupted

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


class Unknowable(Exception):
    """A value without a digest of its content, such as a function that is in no file."""


def content_of(value: Any) -> str:
    """A text that is equal for equal content: numbers, arrays, expressions; functions by the file they are in."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | Fraction):
        return repr(value)
    if isinstance(value, Expr):
        return dump([value])
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(f"{content_of(key)}: {content_of(entry)}" for key, entry in value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(content_of, value)) + "]"
    if isinstance(value, Functions):
        return f"functions {content_of(value.__reduce__()[0].keywords)}"
    if isinstance(value, Function):
        return f"function {value.opaque.digest}"
    if isinstance(value, partial):
        return f"partial {content_of([value.func, value.args, value.keywords])}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = [content_of(getattr(value, field.name)) for field in fields(value) if field.compare]
        return f"{type(value).__name__}{source_digest(type(value))}({', '.join(parts)})"
    if not isinstance(value, FunctionType):
        raise Unknowable(f"{type(value).__name__} {value!r}")
    file = getattr(sys.modules.get(value.__module__), "__file__", None)
    try:
        changed = Path(str(file)).stat().st_mtime_ns > LOADED_AT
    except OSError:
        changed = True
    if changed:
        raise Unknowable(f"function '{value.__qualname__}', which is in no file, or in one that was changed since")
    inside = [cell.cell_contents for cell in value.__closure__ or ()]
    around = content_of([inside, value.__defaults__, value.__kwdefaults__, vars(value)])
    line = value.__code__.co_firstlineno
    return f"{value.__module__}.{value.__qualname__} {line} {source_digest(value)} {around}"


_WHOLE_RUN = {"end_time": "s", "energy": "J"}


def varied_units(equations: EquationsOfMotion, varied: Iterable[Which]) -> dict[str, str]:
    """Units of varied values by their labels; "" where the model has none."""
    units, labels = units_by_kind(equations), labels_of(equations)
    return {
        labels[option, str(name)]: next(filter(None, (units.get((kind, str(name))) for kind in KINDS[option])), "")
        for option, name in varied
    }


def result_units(equations: EquationsOfMotion, measures: Sequence[Measure]) -> dict[str, str]:
    """Units of results by their names; those of functions are not known."""
    units, by_kind = units_of(equations), units_by_kind(equations) | {("energy", "total"): "J"}
    labels = {label: by_kind.get(key, "") for label, key in histories(equations).items()}
    by_label: dict[str, str] = {}
    for measure in measures:
        if isinstance(measure.of, Expr):
            by_label[measure.label] = units.get(measure.of, "")
        elif measure.of is None and measure.how == "final":
            by_label |= {f"{measure.prefix}{label}": unit for label, unit in labels.items()}
        else:
            by_label[measure.label] = labels[measure.of] if measure.of else _WHOLE_RUN.get(measure.how, "")
    return by_label


_MANIFEST = "sweep.json"
_KIND = "polhode sweep 1"
_TEXTS = ("messages", "notices", "shapes")


class ChunkStore:
    """A folder with a manifest, and a file for each chunk that has arrived, named by its key."""

    def __init__(self, folder: str | os.PathLike[str], key: str, count: int) -> None:
        self.folder, self.key, self.count = path_of(folder), key, count

    def size(self) -> int | None:
        """Members in a chunk of this sweep as the folder stores it; None if it stores none."""
        path = self.folder
        if not path.exists():
            return None
        try:
            manifest = loads(read_file(path / _MANIFEST, 10**6))
            same = (manifest["kind"], manifest["key"], manifest["members"]) == (_KIND, self.key, self.count)
            size = int(manifest["chunk"])
        except FileNotFoundError:
            if any(not file.name.endswith(WAITING) for file in _listed(path)):
                raise _refused(path, "the folder has other things in it.") from None
            return None
        except (OSError, ValueError, KeyError, TypeError):
            raise _refused(path, f"its {_MANIFEST} cannot be read.") from None
        if not same:
            raise _refused(path, "the folder holds another sweep, or one by another version of polhode or the model.")
        return size

    def open(self, chunk: int) -> None:
        """Write the manifest, in a new folder if there is none, and remove files that a killed process left."""
        path = self.folder
        try:
            path.mkdir(parents=True, exist_ok=True)
            for file in _listed(path):
                if file.name.endswith(WAITING):
                    file.unlink(missing_ok=True)
            manifest = {"kind": _KIND, "key": self.key, "members": self.count, "chunk": chunk}
            put_in_place({path / _MANIFEST: dumps(manifest).encode()}, private=True, durable=True)
        except (OSError, ValueError) as error:
            message = f"the folder cannot be written to: {getattr(error, 'strerror', None) or error}."
            raise PolhodeError(message, str(path), "Name a folder that you may write to.", "E-FILE-WRITE") from error

    def get(self, chunk: Chunk) -> ChunkResult | None:
        """The result of a chunk if it has arrived; a damaged file counts as none."""
        path = self.folder / f"{chunk.key}.npz"
        try:
            with readable(path, "a result of a sweep", "a sweep"):
                result = _unpacked(read_file(path, MOST_BYTES))
                result.check(len(chunk))
                return result
        except PolhodeError:
            return None

    def put(self, chunk: Chunk, result: ChunkResult) -> None:
        """Store a result."""
        try:
            with uninterrupted():
                put_in_place({self.folder / f"{chunk.key}.npz": _packed(result)}, private=True, durable=True)
        except OSError as error:
            message = f"a result cannot be stored: {error.strerror or error}."
            cure = "Make room and run the sweep again: it goes on from what is stored."
            raise PolhodeError(message, str(self.folder), cure, "E-FILE-WRITE") from error


def _listed(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise _refused(path, f"it cannot be looked into: {error.strerror or error}.") from None


def _refused(path: Path, message: str) -> PolhodeError:
    return PolhodeError(message, str(path), "Name an empty folder as store, or delete it.", "E-FILE-WRITE")


def _packed(result: ChunkResult) -> bytes:
    if result.batch is not None:
        return as_archive(as_dataset(result.batch))
    variables = {"status": (("member",), result.status), "numbers": (("number",), result.numbers)}
    texts = {name: dumps(getattr(result, name)) for name in _TEXTS}
    return as_archive(Dataset({}, variables, {"kind": "polhode chunk 1", **texts}))


def _unpacked(content: bytes) -> ChunkResult:
    data = of_archive(content)
    if "numbers" not in data.variables:
        batch = of_dataset(data, "store", None)
        nothing = ("",) * len(batch)
        return ChunkResult(batch.status, batch.messages, notices_of(batch), nothing, np.zeros(0), batch)
    messages, notices, shapes = (tuple(map(str, loads(data.attributes[name]))) for name in _TEXTS)
    status, numbers = data.array("status", ("member",), "U"), data.array("numbers", ("number",))
    return ChunkResult(status, messages, notices, shapes, numbers)


#: Seconds that a chunk should take, which are lost when a worker dies; and chunks for each worker at least.
_CHUNK_SECONDS, _CHUNKS_EACH = 0.5, 4


def sweep(derivation: Derivation, vary: Any, duration: float, how: Mapping[str, Any], options: dict[str, Any]) -> Sweep:
    """Run a mechanism at every point of a grid of values, or at samples of them, and keep measures of the runs."""
    check_kinds(options.get("functions"), options.get("progress"), options.get("audit", False))
    derivation, options = closing(derivation, **options)
    design, store, chunk = design_of(derivation.equations, vary, how["zip"], options), how["store"], how["chunk"]
    members, measures = design.members, read_measures(how["measure"], derivation.equations)
    if not measures:
        check_size(derivation, duration, members)
    run_all, parallel = _runner({name: how[name] for name in ("workers", "executor", "client")})
    size = None if chunk is None else whole_number(chunk, "a whole number ≥ 1", least=1, place="chunk")
    key = _key(derivation, duration, design, measures, durable=store is not None)
    work = Work(derivation, duration, members.shared, measures, key, polhode_version())
    name, began, results, done, computed = derivation.model.name, time.perf_counter(), dict[int, ChunkResult](), 0, 0
    with reporting(options.get("progress"), f"sweeping {name}", members.count, "runs") as report:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # they are notices of the runs
                for part, result, is_new in _results(work, members, store, size, run_all, parallel):
                    results[part.first] = result
                    done, computed = done + len(part), computed + is_new * len(part)
                    report(done)
        except KeyboardInterrupt:
            outcome = _sweep(work, design, results, computed, began)
            cure = "Call it again with this store to go on." if store else "See `sweep` of this error."
            message = f"the sweep was interrupted after {done} of {members.count} runs."
            raise SweepInterrupted(message, sweep=outcome, cure=cure) from None
    outcome = _sweep(work, design, results, computed, began)
    if outcome.notices:
        i, text = next(iter(outcome.notices.items()))
        warn(f"{len(outcome.notices)} of {members.count} runs have notices; that of run {i}: {text}")
    return outcome


def _results(
    work: Work, members: Members, folder: str | os.PathLike[str] | None, size: int | None, run_all: _RunAll, many: int
) -> Iterator[tuple[Chunk, ChunkResult, bool]]:
    """Chunks with their results, and whether these were computed now; the first two members run in this process."""
    key = key_of(work.key, *(f"{which} {rows.tobytes().hex()}" for which, rows in members.varied.items()))
    store = None if folder is None else ChunkStore(folder, key, members.count)
    first: list[ChunkResult] = []
    if stored := None if store is None else store.size():
        size = stored
    else:
        first, seconds = _first_members(work, members)
        fit, share = int(_CHUNK_SECONDS / max(seconds, 1e-9)), -(-members.count // (_CHUNKS_EACH * many))
        size = size or max(1, min(fit, share))
    if store is not None:
        store.open(size)
    missing = []
    for k, chunk in enumerate(cut(members, work, size)):
        result = first[k] if k < len(first) else None if store is None else store.get(chunk)
        if result is None:
            missing.append(chunk)
            continue
        if store is not None and k < len(first):
            store.put(chunk, result)
        yield chunk, result, k < len(first)
    for chunk, result in run_all(work, missing) if missing else ():
        if store is not None and LOST not in result.status:
            store.put(chunk, result)
        yield chunk, result, True


def _first_members(work: Work, members: Members) -> tuple[list[ChunkResult], float]:
    """Results of the first two members, which show what is wrong with the call, and the seconds of the last."""
    make_ready(work)
    results, seconds = [], 0.0
    for chunk in cut(members, work, members.count)[:2]:
        began = time.perf_counter()
        results.append(run_chunk(work, chunk))
        seconds = time.perf_counter() - began
    messages = {result.messages[0] for result in results}
    if len(messages) == 1 and all(result.status[0] == REFUSED for result in results):
        last = Chunk(members.count - 1, members.part(slice(members.count - 1, None)).varied, work.key)
        if run_chunk(work, last).messages[0] in messages:  # it is not the values that are wrong
            simulate(work.derivation, work.duration, **members.member(0))
    return results, seconds


def _sweep(work: Work, design: Design, results: Mapping[int, ChunkResult], computed: int, began: float) -> Sweep:
    merged, values = merge(results, design.members.count)
    info = {"computed": computed, "wall_time": time.perf_counter() - began}
    batch = None
    if not work.measures and results:
        parts = {first: result.batch for first, result in results.items() if result.batch is not None}
        batch = joined(parts, work.derivation, work.duration, design.members, make_ready(work).functions)
    equations = work.derivation.equations
    units = result_units(equations, work.measures)
    return Sweep(
        design.axes, design.zipped, values, merged.status, merged.messages, merged.notices, batch, info,
        equations.system.name, varied_units(equations, design.members.varied),
        {name: units.get(name, "") for name in values},
    )  # fmt: skip


#: What runs chunks of a work.
_RunAll: TypeAlias = "Callable[[Work, Sequence[Chunk]], Arrivals]"


def _runner(options: Mapping[str, Any]) -> tuple[_RunAll, int]:
    """The function that runs chunks (in workers, an executor or a client), and how many run at a time."""
    workers, executor, client = options["workers"], options["executor"], options["client"]
    runners = [name for name, value in options.items() if value is not None]
    if len(runners) > 1:
        message = f"{' and '.join(runners)} are given; one of them runs the sweep."
        raise PolhodeError(message, "sweep", "Give one of them.", "E-BATCH-TWICE")
    if client is not None:
        check_client(client)
        return lambda work, chunks: on_cluster(work, chunks, client), max(1, sum(client.nthreads().values()))
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            cure = "Give one of concurrent.futures, or a Dask client as client=."
            raise PolhodeError(f"{shown(executor)} is no executor.", "executor", cure, "E-BATCH-TYPE")
        return lambda work, chunks: on_executor(work, chunks, executor), cores()
    count = cores() if workers is None else whole_number(workers, "a whole number ≥ 1", least=1, place="workers")
    return lambda work, chunks: on_processes(work, chunks, min(count, len(chunks))), count


def _key(derivation: Derivation, duration: float, design: Design, measures: Any, durable: bool) -> str:
    """Digest of all that the result of a member depends on, but for the values that are varied."""
    try:
        parts = [content_of(design.members.shared), content_of(measures)]
    except Unknowable as unknowable:
        if durable:
            message = f"what this sweep gives cannot be known again: it depends on {unknowable}."
            cure = "Put the function into a module of its own, or leave the store out."
            raise PolhodeError(message, "store", cure, "E-BATCH-UNSUPPORTED") from None
        parts = [os.urandom(16).hex()]
    return key_of(version_digest(), derivation.key, repr(float(duration)), *parts)
