"""A spring and damper in a joint."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...expr import Expr
from .protocol import ForceElement, Mechanism, PotentialEnergy, PrimitiveLoad, SpeedForce, given


@dataclass(frozen=True, kw_only=True)
class JointSpring(ForceElement):
    """A spring and damper in a joint: potential ½ k (q - q0)² and the force -c u; q of a turn is always its angle."""

    kind = "joint_spring"

    joint: str = given("joint")
    index: int = given("count", 0, of="coordinate")
    stiffness: Expr = given("number", 0, free=True, unit="N/m or N·m/rad")
    rest: Expr = given("number", 0, free=True, unit="m or rad")
    damping: Expr = given("number", 0, free=True, unit="N·s/m or N·m·s/rad")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        joint = model.joints[self.joint]
        q, u = joint.q, joint.u
        made: list[PrimitiveLoad] = []
        if self.stiffness and not joint.type.alone[self.index]:
            raise ModelError(
                f"the coordinate '{q[self.index].name}' is a part of an orientation, and no spring acts on it alone.",
                place=self.place,
                cure='Store it as angles: storage="angles", or give a potential of your own with system.potential.',
                code="E-MODEL-100",
            )
        if self.stiffness:
            made.append(PotentialEnergy(self.stiffness * (joint.displacement(self.index) - self.rest) ** 2 / 2))
        if self.damping and len(q) != len(u):
            raise ModelError(
                f"its {len(q)} coordinates are not its {len(u)} speeds one by one.",
                place=self.place,
                cure="Give damping with joint_force, on a speed.",
                code="E-MODEL-017",
            )
        if self.damping:
            made.append(SpeedForce(self.joint, self.index, -self.damping * u[self.index]))
        return tuple(made)
