"""Samples of an input or an effort from a file of comma-separated text: a time and a value in each line."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..expr.calls import Function, samples_of
from ..files.archives import readable
from ..files.reading import read_file

_MOST_BYTES = 20_000_000
_CURE = "Write a time in seconds and a value in each line, with a comma between: 0.1,2.5"


def with_samples(laws: Mapping[str, str], option: str) -> dict[str, Any]:
    """What was given by name: a text that ends in .csv names a file, whose samples take its place."""
    return {
        name: read_samples(Path(text), name, f"{option} {name}") if text.lower().endswith(".csv") else text
        for name, text in laws.items()
    }


def read_samples(path: Path, name: str, place: str) -> Function:
    """The samples of a file, joined by straight lines; a first line of words is a header."""
    try:
        lines = read_file(path, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        cure = "Name a file of times and values."
        raise FormatError(f"there is no file '{path}'.", place, cure, "E-FILE-NAME") from None
    except UnicodeDecodeError:
        raise FormatError(f"'{path}' is not text in UTF-8.", place=place, cure=_CURE, code="E-FILE-READ") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        cure = "Give a text file with two columns, time and value."
        raise FormatError(f"'{path}' cannot be read: {reason}.", place, cure, "E-FILE-READ") from None
    rows = [(number, line) for number, line in enumerate(lines, start=1) if line.strip() and line.lstrip()[0] != "#"]
    times: list[float] = []
    values: list[float] = []
    for k, (number, line) in enumerate(rows):
        here = f"{place}: {path}:{number}"
        with readable(here, "a table of samples", "a spreadsheet"):
            cells = [cell.strip() for cell in next(csv.reader([line]))]
        if len(cells) != 2:
            columns = "1 column stands" if len(cells) == 1 else f"{len(cells)} columns stand"
            raise FormatError(f"{columns} where two should, time and value.", here, _CURE, "E-FILE-READ")
        if k == 0 and not any(map(_is_number, cells)):
            continue
        time, value = (_number(cell, here) for cell in cells)
        if times and not times[-1] < time:
            said = f"the time {time!r} does not come after {times[-1]!r}, the one before it."
            raise FormatError(said, place=here, cure="Sort the lines by time, and remove doubles.", code="E-FILE-READ")
        times.append(time)
        values.append(value)
    if len(times) < 2:
        said = f"'{path}' has {len(times) or 'no'} sample{'s' * (len(times) != 1)}; two or more are needed."
        raise FormatError(said, place=place, cure=_CURE, code="E-FILE-READ")
    return samples_of(times, values, "linear", name, f"{place}: {path}")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, place: str) -> float:
    number = float(cell) if _is_number(cell) else float("nan")
    if not isfinite(number):
        raise FormatError(f"{cell!r} is not a finite number.", place=place, cure=_CURE, code="E-FILE-READ")
    return number
