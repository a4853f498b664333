"""Surfaces in model files: a body and a shape with its sizes, in and out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..model import Model, Shape, System
from ..model.body import SPOT
from . import records
from .document import Path
from .fields import Values
from .names import Scope
from .spelling import describe_rotation, spell

#: The keys of each shape for its sizes; a box and an ellipsoid have one for all.
_KEYS: dict[str, tuple[str, ...]] = {
    "plane": (), "sphere": ("radius",), "hollow": ("radius",), "disc": ("radius",), "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"), "curve": ("height",), "heights": ("height",), "box": ("size",),
    "ellipsoid": ("size",),
}  # fmt: skip


def add_surfaces(system: System, values: Values, model: records.Model) -> None:
    """The surfaces of a file, on bodies and frames that are there."""
    for key, record in model.surfaces.items():
        path: Path = ("surfaces", key)
        before = len(values.document.problems)
        shape = _shape(values, (*path, "shape"), record.shape)
        if shape is None or len(values.document.problems) > before or record.body in _spoiled(system, model):
            continue  # noted already
        with values.noting(path):
            system.surface(key, values.body(record.body), shape)


def _spoiled(system: System, model: records.Model) -> set[str]:
    """Bodies and frames of the file that could not be built."""
    return {*model.bodies, *model.frames} - {*system.bodies, *system.frames}


def _shape(values: Values, path: Path, record: Any) -> Shape | None:
    """A shape; its height may be written with x and y."""
    own = dict(zip("xy" if record.type == "heights" else "x", SPOT, strict=False))
    inside = replace(values, scope=replace(values.scope, own=own))
    if _KEYS[record.type] == ("size",):
        size = tuple(values.vector((*path, "size"), record.size))
    else:
        keys = _KEYS[record.type]
        size = tuple((inside if key == "height" else values).number((*path, key), getattr(record, key)) for key in keys)
    at = tuple(values.vector((*path, "at"), record.at))
    turn = values.rotation((*path, "rotation"), record.rotation)
    if record.type == "plane" and record.normal != "z":
        if turn is not None:
            said = "a plane has a normal or a rotation, not both."
            values.document.problem((*path, "normal"), said, "Remove one of them.", "E-MODELFILE-TWICE")
        turn = Shape.plane(values.axis((*path, "normal"), record.normal)).rotation
    with values.noting(path):
        return Shape(record.type, size, at, turn, record.color)
    return None


def describe_surfaces(system: System | Model, scope: Scope) -> dict[str, Any]:
    """What a file says of each surface."""
    inside = replace(scope, own=dict(zip("xy", SPOT, strict=True)))
    made: dict[str, Any] = {}
    for name, each in system.surfaces.items():
        over = inside if each.kind in ("curve", "heights") else scope
        sizes: list[Any] = [spell(size, over) for size in each.shape.size]
        keys = _KEYS[each.kind]
        named = {"size": sizes} if keys == ("size",) else dict(zip(keys, sizes, strict=True))
        at = [spell(x, scope) for x in each.pose.p] if any(each.pose.p) else None
        rest = {"at": at, "rotation": describe_rotation(each.pose.R, scope), "color": each.shape.color or None}
        shape = {"type": each.kind, **named, **{key: value for key, value in rest.items() if value is not None}}
        made[name] = {"body": each.body, "shape": shape}
    return made
