"""Analysis: what can be learned from equations of motion without running them."""

from .linearize import Linear, linearize
from .programme import Programme, programme_control

__all__ = ["Linear", "Programme", "linearize", "programme_control"]
