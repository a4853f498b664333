"""Numbers of the prime field that move: truncated Taylor series in time, with a variation for each speed.

    x = (x, ẋ, ẍ; δ₁x, δ₂x, …)

ẋ and ẍ are the rates along the motion; δᵢx is the rate while speed i is one and all else stands still. Every rule below
is Leibniz's. A quantity on the level of velocities may have its partial derivatives by the speeds in place of the δᵢx.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...expr.field import P, inverse

#: A number for each speed, by its place; those that are zero may be left out.
Variation = Mapping[int, int]
_NONE: Variation = {}


class Jet:
    """x, its first and second rate, and its variations.

    >>> t = Jet(3, 1)
    >>> square = t * t
    >>> square.x, square.d, square.dd
    (9, 6, 2)
    """

    __slots__ = ("d", "dd", "vary", "x")

    def __init__(self, x: int, d: int = 0, dd: int = 0, vary: Variation = _NONE) -> None:
        self.x, self.d, self.dd, self.vary = x, d, dd, vary

    @property
    def is_still(self) -> bool:
        """Whether nothing moves it."""
        return not (self.d or self.dd or self.vary)

    def at_rest(self) -> Jet:
        """The same motion without variations."""
        return Jet(self.x, self.d, self.dd)

    def __add__(self, other: Jet | int) -> Jet:
        if isinstance(other, int):
            return Jet((self.x + other) % P, self.d, self.dd, self.vary)
        return Jet(
            (self.x + other.x) % P,
            (self.d + other.d) % P,
            (self.dd + other.dd) % P,
            _combined(self.vary, 1, other.vary, 1),
        )

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return self * -1

    def __sub__(self, other: Jet | int) -> Jet:
        return self + -other

    def __rsub__(self, other: Jet | int) -> Jet:
        return -self + other

    def __mul__(self, other: Jet | int) -> Jet:
        if isinstance(other, int):
            vary = {i: v * other % P for i, v in self.vary.items()} if self.vary else _NONE
            return Jet(self.x * other % P, self.d * other % P, self.dd * other % P, vary)
        return Jet(
            self.x * other.x % P,
            (self.d * other.x + self.x * other.d) % P,
            (self.dd * other.x + 2 * self.d * other.d + self.x * other.dd) % P,
            _combined(self.vary, other.x, other.vary, self.x),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Jet | int) -> Jet:
        """y = a/b by a' = y' b + y b'."""
        if isinstance(other, int):
            return self * inverse(other % P)
        part = inverse(other.x)
        y = self.x * part % P
        d = (self.d - y * other.d) * part % P
        dd = (self.dd - 2 * d * other.d - y * other.dd) * part % P
        return Jet(y, d, dd, _combined(self.vary, part, other.vary, -y * part))

    def chained(self, value: int, slope: int, bend: int) -> Jet:
        """f(x), from the value of f and its first two derivatives at x."""
        vary = {i: v * slope % P for i, v in self.vary.items()} if self.vary else _NONE
        return Jet(value, slope * self.d % P, (slope * self.dd + bend * self.d * self.d) % P, vary)


def _combined(one: Variation, a: int, other: Variation, b: int) -> Variation:
    """a·one + b·other."""
    if not one and not other:
        return _NONE
    made = {i: v * a % P for i, v in one.items()}
    for i, v in other.items():
        made[i] = (made.get(i, 0) + v * b) % P
    return made
