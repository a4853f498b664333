"""What a chart of the rotations is: coordinates x, the rotation that they mean, and how they change.

Everything is a function of components (see `scalars`), of symbols and of batches alike. Velocities and accelerations
are in body components. A `lift` is a quaternion (scalar first) of any length but zero: what it means does not depend
on its length, so that charts without a square root stay free of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...expr import Matrix
from .scalars import Components, Numbers


@dataclass(frozen=True)
class Chart:
    """A chart: its name and labels, R(x), Γ with ẋ = Γ ω, E with ω = E ẋ, and the ways from and to a quaternion.

    `lift` gives and `coordinates` takes a quaternion of any length, `condition` one of unit length: it is the condition
    number of Γ, the ratio of the largest to the smallest change that a unit velocity makes. 1 is best, and where it is
    infinite the chart is singular; `singular` says in words where that is.
    """

    name: str
    labels: tuple[str, ...]
    rotation: Callable[[Numbers], Matrix]
    rate: Callable[[Numbers], Matrix]
    velocity: Callable[[Numbers], Matrix]
    lift: Callable[[Numbers], Components]
    coordinates: Callable[[Numbers], Components]
    acceleration: Callable[[Numbers, Numbers, Numbers], Components]
    condition: Callable[[Numbers], Any]
    singular: str
    shape: tuple[int, ...] = (3,)
    second_rate: Callable[[Numbers, Numbers, Numbers], Components] | None = None
    extrinsic: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name."""
        from .charts import chart_named

        return chart_named, (self.name, self.extrinsic)
