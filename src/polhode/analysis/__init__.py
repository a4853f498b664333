"""Analysis: what can be learned from equations of motion without running them."""

from .descriptor import Descriptor, descriptor
from .linearize import Linear, linearize
from .operating_point import StateOptions, Values
from .programme import Programme, programme_control

__all__ = [
    "Descriptor",
    "Linear",
    "Programme",
    "StateOptions",
    "Values",
    "descriptor",
    "linearize",
    "programme_control",
]
