"""Joints that let a body turn in every way: a ball in its socket, and a body in the air."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...geometry import unit_axis
from .protocol import STORAGES, XYZ, JointType, Stage, given, orientation_labels, stage, twist

_TURNS = [twist(unit_axis(letter)) for letter in XYZ]
_SLIDES = [twist(translation=unit_axis(letter)) for letter in XYZ]


@dataclass(frozen=True)
class Oriented(JointType):
    """A joint that turns in every way."""

    storage: str = given("word", "quaternion", doc="how the orientation is stored", choices=STORAGES)


@dataclass(frozen=True)
class Spherical(Oriented):
    """All rotations; the speeds are the angular velocity's body components.

    >>> Spherical().coordinates, Spherical().speeds
    (4, 3)
    """

    kind = "spherical"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = orientation_labels(self.storage)
        return (stage(_TURNS, self.storage, coordinate_labels=labels, speed_labels=("wx", "wy", "wz")),)


@dataclass(frozen=True)
class Free(Oriented):
    """All motions; coordinates are orientation and position in the parent, speeds are body components.

    >>> Free().coordinates, Free().speeds
    (7, 6)
    """

    kind = "free"
    drawing = ()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = (*orientation_labels(self.storage), *XYZ)
        speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
        return (stage([*_TURNS, *_SLIDES], self.storage, coordinate_labels=labels, speed_labels=speeds),)
