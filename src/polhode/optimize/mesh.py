"""The points of a mesh: the ends of its intervals first, then, where a scheme has them, their middles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .schemes import Scheme

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """A scheme on intervals whose ends are shares of the duration, from 0 to 1."""

    scheme: Scheme
    ends: Floats

    @property
    def intervals(self) -> int:
        return len(self.ends) - 1

    @property
    def points(self) -> int:
        """How many points there are."""
        return len(self.ends) + (self.intervals if self.scheme.has_middle else 0)

    @cached_property
    def steps(self) -> Floats:
        """The lengths of the intervals, as shares."""
        return np.diff(self.ends)

    @cached_property
    def shares(self) -> Floats:
        """Where the points are, as shares of the duration, in the order of the variables."""
        middles = (self.ends[:-1] + self.ends[1:]) / 2
        return np.concatenate([self.ends, middles]) if self.scheme.has_middle else self.ends

    @cached_property
    def in_time(self) -> Whole:
        """The points in the order of time."""
        return np.argsort(self.shares, kind="stable")

    @cached_property
    def sides(self) -> tuple[Whole, Whole, Whole]:
        """The points at the left end, in the middle and at the right end of every interval."""
        k = np.arange(self.intervals)
        return k, len(self.ends) + k, k + 1

    @cached_property
    def quadrature(self) -> Floats:
        """The weight of each point in an integral over the shares."""
        found = np.zeros(self.points)
        for points, weight in zip(self.sides, self.scheme.quadrature, strict=True):
            if weight:
                np.add.at(found, points, float(weight) * self.steps)
        return found
