"""Analysis: what can be learned from equations of motion without running them."""

from .descriptor import Descriptor, descriptor
from .programme import Programme, programme_control

__all__ = [
    "Descriptor",
    "Programme",
    "descriptor",
    "programme_control",
]
__dir__ = __all__.copy
