"""The network model of a mechanism: bodies as components with ports, joined by a linear graph."""

from .system_graph import SystemGraph, system_graph

__all__ = ["SystemGraph", "system_graph"]
