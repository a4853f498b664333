"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes.

Its names are loaded when one is used: a run needs few of the rooms' files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch.batch import Batch as Batch
    from .batch.running import simulate_batch as simulate_batch
    from .constraints.assembly import Assembly as Assembly
    from .constraints.assembly import assemble as assemble
    from .events import Crossing as Crossing
    from .events import crossing as crossing
    from .run import run_or_batch as run_or_batch
    from .run import simulate as simulate
    from .settings import METHODS as METHODS
    from .settings import AssemblyOptions as AssemblyOptions
    from .settings import RunOptions as RunOptions
    from .trajectory.trajectory import Trajectory as Trajectory

_HOMES = {
    "METHODS": ".settings", "Assembly": ".constraints.assembly", "AssemblyOptions": ".settings",
    "Batch": ".batch.batch", "Crossing": ".events", "RunOptions": ".settings", "Trajectory": ".trajectory.trajectory",
    "assemble": ".constraints.assembly", "crossing": ".events", "run_or_batch": ".run", "simulate": ".run",
    "simulate_batch": ".batch.running",
}  # fmt: skip
__all__ = [*_HOMES]
__dir__ = __all__.copy


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)
