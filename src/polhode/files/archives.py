"""NumPy archives (.npz) with a record of JSON: arrays and plain words, never code.

A reader trusts nothing that a file states of itself: the shape of an array is compared with the number of its bytes
before memory is taken for it.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..errors import FormatError, PolhodeError, shown

MOST_BYTES = 8_000_000_000
_RECORD = "meta"


def packed(record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of an archive of a record and arrays of numbers or texts.

    >>> unpacked(packed({"version": 1}, {"t": np.array([0.0, 0.5])}), 1)
    ({'version': 1}, {'t': array([0. , 0.5])})
    """
    file = io.BytesIO()
    content = np.frombuffer(json.dumps(record).encode("utf-8"), dtype=np.uint8)
    np.savez_compressed(file, allow_pickle=False, **{_RECORD: content}, **arrays)
    return file.getvalue()


def unpacked(content: bytes, version: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The record and the arrays of an archive; read it inside of `readable`."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_BYTES:
            raise ValueError(f"it would unpack to {size:,} bytes")
        arrays = {entry.filename.removesuffix(".npy"): _array(archive, entry) for entry in archive.infolist()}
    record = dict(json.loads(arrays.pop(_RECORD).astype(np.uint8, casting="equiv").tobytes()))
    if record["version"] != version:
        message = f"the file has version {shown(record['version'])}; this polhode reads version {version}."
        raise FormatError(message, cure="Save it again with this version of polhode.", code="E-FILE-READ")
    return record, arrays


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(entry) as file:
        header = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
        shape, by_column, dtype = header(file)
        if dtype.hasobject or prod(shape) * dtype.itemsize != entry.file_size - file.tell():
            raise ValueError("an array and its header differ")
        return np.ndarray(shape, dtype, file.read(), order="F" if by_column else "C").copy(order="C")


@contextmanager
def readable(path: str | os.PathLike[str], what: str, writer: str) -> Iterator[None]:
    """Read a file that may be missing, damaged or hostile: whatever a reader raises becomes one FormatError.

    >>> with readable("runs.npz", "a saved batch", "Batch.save"):
    ...     unpacked(b"PK", 1)
    Traceback (most recent call last):
    polhode.errors.FormatError: runs.npz: the file is damaged or is not a saved batch: File is not a zip file.
      Give a file that Batch.save wrote.  [E-FILE-READ]
    """
    name = os.fspath(path)
    try:
        yield
    except PolhodeError as error:
        problems = [replace(problem, place=problem.place or name) for problem in error.problems]
        raise type(error)(problems=problems) from None
    except OSError as error:
        message = f"the file cannot be read: {error.strerror or error}."
        raise FormatError(message, name, "Check its path and its permissions.", "E-FILE-READ") from None
    except MemoryError:
        message = "there is not enough memory to read the file."
        raise FormatError(message, name, "Keep fewer samples or runs in it.", "E-FILE-SIZE") from None
    except Exception as error:  # readers of damaged files raise whatever they meet
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        damage = f"the file is damaged or is not {what}: {reason.rstrip('.')}."
        raise FormatError(damage, place=name, cure=f"Give a file that {writer} wrote.", code="E-FILE-READ") from error
