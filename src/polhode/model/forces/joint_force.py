"""A generalized force on one speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import ForceElement, Mechanism, PrimitiveLoad, SpeedForce, given


@dataclass(frozen=True, kw_only=True)
class JointForce(ForceElement):
    """A generalized force on one speed of a joint."""

    kind = "joint_force"

    joint: str = given("joint")
    index: int = given("count", 0, of="speed")
    value: Expr = given("number", free=True)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (SpeedForce(self.joint, self.index, self.value),)
