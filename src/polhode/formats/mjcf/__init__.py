"""MJCF models, compiled by MuJoCo itself: defaults, orientations and inertias mean what they mean there."""

from .reader import load_mjcf, read_mjcf

__all__ = ["load_mjcf", "read_mjcf"]
