"""The store of a sweep: a folder that has each chunk's result from the moment it arrives, whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from json import dumps, loads
from pathlib import Path

import numpy as np

from ...errors import PolhodeError, path_of
from ...files.archives import MOST_BYTES, readable
from ...files.reading import read_file
from ...files.writing import WAITING, put_in_place
from ..batch.files import as_dataset, of_dataset
from ..trajectory.datasets import Dataset, as_archive, of_archive
from .chunks import Chunk, ChunkResult, notices_of

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
        """How many members a chunk has in a folder that holds this sweep already; None where it holds none.

        A folder that holds another sweep, or anything else, is refused.
        """
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
            raise PolhodeError(
                f"the folder cannot be written to: {getattr(error, 'strerror', None) or error}.",
                place=str(path),
                cure="Name a folder that you may write to.",
                code="E-SWEEP-041",
            ) from error
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
            raise PolhodeError(
                f"a result cannot be stored: {error.strerror or error}.",
                place=str(self.folder),
                cure="Make room and run the sweep again: it goes on from what is stored.",
                code="E-SWEEP-042",
            ) from error

    def _file(self, chunk: Chunk) -> Path:
        return self.folder / f"{chunk.key}.npz"


def _listed(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except OSError as error:
        raise _refused(path, f"it cannot be looked into: {error.strerror or error}.") from None


def _refused(path: Path, words: str) -> PolhodeError:
    return PolhodeError(words, place=str(path), cure="Name an empty folder as store, or delete it.", code="E-SWEEP-040")


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
