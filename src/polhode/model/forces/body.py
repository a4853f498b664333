"""Forces and torques on bodies, gravity fields, and potential energies."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelError
from ...expr import Expr, Matrix, Vector, as_expr
from .protocol import (
    GROUND,
    POSITION,
    BodyTorque,
    ForceElement,
    Mechanism,
    PointForce,
    PotentialEnergy,
    PrimitiveLoad,
    SpeedForce,
    given,
)


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


@dataclass(frozen=True, kw_only=True)
class Torque(ForceElement):
    """A pure torque on a body, its components along the axes of a frame (the ground's)."""

    kind = "torque"

    on: str = given("body")
    vector: Vector = given("vector", of="frame", free=True, unit="N·m")
    frame: str = given("frame", GROUND)

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (BodyTorque(self.on, self.vector, self.frame),)


@dataclass(frozen=True, kw_only=True)
class GravityField(ForceElement):
    """A field that accelerates every mass: expressions of its centre's position `x`, `y`, `z`, in ground components."""

    kind = "gravity_field"

    acceleration: Vector = given("vector", free=True, unit="m/s²", arguments=(POSITION,))

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        pulled = [body for body in model.bodies.values() if body.mass and body.name != GROUND]
        for body in pulled:
            if body.flexibility is not None:
                message = f"the field is that of rigid bodies, and '{body.name}' bends."
                cure = "Give a uniform field as System(gravity=…)."
                raise ModelError(message, place=self.place, cure=cure, code="E-FLEX-UNSUPPORTED")
        return tuple(PointForce(body.name, body.com, self.acceleration * body.mass) for body in pulled)


@dataclass(frozen=True, kw_only=True)
class Potential(ForceElement):
    """A potential energy, as any expression of coordinates, parameters and time."""

    kind = "potential"

    energy: Expr = given("number", free=True, unit="J")

    def loads(self, model: Mechanism) -> tuple[PrimitiveLoad, ...]:
        return (PotentialEnergy(self.energy),)


@dataclass(frozen=True, kw_only=True)
class Elasticity(ForceElement):
    """The potential ½ ηᵀ K η of the elastic coordinates η of a flexible body, and the forces -D η̇ on their speeds."""

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
