"""Vectors, rotations, rigid motions, screws and inertia; nothing here knows a body."""

from .inertia import Inertia
from .lie import bracket, generated_subalgebra
from .pose import Pose
from .rotations import about, rotation, unit_axis

__all__ = ["Inertia", "Pose", "about", "bracket", "generated_subalgebra", "rotation", "unit_axis"]
