"""Well-known mechanisms, ready to be derived: they serve the demo, the examples, the tests and the benchmarks."""

from .arm import six_degree_of_freedom_arm
from .bicycle import whipple_bicycle
from .bricard import bricard_mechanism
from .car import car
from .elastic_arm import elastic_arm
from .linkages import bennett, four_bar, n_four_bar
from .motor import motor_driven_pendulum
from .semitrailer import semitrailer, steady_turn
from .squeezer import squeezing_mechanism
from .stewart import stewart_platform
from .tracked import TrackedVehicle, tracked_vehicle
from .tyre import Patch, Tyre, brush, put_on_road
from .vehicle import Vehicle, cruising

__all__ = [
    "Patch", "TrackedVehicle", "Tyre", "Vehicle", "bennett", "bricard_mechanism", "brush", "car", "cruising",
    "elastic_arm", "four_bar", "motor_driven_pendulum", "n_four_bar", "put_on_road", "semitrailer",
    "six_degree_of_freedom_arm", "squeezing_mechanism", "steady_turn", "stewart_platform", "tracked_vehicle",
    "whipple_bicycle",
]  # fmt: skip
__dir__ = __all__.copy
