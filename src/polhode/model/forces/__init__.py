"""The force elements there are; a new one is its file and its line in FORCES."""

from __future__ import annotations

from .body import Force, GravityField, Potential, Torque
from .compliant import CompliantContact, CompliantStop
from .joint import CoordinateForce, ElasticGear, JointForce, JointSpring
from .line import Damper, LineForce, Spring
from .protocol import ForceElement

__all__ = [
    "FORCES", "CompliantContact", "CompliantStop", "CoordinateForce", "Damper", "ElasticGear", "Force", "ForceElement",
    "GravityField", "JointForce", "JointSpring", "LineForce", "Potential", "Spring", "Torque",
]  # fmt: skip

#: Each by its type in model files.
FORCES: dict[str, type[ForceElement]] = {
    kind.kind: kind for kind in (
        Force, Torque, JointForce, CoordinateForce, JointSpring, ElasticGear, Spring, Damper, LineForce, GravityField,
        Potential, CompliantContact, CompliantStop,
    )
}  # fmt: skip
