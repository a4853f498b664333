"""Sweeps: runs over grids and samples of values, on all cores or a cluster, of which only measures need be kept."""

from .measures import MEASURES, REDUCTIONS
from .results import Sweep, SweepInterrupted
from .running import sweep

__all__ = ["MEASURES", "REDUCTIONS", "Sweep", "SweepInterrupted", "sweep"]
