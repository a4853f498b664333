"""URDF robot files, read exactly: every number is the rational that the text spells, nothing is dropped in silence."""

from .markup import Limits
from .reader import load_urdf, read_urdf
from .report import JointFacts, MeshFacts, Report

__all__ = ["JointFacts", "Limits", "MeshFacts", "Report", "load_urdf", "read_urdf"]
