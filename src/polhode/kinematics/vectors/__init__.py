"""Vectors and dyadics without bases: unit vectors, points and how they move, after Sayers."""

from .arrow import Arrow, arrow_of, reference_direction, unit, unit_direction
from .combination import rate_of
from .dyadic import Dyadic, basis, inertia_dyadic
from .intermediate import Named, named
from .point import (
    Point,
    angular_acceleration,
    angular_velocity,
    incremental_acceleration,
    incremental_angular_acceleration,
    incremental_velocity,
    point_of,
)

__all__ = [
    "Arrow", "Dyadic", "Named", "Point", "angular_acceleration", "angular_velocity", "arrow_of", "basis",
    "incremental_acceleration", "incremental_angular_acceleration", "incremental_velocity", "inertia_dyadic", "named",
    "point_of", "rate_of", "reference_direction", "unit", "unit_direction",
]  # fmt: skip
__dir__ = __all__.copy
