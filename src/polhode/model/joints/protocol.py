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
    """Drawing of a joint in the parent: a solid as in `Shape`, sizes in radii of bars, z along the axis field."""

    kind: str = "sphere"
    size: tuple[float, ...] = (2.2,)
    along: str = ""


class JointType(ABC):
    """A joint: its simple stages, listed as their coordinates are.

    A sequence of stages is a compound joint. `outermost_first` is the direction of the list: Kwatny and Blankenship
    count from the child to the parent (26); a user who writes `Compound(...)` thinks from the parent to the child. A
    `nominal` orientation turns the joint's frame in the parent, after the rotation that a user gives to place it.

    >>> import polhode as ph
    >>> arm = ph.Compound(ph.Revolute("z"), ph.Prismatic("x"))
    >>> arm.coordinates, arm.speeds, arm.is_holonomic, arm.coordinate_labels(), arm.speed_labels()
    (2, 2, True, ['1', '2'], ['1', '2'])
    """

    kind: ClassVar[str]  # the `type` in model files
    fields: ClassVar = GivenFields()
    drawing: ClassVar[tuple[Solid, ...]] = (Solid(),)
    outermost_first: ClassVar[bool] = True

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The simple joints that it consists of."""

    def __post_init__(self) -> None:
        """Validate the fields and construct the stages."""
        for field in self.fields:
            if field.kind != "word":  # a stage knows its storages
                value = field_value(field, getattr(self, field.name), f"{self.kind} joint")
                object.__setattr__(self, field.name, value)
        for stage in self.stages:
            stage.check_lengths()

    @property
    def nominal(self) -> Matrix | None:
        """Orientation of the joint's frame in the parent at the zero configuration, if it has one."""
        return None

    def in_nominal_frame(self) -> JointType:
        """The same joint in the frame of its nominal orientation."""
        return self

    @property
    def from_parent(self) -> list[int]:
        """Indices of the stages in order from the parent to the child."""
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
    for number, (labels, count) in enumerate(stages, start=1):
        stage_labels = labels if len(labels) == count else tuple(str(k) for k in range(1, count + 1))
        if len(stages) == 1:
            result += stage_labels
        else:
            result += [str(number)] if count == 1 else [f"{number}{label}" for label in stage_labels]
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
    """Keywords of a named type, as `joint(..., "revolute", axis="y")`; a user's type is given as an object."""

    axis: Any
    pitch: Any
    first: Any
    second: Any
    normal: Any
    storage: Any
    translations: Any
    rotations: Any
    reference: Any
