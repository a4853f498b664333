"""The arms that have a closed form, each a function from a target to the turns of its joints, over any scalar.

    three axes at the end meet          D. Pieper (1968): position by the first three joints, orientation by the last
        and 2 and 3 are parallel        PUMA 560: q₁, then q₃ and q₂
        or 1 and 2 meet                 q₃, then q₁ and q₂
        or 2 and 3 meet                 q₁, then q₂ and q₃
    2, 3 and 4 are parallel, 5 and 6 meet   UR5: q₁, q₅, q₆, then q₃, q₂ and q₄

The target is T = e₁ e₂ ⋯ eₙ, as its rotation's columns and where the origin goes. The same arms stand on their heads
too: T⁻¹ is that of the axes in reverse order with coordinates -q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...expr import Vector
from .chain import Axis, turned
from .subproblems import Scalars, Turn


@dataclass(frozen=True)
class Motion:
    """A rigid motion over any scalar: the columns of its rotation, and where the origin goes."""

    columns: tuple[Vector, Vector, Vector]
    p: Vector

    def turn(self, x: Vector) -> Vector:
        first, second, third = self.columns
        made: Vector = first * x[0] + second * x[1] + third * x[2]
        return made

    def turn_back(self, x: Vector) -> Vector:
        return Vector([column.dot(x) for column in self.columns])

    def point(self, x: Vector) -> Vector:
        return self.turn(x) + self.p

    @property
    def back(self) -> Motion:
        """The inverse motion."""
        rows = [Vector(row) for row in zip(*self.columns, strict=True)]
        return Motion((rows[0], rows[1], rows[2]), -self.turn_back(self.p))


#: The turns of all joints for a target; the axes and points are those of the arm, as scalars.
Solve = Callable[[Scalars, Motion], list[Turn]]


@dataclass(frozen=True)
class Arm:
    """What an arm's axes have that gives a closed form, in words, how many roots it has, and the form."""

    reason: str
    roots: int
    solve: Solve


def _of(scalars: Scalars, axes: Sequence[Axis]) -> list[Axis]:
    return [Axis(scalars.vector(each.h), scalars.vector(each.c)) for each in axes]


def _moved(axis: Axis, turn: Turn, x: Vector) -> Vector:
    return axis.c + turned(axis.h, turn.c, turn.s, x - axis.c)


def _rotated(axis: Axis, turn: Turn, x: Vector) -> Vector:
    return turned(axis.h, turn.c, turn.s, x)


#: The turns of three joints that bring a point w to W.
Place = Callable[[Scalars, Vector, Vector], list[Turn]]


def place_of(axes: Sequence[Axis]) -> tuple[str, Place] | None:
    """How three axes bring a point to a place, and what they have that allows it."""
    if axes[1].is_parallel(axes[2]):
        return "axes 2 and 3 are parallel", lambda scalars, w, W: _parallel(scalars, _of(scalars, axes), w, W)
    if axes[0].meets(axes[1]):
        o = axes[0].meeting(axes[1])
        return "axes 1 and 2 meet", lambda scalars, w, W: _first_meet(scalars, _of(scalars, axes), o, w, W)
    if axes[1].meets(axes[2]):
        o = axes[1].meeting(axes[2])
        return "axes 2 and 3 meet", lambda scalars, w, W: _last_meet(scalars, _of(scalars, axes), o, w, W)
    return None


def _parallel(scalars: Scalars, axes: list[Axis], w: Vector, W: Vector) -> list[Turn]:
    """Turns about 2 and 3 leave what is along them: h₂ · e₁⁻¹ W = h₂ · w."""
    one, two, three = axes
    first = scalars.four(two.h, one.h, W - one.c, two.h.dot(w - one.c)).back
    V = _moved(one, first.back, W) - two.c
    third = scalars.three(three.h, w - three.c, two.c - three.c, V.dot(V))
    return [first, scalars.one(two.h, _moved(three, third, w) - two.c, V), third]


def _first_meet(scalars: Scalars, axes: list[Axis], o: Vector, w: Vector, W: Vector) -> list[Turn]:
    """Turns about 1 and 2 leave the distance from where they meet: |e₃ w - o| = |W - o|."""
    one, two, three = axes
    o = scalars.vector(o)
    third = scalars.three(three.h, w - three.c, o - three.c, (W - o).dot(W - o))
    v = _moved(three, third, w) - o
    first = scalars.four(two.h, one.h, W - o, two.h.dot(v)).back
    return [first, scalars.one(two.h, v, _rotated(one, first.back, W - o)), third]


def _last_meet(scalars: Scalars, axes: list[Axis], o: Vector, w: Vector, W: Vector) -> list[Turn]:
    """Turns about 2 and 3 leave the distance from where they meet: |e₁⁻¹ W - o| = |w - o|."""
    one, two, three = axes
    o = scalars.vector(o)
    first = scalars.three(one.h, W - one.c, o - one.c, (w - o).dot(w - o)).back
    V = _moved(one, first.back, W) - o
    third = scalars.four(two.h, three.h, w - o, two.h.dot(V))
    return [first, scalars.one(two.h, _rotated(three, third, w - o), V), third]


def arm_of(axes: Sequence[Axis]) -> Arm | None:
    """The closed form of six axes, if one is known."""
    if axes[3].meets(axes[4]) and axes[5].passes(w := axes[3].meeting(axes[4])) and not axes[4].is_parallel(axes[5]):
        found = place_of(axes[:3])
        if found is not None:
            reason, place = found
            return Arm(f"the last three axes meet and {reason}", 3, lambda s, T: _wrist(s, _of(s, axes), w, place, T))
    if axes[1].is_parallel(axes[2]) and axes[1].is_parallel(axes[3]) and axes[4].meets(axes[5]):
        o = axes[4].meeting(axes[5])
        opposite = [axes[1].h.dot(axes[k].h) != 1 for k in (2, 3)]
        reason = "axes 2, 3 and 4 are parallel and axes 5 and 6 meet"
        return Arm(reason, 3, lambda s, T: _three_parallel(s, _of(s, axes), o, opposite, T))
    return None


def _wrist(scalars: Scalars, axes: list[Axis], w: Vector, place: Place, T: Motion) -> list[Turn]:
    """The first three joints bring the wrist to its place, the last three turn the hand."""
    w = scalars.vector(w)
    first = place(scalars, w, T.point(w))
    four, five, six = axes[3:]

    def left(x: Vector) -> Vector:
        """R₄ R₅ R₆ x."""
        x = T.turn(x)
        for axis, turn in zip(axes, first, strict=False):
            x = _rotated(axis, turn.back, x)
        return x

    hand = left(six.h)
    fifth = scalars.four(four.h, five.h, six.h, four.h.dot(hand), hand)
    fourth = scalars.one(four.h, _rotated(five, fifth, six.h), hand)
    ahead = _rotated(five, fifth.back, _rotated(four, fourth.back, left(five.h)))
    return [*first, fourth, fifth, scalars.one(six.h, five.h, ahead)]


def _three_parallel(scalars: Scalars, axes: list[Axis], o: Vector, opposite: list[bool], T: Motion) -> list[Turn]:
    """Turns about 2, 3 and 4 leave h: h · e₁⁻¹ T o = h · o, and h · R₁ᵀ R h₆ = h · R₅ h₆."""
    one, two, three, four, five, six = axes
    h, o = two.h, scalars.vector(o)
    W = T.point(o)
    first = scalars.four(h, one.h, W - one.c, h.dot(o - one.c)).back
    hand = _rotated(one, first.back, T.turn(six.h))
    fifth = scalars.four(h, five.h, six.h, h.dot(hand), hand)
    seen = T.turn_back(_rotated(one, first, h))  # R₆ᵀ R₅ᵀ h
    sixth = scalars.one(six.h, seen, _rotated(five, fifth.back, h))
    ahead = _rotated(one, first.back, T.turn(_rotated(six, sixth.back, five.h)))
    whole = scalars.one(h, five.h, ahead)  # R₂ R₃ R₄ as one turn about h
    Y = _moved(one, first.back, W) - turned(h, whole.c, whole.s, o - four.c) - two.c
    third = scalars.three(three.h, four.c - three.c, two.c - three.c, Y.dot(Y))
    second = scalars.one(h, _moved(three, third, four.c) - two.c, Y)
    fourth = whole.then(second.back).then(third if opposite[0] else third.back)
    return [first, second, third, fourth.back if opposite[1] else fourth, fifth, sixth]
