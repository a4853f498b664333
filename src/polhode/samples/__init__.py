"""Well-known mechanisms, ready to be derived: they serve the demo, the examples, the tests and the benchmarks."""

from .arm import six_degree_of_freedom_arm
from .bicycle import whipple_bicycle
from .car import car
from .linkages import bennett, four_bar, n_four_bar
from .semitrailer import semitrailer, steady_turn
from .tyre import Patch, Tyre, brush, put_on_road
from .vehicle import Vehicle, cruising

__all__ = [
    "Patch", "Tyre", "Vehicle", "bennett", "brush", "car", "cruising", "four_bar", "n_four_bar", "put_on_road",
    "semitrailer", "six_degree_of_freedom_arm", "steady_turn", "whipple_bicycle",
]  # fmt: skip
