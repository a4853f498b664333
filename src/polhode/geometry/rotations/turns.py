"""Turns about axes: directions as exact unit vectors, and the matrices of successive turns, over any scalar.

`R_AB` takes components in B to components in A: x_A = R_AB x_B.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from ...errors import PolhodeError, shown, understood
from ...expr import Matrix, Vector, as_expr, cos, is_zero, rational_value, sin, skew, sqrt
from ...expr.field import root_of_integer, square_free

_LETTERS = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def unit_axis(axis: str | Iterable[Any]) -> Vector:
    """A direction as an exact unit vector: a letter, a signed letter, or any three components.

    Where the length is irrational in an awkward way, the result is the exactly unit, exactly rational direction
    nearest to the given one (within 1e-15), so that rotations about it are exactly orthogonal.
    """
    cure = 'Write "z" or [0, 0, 1].'
    if isinstance(axis, str):
        letter = axis.lstrip("+-").lower()
        if letter not in _LETTERS or len(axis) > 2:
            message = f"the axis {shown(axis)} is none of x, y, z, -x, -y, -z."
            raise PolhodeError(message, cure=cure, code="E-JOINT-NUMBER")
        sign = -1 if axis.startswith("-") else 1
        return Vector([as_expr(sign * entry) for entry in _LETTERS[letter]])
    with understood("an axis", axis, cure=cure):
        if isinstance(axis, bytes):
            raise TypeError
        entries = [as_expr(entry) for entry in axis]
    if len(entries) != 3:
        message = f"an axis has 3 components, not {len(entries)}."
        raise PolhodeError(message, cure="Write [0, 0, 1].", code="E-JOINT-SHAPE")
    square = Vector(entries).dot(entries)
    if is_zero(square):
        message = "the axis has zero length."
        raise PolhodeError(message, cure="Give a direction, for example [0, 0, 1].", code="E-JOINT-NUMBER")
    ratio = rational_value(square)
    if ratio is None:
        raise PolhodeError(
            "the length of a symbolic axis is not known.",
            cure='Turn the joint instead: axis "z" and rotation [("y", angle)], or use components from unit_symbols.',
            code="E-JOINT-UNSUPPORTED",
        )
    _, inside = square_free(ratio)
    if root_of_integer(inside) is None and all(entry.is_number for entry in entries):
        return _nearest_rational_direction([entry.data for entry in entries])
    length = sqrt(as_expr(ratio))
    return Vector([entry / length for entry in entries])


def _nearest_rational_direction(axis: Sequence[Fraction]) -> Vector:
    """An exactly unit rational vector next to a rational one, by stereographic projection from the far pole."""
    largest = max(range(3), key=lambda k: abs(axis[k]))
    order = [largest, (largest + 1) % 3, (largest + 2) % 3]
    sign = 1 if axis[largest] > 0 else -1
    a, b, c = (axis[k] for k in order)
    scale = 10**20
    square = (a * a + b * b + c * c) * scale * scale
    length = Fraction(isqrt(square.numerator // square.denominator), scale)
    u, v = (Fraction(round(t / (length + abs(a)) * 10**17), 10**17) for t in (b, c))
    bottom = 1 + u * u + v * v
    unit = {order[0]: sign * (1 - u * u - v * v) / bottom, order[1]: 2 * u / bottom, order[2]: 2 * v / bottom}
    return Vector([as_expr(unit[k]) for k in range(3)])


def about(axis: Any, angle: Any) -> Matrix:
    """The rotation by an angle about a unit axis: cos θ 1 + sin θ â + (1 - cos θ) a aᵀ."""
    s, c = sin(angle), cos(angle)
    a = Vector(axis)
    hat = skew(a)
    return Matrix(
        [[(c if i == j else 0) + s * hat[i, j] + (1 - c) * (a[i] * a[j]) for j in range(3)] for i in range(3)]
    )


def rotation(*turns: tuple[str | Iterable[Any], Any]) -> Matrix:
    """The matrix of successive turns about body-fixed axes: `rotation(("z", yaw), ("y", pitch), ("x", roll))`.

    Exact whatever it is given, as `Rotation.from_turns(..., exact=True).matrix` is.
    """
    result = Matrix.identity(3)
    for turn in turns:
        with understood("a turn", turn, cure='Give an axis and an angle, for example ("z", 0.3).'):
            axis, angle = turn
            result = result @ about(unit_axis(axis), as_expr(angle))
    return result.map(as_expr)
