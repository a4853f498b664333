"""The stiffness and damping of a flexible body."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Matrix, Vector, as_expr
from .protocol import ForceElement, Mechanism, PotentialEnergy, PrimitiveLoad, SpeedForce


@dataclass(frozen=True, kw_only=True)
class Elasticity(ForceElement):
    """The potential ½ ηᵀ K η of the elastic coordinates η of a flexible body, and the forces -D η̇ on their speeds.

    `System.beam` and `System.flexible_body` add it; a user does not.
    """

    kind = "elasticity"

    joint: str
    stiffness: Matrix
    damping: Matrix

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        joint = model.joints[self.joint]
        energy = sum((q * k for q, k in zip(joint.q, self.stiffness @ Vector(joint.q), strict=True)), as_expr(0)) / 2
        losses = self.damping @ Vector(joint.u)
        damped = [SpeedForce(self.joint, i, -loss) for i, loss in enumerate(losses) if loss]
        return (PotentialEnergy(energy), *damped)
