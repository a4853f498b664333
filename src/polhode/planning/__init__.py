"""Motions to be made: curves on SO(3) and SE(3) through given poses, with their rates; gaits and ways."""

from ..calls import public
from .gait import Gait
from .pose_spline import PoseSpline
from .quintic import quintic
from .rotation_spline import RotationSpline
from .two_bars import two_bars
from .way import Arc, Line, Way

__all__ = ["Arc", "Gait", "Line", "PoseSpline", "RotationSpline", "Way", "quintic", "two_bars"]
__dir__ = __all__.copy
globals().update({name: public(globals()[name]) for name in __all__})
