"""A body on a plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...geometry import unit_axis
from .protocol import XYZ, JointType, Stage, given, stage, twist


@dataclass(frozen=True)
class Planar(JointType):
    """Rotation about a normal and translation in the plane; the speeds are body-fixed components.

    >>> Planar("z").coordinates
    3
    """

    normal: Any = given("axis", "z", doc="a direction across the plane")

    kind = "planar"

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        x, y = _plane_axes(self.normal)
        columns = [twist(self.normal), twist(translation=x), twist(translation=y)]
        return (stage(columns, coordinate_labels=("angle", "x", "y"), speed_labels=("w", "vx", "vy")),)


def _plane_axes(n: Any) -> tuple[Any, Any]:
    start = next(unit_axis(letter) for letter in XYZ if unit_axis(letter).dot(n) == 0 or letter == "z")
    if start.dot(n) == 0:
        x = start
    else:
        x = unit_axis(unit_axis("x" if n[0] != 1 else "y").cross(n))
    return x, n.cross(x)
