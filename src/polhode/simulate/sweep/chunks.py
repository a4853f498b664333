"""Chunks: a sweep cut into tasks that are pure, each known by a digest of all that its result follows from."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ...errors import PolhodeError
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
    """Put the results of chunks at their places; members that are in none were not run.

    Names and shapes are those of the first member that has measures, and one with others fails: so it does not matter
    how members were cut into chunks.
    """
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
