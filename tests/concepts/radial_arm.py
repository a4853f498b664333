"""A joint from outside the package: the arm of a radial drill, which climbs a threaded column and carries a slide."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from polhode.model.joints.protocol import JointType, Solid, Stage, given, stage, twist


@dataclass(frozen=True)
class RadialArm(JointType):
    """A screw about the column with `lead` metres of advance for each radian, then a translation along the arm."""

    lead: Any = given("number", doc="metres of advance for each radian", unit="m/rad")
    column: Any = given("axis", "z", doc="the axis that is fixed in the parent")
    arm: Any = given("axis", "x", doc="the direction of the slide, which turns along")

    kind = "radial_arm"
    drawing = (Solid("cylinder", (1.2, 9), "column"),)
    outermost_first = False

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        return (stage([twist(self.column, self.column * self.lead)]), stage([twist(translation=self.arm)]))
