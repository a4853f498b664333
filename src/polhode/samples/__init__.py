"""Well-known mechanisms, ready to be derived: they serve the demo, the examples, the tests and the benchmarks."""

from .arm import six_degree_of_freedom_arm
from .bicycle import whipple_bicycle

__all__ = ["six_degree_of_freedom_arm", "whipple_bicycle"]
