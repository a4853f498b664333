"""The joint of a cardan shaft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .protocol import TURN_STORAGES, JointType, Stage, given, stage, twist


@dataclass(frozen=True)
class Universal(JointType):
    """Two successive revolutes, stored alike: `first` is fixed in the parent, `second` in the child.

    >>> Universal("x", "y").coordinates
    2
    """

    first: Any = given("axis", "x", doc="the axis that is fixed in the parent")
    second: Any = given("axis", "y", doc="the axis that is fixed in the child")
    storage: str = given("word", "angles", doc="how the turns are stored", choices=TURN_STORAGES)

    kind = "universal"
    outermost_first = False

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return tuple(stage([twist(axis)], self.storage) for axis in (self.first, self.second))
