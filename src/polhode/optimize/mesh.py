"""Schemes of collocation and their meshes: the ends of all intervals first, then, where a scheme has them, the middles.

Each defect of an interval is linear in states and rates; it vanishes where the scheme holds:

    defect = a₀ x_left + a₁ x_middle + a₂ x_right + h (b₀ f_left + b₁ f_middle + b₂ f_right)

    trapezoidal       x_right - x_left = h (f_left + f_right)/2                        order 2
    Hermite–Simpson   x_right - x_left = h (f_left + 4 f_middle + f_right)/6           order 4
                      x_middle = (x_left + x_right)/2 + h (f_left - f_right)/8

J. T. Betts, *Practical Methods for Optimal Control and Estimation Using Nonlinear Programming* (2010), sections 4.5 and
4.7: the separated form, in which the state in the middle is a variable. So every function is one of a single point, and
the matrix of second derivatives has a block for each point and nothing between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Triple = tuple[Fraction, Fraction, Fraction]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def _triple(left: int, middle: int, right: int, over: int = 1) -> Triple:
    return Fraction(left, over), Fraction(middle, over), Fraction(right, over)


@dataclass(frozen=True)
class Defect:
    """The factors of the states and of the rates, at left end, middle and right end."""

    states: Triple
    rates: Triple


@dataclass(frozen=True)
class Scheme:
    """A scheme: its defects, the weights of its quadrature, and its order."""

    defects: tuple[Defect, ...]
    quadrature: Triple
    order: int

    @property
    def has_middle(self) -> bool:
        """Whether there is a point in the middle of each interval."""
        return self.quadrature[1] != 0

    def weights(self, s: Floats) -> tuple[Floats, ...]:
        """Lagrange's polynomials of the points of an interval at its shares s, from 0 to 1."""
        return (2 * (s - 0.5) * (s - 1), 4 * s * (1 - s), 2 * s * (s - 0.5)) if self.has_middle else (1 - s, s)


SCHEMES: Mapping[str, Scheme] = MappingProxyType({
    "hermite_simpson": Scheme(
        (
            Defect(_triple(-1, 2, -1, 2), _triple(-1, 0, 1, 8)),
            Defect(_triple(-1, 0, 1), _triple(-1, -4, -1, 6)),
        ),
        _triple(1, 4, 1, 6),
        4,
    ),
    "trapezoidal": Scheme((Defect(_triple(-1, 0, 1), _triple(-1, 0, -1, 2)),), _triple(1, 0, 1, 2), 2),
})  # fmt: skip


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
        """Number of points."""
        return len(self.ends) + (self.intervals if self.scheme.has_middle else 0)

    @cached_property
    def steps(self) -> Floats:
        """The lengths of the intervals, as shares."""
        return np.diff(self.ends)

    @cached_property
    def shares(self) -> Floats:
        """Points as fractions of the duration, in the order of the variables."""
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
        shares = np.zeros(self.points)
        for points, weight in zip(self.sides, self.scheme.quadrature, strict=True):
            if weight:
                np.add.at(shares, points, float(weight) * self.steps)
        return shares

    def values_at(self, y: Floats, shares: Floats) -> Floats:
        """Values (points, n) at shares of the duration: on the parabolas or lines through the points of intervals."""
        k = np.clip(np.searchsorted(self.ends, shares, side="right") - 1, 0, self.intervals - 1)
        left, middle, right = (points[k] for points in self.sides)
        weights = self.scheme.weights(((shares - self.ends[k]) / self.steps[k])[:, None])
        points = (left, middle, right) if self.scheme.has_middle else (left, right)
        return np.asarray(sum(weight * y[point] for weight, point in zip(weights, points, strict=True)))
