"""A force at a point of a body."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import GROUND, ForceElement, Mechanism, PointForce, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class Force(ForceElement):
    """A force at a point of a body, its components along the axes of a frame (the ground's)."""

    kind = "force"
    drawing = (("mark", "on"),)

    on: str = given("body")
    vector: Vector = given("vector", of="frame", free=True, unit="N")
    at: Vector = given("point", (0, 0, 0), of="on", free=True, unit="m")
    frame: str = given("frame", GROUND)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PointForce(self.on, self.at, self.vector, self.frame),)
