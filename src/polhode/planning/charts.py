"""Charts of SO(3) in which a segment of a spline is a cubic: the vector-parameter, and that of half the turn.

Both have rational formulas. With R the rotation of the chart's coordinates c, ω its angular velocity in body
components and A the matrix of ω = A(c) ċ,

    R is that of the quaternion (1 - k c², (1 + k) c),    A⁻¹ = ((1 - k c²) 1 + (1 + k) (c cᵀ + ĉ))/(2 (1 + k))
    ω̇ = A(c) c̈ + ½ k |ω|² c - (c·ω) ω

    vector  k = 0   c = a tan(θ/2)   A = 2 (1 - ĉ)/(1 + c²)
    half    k = 1   c = a tan(θ/4)   A = 4 ((1 - c²) 1 - 2 ĉ + 2 c cᵀ)/(1 + c²)²

The second is the vector-parameter of a rotation that, made twice, is R; it is known as the modified Rodrigues
parameters. In a segment it is measured from the middle of the turn, so that |c| = tan(θ/8) at its ends: cubics in it
come close to even turning up to half a turn. Cubics in the first, measured from the start as Mladenova has them,
(389), do so for small turns only, and for turns of some 100° on there need be none with continuous acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cross(a: Floats, b: Floats) -> Floats:
    """a × b over the last axis."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    first = y * w - z * v
    result = np.empty((*first.shape, 3), dtype=first.dtype)
    result[..., 0], result[..., 1], result[..., 2] = first, z * u - x * w, x * v - y * u
    return result


def dot(a: Floats, b: Floats) -> Floats:
    """a·b over the last axis, which is kept."""
    total: Floats = (a * b).sum(axis=-1, keepdims=True)
    return total


def times(matrices: Floats, vectors: Floats) -> Floats:
    """A x for stacks of both."""
    return (matrices @ vectors[..., None])[..., 0]


@dataclass(frozen=True)
class Chart:
    """A way to write a rotation by three numbers c; with k = 1, c = 0 in the middle of a segment, else at its start."""

    k: int

    def of_quaternion(self, q: Any) -> Any:
        """c of a unit quaternion with positive scalar."""
        return q[..., 1:] / (self.k + q[..., :1])

    def quaternion(self, c: Floats) -> Floats:
        """A quaternion of c, scalar first, not of unit length; polynomial in c."""
        return np.concatenate([1 - self.k * dot(c, c), (1 + self.k) * c], axis=-1)

    def velocity(self, c: Floats, x: Floats) -> Floats:
        """A(c) x, as in ω = A ċ."""
        k, square = self.k, dot(c, c)
        turned = (1 - k * square) * x + (2 * k * dot(c, x) * c - (1 + k) * cross(c, x))
        return 2 * (1 + k) / (1 + square) ** (1 + k) * turned

    def rate(self, c: Floats, x: Floats) -> Floats:
        """A(c)⁻¹ x, as in ċ = A⁻¹ ω."""
        k = self.k
        return ((1 - k * dot(c, c)) * x + (1 + k) * (dot(c, x) * c + cross(c, x))) / (2 * (1 + k))

    def angular_acceleration(self, c: Floats, cddot: Floats, w: Floats) -> Floats:
        """ω̇ = A(c) c̈ + ½ k |ω|² c - (c·ω) ω."""
        return self.velocity(c, cddot) + self.turning(c, w)

    def turning(self, c: Floats, w: Floats) -> Floats:
        """What ω̇ has beside A c̈, quadratic in ω."""
        return self.k / 2 * dot(w, w) * c - dot(c, w) * w

    def turning_D_w(self, c: Floats, w: Floats) -> Floats:
        """The derivative of `turning` by ω."""
        return (
            self.k * c[..., :, None] * w[..., None, :]
            - w[..., :, None] * c[..., None, :]
            - dot(c, w)[..., None] * np.eye(3)
        )


def matrix_of(linear: Callable[[Floats, Floats], Floats], c: Floats) -> Floats:
    """The matrices of a map that is linear in its second argument."""
    return np.swapaxes(linear(c[..., None, :], np.eye(3)), -1, -2)


CHARTS = {"half": Chart(1), "vector": Chart(0)}


def product(p: Any, q: Any) -> Any:
    """p q: the turn q in the frame that p has turned."""
    a, u = p[..., :1], p[..., 1:]
    b, v = q[..., :1], q[..., 1:]
    return np.concatenate([a * b - dot(u, v), a * v + b * u + cross(u, v)], axis=-1)


def conjugate(q: Any) -> Any:
    """The inverse of a unit quaternion."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def matrices(q: Any) -> Any:
    """Rotation matrices of unit quaternions."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    R = np.empty((*q.shape[:-1], 3, 3), dtype=q.dtype)
    R[..., 0, 0], R[..., 1, 1], R[..., 2, 2] = 1 - 2 * (y * y + z * z), 1 - 2 * (x * x + z * z), 1 - 2 * (x * x + y * y)
    R[..., 0, 1], R[..., 1, 0] = 2 * (x * y - w * z), 2 * (x * y + w * z)
    R[..., 0, 2], R[..., 2, 0] = 2 * (x * z + w * y), 2 * (x * z - w * y)
    R[..., 1, 2], R[..., 2, 1] = 2 * (y * z - w * x), 2 * (y * z + w * x)
    return R


def unit(q: Any) -> Any:
    """Brought to unit length."""
    return q / np.sqrt(dot(q, q))


def from_turn(turn: Any) -> Any:
    """The unit quaternion of a turn vector."""
    half = np.sqrt(dot(turn, turn)) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) / 2 * turn], axis=-1)
