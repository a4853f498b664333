"""URDF robot files, read exactly: every number is the rational that the text spells, nothing is dropped in silence."""

from ..findings import JointFacts, MeshFacts, Report
from ..robot_file.markup import Limits
from .reader import load_urdf, read_urdf

__all__ = ["JointFacts", "Limits", "MeshFacts", "Report", "load_urdf", "read_urdf"]
__dir__ = __all__.copy
