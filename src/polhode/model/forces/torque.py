"""A pure torque on a body."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import GROUND, BodyTorque, ForceElement, Mechanism, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Torque(ForceElement):
    """A pure torque on a body, its components along the axes of a frame (the ground's)."""

    kind = "torque"

    on: str = given("body")
    vector: Vector = given("vector", of="frame", free=True, unit="N·m")
    frame: str = given("frame", GROUND)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (BodyTorque(self.on, self.vector, self.frame),)
