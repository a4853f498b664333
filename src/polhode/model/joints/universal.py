"""The joint of a cardan shaft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .protocol import JointType, Stage, given, stage, twist


@dataclass(frozen=True)
class Universal(JointType):
    """Two successive revolutes: `first` is fixed in the parent, `second` in the child."""

    first: Any = given("axis", "x", doc="the axis that is fixed in the parent")
    second: Any = given("axis", "y", doc="the axis that is fixed in the child")

    kind = "universal"
    outermost_first = False

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.first)]), stage([twist(self.second)]))
