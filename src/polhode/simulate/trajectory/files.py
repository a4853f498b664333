"""Trajectories as text, as NumPy archives and as xarray datasets; plain data in, plain data out, never code."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import FormatError, PolhodeError, installed, path_of
from ...files.archives import packed, readable, unpacked
from ...files.reading import read_file
from ..initial_state import Floats
from .column_names import NAMES, variable_names

if TYPE_CHECKING:
    from .trajectory import Trajectory

_VERSION = 1
_MOST_BYTES = 4_000_000_000
#: What was carried follows from the rest and is not read again.
_COLUMNS = ("q.", "u.", "z.", "tau.", "input.", "torque.", "force.", "energy.", "reference.", "controller.")
_KINDS = {"q.": "coordinate", "u.": "speed", "z.": "state", "tau.": "effort", "input.": "input"}
_FIXED = {"torque.": "N·m", "force.": "N"}
_ARRAYS = ("t", *NAMES)
#: What writes a run as another kind of file.
_OTHERS = {
    ".csv": "to_csv (--csv)",
    ".nc": "to_xarray().to_netcdf",
    ".zarr": "to_xarray().to_zarr",
    ".html": "animate (--page)",
}


# ---- comma-separated text ------------------------------------------------------------------------------------


def as_csv(trajectory: Trajectory, reactions: Sequence[str] = ()) -> bytes:
    """A column for time, `q.name` for each coordinate and `u.name` for each speed, those that follow last of each.

    A state without mass is `z.name`. Then come `tau.name` for each effort, where any acted, and `input.name` for each
    input. A controller adds `reference.name` for what was wanted and `controller.name` for its sampled states, a
    reaction `torque.name.x` … `force.name.z`.

    Each is followed by its SI unit, as in `q.hinge [rad]`, where it is known.
    What is not whole says so in a first line that begins with `#`.
    """
    text = io.StringIO()
    if not trajectory.is_whole:
        text.write(f"# partial: {trajectory.status}; {' '.join(trajectory.message.split())}\n")
    writer = csv.writer(text, lineterminator="\n")
    names, columns = ["time [s]" if trajectory.functions else "time"], [trajectory.t]
    labels = _Labels(trajectory)
    for kind, known, values, more in zip(
        ("q.", "u."),
        (trajectory.coordinates, trajectory.speeds),
        (trajectory.q, trajectory.u),
        trajectory.dependent,
        strict=True,
    ):
        names += [labels(kind, name) for name in (*known, *more)]
        columns += [values, *more.values()]
    names += [labels("z.", name) for name in trajectory.states]
    columns.append(trajectory.z)
    for kind, known, acting in _acting(trajectory):
        names += [labels(f"{kind}.", name) for name in known]
        columns.append(acting)
    if trajectory.loop is not None and trajectory.functions is not None:
        wanted = trajectory.reference
        names += [labels("reference.", name) for name in wanted]
        columns += [*wanted.values()]
    if trajectory.controller is not None:
        names += [labels("controller.", name) for name in trajectory.controller.names]
        columns.append(trajectory.controller.held(trajectory.t))
    for name in reactions:
        _, torque, force = trajectory.reaction(name)
        columns += [torque, force]
        names += [labels(f"{kind}.", f"{name}.{axis}") for kind in ("torque", "force") for axis in "xyz"]
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


class _Labels:
    """Heads of columns with their SI units, as "q.hinge [rad]", where the mechanism of a run is known."""

    def __init__(self, trajectory: Trajectory) -> None:
        from ...model.lookup import units_by_name

        functions = trajectory.functions
        self.units = {} if functions is None else units_by_name(functions.derivation.model)

    def __call__(self, kind: str, name: str) -> str:
        unit = _FIXED.get(kind) or self.units.get(_KINDS.get(kind, ""), {}).get(name) or "?" * name.endswith("]")
        return f"{kind}{name} [{unit}]" if unit and self.units else f"{kind}{name}"


def _acting(trajectory: Trajectory) -> list[tuple[str, tuple[str, ...], Floats]]:
    """Efforts, where any acted, and inputs, as far as they are known at every sample."""
    parts = []
    if trajectory.tau is not None and np.any(trajectory.tau):
        parts.append(("tau", trajectory.efforts, trajectory.tau))
    if trajectory.inputs is not None:
        parts.append(("input", trajectory.input_names, trajectory.inputs))
    return [part for part in parts if part[1] and np.isfinite(part[2]).all()]


def read_csv(path: Path) -> dict[str, Any]:
    """The fields of a trajectory from such a text; a bad row is named by its number."""
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
    table = _rows(reader, len(header), path, before)
    kinds = ("q.", "u.", "z.", "tau.", "input.")
    columns = {kind: [k for k, name in enumerate(header) if name.startswith(kind)] for kind in kinds}
    acted = {field: table[:, columns[kind]] for field, kind in (("tau", "tau."), ("inputs", "input.")) if columns[kind]}
    return {
        **acted,
        "efforts": tuple(header[k].removeprefix("tau.") for k in columns["tau."]),
        "input_names": tuple(header[k].removeprefix("input.") for k in columns["input."]),
        "t": table[:, 0],
        "q": table[:, columns["q."]],
        "u": table[:, columns["u."]],
        "coordinates": tuple(header[k][2:] for k in columns["q."]),
        "speeds": tuple(header[k][2:] for k in columns["u."]),
        "z": table[:, columns["z."]],
        "states": tuple(header[k][2:] for k in columns["z."]),
        "status": status,
        "message": message,
    }


def _rows(reader: Any, width: int, path: Path, before: int) -> Floats:
    rows: list[list[float]] = []
    for row in reader:
        place = f"{path}:{reader.line_num + before}"
        if not row:
            continue
        if len(row) != width:
            message = f"{len(row)} values, expected {width}."
            raise FormatError(message, place, "Give each row a value for each column.", "E-FILE-READ")
        try:
            values = [float(value) for value in row]
        except ValueError:
            cure = "Write numbers with a point, as 0.5."
            raise FormatError("a value is not a number.", place, cure, "E-FILE-READ") from None
        if not np.isfinite(values).all():
            raise FormatError("a value is not finite.", place, "Leave the row out.", "E-FILE-READ")
        if rows and values[0] <= rows[-1][0]:
            message = f"time does not increase: {values[0]:g} after {rows[-1][0]:g}."
            raise FormatError(message, place, "Sort the rows by time, each time once.", "E-FILE-READ")
        rows.append(values)
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


# ---- NumPy archives ------------------------------------------------------------------------------------------


def archive_path(path: str | os.PathLike[str]) -> Path:
    """The path of an archive; one whose name says that it is another kind of file is refused."""
    found = path_of(path)
    if (kind := found.suffix.lower()) in _OTHERS:
        cure = f"Name it .npz; {_OTHERS[kind]} writes {kind!r}."
        raise PolhodeError(f"a run is saved as a NumPy archive, and not as {kind!r}.", str(found), cure, "E-FILE-WRITE")
    return found


def as_archive(trajectory: Trajectory) -> bytes:
    """An .npz with the arrays as they are and everything else as JSON, so that nothing needs to be unpickled."""
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
    """The fields of a trajectory from such an archive, or an error that says what is wrong with the file."""
    from ...model.unit import Si

    with readable(path, "a saved trajectory", "Trajectory.save"):
        words, found = unpacked(read_file(path, _MOST_BYTES), _VERSION)
        arrays = {name: found[name] for name in _ARRAYS if name in found}
        arrays.setdefault("z", np.zeros((arrays["t"].size, 0)))  # as before there were states without mass
        names = {field: strings(words.get(field, [])) for field in NAMES.values()}
        for name, array in arrays.items():
            known = NAMES.get(name) in words  # files of old have no names of efforts and inputs
            width = (len(names[NAMES[name]]),) if known else array.shape[1:2] if name != "t" else ()
            if array.dtype != np.float64 or array.shape != (arrays["t"].size, *width):
                raise ValueError(f"array {name} has type {array.dtype} and shape {array.shape}")
        return {
            **{name: arrays[name] for name in ("t", "q", "u")},
            **arrays,
            **names,
            "status": str(words["status"]),
            "message": str(words["message"]),
            "info": dict(words["info"]),
            "parameters": {str(name): Si(value) for name, value in words["parameters"].items()},
        }


def strings(given: Any) -> tuple[str, ...]:
    """A list of texts from a file, with no text twice."""
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given) or len({*given}) < len(given):
        raise TypeError("a list of names is damaged")
    return tuple(given)


def plain_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """What of the run's statistics JSON can hold, the rest as text."""

    def plain(value: Any) -> Any:
        if isinstance(value, str | bool | int | float) or value is None:
            return value
        if isinstance(value, list | tuple):
            return [plain(entry) for entry in value]
        return str(value)

    return {str(key): plain(value) for key, value in info.items()}


# ---- xarray --------------------------------------------------------------------------------------------------


def to_xarray(trajectory: Trajectory, reactions: Sequence[str] = ()) -> Any:
    """A dataset over `time`: coordinates and states by name, the speeds as `d(name)` so that they are told apart."""
    xarray = installed("xarray", "data", code="E-FILE-READ")
    columns: list[tuple[str, str, str, Any]] = []
    for kind, names, more, spelling in (
        ("coordinate", trajectory.coordinates, trajectory.dependent[0], "{}"),
        ("speed", trajectory.speeds, trajectory.dependent[1], "d({})"),
        ("state", trajectory.states, (), "{}"),
    ):
        columns += [(kind, n, spelling.format(n), ("time", trajectory.column(kind, n))) for n in (*names, *more)]
    for word, names, acting in _acting(trajectory):
        kind = "effort" if word == "tau" else word
        columns += [(kind, n, f"{word}({n})", ("time", x)) for n, x in zip(names, acting.T, strict=True)]
    axes = {"axis": list("xyz")} if reactions else {}
    for name in reactions:
        _, torque, force = trajectory.reaction(name)
        for kind, vectors in (("torque", torque), ("force", force)):
            columns.append((kind, name, f"{kind}({name})", (("time", "axis"), vectors)))
    chosen, titles = variable_names([each[:3] for each in columns], ("time", "axis"))
    variables = {
        label: (*value, {"long_name": titles[label]} if label in titles else {})
        for label, (*_, value) in zip(chosen, columns, strict=True)
    }
    told = {"status": trajectory.status, "message": trajectory.message}
    return xarray.Dataset(variables, coords={"time": trajectory.t, **axes}, attrs=told)
