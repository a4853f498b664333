"""Ways of straight lines and arcs, for a platform that rolls: velocity and turning as functions of time.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 9.1: what steers a
platform is simplest along a line and along a circle, where the steering is fixed. Where one passes into the other the
curvature jumps, which no wheel can follow at speed: each piece is driven from rest to rest, on a quintic,

    v = L/T 30 σ² (1 - σ)²,   ω = κ v,   σ = (t - t_k)/T  from 0 to 1

so that velocities and accelerations have no jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...calls import public
from ...errors import fault_at, shown, understood
from ...expr import Expr, as_expr
from ...expr.exact import maximum, minimum

_PLACE = "way"
fault = fault_at(_PLACE)


@public
@dataclass(frozen=True)
class Line:
    """Straight ahead, by a length in metres; backward, if it is negative."""

    length: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", _number(self.length, "length"))

    @property
    def curvature(self) -> float:
        return 0.0


@public
@dataclass(frozen=True)
class Arc:
    """Along a circle of a radius in metres, turning by an angle in radians: to the left, if it is positive."""

    radius: float
    angle: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", _number(self.radius, "radius"))
        object.__setattr__(self, "angle", _number(self.angle, "angle"))
        if self.radius < 0:
            message = f"the radius {shown(self.radius)} of an arc is negative."
            raise fault(message, "A negative angle turns to the right.", "E-PLANNING-NUMBER")

    @property
    def length(self) -> float:
        return self.radius * abs(self.angle)

    @property
    def curvature(self) -> float:
        return math.copysign(1 / self.radius, self.angle)


@public
@dataclass(frozen=True)
class Way:
    """Pieces one after the other, from the origin along x, each at the mean speed given, in m/s."""

    pieces: Sequence[Line | Arc]
    speed: float

    def __post_init__(self) -> None:
        pieces = tuple(self.pieces)
        unexpected = [piece for piece in pieces if not isinstance(piece, Line | Arc)]
        if unexpected:
            message = f"{shown(unexpected[0])} is no line and no arc."
            raise fault(message, "Give Line(length) or Arc(radius, angle).", "E-PLANNING-TYPE")
        object.__setattr__(self, "pieces", pieces)
        object.__setattr__(self, "speed", _number(self.speed, "speed"))
        if not pieces or self.speed < 0:
            message = "a way needs a piece and a positive speed."
            raise fault(message, "A negative length goes backward.", "E-PLANNING-NUMBER")

    @cached_property
    def knots(self) -> tuple[float, ...]:
        """Start times of the pieces, and the end time of the last."""
        return tuple(accumulate((abs(piece.length) / self.speed for piece in self.pieces), initial=0.0))

    @property
    def duration(self) -> float:
        return self.knots[-1]

    def velocity(self, t: Any) -> Expr:
        """v along the way, an expression of time; nil before and after it."""
        return self._sum([piece.length for piece in self.pieces], t)

    def turning(self, t: Any) -> Expr:
        """ω, to the left."""
        return self._sum([piece.length * piece.curvature for piece in self.pieces], t)

    def _sum(self, lengths: Sequence[float], t: Any) -> Expr:
        total = as_expr(0)
        for length, start, end in zip(lengths, self.knots, self.knots[1:], strict=False):
            share = maximum(0, minimum(1, (t - start) / (end - start)))
            total = total + length / (end - start) * 30 * (share * (1 - share)) ** 2
        return as_expr(total)

    @property
    def end(self) -> NDArray[np.float64]:
        """x, y and heading at the end."""
        return np.asarray(self.at([self.duration])[0])

    def at(self, t: ArrayLike) -> NDArray[np.float64]:
        """x, y and heading (T, 3) at times (T,), in closed form."""
        times = np.atleast_1d(np.asarray(t, dtype=np.float64))
        pose = np.zeros((len(times), 3))
        for piece, start, end in zip(self.pieces, self.knots, self.knots[1:], strict=False):
            share = np.clip((times - start) / (end - start), 0.0, 1.0)
            s = piece.length * share**3 * (10 - 15 * share + 6 * share**2)
            half, heading = piece.curvature * s / 2, pose[:, 2].copy()
            chord = s * np.sinc(half / np.pi)  # 2 r sin(s/2r)
            pose[:, 0] += chord * np.cos(heading + half)
            pose[:, 1] += chord * np.sin(heading + half)
            pose[:, 2] += 2 * half
        return pose


def _number(value: Any, what: str) -> float:
    with understood("a number", value, place=f"{_PLACE} {what}"):
        number = float(value)
    if not math.isfinite(number) or number == 0.0:
        message = f"the {what} {shown(value)} of a way is no number, or nil."
        raise fault(message, "Lengths are in metres, angles in radians, speeds in m/s.", "E-PLANNING-NUMBER")
    return number
