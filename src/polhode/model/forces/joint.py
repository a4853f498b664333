"""Forces in joints: along speeds and coordinates, springs and dampers, elastic gears."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...expr import Expr
from .protocol import CoordinateForce as Load
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
        effects: list[PrimitiveLoad] = []
        if self.stiffness and not joint.type.alone[self.index]:
            raise ModelError(
                f"the coordinate '{q[self.index].name}' is a part of an orientation, and no spring acts on it alone.",
                place=self.place,
                cure='Store it as angles: storage="angles", or give a potential of your own with system.potential.',
                code="E-MODEL-UNSUPPORTED",
            )
        if self.stiffness:
            effects.append(PotentialEnergy(self.stiffness * (joint.displacement(self.index) - self.rest) ** 2 / 2))
        if self.damping and len(q) != len(u):
            message = f"its {len(q)} coordinates are not its {len(u)} speeds one by one."
            raise ModelError(message, self.place, "Give damping with joint_force, on a speed.", "E-MODEL-SHAPE")
        if self.damping:
            effects.append(SpeedForce(self.joint, self.index, -self.damping * u[self.index]))
        return tuple(effects)


@dataclass(frozen=True, kw_only=True)
class JointForce(ForceElement):
    """A generalized force on one speed of a joint."""

    kind = "joint_force"

    joint: str = given("joint")
    index: int = given("count", 0, of="speed")
    value: Expr = given("number", free=True)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (SpeedForce(self.joint, self.index, self.value),)


@dataclass(frozen=True, kw_only=True)
class CoordinateForce(ForceElement):
    """A generalized force on one coordinate of a joint; on the speeds it is Γᵀ Q."""

    kind = "coordinate_force"

    joint: str = given("joint")
    index: int = given("count", 0, of="coordinate")
    value: Expr = given("number", free=True)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (Load(self.joint, self.index, self.value),)


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
        effects: list[PrimitiveLoad] = [PotentialEnergy(self.stiffness * twist**2 / 2)]  # (349), squared
        if self.damping:
            torque = self.damping * (shaft.u[0] / self.ratio - joint.u[0])  # (268)
            effects += [SpeedForce(self.joint, 0, torque), SpeedForce(self.shaft, 0, -torque / self.ratio)]
        return tuple(effects)
