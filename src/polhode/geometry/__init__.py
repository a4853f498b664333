"""Vectors, rotations, rigid motions, screws and inertia; nothing here knows a body."""

from .inertia import Inertia, inertia_of_moments
from .lie import bracket, generated_subalgebra
from .pose import Pose
from .rotations import about, rotation, unit_axis
from .rotations.angular_velocity import (
    angular_velocity,
    rotation_rate,
    rotation_second_rate,
    rotational_energy,
    rotational_energy_of_rate,
    second_moments,
)
from .rotations.euler import permutation

__all__ = [
    "Inertia", "Pose", "about", "angular_velocity", "bracket", "generated_subalgebra", "inertia_of_moments",
    "permutation", "rotation", "rotation_rate", "rotation_second_rate", "rotational_energy",
    "rotational_energy_of_rate", "second_moments", "unit_axis",
]  # fmt: skip
__dir__ = __all__.copy
