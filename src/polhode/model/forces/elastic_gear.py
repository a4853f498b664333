"""A spring and damper between a shaft and the joint that it drives through a gear."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr
from .protocol import ForceElement, Mechanism, PotentialEnergy, PrimitiveLoad, SpeedForce, given


@dataclass(frozen=True, kw_only=True)
class ElasticGear(ForceElement):
    """An elastic gear: the twist e = q_shaft / ratio - q_joint stores ½ k e²; k e + c ė turns the joint on.

    The shaft feels it back, divided by the ratio; Mladenova (268), (349), (354).
    """

    kind = "elastic_gear"

    joint: str = given("joint")
    shaft: str = given("joint")
    ratio: Expr = given("number", 1)
    stiffness: Expr = given("number", free=True, unit="N·m/rad")
    damping: Expr = given("number", 0, free=True, unit="N·m·s/rad")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        joint, shaft = model.joints[self.joint], model.joints[self.shaft]
        twist = shaft.q[0] / self.ratio - joint.q[0]
        made: list[PrimitiveLoad] = [PotentialEnergy(self.stiffness * twist**2 / 2)]  # (349), squared
        if self.damping:
            torque = self.damping * (shaft.u[0] / self.ratio - joint.u[0])  # (268)
            made += [SpeedForce(self.joint, 0, torque), SpeedForce(self.shaft, 0, -torque / self.ratio)]
        return tuple(made)
