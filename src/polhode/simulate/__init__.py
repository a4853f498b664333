"""Simulation: integration that says when it cannot be trusted, and the trajectories it makes."""

from .run import METHODS, simulate
from .trajectory import Trajectory

__all__ = ["METHODS", "Trajectory", "simulate"]
