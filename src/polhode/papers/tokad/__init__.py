"""Tokad."""

from .chain import Chain, SerialChain, driven_chain, least_speeds, serial_chain
from .component import Multiport, RigidBody
from .drawing import graph_svg, schematic_svg
from .system_graph import SystemGraph, system_graph
from .wiring import Wiring, wired_system

__all__ = [
    "Chain", "Multiport", "RigidBody", "SerialChain", "SystemGraph", "Wiring", "driven_chain", "graph_svg",
    "least_speeds", "schematic_svg", "serial_chain", "system_graph", "wired_system",
]  # fmt: skip
__dir__ = __all__.copy
