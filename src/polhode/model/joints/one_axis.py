"""Joints of one axis, fixed in both bodies: turning about it, sliding along it, and both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .protocol import TURN_STORAGES, JointType, Solid, Stage, given, stage, twist


@dataclass(frozen=True)
class OneAxis(JointType):
    """A joint with an axis."""

    axis: Any = given("axis", "z", doc="a direction that is fixed in both bodies")

    drawing = (Solid("cylinder", (1.6, 7), "axis"),)


@dataclass(frozen=True)
class Revolute(OneAxis):
    """One rotation about an axis fixed in both bodies; its coordinate is the angle θ, or with "vector" tan(θ/2).

    >>> Revolute("y").stages[0].speeds
    1
    >>> Revolute((0, "3/5", "4/5")).axis
    Vector([0, 3/5, 4/5])
    """

    storage: str = given("word", "angles", doc="how the turn is stored", choices=TURN_STORAGES)

    kind = "revolute"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis)], self.storage),)


@dataclass(frozen=True)
class Prismatic(OneAxis):
    """One translation along an axis fixed in both bodies.

    >>> Prismatic("x").coordinates
    1
    """

    kind = "prismatic"
    drawing = (Solid("box", (3, 3, 7), "axis"),)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(translation=self.axis)]),)


@dataclass(frozen=True)
class Screw(OneAxis):
    """Rotation about an axis with `pitch` metres of advance for each radian.

    >>> Screw("z", 0.01).stages[0].speeds
    1
    """

    pitch: Any = given("number", 0, doc="metres of advance for each radian", unit="m/rad")

    kind = "screw"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.axis, self.axis * self.pitch)]),)


@dataclass(frozen=True)
class Cylindrical(OneAxis):
    """Rotation about and translation along one axis, independently.

    >>> Cylindrical("z").coordinates, Cylindrical("z").speeds
    (2, 2)
    """

    kind = "cylindrical"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = ("angle", "slide")
        columns = [twist(self.axis), twist(translation=self.axis)]
        return (stage(columns, coordinate_labels=labels, speed_labels=labels),)
