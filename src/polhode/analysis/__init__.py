"""Analysis: what can be learned from equations of motion without running them."""

from .linearize import Linear, linearize

__all__ = ["Linear", "linearize"]
