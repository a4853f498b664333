"""Joints of one axis, fixed in both bodies: turning about it, sliding along it, and both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .protocol import Field, JointType, Solid, Stage, stage, twist

_AXIS = Field("axis", "axis", "z", "a direction that is fixed in both bodies")
_PIN = Solid("cylinder", (1.6, 7), "axis")


@dataclass(frozen=True)
class Revolute(JointType):
    """One rotation about an axis fixed in both bodies."""

    axis: Any = "z"

    kind = "revolute"
    fields = (_AXIS,)
    drawing = (_PIN,)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis)]),)


@dataclass(frozen=True)
class Prismatic(JointType):
    """One translation along an axis fixed in both bodies."""

    axis: Any = "z"

    kind = "prismatic"
    fields = (_AXIS,)
    drawing = (Solid("box", (3, 3, 7), "axis"),)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(translation=self.axis)]),)


@dataclass(frozen=True)
class Screw(JointType):
    """Rotation about an axis with `pitch` metres of advance for each radian."""

    axis: Any = "z"
    pitch: Any = 0

    kind = "screw"
    fields = (_AXIS, Field("pitch", "number", 0, "metres of advance for each radian", "m/rad"))
    drawing = (_PIN,)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis, self.axis * self.pitch)]),)


@dataclass(frozen=True)
class Cylindrical(JointType):
    """Rotation about and translation along one axis, independently."""

    axis: Any = "z"

    kind = "cylindrical"
    fields = (_AXIS,)
    drawing = (_PIN,)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = ("angle", "slide")
        columns = [twist(self.axis), twist(translation=self.axis)]
        return (stage(columns, coordinate_labels=labels, speed_labels=labels),)
