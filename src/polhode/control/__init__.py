"""Controllers: laws designed for a mechanism, in symbols, to be proved, run in closed loop and written as source.

Each is a file of its own, a subclass of `Controller` with one method, `design`; a line here makes it known.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .adaptive import Adaptive as Adaptive
    from .computed_torque import ComputedTorque as ComputedTorque
    from .controller import Controller as Controller
    from .energy_control import EnergyControl as EnergyControl
    from .energy_shaping import EnergyShaping as EnergyShaping
    from .law import ControllerState as ControllerState
    from .law import Law as Law
    from .law import Reference as Reference
    from .lyapunov import LyapunovFunction as LyapunovFunction
    from .operational_space import OperationalSpace as OperationalSpace
    from .passivity import PassivityBased as PassivityBased
    from .potential_shaping import PDGravity as PDGravity
    from .potential_shaping import PotentialShaping as PotentialShaping
    from .sliding_mode import SlidingMode as SlidingMode
    from .switched import Switched as Switched

#: What there is, and the file that it is in.
_FILES = {
    "Controller": "controller",
    "Law": "law",
    "Reference": "law",
    "ControllerState": "law",
    "ComputedTorque": "computed_torque",
    "PassivityBased": "passivity",
    "PDGravity": "potential_shaping",
    "PotentialShaping": "potential_shaping",
    "Adaptive": "adaptive",
    "SlidingMode": "sliding_mode",
    "OperationalSpace": "operational_space",
    "EnergyControl": "energy_control",
    "EnergyShaping": "energy_shaping",
    "Switched": "switched",
    "LyapunovFunction": "lyapunov",
}  # fmt: skip

__all__ = [*_FILES]


def __getattr__(name: str) -> Any:
    """A name when it is first used, so that a run with one controller loads no other."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_FILES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_FILES)
