"""The force elements there are; a new one is its file and its line in FORCES."""

from __future__ import annotations

from .coordinate_force import CoordinateForce
from .damper import Damper
from .elastic_gear import ElasticGear
from .force import Force
from .gravity_field import GravityField
from .joint_force import JointForce
from .joint_spring import JointSpring
from .line_force import LineForce
from .potential import Potential
from .protocol import ForceElement
from .spring import Spring
from .torque import Torque

__all__ = [
    "FORCES", "CoordinateForce", "Damper", "ElasticGear", "Force", "ForceElement", "GravityField", "JointForce",
    "JointSpring", "LineForce", "Potential", "Spring", "Torque",
]  # fmt: skip

#: Each by its type in model files.
FORCES: dict[str, type[ForceElement]] = {
    each.kind: each
    for each in (
        Force,
        Torque,
        JointForce,
        CoordinateForce,
        JointSpring,
        ElasticGear,
        Spring,
        Damper,
        LineForce,
        GravityField,
        Potential,
    )
}
