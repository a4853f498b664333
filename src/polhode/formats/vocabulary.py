"""The record of a whole model file, made from the types that are registered: a new one is read because it is listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

import pydantic

from ..errors import ModelError
from ..model.constraints import CONSTRAINTS, Closure, Constraint
from ..model.fields import Field
from ..model.flexible.beam import Beam
from ..model.forces import FORCES
from ..model.forces.protocol import ForceElement
from ..model.joints import JOINTS, JointType
from ..model.motor import Motor
from . import records
from .fields import keys_of, record_of

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
    # These types are made at run time, which a type checker cannot follow.
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
                raise ModelError(said, place=place, cure="Give it another name.", code="E-JOINT-013")
            words = dict.fromkeys((*first.choices, *field.choices))  # the type knows which of them are its own
            made[field.name] = replace(first, choices=tuple(words))
    return [replace(field, default=None, doc=f"Of {', '.join(takers[name])}.") for name, field in made.items()]
