"""A generalized force on one coordinate of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import CoordinateForce as Load
from .protocol import ForceElement, Mechanism, PrimitiveLoad, given


@dataclass(frozen=True, kw_only=True)
class CoordinateForce(ForceElement):
    """A generalized force on one coordinate of a joint; on the speeds it is Γᵀ Q."""

    kind = "coordinate_force"

    joint: str = given("joint")
    index: int = given("count", 0, of="coordinate")
    value: Expr = given("number", free=True)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (Load(self.joint, self.index, self.value),)
