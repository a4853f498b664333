"""The arms that have a closed form, each a function from a target to the turns of its joints, over any scalar.

    three axes at the end meet          D. Pieper (1968): position by the first three joints, orientation by the last
        and 2 and 3 are parallel        PUMA 560: q₁, then q₃ and q₂
        or 1 and 2 meet                 q₃, then q₁ and q₂
        or 2 and 3 meet                 q₁, then q₂ and q₃
    2, 3 and 4 are parallel, 5 and 6 meet   UR5: q₁, q₅, q₆, then q₃, q₂ and q₄

The target is T = e₁ e₂ ⋯ eₙ, as its rotation's columns and where the origin goes. The same arms stand on their heads
too: T⁻¹ is that of the axes in reverse order with coordinates -q.

A chain of revolute joints as axes in the ground at home: its pose is the product of turns about them.

    X(q) = e₁(q₁) e₂(q₂) ⋯ eₙ(qₙ) M,    eᵢ(θ) x = cᵢ + R(hᵢ, θ) (x - cᵢ)

R. Brockett, Robotic manipulators and the product of exponentials formula (1984). Which axes meet and which are parallel
is decided by fingerprint.

The angles of turns that lead vectors to vectors, over any scalar: B. Paden (1986), W. Kahan (1983).

    1   R(k, θ) p = q                       one angle
    4   h · R(k, θ) p = d                   two angles
    3   |R(k, θ) p - q| = d                 two angles: -2 q · R(k, θ) p = d² - p² - q²

A. Elias and J. Wen, IK-Geo (2025), has the numbers. A turn is the pair of its cosine and sine. Over the graph the angle
comes with them, by atan2, so that nothing is divided by a length that may vanish; over the prime field they are
quotients, and what must hold for them to be a cosine and a sine is checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...dynamics.whole import check_all_coordinates
from ...errors import PolhodeError
from ...expr import Expr, Matrix, Vector, as_expr, atan2, cos, field, is_zero, maximum, same, sin, sqrt, substitute
from ...geometry import Pose
from ...kinematics.tree import BASE
from ...kinematics.tree_paths import path_between


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
    """Arithmetic in which a branch is computed; `signs` are those of its square roots, in order of evaluation."""

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
    """Raised where a cosine and a sine do not have cos² + sin² = 1: the form does not apply."""


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


@dataclass(frozen=True)
class Motion:
    """A rigid motion over any scalar: the columns of its rotation, and where the origin goes."""

    columns: tuple[Vector, Vector, Vector]
    p: Vector

    def turn(self, x: Vector) -> Vector:
        first, second, third = self.columns
        result: Vector = first * x[0] + second * x[1] + third * x[2]
        return result

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
    """A closed form of an arm: the property of its axes that allows it, in words, its number of roots, the solver."""

    reason: str
    roots: int
    solve: Solve


def _of(scalars: Scalars, axes: Sequence[Axis]) -> list[Axis]:
    return [Axis(scalars.vector(axis.h), scalars.vector(axis.c)) for axis in axes]


def _moved(axis: Axis, turn: Turn, x: Vector) -> Vector:
    return axis.c + turned(axis.h, turn.c, turn.s, x - axis.c)


def _rotated(axis: Axis, turn: Turn, x: Vector) -> Vector:
    return turned(axis.h, turn.c, turn.s, x)


#: The turns of three joints that bring a point w to W.
Place = Callable[[Scalars, Vector, Vector], list[Turn]]


def place_of(axes: Sequence[Axis]) -> tuple[str, Place] | None:
    """How to solve three axes for a point, and the property of the axes that allows it; None if there is none."""
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
        wrist = place_of(axes[:3])
        if wrist is not None:
            reason, point = wrist
            return Arm(f"the last three axes meet and {reason}", 3, lambda s, T: _wrist(s, _of(s, axes), w, point, T))
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
    turn = scalars.one(h, five.h, ahead)  # R₂ R₃ R₄ as one turn about h
    Y = _moved(one, first.back, W) - turned(h, turn.c, turn.s, o - four.c) - two.c
    third = scalars.three(three.h, four.c - three.c, two.c - three.c, Y.dot(Y))
    second = scalars.one(h, _moved(three, third, four.c) - two.c, Y)
    fourth = turn.then(second.back).then(third if opposite[0] else third.back)
    return [first, second, third, fourth.back if opposite[1] else fourth, fifth, sixth]


@dataclass(frozen=True)
class Axis:
    """A line: its direction h, of length one, and a point c on it."""

    h: Vector
    c: Vector

    def is_parallel(self, other: Axis) -> bool:
        """Whether two lines have one direction, or opposite ones."""
        return _vanishes(self.h.cross(other.h))

    def meets(self, other: Axis) -> bool:
        """Whether two lines that are not parallel have a common point."""
        return not self.is_parallel(other) and is_zero((other.c - self.c).dot(self.h.cross(other.h)))

    def meeting(self, other: Axis) -> Vector:
        """The common point of two lines that meet."""
        across = self.h.cross(other.h)
        along = (other.c - self.c).cross(other.h).dot(across) / across.dot(across)
        return Vector([as_expr(x) for x in self.c + self.h * along])

    def passes(self, point: Vector) -> bool:
        """True if the point is on the line."""
        return _vanishes((point - self.c).cross(self.h))


def _vanishes(v: Vector) -> bool:
    return all(is_zero(x) for x in v)


@dataclass(frozen=True)
class Chain:
    """Axes from the ground outward, their coordinates, and the pose of the frame in the zero configuration."""

    axes: tuple[Axis, ...]
    coordinates: tuple[Expr, ...]
    home: Pose

    def located(self, turns: Sequence[tuple[Any, Any]], scalar: Callable[[Any], Any] = as_expr) -> list[Vector]:
        """Position and axes of the frame for cosines and sines of the coordinates, over any scalar."""
        axes = [Axis(Vector(map(scalar, axis.h)), Vector(map(scalar, axis.c))) for axis in self.axes]
        p, *columns = (Vector(map(scalar, column)) for column in (self.home.p, *self.home.R.T))
        for axis, (c, s) in zip(reversed(axes), reversed(turns), strict=True):
            p = axis.c + turned(axis.h, c, s, p - axis.c)
            columns = [turned(axis.h, c, s, column) for column in columns]
        return [p, *columns]


def turned(h: Vector, c: Any, s: Any, x: Vector) -> Vector:
    """R(h, θ) x for the cosine and sine of θ: x c + h × x s + h (h · x) (1 - c)."""
    result: Vector = x * c + h.cross(x) * s + h * (h.dot(x) * (1 - c))
    return result


def no_closed_form(reason: str, system: str) -> PolhodeError:
    """The error for an arm without a closed form, with the reason."""
    place = f"closed_form_inverse_kinematics of system '{system}'"
    cure = "Solve by number: equations.inverse_kinematics."
    return PolhodeError(f"no closed form is known here: {reason}.", place=place, cure=cure, code="E-POSE-UNSUPPORTED")


def chain_of(equations: EquationsOfMotion, name: str) -> Chain:
    """The joints that carry a body or frame, all of them revolute, as axes in the ground at zero coordinates."""
    tree, system = equations.tree, equations.system.name
    body, within = equations.located(name)
    check_all_coordinates(equations, "inverse kinematics")
    if equations.constraints is not None and equations.constraints.rows:
        raise no_closed_form("the mechanism has constraints", system)
    if tree.quaternions:
        raise no_closed_form("the mechanism has joints with quaternions", system)
    link, in_link = tree.bodies[body]
    at, axes, coordinates = Pose.identity(), [], []
    for k in path_between(tree, BASE, link)[1:]:
        here = tree.links[k]
        if not here.coordinates and not here.speeds:
            at = at @ here.X
            continue
        (hw, hv), *more = here.H
        if more or not here.stage.speeds_are_rates or not is_zero(hw.dot(hw) - 1) or not is_zero(hw.dot(hv)):
            raise no_closed_form(f"joint '{here.joint}' is not revolute", system)
        q = tree.q[here.coordinates[0]]
        entries = substitute([as_expr(x) for x in (*here.X.p, *here.X.R.entries())], {q: as_expr(0)})
        at = at @ Pose(Matrix([entries[3:6], entries[6:9], entries[9:12]]), Vector(entries[:3]))
        axes.append(Axis(at.R @ hw, at.point(hw.cross(hv))))
        coordinates.append(q)
    result = Chain(tuple(axes), tuple(coordinates), at @ in_link @ within)
    # what follows stands on the product of exponentials: it must be the pose that the equations have
    X, parts = equations.pose(name), result.located([(cos(q), sin(q)) for q in coordinates])
    if not same([*X.p, *X.R.T.entries()], [entry for part in parts for entry in part]):
        raise no_closed_form("a joint follows another, or time", system)
    return result
