"""Surfaces in model files: a body and a shape with its sizes, in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from ..files.reading import locate_mesh
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
    "ellipsoid": ("size",), "hull": ("points",),
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
    variables = dict(zip("xy" if record.type == "heights" else "x", SPOT, strict=False))
    inside = replace(values, scope=replace(values.scope, own=variables, now=None))
    if record.type == "mesh":
        return _mesh(values, path, record)
    if record.type == "hull":
        size = tuple(x for k, point in enumerate(record.points) for x in values.vector((*path, "points", k), point))
    elif _KEYS[record.type] == ("size",):
        size = tuple(values.vector((*path, "size"), record.size))
    else:
        keys = _KEYS[record.type]
        size = tuple((inside if key == "height" else values).number((*path, key), getattr(record, key)) for key in keys)
    return _placed(values, path, record, lambda: Shape(record.type, size))


def _mesh(values: Values, path: Path, record: records.TouchingMesh) -> Shape | None:
    """The hull of a mesh, which lies in the folder of the file."""
    scale = [float(x) for x in values.vector((*path, "scale"), record.scale)]
    status, file, reason = locate_mesh(record.file, FilePath(values.document.file).parent, {})
    if file is None:
        values.document.problem((*path, "file"), f"the mesh is {status}: {reason}.", "Check its name.", "E-FILE-READ")
        return None
    return _placed(values, path, record, lambda: Shape.mesh(file, scale, hull=record.hull, most=record.most))


def _placed(values: Values, path: Path, record: Any, make: Callable[[], Shape]) -> Shape | None:
    at = tuple(values.vector((*path, "at"), record.at))
    turn = values.rotation((*path, "rotation"), record.rotation)
    if record.type == "plane" and record.normal != "z":
        if turn is not None:
            message = "a plane has a normal or a rotation, not both."
            values.document.problem((*path, "normal"), message, "Remove one of them.", "E-MODELFILE-TWICE")
        turn = Shape.plane(values.axis((*path, "normal"), record.normal)).rotation
    with values.noting(path):
        return replace(make(), at=at, rotation=turn, color=record.color)
    return None


def rows_of(sizes: list[Any]) -> list[list[Any]]:
    """The points of a hull, from its sizes."""
    return [sizes[k : k + 3] for k in range(0, len(sizes), 3)]


def describe_surfaces(system: System | Model, scope: Scope) -> dict[str, Any]:
    """The file's entry of each surface."""
    inside = replace(scope, own=dict(zip("xy", SPOT, strict=True)))
    surfaces: dict[str, Any] = {}
    for name, surface in system.surfaces.items():
        over = inside if surface.kind in ("curve", "heights") else scope
        sizes: list[Any] = [spell(size, over) for size in surface.shape.size]
        keys = _KEYS[surface.kind]
        if surface.kind == "hull":
            sizes = [rows_of(sizes)]
        named = {"size": sizes} if keys == ("size",) else dict(zip(keys, sizes, strict=True))
        at = [spell(x, scope) for x in surface.pose.p] if any(surface.pose.p) else None
        rest = {"at": at, "rotation": describe_rotation(surface.pose.R, scope), "color": surface.shape.color or None}
        shape = {"type": surface.kind, **named, **{key: value for key, value in rest.items() if value is not None}}
        surfaces[name] = {"body": surface.body, "shape": shape}
    return surfaces
