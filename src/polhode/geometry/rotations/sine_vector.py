"""The sine chart d = a sin(θ/2); Mladenova (68)-(70), as corrected.

Finite at a half turn, where the root √(1 - d²) = cos(θ/2) vanishes: there the rotation is given to half the digits.
The root is not negative: d covers every rotation once, but for half turns.
"""

from __future__ import annotations

from typing import Any

from ...expr import Matrix, is_zero, skew
from ...expr.functions import sign
from .chart import Chart
from .quaternion import from_quaternion, lift_acceleration, unit
from .scalars import Components, Numbers, absolute, cross, dot, is_array, scaled, sqrt, total


def cosine(d: Numbers) -> Any:
    """√(1 - d²)."""
    return root_of(1 - dot(d, d))


def root_of(square: Any) -> Any:
    """Square root; 0 for numbers that are negative by rounding."""
    if is_array(square):
        import numpy as np

        return np.sqrt(np.maximum(square, 0))
    return sqrt(square)


def _lift(d: Numbers) -> Components:
    return (cosine(d), *d)


def sine_rate(d: Numbers) -> Matrix:
    """ḋ = ½ (√(1 - d²) 1 + d̂) ω for the angular velocity in body components."""
    w, hat = cosine(d), skew(d)
    return Matrix([[((w if i == j else 0) + hat[i, j]) / 2 for j in range(3)] for i in range(3)])


def sine_velocity(d: Numbers) -> Matrix:
    """ω = 2 (w 1 - d̂ + d dᵀ/w) ḋ in body components, w = √(1 - d²): the inverse of `sine_rate`."""
    w, hat = cosine(d), skew(d)
    return Matrix([[2 * ((w if i == j else 0) - hat[i, j] + d[i] * d[j] / w) for j in range(3)] for i in range(3)])


def _acceleration(d: Numbers, dd: Numbers, ddd: Numbers) -> Components:
    w = cosine(d)
    wd = -dot(d, dd) / w
    wdd = -(dot(dd, dd) + dot(d, ddd) + wd * wd) / w
    return lift_acceleration((w, *d), (wd, *dd), (wdd, *ddd))


def sign_of(w: Any) -> Any:
    """1 or -1: the sign that makes a quaternion's scalar not negative."""
    if is_array(w):
        import numpy as np

        return np.copysign(1.0, w)
    return 1 if getattr(w, "op", "") == "sqrt" or is_zero(w) else sign(w)


def composed(d1: Numbers, d2: Numbers) -> Components:
    """⟨d1, d2⟩ of (70), times the sign of what becomes its root: without it the result may be another rotation."""
    w1, w2 = cosine(d1), cosine(d2)
    scalar = w1 * w2 - dot(d1, d2)
    d = total(scaled(w2, d1), scaled(w1, d2), cross(d1, d2))
    return scaled(sign_of(scalar), d)


SINE_VECTOR = Chart(
    name="sine",
    labels=("d1", "d2", "d3"),
    rotation=lambda d: from_quaternion(_lift(d)),
    rate=sine_rate,
    velocity=sine_velocity,
    lift=_lift,
    coordinates=lambda q: scaled(sign_of(q[0]), unit(q)[1:]),
    acceleration=_acceleration,
    condition=lambda q: 1 / absolute(q[0]),
    singular="at every half turn, where its root vanishes",
)
