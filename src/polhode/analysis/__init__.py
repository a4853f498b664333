"""Analysis: what can be learned from equations of motion without running them."""

from .descriptor import Descriptor, descriptor
from .linear import Linear, SecondOrder
from .linearize import linearize
from .operating_point import StateOptions, Values
from .programme import Programme, programme_control

__all__ = [
    "Descriptor",
    "Linear",
    "Programme",
    "SecondOrder",
    "StateOptions",
    "Values",
    "descriptor",
    "linearize",
    "programme_control",
]
__dir__ = __all__.copy
