"""A field that accelerates every mass."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...expr import Vector
from .protocol import GROUND, POSITION, ForceElement, Mechanism, PointForce, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class GravityField(ForceElement):
    """A field that accelerates every mass: expressions of its centre's place `x`, `y`, `z`, in ground components."""

    kind = "gravity_field"

    acceleration: Vector = given("vector", free=True, unit="m/s²", arguments=(POSITION,))

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        pulled = [body for body in model.bodies.values() if body.mass and body.name != GROUND]
        for body in pulled:
            if body.flexibility is not None:
                message = f"the field is that of rigid bodies, and '{body.name}' bends."
                cure = "Give a uniform field as System(gravity=…)."
                raise ModelError(message, place=self.place, cure=cure, code="E-FLEX-029")
        return tuple(PointForce(body.name, body.com, self.acceleration * body.mass) for body in pulled)
