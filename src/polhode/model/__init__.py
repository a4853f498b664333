"""What a user writes: systems, bodies, joints, forces. Each name is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .system import System

if TYPE_CHECKING:
    from .body import Body, Frame, Shape, box, cylinder, disc, rod, sphere
    from .flexible.modal import Node
    from .joints import (
        BuildingBlock,
        Compound,
        Cylindrical,
        Fixed,
        Free,
        JointMap,
        JointType,
        Planar,
        Prismatic,
        Revolute,
        Screw,
        Spherical,
        Universal,
    )
    from .model import Model
    from .records import Coupling, Joint, NamedPose, Parameter, State

__all__ = [
    "Body", "BuildingBlock", "Compound", "Coupling", "Cylindrical", "Fixed", "Frame", "Free", "Joint", "JointMap",
    "JointType", "Model", "NamedPose", "Node", "Parameter", "Planar", "Prismatic", "Revolute", "Screw", "Shape",
    "Spherical", "State", "System", "Universal", "box", "cylinder", "disc", "rod", "sphere",
]  # fmt: skip
__dir__ = __all__.copy

#: Where the names above are; a system whose file is known needs none of them.
_HOMES = ("body", "joints", "model", "records", "flexible.modal")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f".{home}", __name__)
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
