"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes.

Its names are loaded when one is used: a run needs few of the rooms' files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .assembly import Assembly, assemble
    from .batch import Batch
    from .batch_running import simulate_batch
    from .events import Crossing, crossing
    from .integrators import METHODS
    from .run import run_or_batch, simulate
    from .settings import AssemblyOptions, RunOptions
    from .trajectory import Trajectory

_HOMES = {
    "METHODS": "integrators", "Assembly": "assembly", "AssemblyOptions": "settings", "Batch": "batch",
    "Crossing": "events", "RunOptions": "settings", "Trajectory": "trajectory", "assemble": "assembly",
    "crossing": "events", "run_or_batch": "run", "simulate": "run", "simulate_batch": "batch_running",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


__all__ = [
    "METHODS",
    "Assembly",
    "AssemblyOptions",
    "Batch",
    "Crossing",
    "RunOptions",
    "Trajectory",
    "assemble",
    "crossing",
    "run_or_batch",
    "simulate",
    "simulate_batch",
]
__dir__ = __all__.copy
