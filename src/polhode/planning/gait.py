"""A gait in a plane: where the hip and the feet of a walker are in time.

A step has two phases, each with its own time from 0, with the foot that bears the walker at x = 0:

    double support   the other foot is still behind, at -L; the hip passes from one foot towards the other
    single support   the other foot swings from -L to L and comes down at rest; the hip passes above the one that bears

In single support the hip moves as an inverted pendulum of rate ω would, x = A sinh ω(t - T/2), so that little is left
for the trunk to balance; in double support along a cubic. Its place, velocity and acceleration have no jumps. A foot
leaves and touches the ground without velocity and acceleration, so that nothing is struck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from ..errors import number
from ..expr import Expr, as_expr
from ..expr.exact import sinh
from .quintic import quintic

_PLACE = "gait"


@dataclass(frozen=True)
class Gait:
    """Steps of one length, in metres, each of `double` and then `single` support, in seconds.

    >>> gait = Gait(length=0.4, height=0.8, clearance=0.05, single=0.5, double=0.15)
    >>> f"{gait.speed:.3f} m/s"
    '0.615 m/s'
    """

    length: float
    height: float  # of the hip, which stays level
    clearance: float  # of the foot that swings, half way
    single: float
    double: float
    rate: float = 3.0  # ω of the pendulum, in 1/s; √(g/h) of a point mass at height h
    ahead: float = 0.0  # of the feet's middle, the hip's

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            cure = "Lengths are in metres, times in seconds."
            made = (
                number(value, place=f"{_PLACE} ahead", cure=cure)
                if field.name == "ahead"
                else number(value, "a positive number", above=0.0, place=f"{_PLACE} {field.name}", cure=cure)
            )
            object.__setattr__(self, field.name, made)

    @property
    def speed(self) -> float:
        """Of walking."""
        return self.length / (self.single + self.double)

    @property
    def amplitude(self) -> float:
        """A of the hip's motion, by which both phases together make one step."""
        w, T = self.rate, self.double
        s, c = math.sinh(w * self.single / 2), math.cosh(w * self.single / 2)
        return self.length / (2 * s + w * c * T + w**2 * s * T**2 / 6)

    def hip_in_single_support(self, t: Any) -> Expr:
        """x of the hip."""
        return as_expr(self.ahead + self.amplitude * sinh(self.rate * (t - self.single / 2)))

    def hip_in_double_support(self, t: Any) -> Expr:
        """x of the hip; its acceleration goes evenly from that of one pendulum to that of the next."""
        w, A, half = self.rate, self.amplitude, self.rate * self.single / 2
        x, v, a = A * math.sinh(half) - self.length, A * w * math.cosh(half), A * w**2 * math.sinh(half)
        return as_expr(self.ahead + x + v * t + a * t**2 / 2 - a / self.double * t**3 / 3)

    def swinging_foot(self, t: Any) -> tuple[Expr, Expr]:
        """x and z of the foot that swings."""
        s = t / self.single
        path = quintic(t, (-self.length, 0, 0), (self.length, 0, 0), self.single, hold=False)
        return path, as_expr(self.clearance * (4 * s * (1 - s)) ** 3)
