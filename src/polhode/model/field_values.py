"""The values of an element's fields, from what a user gives for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, suggestion
from ..expr import symbol
from ..geometry import unit_axis
from .fields import Field
from .lookup import frame_name, placed
from .reading import flag_of, list_of, number_of, positive_of, vector_of
from .track import curve_of

if TYPE_CHECKING:
    from .builder import Builder


def completed(fields: Sequence[Field], given: Mapping[str, Any], place: str) -> dict[str, Any]:
    """What is given for each field, and the defaults of those that are not.

    >>> completed([Field("radius", "number"), Field("axis", "axis", "y")], {"radius": 2}, "wheel")
    {'radius': 2, 'axis': 'y'}
    """
    known = [field.name for field in fields]
    for name in given:
        if name not in known:
            raise ModelError(
                f"it has no field '{name}'.", place=place, cure=suggestion(name, known), code="E-MODEL-085"
            )
    for field in fields:
        if field.is_required and field.name not in given:
            raise ModelError(
                f"its field '{field.name}' is missing.", place=place, cure=f"Give {field.name}=….", code="E-MODEL-086"
            )
    return {field.name: given.get(field.name, field.default) for field in fields}


def field_values(
    system: Builder, name: str, fields: Sequence[Field], given: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """The values by field: a body for a frame, with the points, axes and rotations in it as the body has them.

    The variable of a curve is the auxiliary coordinate "<name> place".
    """
    made: dict[str, Any] = {}
    for field in fields:
        if field.kind == "body":
            made |= _on_body(system, field, [each for each in fields if each.of == field.name], given, place)
        elif field.kind == "curve":
            made[field.of] = symbol(f"{name} place", "coordinate")
            made[field.name] = curve_of(given[field.name], made[field.of], place)
        elif not field.of and field.kind != "variable":
            made[field.name] = _value(system, field, given[field.name], place)
    return made


def _on_body(
    system: Builder, body: Field, own: Sequence[Field], given: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """A body, and what is given in its frame, or in the frame on it that stands for it."""
    turned = next((given[field.name] for field in own if field.kind == "rotation"), None)
    found, pose = placed(system, given[body.name], (0, 0, 0), turned, place)
    made: dict[str, Any] = {body.name: found}
    for field in own:
        if field.kind == "point":
            made[field.name] = placed(system, given[body.name], given[field.name], turned, place)[1].p
        elif field.kind == "rotation":
            made[field.name] = pose.R
        else:
            made[field.name] = placed(system, given[body.name], (0, 0, 0), None, place)[1].R @ unit_axis(
                given[field.name]
            )
    return made


def _value(system: Builder, field: Field, value: Any, place: str) -> Any:
    if value is None and field.default is None:
        return None
    if field.many:
        one = replace(field, many=False)
        return tuple(_value(system, one, entry, place) for entry in list_of(value, f"a list of {field.name}", place))
    if field.kind == "number":
        return positive_of(value, field.name, place) if field.positive else number_of(value, place)
    if field.kind == "direction" and isinstance(value, str):
        return unit_axis(value)
    if field.kind in ("vector", "direction"):
        return vector_of(value, place)
    if field.kind == "flag":
        return flag_of(value, field.name, place)
    return frame_name(system, value, place) if field.kind == "frame" else value
