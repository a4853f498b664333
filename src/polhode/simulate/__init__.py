"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes."""

from .assembly import Assembly, assemble
from .events import Crossing, crossing
from .run import METHODS, simulate
from .trajectory import Trajectory

__all__ = ["METHODS", "Assembly", "Crossing", "Trajectory", "assemble", "crossing", "simulate"]
