"""The exponential vector l = θ n (the rotation vector); Mladenova, the lines after (74).

R = exp(l̂). With u = l² all that is needed are the entire functions C(u) = cos(θ/2), S(u) = sin(θ/2)/θ and their
derivatives, C' = -S/4 and S' = (C/2 - S)/(2u), so that nothing is lost near the identity. The vector of a rotation has
a length up to π; at a half turn it jumps to its opposite.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

from ...expr import Matrix, as_expr, is_zero, skew
from .chart import Chart
from .quaternion import lift_acceleration
from .scalars import Components, Numbers, absolute, atan2, cos, dot, is_array, scaled, sin, sqrt, total
from .sine_vector import sign_of

#: S(u) = Σ sₖ uᵏ; enough terms for u up to 1.
_SERIES = [(-1) ** k / (2 ** (2 * k + 1) * factorial(2 * k + 1)) for k in range(10)]


def half_turns(l: Numbers) -> Components:
    """C, S, S' and S'' at u = l²."""
    u = dot(l, l)
    if not isinstance(u, float) and not is_array(u):
        if is_zero(u):
            return tuple(as_expr(Fraction(1, k)) for k in (1, 2, -48, 1920))
        angle = sqrt(u)
        C, S = cos(angle / 2), sin(angle / 2) / angle
        S1 = (C / 2 - S) / (2 * u)
        return C, S, S1, -(S / 8 + 3 * S1) / (2 * u)
    import numpy as np

    angle = np.sqrt(u)
    small = angle < 1
    safe = np.where(small, 1.0, angle)
    C, S = np.cos(angle / 2), np.sin(safe / 2) / safe
    S1 = (C / 2 - S) / (2 * safe**2)
    S2 = -(S / 8 + 3 * S1) / (2 * safe**2)
    series = np.polynomial.Polynomial(_SERIES)
    near = np.where(small, u, 0.0)
    return C, *(np.where(small, series.deriv(k)(near), far) for k, far in enumerate((S, S1, S2)))


def _lift(l: Numbers) -> Components:
    C, S, *_ = half_turns(l)
    return (C, *scaled(S, l))


def _square(l: Numbers, i: int, j: int) -> Any:
    """Entry i, j of l̂² = l lᵀ - l² 1."""
    return l[i] * l[j] - (dot(l, l) if i == j else 0)


def from_exponential(l: Numbers) -> Matrix:
    """R = 1 + (sin θ/θ) l̂ + ((1 - cos θ)/θ²) l̂²."""
    C, S, *_ = half_turns(l)
    hat = skew(l)
    return Matrix([
        [(1 if i == j else 0) + 2 * S * C * hat[i, j] + 2 * S * S * _square(l, i, j) for j in range(3)]
        for i in range(3)
    ])  # fmt: skip


def exponential_rate(l: Numbers) -> Matrix:
    """l̇ = (1 + ½ l̂ - 2 (S'/S) l̂²) ω for the angular velocity in body components."""
    _, S, S1, _ = half_turns(l)
    hat = skew(l)
    return Matrix([
        [(1 if i == j else 0) + hat[i, j] / 2 - 2 * S1 / S * _square(l, i, j) for j in range(3)] for i in range(3)
    ])  # fmt: skip


def exponential_velocity(l: Numbers) -> Matrix:
    """ω = (1 - (1 - cos θ)/θ² l̂ + (θ - sin θ)/θ³ l̂²) l̇ in body components: the inverse of `exponential_rate`."""
    _, S, S1, _ = half_turns(l)
    second = 8 * S * S1 + 16 * dot(l, l) * S1 * S1 + S * S  # (θ - sin θ)/θ³
    hat = skew(l)
    return Matrix([
        [(1 if i == j else 0) - 2 * S * S * hat[i, j] + second * _square(l, i, j) for j in range(3)] for i in range(3)
    ])  # fmt: skip


def _acceleration(l: Numbers, ld: Numbers, ldd: Numbers) -> Components:
    C, S, S1, S2 = half_turns(l)
    ud, udd = 2 * dot(l, ld), 2 * (dot(ld, ld) + dot(l, ldd))
    rate = total(scaled(S1 * ud, l), scaled(S, ld))
    second = total(scaled(S2 * ud * ud + S1 * udd, l), scaled(2 * S1 * ud, ld), scaled(S, ldd))
    return lift_acceleration((C, *scaled(S, l)), (-S * ud / 4, *rate), (-(S1 * ud * ud + S * udd) / 4, *second))


def angle_of(q: Numbers) -> Any:
    """The angle of a rotation, from 0 to π."""
    return 2 * atan2(_length(q[1:]), absolute(q[0]))


def _length(v: Numbers) -> Any:
    return sqrt(dot(v, v))


def _coordinates(q: Numbers) -> Components:
    """l = (θ/sin(θ/2)) v for the unit quaternion (w, v) with w not negative."""
    length, angle = _length(q[1:]), angle_of(q)
    if is_array(length):
        import numpy as np

        tiny = length < 1e-9  # there θ/sin(θ/2) is 2
        return scaled(np.where(tiny, 2.0, angle / np.where(tiny, 1.0, length)) * sign_of(q[0]), q[1:])
    if is_zero(length):
        return scaled(2, q[1:])
    return scaled(angle / length * sign_of(q[0]), q[1:])


def _condition(q: Numbers) -> Any:
    """(θ/2)/sin(θ/2): at most π/2."""
    length, angle = _length(q[1:]), angle_of(q)
    if is_array(length):
        import numpy as np

        tiny = length < 1e-9
        return np.where(tiny, 1.0, angle / np.where(tiny, 1.0, 2 * length))
    return 1 if is_zero(length) else angle / (2 * length)


EXPONENTIAL = Chart(
    name="exponential",
    labels=("l1", "l2", "l3"),
    rotation=from_exponential,
    rate=exponential_rate,
    velocity=exponential_velocity,
    lift=_lift,
    coordinates=_coordinates,
    acceleration=_acceleration,
    condition=_condition,
    singular="nowhere up to a half turn, where it jumps to its opposite",
)
