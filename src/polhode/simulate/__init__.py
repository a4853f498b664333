"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes."""

from .assembly import Assembly, assemble
from .batch import Batch
from .batch_running import simulate_batch
from .events import Crossing, crossing
from .integrators import METHODS
from .members import Members
from .run import simulate
from .settings import AssemblyOptions, RunOptions
from .trajectory import Trajectory

__all__ = [
    "METHODS",
    "Assembly",
    "AssemblyOptions",
    "Batch",
    "Crossing",
    "Members",
    "RunOptions",
    "Trajectory",
    "assemble",
    "crossing",
    "simulate",
    "simulate_batch",
]
