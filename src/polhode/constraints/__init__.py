"""Constraints: what loops, conditions and rolling contacts come to on a tree's coordinates and speeds."""

from .binding import Binding, bind
from .rows import Constraints, Row, RowSource, constraints_of

__all__ = ["Binding", "Constraints", "Row", "RowSource", "bind", "constraints_of"]
