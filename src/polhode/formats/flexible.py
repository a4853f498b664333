"""Flexible bodies in a model file, in and out; what they add to the model is not written again.

A station is called `boom at L/2` wherever a body is named: the name of the flexible body, and where on it, as in
Python. The first time it is named it is added; `stations` under the flexible body lists them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ..errors import FormatError, PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, substitute
from ..files.reading import locate
from ..model import Node, System
from ..model.body import inertia_of
from ..model.constraints import CONSTRAINTS
from ..model.flexible.beam import Beam
from ..model.flexible.deformation import is_list
from ..model.flexible.modal import PLACE, ModalBody
from ..model.flexible.mounting import FlexibleBody
from ..model.forces import FORCES
from ..model.motor import Motor
from . import records
from .document import Path
from .fields import Values, describe_fields, read_fields
from .grammar import parse
from .names import Scope, scope_of
from .spelling import spell

_AT = " at "

# ---- in ------------------------------------------------------------------------------------------------------


def add_flexible(system: System, values: Values, model: records.Model) -> None:
    """The flexible bodies of a file with their stations, listed ones first, then those that the rest of it names."""
    records_by_name: Mapping[str, Any] = getattr(model, "flexible", {})  # a section that the vocabulary adds
    for key, record in records_by_name.items():
        path: Path = ("flexible", key)
        before = len(values.document.problems)
        entries = _beam(values, path, record) if record.type == "beam" else _modal(values, path, record)
        if len(values.document.problems) == before:
            with values.noting(path):
                system.beam(key, **entries) if record.type == "beam" else system.flexible_body(key, **entries)
        if key not in system.bodies:
            with suppress(PolhodeError):
                system.body(key)  # so that the joints which name it are not wrong as well
        for number, station in enumerate(record.stations):
            listed = station if isinstance(station, records.Station) else records.Station.model_construct(at=station)
            with values.noting((*path, "stations", number)):
                _station(system, key, listed.at, listed.static)
    for path, text in _named(values.document.data):
        key = next((key for key in records_by_name if text.startswith(key + _AT)), "")
        if not key or text in model.bodies or text in model.frames or text in values.stations:
            continue
        values.stations[text] = key
        with values.noting(path):
            at = text.removeprefix(key + _AT).strip()
            is_position = at[:1] == "(" and at[-1:] == ")" and "," in at
            values.stations[text] = _station(system, key, at[1:-1].split(",") if is_position else at)


def _named(data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The texts that name a body or frame, with their paths."""
    elements = (
        Motor.fields,
        *(kind.fields for kind in FORCES.values()),
        *(kind.fields for kind in CONSTRAINTS.values()),
    )
    keys = {field.name for fields in elements for field in fields if field.kind in ("body", "frame")}
    keys |= {"parent", "child", "body"}
    tables = dict.fromkeys(["frames", "joints", "motors", *(kind.table for kind in CONSTRAINTS.values()), "loads"])
    for table in tables:
        section = data.get(table) or {}
        for owner, entry in enumerate(section) if isinstance(section, list) else section.items():
            yield from (((table, owner, key), text) for key, text in entry.items() if key in keys and type(text) is str)


def _station(system: System, key: str, text: Any, static: bool | None = None) -> str:
    """The name of a station at a distance, node or position; the body's name if the body could not be built."""
    body, record, scope = system.bodies.get(key), system.flexible.get(key), scope_of(system, "parameter")
    if not isinstance(body, FlexibleBody) or record is None:
        return key
    at = text
    if is_list(text):
        at = Vector([parse(component, scope) for component in text])
    elif isinstance(record, Beam):
        at = parse(text, scope)
    is_listed = record.with_station(at, False)[0] is record
    return body.at(at, not is_listed if static is None else static).name


def _beam(values: Values, path: Path, record: Any) -> dict[str, Any]:
    entries = read_fields(values, path, Beam.fields, record, values.scope)
    if isinstance(record.modes, str):
        return {**entries, "modes": values.count((*path, "modes"), record.modes)}
    return {**entries, "modes": {key: values.count((*path, "modes", key), mode) for key, mode in record.modes.items()}}


def _modal(values: Values, path: Path, record: records.ModalBody) -> dict[str, Any]:
    plain = ("mass", "com", "inertia", "material", "modal_mass", "stiffness", "damping", "rayleigh")
    texts = {key: values.nested((*path, key), getattr(record, key)) for key in plain}
    inside = replace(values, scope=replace(values.scope, own={x.name: x for x in PLACE}))
    texts["shapes"] = [
        _function(inside.vector((*path, "shapes", k), shape)) for k, shape in enumerate(record.shapes or ())
    ]
    if record.nodes is not None:
        texts["nodes"] = {
            key: Node(
                *(values.nested((*path, "nodes", key, part), getattr(node, part)) for part in records.Node.model_fields)
            )
            for key, node in record.nodes.items()
        }
    if record.data is not None:
        status, file, reason = locate(record.data, FilePath(values.document.file).parent, {})
        texts["data"] = file
        if file is None:
            cure = "Put the file into the folder of the model file, and name it from there."
            values.document.problem((*path, "data"), f"the data file is {status}: {reason}.", cure, "E-MODELFILE-READ")
    return texts


def _function(shape: Vector) -> Any:
    return lambda x, y, z: substitute(list(shape), dict(zip(PLACE, (x, y, z), strict=True)))


# ---- out -----------------------------------------------------------------------------------------------------


def describe_flexible(system: System, scope: Scope, folder: FilePath) -> dict[str, Any]:
    """The entries of a file in a folder for each flexible body."""
    return {
        key: _described(record, scope, folder) | _stations(record, scope) for key, record in system.flexible.items()
    }


def _described(record: Beam | ModalBody, scope: Scope, folder: FilePath) -> dict[str, Any]:
    if isinstance(record, ModalBody):
        return {"type": "modal", **_modal_texts(record, scope, folder)}
    modes = record.modes
    counts = {key: str(mode) for key, mode in modes.items()} if isinstance(modes, Mapping) else str(modes)
    return {"type": "beam", **describe_fields(Beam.fields, record, scope, scope), "modes": counts}


def _modal_texts(record: ModalBody, scope: Scope, folder: FilePath) -> dict[str, Any]:
    """The texts of given values; for the stiffness and inertia those of the resulting matrices."""
    written = dict(record.written)
    data, nodes = written.pop("data", None), written.pop("nodes", None)
    if data is not None:
        return {"data": _relative(data, folder, record.name), **_texts(written, ("damping", "rayleigh"), scope)}
    written["stiffness"] = _rows(record.base.stiffness)
    if "inertia" in written:
        written["inertia"] = inertia_of(written["inertia"], record.name)
    inside = replace(scope, own={x.name: x for x in PLACE})
    texts = _texts(written, ("mass", "com", "inertia", "material", "modal_mass", "damping", "rayleigh"), scope)
    texts |= _texts(written, ("shapes",), inside) | _texts(written, ("stiffness",), scope)
    if nodes is not None:
        parts = tuple(records.Node.model_fields)
        texts["nodes"] = {str(key): _texts(vars(node), parts, scope) for key, node in nodes.items()}
    return texts


def _texts(written: Mapping[str, Any], keys: tuple[str, ...], scope: Scope) -> dict[str, Any]:
    """The texts of these keys, without missing ones."""
    result = {key: _nested(written[key], scope) for key in keys if written.get(key) is not None}
    return {key: text for key, text in result.items() if text not in ([], "0")}


def _nested(value: Any, scope: Scope) -> Any:
    """A number, vector, matrix or nested list of them as texts."""
    if isinstance(value, Matrix):
        value = [list(value[i, :]) for i in range(value.shape[0])]
    return [_nested(entry, scope) for entry in value] if is_list(value) else spell(as_expr(value), scope)


def _rows(stiffness: Matrix) -> Any:
    """A number for each coordinate where the matrix is diagonal."""
    n = stiffness.shape[0]
    is_diagonal = not any(stiffness[i, j] for i in range(n) for j in range(n) if i != j)
    return [stiffness[i, i] for i in range(n)] if is_diagonal else stiffness


def _relative(data: Any, folder: FilePath, name: str) -> str:
    """The path of a data file from the folder of the model file."""
    file, top = FilePath(data).resolve(), folder.resolve()
    if not file.is_relative_to(top):
        message = f"its data file '{file.name}' is outside the folder of the model file, which reads nothing else."
        raise FormatError(
            message, f"flexible body '{name}'", "Save the model beside its data file.", "E-MODELFILE-READ"
        )
    return file.relative_to(top).as_posix()


def _stations(record: Beam | ModalBody, scope: Scope) -> dict[str, Any]:
    """The list of stations, from which their names follow again."""
    if isinstance(record, ModalBody):
        listed = [at if isinstance(at, str) else [spell(entry, scope) for entry in at] for _, at in record.stations]
        return {"stations": listed} if listed else {}
    result: list[Any] = []
    for name, ratio, static in record.stations:
        at = spell(_distance(record, name, as_expr(ratio) * record.length, scope), scope)
        result.append(at if static else {"at": at, "static": "false"})
    return {"stations": result} if result else {}


def _distance(beam: Beam, name: str, usual: Expr, scope: Scope) -> Expr:
    """The expression that a station has its name from."""
    with suppress(FormatError):
        written = parse(name.removeprefix(beam.name + _AT), scope)
        if f"{beam.name}{_AT}{written}" == name:
            return written
    if f"{beam.name}{_AT}{usual}" == name:
        return usual
    message = f"the station '{name}' has no name that a model file can spell."
    raise FormatError(message, place=beam.place, cure="Name its parameters by single words.", code="E-MODELFILE-WRITE")
