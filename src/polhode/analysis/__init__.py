"""Analysis: what can be learned from equations of motion without running them."""

from .descriptor import Descriptor, descriptor
from .linearize import Linear, linearize
from .programme import Programme, programme_control

__all__ = ["Descriptor", "Linear", "Programme", "descriptor", "linearize", "programme_control"]
