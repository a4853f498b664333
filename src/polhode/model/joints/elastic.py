"""The elastic coordinates of a flexible body, as the coordinates of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...expr import Matrix
from .protocol import ElasticStage, JointType, Stage


@dataclass(frozen=True)
class Elastic(JointType):
    """Coordinates that bend the child and do not move its frame in the parent; `System.beam` adds such a joint.

    >>> Elastic(3).coordinates, Elastic(3).coordinate_labels()
    (3, ['1', '2', '3'])
    """

    count: int
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    kind = "elastic"
    drawing = ()

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        H, labels = Matrix.zeros(6, self.count), self.labels
        return (ElasticStage(H, coordinate_labels=labels, speed_labels=labels, units=self.units),)
