"""Tokad."""

from .chain import Chain, driven_chain
from .component import RigidBody
from .drawing import graph_svg
from .joints import SerialChain, serial_chain
from .kinematics import least_speeds
from .ports import Multiport
from .schematic import schematic_svg
from .system_graph import SystemGraph, system_graph
from .wired_system import wired_system
from .wiring import Wiring

__all__ = [
    "Chain", "Multiport", "RigidBody", "SerialChain", "SystemGraph", "Wiring", "driven_chain", "graph_svg",
    "least_speeds", "schematic_svg", "serial_chain", "system_graph", "wired_system",
]  # fmt: skip
__dir__ = __all__.copy
