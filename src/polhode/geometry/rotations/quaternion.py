"""Quaternions, scalar first, and the chart of unit quaternions (Euler's parameters); Mladenova (9)-(12), (21)-(26).

A unit quaternion and its opposite are one rotation; no other chart of these has neither a singularity nor a jump.
"""

from __future__ import annotations

from ...expr import Matrix, as_expr, is_zero
from .chart import Chart
from .scalars import Components, Numbers, applied, dot, is_array, scaled, sqrt, total


def product(p: Numbers, q: Numbers) -> Components:
    """p q of two quaternions, (22): R(p q) = R(p) R(q)."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def conjugate(q: Numbers) -> Components:
    """The quaternion of the inverse rotation."""
    w, x, y, z = q
    return (w, -x, -y, -z)


def unit(p: Numbers) -> Components:
    """The quaternion at unit length; arrays, and symbols of unit length, as they are."""
    if any(map(is_array, p)):
        return tuple(p)
    square = dot(p, p)
    if is_zero(square - 1):
        return tuple(p)
    length = sqrt(as_expr(square))
    return tuple(entry / length for entry in p)


def left_matrix(q: Numbers) -> Matrix:
    """h(q) of (21), with h(q) p the components of q p."""
    w, x, y, z = q
    return Matrix([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])


def from_quaternion(e: Numbers) -> Matrix:
    """The rotation of a unit quaternion (scalar first)."""
    w, x, y, z = e
    return Matrix([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def from_lift(p: Numbers) -> Matrix:
    """The rotation of a quaternion of any length: (11) over its square."""
    a, b, c, d = p
    square = dot(p, p)
    return Matrix([
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]).map(lambda entry: entry / square)  # fmt: skip


def quaternion_rate(e: Numbers) -> Matrix:
    """ė = Γ ω for the angular velocity ω in body components: the 4×3 matrix Γ."""
    w, x, y, z = e
    return Matrix([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]).map(lambda entry: entry / 2)


def quaternion_velocity(e: Numbers) -> Matrix:
    """ω = E ė in body components: the 3×4 matrix 4 Γᵀ, twice the vector part of ē ė."""
    return quaternion_rate(e).T * 4


def lift_velocity(p: Numbers, pd: Numbers) -> Components:
    """ω in body components of a moving quaternion of any length: twice the vector part of p⁻¹ ṗ."""
    return scaled(2 / dot(p, p), product(conjugate(p), pd)[1:])


def lift_acceleration(p: Numbers, pd: Numbers, pdd: Numbers) -> Components:
    """ω̇ = 2 [p̄ p̈]/N - (Ṅ/N) ω in body components of a moving quaternion of any length, N = p·p."""
    square = dot(p, p)
    straight = scaled(2 / square, product(conjugate(p), pdd)[1:])
    return total(straight, scaled(-2 * dot(p, pd) / square, lift_velocity(p, pd)))


def _second_rate(e: Numbers, w: Numbers, wd: Numbers) -> Components:
    """ë = ½ e ω̇ - ¼ ω² e, by ė = ½ e ω."""
    return total(applied(quaternion_rate(e), wd), scaled(-dot(w, w) / 4, e))


QUATERNION = Chart(
    name="quaternion",
    labels=("e0", "e1", "e2", "e3"),
    rotation=from_quaternion,
    rate=quaternion_rate,
    velocity=quaternion_velocity,
    lift=tuple,
    coordinates=unit,
    acceleration=lambda e, ed, edd: applied(quaternion_velocity(e), edd),
    condition=lambda e: 1,
    singular="nowhere",
    shape=(4,),
    second_rate=_second_rate,
)
