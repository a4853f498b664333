"""Motions to be made: curves on SO(3) and SE(3) through given poses, with their rates; gaits as functions of time."""

from .gait import Gait
from .pose_spline import PoseSpline
from .quintic import quintic
from .rotation_spline import RotationSpline
from .two_bars import two_bars

__all__ = ["Gait", "PoseSpline", "RotationSpline", "quintic", "two_bars"]
