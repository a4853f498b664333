"""Trajectories as text, as NumPy archives and as xarray datasets; plain data in, plain data out, never code."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FormatError, PolhodeError, installed, path_of
from ...files.archives import packed, readable, unpacked
from ...files.reading import read_file
from ...model.unit import Si
from ..initial_state import Floats
from .column_names import KINDS, NAMES, variable_names
from .trajectory import Trajectory

_VERSION = 1
_MOST_BYTES = 4_000_000_000
#: How the names of columns begin in comma-separated text, by array; and all, of which others are not read.
_PREFIXES = {"q": "q.", "u": "u.", "z": "z.", "tau": "tau.", "inputs": "input."}
_COLUMNS = (*_PREFIXES.values(), "torque.", "force.", "energy.", "reference.", "controller.",
            "gap.", "normal.", "tangential_1.", "tangential_2.", "slip_1.", "slip_2.", "mode.")  # fmt: skip
_FIXED = {"torque.": "N·m", "force.": "N"}
_ARRAYS = ("t", *NAMES)
#: What writes a run as another kind of file.
_OTHERS = {
    ".csv": "to_csv (--csv)",
    ".nc": "to_xarray().to_netcdf",
    ".zarr": "to_xarray().to_zarr",
    ".html": "animate (--page)",
}


def columns_of(run: Trajectory) -> Iterator[tuple[str, str, Floats]]:
    """Array, name and values of all columns, dependent coordinates and speeds included, and efforts if any acted."""
    more = dict(zip("qu", run.dependent, strict=True))
    for field in _PREFIXES:
        names, values = getattr(run, NAMES[field]), getattr(run, field)
        if field in ("tau", "inputs") and (not names or values is None or not np.isfinite(values).all()):
            continue
        if field != "tau" or np.any(values):
            yield from ((field, name, column) for name, column in zip(names, values.T, strict=True))
        yield from ((field, name, column) for name, column in more.get(field, {}).items())


# ---- comma-separated text ------------------------------------------------------------------------------------


def as_csv(trajectory: Trajectory, reactions: str | Sequence[str] = (), contacts: str | Sequence[str] = ()) -> bytes:
    """Time, then columns `q.name`, `u.name`, `z.name`, `tau.name` and `input.name`, with SI units: `q.hinge [rad]`."""
    from ...model.lookup import units_by_name
    from ..contact.results import columns_of_contacts, names_in

    units = {} if trajectory.functions is None else units_by_name(trajectory.functions.derivation.model)
    names, columns = ["time [s]" if units else "time"], [trajectory.t]

    def add(prefix: str, name: str, values: Floats, kind: str = "") -> None:
        unit = _FIXED.get(prefix) or units.get(kind, {}).get(name) or "?" * name.endswith("]")
        names.append(f"{prefix}{name} [{unit}]" if unit and units else f"{prefix}{name}")
        columns.append(values)

    for field, name, values in columns_of(trajectory):
        add(_PREFIXES[field], name, values, KINDS[field][0])
    if trajectory.loop is not None and trajectory.functions is not None:
        for name, values in trajectory.reference.items():
            add("reference.", name, values)
    if trajectory.controller is not None:
        for name, values in zip(trajectory.controller.names, trajectory.controller.held(trajectory.t).T, strict=True):
            add("controller.", name, values)
    for name in names_in(reactions):
        _, torque, force = trajectory.reaction(name)
        for prefix, vectors in (("torque.", torque), ("force.", force)):
            for axis, values in zip("xyz", vectors.T, strict=True):
                add(prefix, f"{name}.{axis}", values)
    for what, name, unit, values in columns_of_contacts(trajectory, contacts):
        names.append(f"{what}.{name} [{unit}]" if unit else f"{what}.{name}")
        columns.append(values)
    text = io.StringIO()
    if not trajectory.is_whole:
        text.write(f"# partial: {trajectory.status}; {' '.join(trajectory.message.split())}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in np.column_stack(columns).tolist():
        writer.writerow([repr(value) for value in row])
    return encoded(text.getvalue())


def encoded(text: str) -> bytes:
    """A text in UTF-8, or an error that names the half of a character in it."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        lone = ascii(error.object[error.start])
        message = f"a name holds {lone}, half of a character, which no text file can hold."
        cure = "Name it otherwise, or keep the result with save, as .npz."
        raise PolhodeError(message, cure=cure, code="E-FILE-WRITE") from None


def read_csv(path: Path) -> dict[str, Any]:
    """The fields of a trajectory from such a text; errors have the number of the line."""
    with readable(path, "a trajectory", "to_csv"):
        return _csv_fields(path, read_file(path, _MOST_BYTES))


def _csv_fields(path: Path, content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        cure = "Give a CSV file in UTF-8, as `to_csv` writes it."
        raise FormatError("the file is not UTF-8 text.", str(path), cure, "E-FILE-READ") from error
    status, message = "done", ""
    if text.startswith("# partial: "):
        first, _, text = text.partition("\n")
        status, _, message = first.removeprefix("# partial: ").partition("; ")
    before = 1 if status != "done" else 0
    reader = csv.reader(io.StringIO(text, newline=""))
    header = next(reader, [])
    if header[:1] == ["time [s]"]:
        header = [re.sub(r" \[[^\[\]]*\]$", "", name) for name in header]
    if not header or header[0] != "time" or not all(name.startswith(_COLUMNS) for name in header[1:]):
        cure = 'The header is "time", then columns q.… for coordinates, u.… for speeds and z.… for states.'
        raise FormatError("this is not a trajectory.", f"{path}:{1 + before}", cure, "E-FILE-READ")
    read = [k for k, name in enumerate(header) if name.startswith(("time", *_PREFIXES.values()))]
    table = _rows(reader, len(header), read, path, before)
    fields: dict[str, Any] = {"t": table[:, 0], "status": status, "message": message}
    for field, prefix in _PREFIXES.items():
        columns = [k for k, name in enumerate(header) if name.startswith(prefix)]
        fields[NAMES[field]] = tuple(header[k].removeprefix(prefix) for k in columns)
        if columns or field not in ("tau", "inputs"):
            fields[field] = table[:, columns]
    return fields


def _rows(reader: Any, width: int, read: Sequence[int], path: Path, before: int) -> Floats:
    """The rows of a table, whose columns that are `read` are finite."""
    rows: list[list[float]] = []
    for row in filter(None, reader):
        values, problem, cure = [], "", ""
        if len(row) != width:
            problem, cure = f"{len(row)} values, expected {width}.", "Give each row a value for each column."
        try:
            values = [float(value) for value in row]
        except ValueError:
            if not problem:
                problem, cure = "a value is not a number.", "Write numbers with a point, as 0.5."
        if not problem and not np.isfinite([values[k] for k in read]).all():
            problem, cure = "a value is not finite.", "Leave the row out."
        if not problem and rows and values[0] <= rows[-1][0]:
            problem = f"time does not increase: {values[0]:g} after {rows[-1][0]:g}."
            cure = "Sort the rows by time, each time once."
        if problem:
            raise FormatError(problem, f"{path}:{reader.line_num + before}", cure, "E-FILE-READ")
        rows.append(values)
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


# ---- NumPy archives ------------------------------------------------------------------------------------------


def archive_path(path: str | os.PathLike[str]) -> Path:
    """The path of an archive; one whose name says that it is another kind of file is refused."""
    file = path_of(path)
    if (kind := file.suffix.lower()) in _OTHERS:
        cure = f"Name it .npz; {_OTHERS[kind]} writes {kind!r}."
        raise PolhodeError(f"a run is saved as a NumPy archive, and not as {kind!r}.", str(file), cure, "E-FILE-WRITE")
    return file


def as_archive(trajectory: Trajectory) -> bytes:
    """An .npz with the arrays, and everything else as JSON, so that nothing is unpickled."""
    words = {
        "version": _VERSION,
        **{field: getattr(trajectory, field) for field in NAMES.values()},
        "status": trajectory.status,
        "message": trajectory.message,
        "info": plain_info(trajectory.info),
        "parameters": {name: float(value) for name, value in trajectory.parameters.items()},
    }
    arrays = {name: getattr(trajectory, name) for name in _ARRAYS}
    return packed(words, {name: array for name, array in arrays.items() if array is not None})


def read_archive(path: Path) -> dict[str, Any]:
    """The fields of a trajectory from such an archive."""
    with readable(path, "a saved trajectory", "Trajectory.save"):
        words, stored = unpacked(read_file(path, _MOST_BYTES), _VERSION)
        arrays = {name: stored[name] for name in _ARRAYS if name in stored or name in ("t", "q", "u")}
        arrays.setdefault("z", np.zeros((arrays["t"].size, 0)))  # as before there were first-order states
        names = {field: strings(words.get(field, [])) for field in NAMES.values()}
        for name, array in arrays.items():
            has_names = NAMES.get(name) in words  # files of old have no names of efforts and inputs
            width = (len(names[NAMES[name]]),) if has_names else array.shape[1:2] if name != "t" else ()
            if array.dtype != np.float64 or array.shape != (arrays["t"].size, *width):
                raise ValueError(f"array {name} has type {array.dtype} and shape {array.shape}")
        return {
            **arrays,
            **names,
            "status": str(words["status"]),
            "message": str(words["message"]),
            "info": read_info(words["info"]),
            "parameters": {str(name): Si(value) for name, value in words["parameters"].items()},
        }


def strings(names: Any) -> tuple[str, ...]:
    """A list of texts from a file, with no text twice."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        raise TypeError("a list of names is damaged")
    return tuple(names)


def plain_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """The run's info as JSON can store it; other values become text."""
    from ..contact.results import ContactHistory

    def plain(value: Any) -> Any:
        if isinstance(value, str | bool | int | float) or value is None:
            return value
        if isinstance(value, list | tuple):
            return value.record if isinstance(value, ContactHistory) else [plain(entry) for entry in value]
        return str(value)

    return {str(key): plain(value) for key, value in info.items()}


def read_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """The run's info from the output of `plain_info`, with the history of its contacts."""
    from ..contact.results import ContactHistory

    facts = {str(key): value for key, value in info.items() if key != "contacts"}
    contacts = info.get("contacts")
    return {**facts, "contacts": ContactHistory.of(contacts)} if isinstance(contacts, dict) else facts


# ---- xarray --------------------------------------------------------------------------------------------------


def to_xarray(trajectory: Trajectory, reactions: str | Sequence[str] = (), contacts: str | Sequence[str] = ()) -> Any:
    """A dataset over `time`: coordinates and states by name, speeds as `d(name)`, `tau(name)`, `input(name)`."""
    from ..contact.results import columns_of_contacts, names_in

    xarray = installed("xarray", "data", code="E-FILE-READ")
    columns: list[tuple[str, str, str, Any]] = [
        (KINDS[field][0], name, KINDS[field][1].format(name), ("time", values))
        for field, name, values in columns_of(trajectory)
    ]
    axes = {"axis": list("xyz")} if reactions else {}
    for name in names_in(reactions):
        _, torque, force = trajectory.reaction(name)
        for kind, vectors in (("torque", torque), ("force", force)):
            columns.append((kind, name, f"{kind}({name})", (("time", "axis"), vectors)))
    for what, name, _, values in columns_of_contacts(trajectory, contacts):
        columns.append((what, name, f"{what}({name})", ("time", values)))
    labels, titles = variable_names([column[:3] for column in columns], ("time", "axis"))
    variables = {
        label: (*value, {"long_name": titles[label]} if label in titles else {})
        for label, (*_, value) in zip(labels, columns, strict=True)
    }
    attributes = {"status": trajectory.status, "message": trajectory.message}
    return xarray.Dataset(variables, coords={"time": trajectory.t, **axes}, attrs=attributes)
