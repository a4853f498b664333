"""The record of a whole model file, made from the types that are registered: a new one is read because it is listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, get_args

import pydantic
from pydantic import BaseModel, ValidationError

from ..errors import ModelError, suggestion
from ..model.constraints import CONSTRAINTS, Closure, Constraint
from ..model.fields import Field
from ..model.flexible.beam import Beam
from ..model.forces import FORCES
from ..model.forces.protocol import ForceElement
from ..model.joints import JOINTS, JointType
from ..model.motor import Motor
from . import records
from .document import Document, Path
from .fields import keys_of, record_of
from .records import Model

Joints = tuple[type[JointType], ...]
Forces = tuple[type[ForceElement], ...]
ConstraintKinds = tuple[type[Constraint], ...]


def model_record() -> type[records.Model]:
    """The record that a model file is checked against.

    >>> sorted(set(model_record().model_fields) - set(records.Model.model_fields))
    ['closures', 'conditions', 'flexible', 'motors', 'rolling']
    """
    return _made(tuple(JOINTS.values()), tuple(FORCES.values()), tuple(CONSTRAINTS.values()))


@cache
def _made(joints: Joints, forces: Forces, constraints: ConstraintKinds) -> type[records.Model]:
    motion = motion_record(joints)
    tables: dict[str, list[Any]] = {}
    for each in constraints:
        record = record_of(each.__name__, each.__doc__ or "", each.fields, None if each.alone else each.kind, motion)
        tables.setdefault(each.table, []).append(record)
    loads = [record_of(each.__name__, each.__doc__ or "", each.fields, each.kind) for each in forces]
    beam = record_of("Beam", Beam.__doc__ or "", Beam.fields, "beam")
    beams = _like(beam, modes=(records.Modes, "3"), stations=(records.Stations, ()))
    # What is ignored below are types that are made at run time.
    sections: dict[str, Any] = {
        "joints": (dict[records.Name, _like(records.Joint, motion)], {}),  # type: ignore[misc]
        **{table: (dict[records.Name, _one_of(made)], {}) for table, made in tables.items()},  # type: ignore[misc]
        "flexible": (dict[records.Name, _one_of([beams, records.ModalBody])], {}),  # type: ignore[misc]
        "motors": (dict[records.Name, record_of("Motor", Motor.__doc__ or "", Motor.fields)], {}),  # type: ignore[misc]
        "loads": (tuple[_one_of(loads), ...], ()),  # type: ignore[misc]
    }
    made: type[records.Model] = _like(records.Model, **sections)
    return made


def _one_of(made: list[Any]) -> Any:
    """One of several records, told apart by their type; a kind that stands alone has none."""
    if "type" not in made[0].model_fields or issubclass(made[0], records.Motion):
        return made[0]
    return Annotated[reduce(or_, made), pydantic.Field(discriminator="type")]


def _like(base: type[records.Record], *more: type[records.Record], **keys: Any) -> Any:
    """A record with the name and meaning of another, and further keys."""
    return pydantic.create_model(base.__name__, __base__=(*more, base), __doc__=base.__doc__, **keys)


@cache
def motion_record(joints: Joints) -> type[records.Motion]:
    """How joints move: a type, and what any of them takes."""
    types = Field("type", "word", None, choices=tuple(each.kind for each in joints))
    keys: dict[str, Any] = keys_of([types, *_options(joints)])
    made: type[records.Motion] = _like(records.Motion, **keys, sequence=("tuple[Motion, ...] | None", None))
    return made


def _options(joints: Iterable[type[JointType]]) -> list[Field]:
    """What joint types take, once for each name; all may be missing, as each type takes its own."""
    made: dict[str, Field] = {}
    takers: dict[str, list[str]] = {}
    reserved = {*records.Joint.model_fields, *(field.name for field in Closure.fields)}
    for each in joints:
        for field in each.fields:
            takers.setdefault(field.name, []).append(each.kind)
            first = made.setdefault(field.name, field)
            if field.name in reserved or (first.kind, first.many) != (field.kind, field.many):
                said = f"the field '{field.name}' has another meaning in a model file."
                place = f"joint type '{each.kind}'"
                raise ModelError(said, place=place, cure="Give it another name.", code="E-JOINT-NAME")
            words = dict.fromkeys((*first.choices, *field.choices))  # the type knows which of them are its own
            made[field.name] = replace(first, choices=tuple(words))
    return [replace(field, default=None, doc=f"Of {', '.join(takers[name])}.") for name, field in made.items()]


_TURN = "A turn is [axis, angle], for example [z, pi/2]."
_KINDS = {dict: "a mapping", list: "a list", str: "text", type(None): "nothing"}


def validate(document: Document) -> Model | None:
    """The document as a record; None after noting what is wrong with it."""
    try:
        return model_record().model_validate(document.data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _note(document, detail)
        return None


def _note(document: Document, detail: Mapping[str, Any]) -> None:
    path, value = _walk(document.data, detail["loc"])
    if detail["type"] == "missing":
        path = (*path, detail["loc"][-1])
    message, cure = _words(detail, path, value)
    document.problem(path, message, cure, "E-MODELFILE-READ")


def _words(detail: Mapping[str, Any], path: Path, value: Any) -> tuple[str, str]:
    """What pydantic found, as message and cure."""
    kind = _KINDS.get(type(value), "this")
    no_mapping = f"expected names and values, got {kind}.", "Write one `name: value` a line."
    match detail["type"]:
        case "missing" if isinstance(path[-1], int):
            return "this list is too short.", _TURN
        case "missing":
            return "this key is missing.", f"Add `{path[-1]}:`."
        case "extra_forbidden":
            known = _known_keys(detail["loc"][:-1])
            listed = f"Known keys: {', '.join(known)}."
            return "there is no such key.", suggestion(str(path[-1]), known, listed, "`{}`".format)
        case "string_type" if value is None:
            return "there is nothing here.", "Write a number, an expression or a name."
        case "string_type":
            return f"expected a number, an expression or a name, got {kind}.", "Write a single value."
        case "tuple_type":
            return f"expected a list, got {kind}.", "Write [0, 0, 1], or one `- …` a line."
        case "dict_type" | "model_type" | "model_attributes_type":
            return no_mapping
        case "too_short" | "too_long":
            wanted = detail["ctx"].get("max_length", detail["ctx"].get("min_length"))
            return f"expected {wanted} entries, got {len(value)}.", _entries(wanted, detail["loc"])
        case "string_too_short" | "string_too_long":
            return f"a name has 1 to 128 characters, not {len(detail['input'])}.", "Choose another name."
        case "union_tag_invalid":
            given = str(detail["ctx"]["tag"])
            known = [part.strip(" '") for part in detail["ctx"]["expected_tags"].split(",")]
            cure = suggestion(given, known, f"Choose one of {', '.join(known)}.", "`{}`".format)
            return f"there is no type {given!r}.", cure
        case "union_tag_not_found":
            return ("the type is missing.", "Add `type:`.") if isinstance(value, dict) else no_mapping
        case "literal_error":
            return f"this is {value!r}, not {detail['ctx']['expected']}.", "This version reads format 1."
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}.", ""


def _entries(wanted: int, loc: tuple[str | int, ...]) -> str:
    """What the entries of a list are."""
    if loc[-1] == "moments":
        return "Write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a 3×3 matrix."
    if wanted == 2:
        return _TURN if {"turn", "turns"} & {*loc} else "Write two entries."
    rows = "Write three rows for rotation and three for translation."
    return rows if wanted == 6 else "Write one entry for each of x, y, z."


def _walk(data: Any, loc: tuple[str | int, ...]) -> tuple[Path, Any]:
    """The keys of a location and the value there, without the names of the variants that were tried."""
    path: list[str | int] = []
    for part in loc:
        if (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        ):
            path.append(part)
            data = data[part]  # type: ignore[index]  # a plain tree of mappings and lists; what is neither is caught
    return tuple(path), data


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand at a location, found by following it through the records."""
    found: list[type[BaseModel]] = [model_record()]
    for part in loc:
        if len(found) == 1 and part in found[0].model_fields:
            found = _records_in(found[0].model_fields[str(part)].annotation)
        elif len(found) > 1:
            found = [record for record in found if _variant(record) == part] or found
    return list(found[0].model_fields) if len(found) == 1 else []


def _records_in(annotation: Any) -> list[type[BaseModel]]:
    """The records that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [record for argument in get_args(annotation) for record in _records_in(argument)]


def _variant(record: type[BaseModel]) -> str:
    """The `type` by which a record is told from the others in its place."""
    kind = record.model_fields.get("type")
    return str(next(iter(get_args(kind.annotation)), "")) if kind is not None else ""
