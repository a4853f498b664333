"""Constraints: what loops, conditions and rolling contacts come to on a tree's coordinates and speeds."""

from .dependent_speeds import DependentSpeeds, dependent_speeds_of
from .pseudo_speeds import PseudoSpeeds, pseudo_speeds_of
from .rows import Constraints, Row, RowSource, constraints_of

__all__ = [
    "Constraints", "DependentSpeeds", "PseudoSpeeds", "Row", "RowSource", "constraints_of", "dependent_speeds_of",
    "pseudo_speeds_of",
]  # fmt: skip
