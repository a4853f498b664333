"""Planning: motions that a mechanism should make, as functions of time."""

from .gait import Gait
from .quintic import quintic
from .two_bars import two_bars

__all__ = ["Gait", "quintic", "two_bars"]
