"""Constraints: what loops, conditions and rolling contacts come to on a tree's coordinates and speeds."""

from .binding import Binding, bind
from .rows import Constraints, Row, constraints_of

__all__ = ["Binding", "Constraints", "Row", "bind", "constraints_of"]
