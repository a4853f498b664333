"""Twists and wrenches: two vectors about one point, in the components of one frame, the angular one first.

A twist is how a body moves: its angular velocity ω and the velocity v of its point at P; a rate of it, or a column of a
joint's map, is one too. A wrench is what acts on a body: the torque n about P and the force f; momentum shifts like it.
P is the origin of the frame whose components are meant, unless it is said otherwise; of a link's, its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from ..expr import Matrix, Vector

ZERO = Vector([0, 0, 0])


class _Pair(NamedTuple):
    angular: Vector
    linear: Vector

    @classmethod
    def zero(cls) -> Self:
        return cls(ZERO, ZERO)

    @classmethod
    def of(cls, six: Sequence[Any]) -> Self:
        """From six numbers, the angular ones first."""
        return cls(Vector(six[:3]), Vector(six[3:]))

    @property
    def six(self) -> Vector:
        """The six numbers, the angular ones first."""
        return Vector([*self.angular, *self.linear])

    def __add__(self, other: _Pair) -> Self:  # type: ignore[override]  # adds vectors; tuples are joined
        return type(self)(self.angular + other[0], self.linear + other[1])

    def __sub__(self, other: _Pair) -> Self:
        return type(self)(self.angular - other[0], self.linear - other[1])

    def __mul__(self, factor: Any) -> Self:
        return type(self)(self.angular * factor, self.linear * factor)

    def turned(self, R: Matrix) -> Self:
        """About the same point, in the components to which R takes."""
        return type(self)(R @ self.angular, R @ self.linear)

    def mapped(self, function: Any) -> Self:
        """With a function applied to every number."""
        return type(self)(Vector(map(function, self.angular)), Vector(map(function, self.linear)))


class Twist(_Pair):
    """How a body moves: angular velocity ω, and the velocity v of its point at P."""

    __slots__ = ()

    def at(self, r: Vector) -> Twist:
        """The same with the velocity of the point that lies at r from P: v + ω × r."""
        return Twist(self.angular, self.linear + self.angular.cross(r))


class Wrench(_Pair):
    """Torque n about a point P, and force f."""

    __slots__ = ()

    def about(self, r: Vector) -> Wrench:
        """The same about the point from which P is seen at r: n + r × f."""
        return Wrench(self.angular + r.cross(self.linear), self.linear)

    def power(self, twist: Twist, start: Any = 0) -> Any:
        """start + ω · n + v · f of a twist about the same point in the same frame."""
        return start + twist[0].dot(self.angular) + twist[1].dot(self.linear)
