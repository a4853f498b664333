"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes."""

from .assembly import Assembly, assemble
from .events import Crossing, crossing
from .integrators import METHODS
from .run import simulate
from .settings import AssemblyOptions, RunOptions
from .trajectory import Trajectory

__all__ = [
    "METHODS",
    "Assembly",
    "AssemblyOptions",
    "Crossing",
    "RunOptions",
    "Trajectory",
    "assemble",
    "crossing",
    "simulate",
]
