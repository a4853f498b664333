"""Stacks of quaternions, scalar first, real or complex: product, conjugate, unit length, matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .charts import cross, dot


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
