"""A generalized force on one speed of a joint."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import Field, ForceElement, Mechanism, PrimitiveLoad, SpeedForce


@dataclass(frozen=True, kw_only=True)
class JointForce(ForceElement):
    """A generalized force on one speed of a joint."""

    kind = "joint_force"
    fields = (
        *ForceElement.fields,
        Field("joint", "joint"),
        Field("index", "count", 0, of="speed"),
        Field("value", "number", free=True),
    )

    joint: str
    index: int
    value: Expr

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (SpeedForce(self.joint, self.index, self.value),)
