"""Motions between given orientations and poses: curves on SO(3) and SE(3), with their velocities and accelerations."""

from .pose_spline import PoseSpline
from .rotation_spline import RotationSpline

__all__ = ["PoseSpline", "RotationSpline"]
