"""A field that accelerates every mass."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Vector
from .protocol import GROUND, POSITION, ForceElement, Mechanism, PointForce, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class GravityField(ForceElement):
    """A field that accelerates every mass: expressions of its centre's place `x`, `y`, `z`, in ground components."""

    kind = "gravity_field"

    acceleration: Vector = given("vector", free=True, unit="m/s²", arguments=(POSITION,))

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        pulled = (body for body in model.bodies.values() if body.mass and body.name != GROUND)
        return tuple(PointForce(body.name, body.com, self.acceleration * body.mass) for body in pulled)
