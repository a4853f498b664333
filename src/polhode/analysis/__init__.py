"""Analysis: what can be learned from equations of motion without running them."""

from .linear import Linear, SecondOrder
from .linearize import linearize
from .operating_point import StateOptions, Values

__all__ = [
    "Linear",
    "SecondOrder",
    "StateOptions",
    "Values",
    "linearize",
]
__dir__ = __all__.copy
