"""Joints that let a body turn in every way: a ball in its socket, and a body in the air."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...geometry import unit_axis
from .protocol import STORAGE, XYZ, JointType, Stage, orientation_labels, stage, twist

_TURNS = [twist(unit_axis(letter)) for letter in XYZ]
_SLIDES = [twist(translation=unit_axis(letter)) for letter in XYZ]


@dataclass(frozen=True)
class Spherical(JointType):
    """All rotations; the speeds are the angular velocity's body components."""

    storage: str = "quaternion"

    kind = "spherical"
    fields = (STORAGE,)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = orientation_labels(self.storage)
        return (stage(_TURNS, self.storage, coordinate_labels=labels, speed_labels=("wx", "wy", "wz")),)


@dataclass(frozen=True)
class Free(JointType):
    """All motions; coordinates are orientation and position in the parent, speeds are body components."""

    storage: str = "quaternion"

    kind = "free"
    fields = (STORAGE,)
    drawing = ()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        labels = (*orientation_labels(self.storage), *XYZ)
        speeds = ("wx", "wy", "wz", "vx", "vy", "vz")
        return (stage([*_TURNS, *_SLIDES], self.storage, coordinate_labels=labels, speed_labels=speeds),)
