"""The network model of a mechanism: bodies as components with ports, joined by a linear graph; and its equations."""

from .equations import recipe, row_source
from .system_graph import SystemGraph, system_graph

__all__ = ["SystemGraph", "recipe", "row_source", "system_graph"]
__dir__ = __all__.copy
