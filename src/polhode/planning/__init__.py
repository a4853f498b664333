"""Motions to be made: curves on SO(3) and SE(3) through given poses, with their rates."""

from ..calls import public
from .quintic import quintic
from .splines import PoseSpline, RotationSpline

__all__ = ["PoseSpline", "RotationSpline", "quintic"]
__dir__ = __all__.copy
globals().update({name: public(globals()[name]) for name in __all__})
