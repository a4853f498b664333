"""The angles of turns that lead vectors to vectors, over any scalar: B. Paden (1986), W. Kahan (1983).

    1   R(k, θ) p = q                       one angle
    4   h · R(k, θ) p = d                   two angles
    3   |R(k, θ) p - q| = d                 two angles: -2 q · R(k, θ) p = d² - p² - q²

A. Elias and J. Wen, IK-Geo (2025), has the numbers. A turn is the pair of its cosine and sine. Over the graph the angle
comes with them, by atan2, so that nothing is divided by a length that may vanish; over the prime field they are
quotients, and what must hold for them to be a cosine and a sine is checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from ...expr import Vector, as_expr, atan2, cos, field, maximum, sin, sqrt


@dataclass(frozen=True)
class Turn:
    """The cosine and sine of an angle, and the angle itself where there is one."""

    c: Any
    s: Any
    angle: Any = None

    @property
    def back(self) -> Turn:
        """The opposite turn."""
        return Turn(self.c, -self.s, None if self.angle is None else -self.angle)

    def then(self, other: Turn) -> Turn:
        """Both, about one axis."""
        angle = None if self.angle is None else self.angle + other.angle
        return Turn(self.c * other.c - self.s * other.s, self.s * other.c + self.c * other.s, angle)


class Scalars(ABC):
    """What a branch is computed with; `signs` are those of its roots, in the order in which they are met."""

    def __init__(self, signs: tuple[int, ...]) -> None:
        self._signs = list(signs)

    @abstractmethod
    def number(self, value: Any) -> Any:
        """A constant of the mechanism as a scalar."""

    @abstractmethod
    def turn(self, cosine: Any, sine: Any, length: Any) -> Turn:
        """The turn whose cosine and sine are these by a length."""

    @abstractmethod
    def two(self, A: Any, B: Any, C: Any, square: Any) -> Turn:
        """One θ of A cos θ + B sin θ = C; the square is A² + B² - C²."""

    def sign(self) -> int:
        return self._signs.pop(0)

    def vector(self, v: Vector) -> Vector:
        return Vector([self.number(x) for x in v])

    def one(self, k: Vector, p: Vector, q: Vector) -> Turn:
        """R(k, θ) p = q."""
        along = k.dot(p)
        return self.turn(p.dot(q) - along * k.dot(q), k.dot(p.cross(q)), p.dot(p) - along * along)

    def four(self, h: Vector, k: Vector, p: Vector, d: Any, to: Vector | None = None) -> Turn:
        """h · R(k, θ) p = d, with d = h · to if there is a `to` as long as p."""
        constant = h.dot(k) * k.dot(p)
        A, B, C = h.dot(p) - constant, h.dot(k.cross(p)), d - constant
        square = A * A + B * B - C * C
        if to is not None and not h.dot(k):  # a sum of squares, where p is across k: exact near zero
            across = h.cross(to)
            square = across.dot(across) - h.dot(h) * k.dot(p) * k.dot(p)
        return self.two(A, B, C, square)

    def three(self, k: Vector, p: Vector, q: Vector, square: Any) -> Turn:
        """|R(k, θ) p - q|² = square."""
        return self.four(q, k, p, (p.dot(p) + q.dot(q) - square) / 2)


class OnGraph(Scalars):
    """Expressions: a root of what is negative is taken to be zero, and what does not fit is left out later."""

    def number(self, value: Any) -> Any:
        return as_expr(value)

    def turn(self, cosine: Any, sine: Any, length: Any) -> Turn:
        angle = atan2(sine, cosine)
        return Turn(cos(angle), sin(angle), angle)

    def two(self, A: Any, B: Any, C: Any, square: Any) -> Turn:
        angle = atan2(B, A) + atan2(self.sign() * sqrt(maximum(square, 0)), C)
        return Turn(cos(angle), sin(angle), angle)


class NotHere(Exception):
    """A random point of the field at which a root does not exist: another is to be taken."""


class NotATurn(Exception):
    """What should be a cosine and a sine is none: the form is wrong."""


@dataclass(frozen=True)
class Residue:
    """An element of the prime field."""

    value: int

    def __add__(self, other: Any) -> Residue:
        return Residue((self.value + residue(other).value) % field.P)

    def __mul__(self, other: Any) -> Residue:
        return Residue(self.value * residue(other).value % field.P)

    def __truediv__(self, other: Any) -> Residue:
        return Residue(self.value * field.inverse(residue(other).value) % field.P)

    def __neg__(self) -> Residue:
        return Residue(-self.value % field.P)

    def __sub__(self, other: Any) -> Residue:
        return self + -residue(other)

    def __rsub__(self, other: Any) -> Residue:
        return residue(other) - self

    def __bool__(self) -> bool:
        return bool(self.value)

    __radd__, __rmul__ = __add__, __mul__


def residue(value: Any) -> Residue:
    """A number, or the value of an expression at the point of the field that fingerprints have."""
    return value if isinstance(value, Residue) else Residue(as_expr(value).fp)


class InField(Scalars):
    """Residues: cosines and sines are quotients and roots, exact or not there."""

    def number(self, value: Any) -> Any:
        return residue(value)

    def turn(self, cosine: Any, sine: Any, length: Any) -> Turn:
        if cosine * cosine + sine * sine - length * length:
            raise NotATurn
        if not length:
            raise NotHere
        return Turn(cosine / length, sine / length)

    def two(self, A: Any, B: Any, C: Any, square: Any) -> Turn:
        length = A * A + B * B
        if length - C * C - square:
            raise NotATurn
        if pow(square.value, (field.P - 1) // 2, field.P) != 1 or not length:
            raise NotHere
        root = self.sign() * Residue(field.square_root(square.value))
        return Turn((A * C - B * root) / length, (B * C + A * root) / length)
