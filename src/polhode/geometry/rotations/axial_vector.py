"""The axial vector a = 2 sin θ n of a rotation, the vector of R - Rᵀ; Mladenova (83)-(85), as corrected.

It covers turns up to a right angle, where its root r = √(4 - a²) = 2 cos θ vanishes; the same a means a second rotation
beyond it, by the negative root.
"""

from __future__ import annotations

from typing import Any

from ...expr import Matrix, skew
from .chart import Chart
from .quaternion import from_lift, lift_acceleration
from .scalars import Components, Numbers, absolute, dot, is_array, scaled
from .sine_vector import root_of


def root(a: Numbers) -> Any:
    """r = √(4 - a²)."""
    return root_of(4 - dot(a, a))


def near_lift(a: Numbers) -> Components:
    """(2 + r, a): c = a / (2 + r), (85) with its sign for turns up to a right angle."""
    return (2 + root(a), *a)


def far_lift(a: Numbers) -> Components:
    """(2 - r, a): c = a / (2 - r), (85), beyond a right angle; 2 - r is computed as a² / (2 + r)."""
    return (dot(a, a) / (2 + root(a)), *a)


def axial_rate(a: Numbers) -> Matrix:
    """ȧ = ½ ((2 + r) 1 + â - a aᵀ/(2 + r)) ω for the angular velocity in body components."""
    two, hat = 2 + root(a), skew(a)
    return Matrix([[((two if i == j else 0) + hat[i, j] - a[i] * a[j] / two) / 2 for j in range(3)] for i in range(3)])


def axial_velocity(a: Numbers) -> Matrix:
    """ω = ½ (1 - â/(2 + r) + a aᵀ/(r (2 + r))) ȧ in body components: the inverse of `axial_rate`."""
    r, hat = root(a), skew(a)
    return Matrix([
        [((1 if i == j else 0) - hat[i, j] / (2 + r) + a[i] * a[j] / (r * (2 + r))) / 2 for j in range(3)]
        for i in range(3)
    ])  # fmt: skip


def _acceleration(a: Numbers, ad: Numbers, add: Numbers) -> Components:
    r = root(a)
    rd = -dot(a, ad) / r
    rdd = -(dot(ad, ad) + dot(a, add) + rd * rd) / r
    return lift_acceleration((2 + r, *a), (rd, *ad), (rdd, *add))


def _condition(q: Numbers) -> Any:
    """cos(θ/2) / cos θ, infinite from a right angle on."""
    cosine = 2 * q[0] * q[0] - 1
    if is_array(cosine):
        import numpy as np

        with np.errstate(divide="ignore"):
            return np.where(cosine > 0, abs(q[0]) / np.maximum(cosine, 0), np.inf)
    return absolute(q[0]) / absolute(cosine)


AXIAL_VECTOR = Chart(
    name="axial",
    labels=("a1", "a2", "a3"),
    rotation=lambda a: from_lift(near_lift(a)),
    rate=axial_rate,
    velocity=axial_velocity,
    lift=near_lift,
    coordinates=lambda q: scaled(4 * q[0] / dot(q, q), q[1:]),
    acceleration=_acceleration,
    condition=_condition,
    singular="at a quarter turn, where its root vanishes; it does not reach beyond",
)
