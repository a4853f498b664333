"""Well-known mechanisms, ready to be derived: they serve the demo, the examples, the tests and the benchmarks."""

from .arms import elastic_arm, motor_driven_pendulum, six_degree_of_freedom_arm
from .linkages import bennett, bricard_mechanism, four_bar, n_four_bar, stewart_platform
from .squeezer import squeezing_mechanism
from .vehicles import (
    Patch,
    TrackedVehicle,
    Tyre,
    Vehicle,
    brush,
    car,
    cruising,
    put_on_road,
    semitrailer,
    steady_turn,
    tracked_vehicle,
    whipple_bicycle,
)

__all__ = [
    "Patch", "TrackedVehicle", "Tyre", "Vehicle", "bennett", "bricard_mechanism", "brush", "car", "cruising",
    "elastic_arm", "four_bar", "motor_driven_pendulum", "n_four_bar", "put_on_road", "semitrailer",
    "six_degree_of_freedom_arm", "squeezing_mechanism", "steady_turn", "stewart_platform", "tracked_vehicle",
    "whipple_bicycle",
]  # fmt: skip
__dir__ = __all__.copy
