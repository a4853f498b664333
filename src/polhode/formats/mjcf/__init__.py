"""MJCF models, compiled by MuJoCo itself: defaults, orientations and inertias mean what they mean there."""

from .reader import from_mujoco, load_mjcf, read_mjcf

__all__ = ["from_mujoco", "load_mjcf", "read_mjcf"]
__dir__ = __all__.copy
