"""A force at a point of a body."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import GROUND, Field, ForceElement, Mechanism, PointForce, PrimitiveLoad


@dataclass(frozen=True, kw_only=True)
class Force(ForceElement):
    """A force at a point of a body, its components along the axes of a frame (the ground's)."""

    kind = "force"
    fields = (
        *ForceElement.fields,
        Field("on", "body"),
        Field("vector", "vector", of="frame", free=True, unit="N"),
        Field("at", "point", (0, 0, 0), of="on", free=True, unit="m"),
        Field("frame", "frame", GROUND),
    )
    drawing = (("mark", "on"),)

    on: str
    vector: Vector
    at: Vector
    frame: str

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PointForce(self.on, self.at, self.vector, self.frame),)
