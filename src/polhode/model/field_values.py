"""The values of an element's fields, from what a user gives for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, suggestion, understood
from ..expr import Expr, Vector, as_expr, derivative, is_zero, symbol, topological
from ..expr.node import CALL
from ..expr.opaque.table import Table
from ..geometry import unit_axis
from ..geometry.rotations.exact import as_rotation
from .body import Body, Frame, Shape
from .fields import Field
from .lookup import frame_name, joint_named, label, placed
from .reading import (
    checked_name,
    flag_of,
    index_of,
    index_or_only,
    list_of,
    number_of,
    positive_of,
    result_of,
    unknown,
    vector_of,
    zeros,
)
from .records import GROUND
from .surface import Surface, touching_point
from .system import vectors

if TYPE_CHECKING:
    from ..kinematics.vectors import Point
    from .builder import Builder


def check_element(kind: Any, base: type, what: str) -> None:
    """Raise if a value is not the class of an element."""
    with understood(what, kind, place="kind", cure="Give its class."):
        if not issubclass(kind, base) or not hasattr(kind, "kind"):
            raise TypeError


def completed(fields: Sequence[Field], given: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The given values with the defaults of the other fields."""
    names = [field.name for field in fields]
    for name in given:
        if name not in names:
            raise ModelError(f"it has no field '{name}'.", place, suggestion(name, names), "E-MODEL-NAME")
    for field in fields:
        if field.is_required and field.name not in given:
            raise ModelError(f"its field '{field.name}' is missing.", place, f"Give {field.name}=….", "E-MODEL-MISSING")
    return {field.name: given.get(field.name, field.default) for field in fields}


def field_values(
    system: Builder, fields: Sequence[Field], given: Mapping[str, Any], place: str, name: str = ""
) -> dict[str, Any]:
    """Values by field: names of joints, a body for a frame, points, axes and rotations in the body's frame."""
    values: dict[str, Any] = {}
    for field in fields:
        value = given[field.name]
        if field.kind == "body":
            values |= _on_body(system, field, [part for part in fields if part.of == field.name], given, place)
        elif field.kind == "surface":
            values |= _touching(system, field, [part for part in fields if part.of == field.name], given, place)
        elif field.kind == "curve":
            values[field.of] = symbol(f"{name} place", "coordinate")
            values[field.name] = curve_of(value, values[field.of], place)
        elif field.kind == "count" and field.of:
            joint = next(joint_named(system, given[part.name], place) for part in fields if part.kind == "joint")
            count = len(joint.u if field.of == "speed" else joint.q)
            read = index_or_only if field.default is None else index_of
            values[field.name] = read(value, count, field.of, place)
        elif field.kind == "vector" and field.of:
            values[field.name], values[field.of] = _components(system, value, given[field.of], place)
        elif field.kind != "variable" and not field.of and field.name not in values:
            values[field.name] = field_value(field, value, place, system)
    return values


def field_value(field: Field, value: Any, place: str, system: Builder | None = None) -> Any:
    """The value of one field by itself; a joint type, which is in no system, has such fields only."""
    if value is None and field.default is None:
        return None
    if field.many or field.count is not None:
        one = replace(field, many=False, count=None)
        entries = list_of(value, f"a list of {field.name}", place)
        if field.count is not None and len(entries) != field.count:
            message = f"{field.name} has {len(entries)} entries, not {field.count}."
            raise ModelError(message, place, f"Give {field.count} entries.", "E-MODEL-SHAPE")
        return tuple(field_value(one, entry, place, system) for entry in entries)
    if field.arguments and not isinstance(value, Expr | Vector):
        value = _result(field, value, place)
    if field.choices and value not in field.choices:
        raise unknown(field.name, str(value), field.choices, place)
    if field.kind in _ALONE:
        with understood(f"a {field.name}", value, place=place):
            return _ALONE[field.kind](field, value, place)
    return _IN_SYSTEM[field.kind](system, value, place) if field.kind in _IN_SYSTEM else value


def _result(field: Field, law: Any, place: str) -> Any:
    """The value of a law at its arguments."""
    value = result_of(law, field.arguments, place, "0" if field.kind == "number" else "(0, 0, 0)")
    if field.kind == "number" and (hasattr(value, "__iter__") or hasattr(value, "terms")):
        cure = f"Give the {field.name} alone, a number or an expression."
        raise ModelError(f"the law gives {value!r}, which is no number or expression.", place, cure, "E-MODEL-TYPE")
    return value


# ---- bodies, points, arrows --------------------------------------------------------------------------------------


def _on_body(
    system: Builder, body: Field, parts: Sequence[Field], stated: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """A body with its point, axis or rotation, converted from the frame on it that was given."""
    on, values = stated[body.name], dict[str, Any]()
    if isinstance(on, vectors().Point):
        for field in parts:
            own_place = stated[field.name]
            if field.kind == "point" and (isinstance(own_place, vectors().Point) or any(vector_of(own_place, place))):
                message = f"the point has its own place, and '{field.name}' is another."
                raise ModelError(message, place, "Give the point, or its body and the place.", "E-MODEL-TWICE")
        stated = {**stated, **{field.name: on for field in parts if field.kind == "point"}}
        on = _own_body(system, on, place)
    turned = next((stated[field.name] for field in parts if field.kind == "rotation"), None)
    values[body.name], frame = placed(system, on, (0, 0, 0), turned, place)
    for field in parts:
        value = stated[field.name]
        if field.kind == "rotation":
            values[field.name] = frame.R
        elif field.kind in ("axis", "direction"):
            along = field_value(replace(field, of=""), value, place, system)
            values[field.name] = placed(system, on, (0, 0, 0), None, place)[1].R @ along
        elif isinstance(value, vectors().Point):
            values[field.name] = _offset(system, value, values[body.name], place)
        else:
            values[field.name] = placed(system, on, value, None, place)[1].p
    return values


def _touching(
    system: Builder, field: Field, parts: Sequence[Field], stated: Mapping[str, Any], place: str
) -> dict[str, Any]:
    """A surface of the system, or the surface that is a point of a body or frame, with its position in the body."""
    value = stated[field.name]
    surface = system.surfaces.get(value) if isinstance(value, str) else value if isinstance(value, Surface) else None
    if surface is not None:
        if system.surfaces.get(surface.name) is not surface:
            message = f"the surface '{surface.name}' is not of the system '{system.name}'."
            cure = f"Give a surface of '{system.name}', or its name."
            raise ModelError(message, place, cure, "E-MODEL-TREE")
        if any(any(vector_of(stated[part.name], place)) for part in parts):
            message = f"the surface '{surface.name}' has its own place."
            raise ModelError(message, place, "Give its place to system.surface.", "E-MODEL-TWICE")
        return {field.name: surface, **{part.name: zeros() for part in parts}}
    if not parts or isinstance(value, Shape):
        what = (
            f"the shape '{value.kind}' is on no body" if isinstance(value, Shape) else f"{label(value)!r} is no surface"
        )
        cure = 'Add it: system.surface("floor", body, shape), and give what is returned, or its name.'
        if isinstance(value, Body | Frame | vectors().Point) and isinstance(stated.get("a"), Surface):
            cure = f"Swap both: {stated['a'].name!r} is second. Or add one: {cure[8:]}"
        if isinstance(value, str):
            raise unknown("surface", value, system.surfaces, place)
        raise ModelError(f"{what}.", place, cure, "E-MODEL-TYPE")
    values = _on_body(system, Field(field.name, "body"), parts, stated, place)
    at = Vector(map(as_expr, values[parts[0].name]))
    return {field.name: touching_point(values[field.name], at), parts[0].name: at}


def _offset(system: Builder, point: Point, body: str, place: str) -> Vector:
    """A point of a body, from the body's origin."""
    if body != _own_body(system, point, place):
        cure = f"Give a point of '{body}', or apply it to '{point.body}'."
        raise ModelError(f"the point is on body '{point.body}', not on '{body}'.", place, cure, "E-MODEL-TREE")
    return point.offset


def _own_body(system: Builder, point: Point, place: str) -> str:
    """The body of a point, which must belong to the system."""
    _check_home(system, "point", point.system, place)
    return point.body


def _components(system: Builder, vector: Any, frame: Any, place: str) -> tuple[Vector, str]:
    """Components and the frame they are in: of an arrow `frame`, else the one frame it is written in."""
    frame_used = None if frame is None else frame_name(system, frame, place)
    if not isinstance(vector, vectors().Arrow):
        return vector_of(vector, place), frame_used or GROUND
    _check_home(system, "arrow", vector.system, place)
    if frame_used is None:
        used = list(vector.by_frame)
        frame_used = used[0] if len(used) == 1 and isinstance(used[0], str) else GROUND
    return vector.components(frame_used), frame_used


def _check_home(system: Builder, what: str, home: Builder, place: str) -> None:
    """Refuse a point or arrow of another system."""
    if home is not system:
        cure = f"Write it with the bodies of '{system.name}'."
        raise ModelError(f"the {what} is of system '{home.name}', not of '{system.name}'.", place, cure, "E-MODEL-TREE")


#: What can be read by itself, by kind, and what is looked up in a system; the rest is taken as it is.
_ALONE: dict[str, Callable[[Field, Any, str], Any]] = {
    "number": lambda field, value, place: (
        positive_of(value, field.name, place) if field.positive else number_of(value, place)
    ),
    "point": lambda field, value, place: vector_of(value, place),
    "axis": lambda field, value, place: unit_axis(value),
    "direction": lambda field, value, place: unit_axis(value) if isinstance(value, str) else vector_of(value, place),
    "rotation": lambda field, value, place: as_rotation(value, place),
    "count": lambda field, value, place: index_of(value, 2**31, "number", place),
    "flag": lambda field, value, place: flag_of(value, field.name, place),
    "name": lambda field, value, place: checked_name(value, place),
}
_IN_SYSTEM: dict[str, Callable[[Any, Any, str], Any]] = {
    "vector": lambda system, value, place: (
        vector_of(value, place) if system is None else _components(system, value, GROUND, place)[0]
    ),
    "frame": frame_name,
    "joint": lambda system, value, place: joint_named(system, value, place).name,
}


def curve_of(curve: Any, parameter: Expr, place: str) -> tuple[Expr, Expr]:
    """The coordinates x and z of a curve at a parameter: what a callable gives for it, or heights z over x."""
    if not callable(curve):
        cure = "Give lambda s: (x, z), or lambda x: z."
        raise ModelError(f"a curve is a function of a parameter, not {curve!r}.", place, cure, "E-MODEL-TYPE")
    result = result_of(curve, (parameter,), place)
    entries = tuple(result) if isinstance(result, Iterable) else (parameter, result)
    numbers = tuple(number_of(entry, place) for entry in entries)
    if len(numbers) != 2:
        cure = "Give x and z, in the plane that the disc rolls in, or the height z alone."
        raise ModelError(f"the curve has {len(numbers)} coordinates.", place, cure, "E-MODEL-SHAPE")
    x, z = numbers
    check_curve([x, z], place)
    if all(is_zero(slope) for slope in derivative([x, z], parameter)):
        message = "the curve is a point: it does not depend on its parameter."
        cure = "Use the parameter that the function is called with."
        raise ModelError(message, place, cure, "E-CONSTRAINT-DEPENDENCE")
    return x, z


def check_curve(curve: list[Expr], place: str) -> None:
    """No corners: where a table bends, its slope jumps, and the curve has no tangent."""
    for node in topological(curve):
        if node.op == CALL and isinstance(node.data, Table) and node.data.points.smoothness < 1:
            message = f"table '{node.data.label}' has corners, where the curve has no tangent."
            raise ModelError(message, place, "Give the table kind='cubic' or kind='pchip'.", "E-CONSTRAINT-UNSUPPORTED")
