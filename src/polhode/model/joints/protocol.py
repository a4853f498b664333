"""What a joint type is: its stages, what a user gives for it, and how it is drawn; the rest follows.

A new joint is a file with a frozen dataclass that extends `JointType`, and one entry of JOINTS. The file imports this
protocol, expressions and geometry only. Its attributes are what a user gives; its stages are made of them:

    @dataclass(frozen=True)
    class Revolute(JointType):
        axis: Any = given("axis", "z", doc="a direction that is fixed in both bodies")

        kind = "revolute"

        @cached_property
        def stages(self) -> tuple[Stage, ...]:
            return (stage([twist(self.axis)]),)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict

from ...expr import Matrix
from ...geometry.rotations import ORIENTATIONS
from ..field_values import field_value
from ..fields import GivenFields, given
from ..stage import STORAGES, TURN_STORAGES, ElasticStage, Stage

__all__ = [
    "STORAGES", "TURN_STORAGES", "XYZ", "ElasticStage", "JointType", "Solid", "Stage", "given", "orientation_labels",
    "stage", "twist",
]  # fmt: skip

XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Solid:
    """What shows a joint where it sits in the parent: a solid as in `Shape`, a ball unless another is named.

    Its sizes count in radii of the bars that links are drawn by. Its z is along the axis that a field holds.
    """

    kind: str = "sphere"
    size: tuple[float, ...] = (2.2,)
    along: str = ""


class JointType(ABC):
    """A joint: its simple stages, listed as their coordinates are.

    A sequence of stages is a compound joint. `outermost_first` tells which way the list runs: Kwatny and Blankenship
    count from the child to the parent (26); a user who writes `Compound(...)` thinks from the parent to the child. A
    `nominal` orientation turns the joint's frame in the parent, after the rotation that a user gives to place it.

    >>> import polhode as ph
    >>> arm = ph.Compound(ph.Revolute("z"), ph.Prismatic("x"))
    >>> arm.coordinates, arm.speeds, arm.is_holonomic, arm.coordinate_labels(), arm.speed_labels()
    (2, 2, True, ['1', '2'], ['1', '2'])
    >>> len(arm.stages), arm.from_parent, arm.alone
    (2, [0, 1], [True, True])
    >>> ball = ph.Spherical()
    >>> ball.coordinate_labels(), ball.alone[0], ball.nominal is None, ball.in_nominal_frame() == ball
    (['e0', 'e1', 'e2', 'e3'], False, True, True)
    """

    kind: ClassVar[str]  # the `type` in model files
    fields: ClassVar = GivenFields()
    drawing: ClassVar[tuple[Solid, ...]] = (Solid(),)
    outermost_first: ClassVar[bool] = True

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The simple joints that it is made of."""

    def __post_init__(self) -> None:
        """Values are read as their fields say, and stages made: what is wrong with them is said at once."""
        for field in self.fields:
            if field.kind != "word":  # a stage knows its storages
                value = field_value(field, getattr(self, field.name), f"{self.kind} joint")
                object.__setattr__(self, field.name, value)
        for stage in self.stages:
            stage.check_lengths()

    @property
    def nominal(self) -> Matrix | None:
        """The orientation of the joint's frame in the parent where all is at home, if it has one of its own."""
        return None

    def in_nominal_frame(self) -> JointType:
        """The same joint, told in the frame that its nominal orientation makes."""
        return self

    @property
    def from_parent(self) -> list[int]:
        """The stages in the order in which they are met from the parent to the child."""
        indices = list(range(len(self.stages)))
        return indices[::-1] if self.outermost_first else indices

    @property
    def coordinates(self) -> int:
        """How many coordinates it has."""
        return sum(stage.coordinates for stage in self.stages)

    @property
    def speeds(self) -> int:
        """How many speeds it has."""
        return sum(stage.speeds for stage in self.stages)

    @property
    def alone(self) -> list[bool]:
        """For each coordinate whether it means something by itself, as a component of a quaternion does not."""
        return [k >= stage.orientation_parts for stage in self.stages for k in range(stage.coordinates)]

    @property
    def is_holonomic(self) -> bool:
        """Whether its speeds are rates of coordinates that are as many."""
        return all(stage.is_holonomic for stage in self.stages)

    def coordinate_labels(self) -> list[str]:
        """Suffixes for coordinate names; a single coordinate carries the joint's own name."""
        return _labels([(stage.coordinate_labels, stage.coordinates) for stage in self.stages])

    def speed_labels(self) -> list[str]:
        """Suffixes for speed names."""
        return _labels([(stage.speed_labels, stage.speeds) for stage in self.stages])


def _labels(stages: list[tuple[tuple[str, ...], int]]) -> list[str]:
    if sum(count for _, count in stages) == 1:
        return [""]
    result: list[str] = []
    for place, (labels, count) in enumerate(stages, start=1):
        own = labels if len(labels) == count else tuple(str(k) for k in range(1, count + 1))
        if len(stages) == 1:
            result += own
        else:
            result += [str(place)] if count == 1 else [f"{place}{label}" for label in own]
    return result


def twist(rotation: Iterable[Any] = (0, 0, 0), translation: Iterable[Any] = (0, 0, 0)) -> list[Any]:
    """A column of a joint map: rotation over translation."""
    return [*rotation, *translation]


def stage(columns: Sequence[Sequence[Any]], storage: str = "angles", **labels: tuple[str, ...]) -> Stage:
    """A simple joint from the columns of its map, outermost first."""
    return Stage(Matrix.columns_of(columns, 6), storage, **labels)


def orientation_labels(storage: object) -> tuple[str, ...]:
    """Names for the coordinates of an orientation; of an unknown storage none, as the stage will refuse it."""
    if not isinstance(storage, str):
        return ()
    if storage == "angles":
        return ("ax", "ay", "az")
    return ORIENTATIONS[storage].labels if storage in ORIENTATIONS else ()


class JointOptions(TypedDict, total=False):
    """`axis="y"` of `joint(..., "revolute", axis="y")`; a type of one's own is given made, as `RadialArm(lead=0.1)`."""

    axis: Any
    pitch: Any
    first: Any
    second: Any
    normal: Any
    storage: Any
    translations: Any
    rotations: Any
    reference: Any
