"""The joint of a cardan shaft."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .protocol import Field, JointType, Stage, stage, twist


@dataclass(frozen=True)
class Universal(JointType):
    """Two successive revolutes: `first` is fixed in the parent, `second` in the child."""

    first: Any = "x"
    second: Any = "y"

    kind = "universal"
    fields = (
        Field("first", "axis", "x", "the axis that is fixed in the parent"),
        Field("second", "axis", "y", "the axis that is fixed in the child"),
    )
    outermost_first = False

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.first)]), stage([twist(self.second)]))
