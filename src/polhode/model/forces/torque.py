"""A pure torque on a body."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import GROUND, BodyTorque, Field, ForceElement, Mechanism, PrimitiveLoad


@dataclass(frozen=True, kw_only=True)
class Torque(ForceElement):
    """A pure torque on a body, its components along the axes of a frame (the ground's)."""

    kind = "torque"
    fields = (
        *ForceElement.fields,
        Field("on", "body"),
        Field("vector", "vector", of="frame", free=True, unit="N·m"),
        Field("frame", "frame", GROUND),
    )

    on: str
    vector: Vector
    frame: str

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (BodyTorque(self.on, self.vector, self.frame),)
