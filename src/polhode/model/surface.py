"""Surfaces: shapes fixed in bodies, that contacts are between."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..errors import ModelError, check_kind
from ..expr import Matrix, Vector, as_expr
from ..geometry import Pose
from ..geometry.rotations.exact import as_rotation
from .body import Body, Frame, Shape, check_sizes
from .builder import Builder
from .reading import pose_of, unknown


@dataclass(frozen=True)
class Surface:
    """A shape in a body's frame, by name; a point of a body has none.

    >>> import polhode as ph
    >>> s = ph.System("slope")
    >>> slope = s.surface("slope", s.ground, ph.Shape.plane(), rotation=("y", ph.pi / 6))
    >>> slope.body, slope.kind, slope.pose.R @ (0, 0, 1)
    ('ground', 'plane', Vector([1/2, 0, sqrt(3)/2]))
    """

    name: str
    body: str
    shape: Shape

    @property
    def kind(self) -> str:
        """The kind of its shape."""
        return self.shape.kind

    @cached_property
    def pose(self) -> Pose:
        """The shape's frame in the body."""
        return Pose(as_rotation(self.shape.rotation, f"surface '{self.name}'"), Vector(self.shape.at))


def surface(
    system: Builder, name: str, body: Body | Frame | str, shape: Shape, at: Iterable[Any], rotation: Any
) -> Surface:
    from .constraints.pairs import KINDS
    from .lookup import check_new, placed

    place = f"surface '{name}'"
    check_new("surface", name, system.surfaces, system.bodies, system.frames)
    check_kind(Shape, "a shape", shape, place, 'Give for example ph.Shape.plane("z").')
    if shape.kind == "mesh":
        message = "a shape of the kind 'mesh' is drawn, and does not touch."
        raise ModelError(message, place, "Give ph.Shape.mesh(file), which is a hull.", "E-MODEL-NAME")
    if shape.kind not in KINDS:
        raise unknown("shape that can touch of the kind", shape.kind, KINDS, place)
    values = {key: parameter.value for key, parameter in system.parameters.items() if parameter.value is not None}
    check_sizes(shape, place, values)
    owner, pose = placed(system, body, at, rotation, place)
    seat = pose @ pose_of(shape.at, shape.rotation, f"{place} shape")
    size, at = (tuple(map(as_expr, lengths)) for lengths in (shape.size, seat.p))
    record = Surface(name, owner, replace(shape, size=size, at=at, rotation=seat.R.map(as_expr)))
    system._add("surfaces", name, record)
    return record


def touching_point(body: str, at: Vector) -> Surface:
    """A point of a body as a surface."""
    return Surface("", body, Shape("point", (), tuple(map(as_expr, at)), Matrix.identity(3).map(as_expr)))
