"""What a user writes: systems, bodies, joints, forces."""

from .body import Body, Frame, Shape, box, cylinder, disc, rod, sphere
from .joint_type import (
    BuildingBlock,
    Compound,
    Cylindrical,
    Fixed,
    Free,
    JointMap,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from .records import Coupling, Joint, NamedPose, Parameter
from .system import System

__all__ = [
    "Body", "BuildingBlock", "Compound", "Coupling", "Cylindrical", "Fixed", "Frame", "Free", "Joint", "JointMap",
    "JointType", "NamedPose", "Parameter", "Planar", "Prismatic", "Revolute", "Screw", "Shape", "Spherical", "System",
    "Universal", "box", "cylinder", "disc", "rod", "sphere",
]  # fmt: skip
