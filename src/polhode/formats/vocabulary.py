"""The record of a whole model file, made from the types that are registered: a new one is read because it is listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Union

import pydantic

from ..errors import ModelError
from ..model.fields import Field
from ..model.forces import FORCES
from ..model.forces.protocol import ForceElement
from ..model.joints import JOINTS, JointType
from . import records
from .fields import keys_of, record_of


def model_record() -> type[records.Model]:
    """The record that a model file is checked against."""
    return _made(tuple(JOINTS.values()), tuple(FORCES.values()))


@cache
def _made(joints: tuple[type[JointType], ...], forces: tuple[type[ForceElement], ...]) -> type[records.Model]:
    types = Field("type", "word", None, choices=tuple(each.name for each in joints))
    keys: dict[str, Any] = keys_of([types, *_options(joints)])
    motion = _like(records.Motion, **keys, sequence=("tuple[Motion, ...] | None", None))
    joint, closure = (_like(base, motion) for base in (records.Joint, records.Closure))
    sections: dict[str, Any] = {"joints": joint, "closures": closure}
    loads = [record_of(each.__name__, each.__doc__ or "", each.fields(), each.kind) for each in forces]
    load: Any = Annotated[Union[tuple(loads)], pydantic.Field(discriminator="type")]  # noqa: UP007
    made: type[records.Model] = _like(
        records.Model, **{key: _by_name(each) for key, each in sections.items()}, loads=(tuple[load, ...], ())
    )
    return made


def _by_name(record: Any) -> tuple[Any, Any]:
    """A section of the file: records under their names, none unless given."""
    return (dict[records.Name, record], {})


def _like(base: type[records.Record], *more: type[records.Record], **keys: Any) -> Any:
    """A record with the name and meaning of another, and further keys."""
    return pydantic.create_model(base.__name__, __base__=(*more, base), __doc__=base.__doc__, **keys)


def _options(joints: Iterable[type[JointType]]) -> list[Field]:
    """What joint types take, once for each name; all may be missing, as each type takes its own."""
    made: dict[str, Field] = {}
    takers: dict[str, list[str]] = {}
    for each in joints:
        for field in each.fields:
            takers.setdefault(field.name, []).append(each.name)
            first = made.setdefault(field.name, field)
            taken = field.name in {**records.Joint.model_fields, **records.Closure.model_fields}
            if taken or (first.kind, first.many, first.choices) != (field.kind, field.many, field.choices):
                raise ModelError(
                    f"the field '{field.name}' has another meaning in a model file.",
                    place=f"joint type '{each.name}'",
                    cure="Give it another name.",
                    code="E-JOINT-013",
                )
    return [replace(field, default=None, doc=f"Of {', '.join(takers[name])}.") for name, field in made.items()]
