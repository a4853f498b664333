"""Screws of motions and velocities in numbers: NumPy arrays with leading batch axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError
from ..rotations import Rotation
from ..rotations.matrix import TOLERANCE
from .motion import ScrewMotion, no_axis

Floats = NDArray[np.float64]

#: A turn by less, in radians, is the rounding of a matrix without one.
_ROUNDING = 1e-15


def of_pose(R: Floats, p: Floats) -> ScrewMotion:
    """Screws of matrices (…, 3, 3) and positions (…, 3) by quaternions (w, k s), accurate near 0 and π."""
    _check_rotations(R)
    q = Rotation.from_matrix(R).quaternion
    q = np.where(q[..., :1] < 0, -q, q)
    w, vector = q[..., 0], q[..., 1:]
    s = np.linalg.norm(vector, axis=-1)
    turns = 2 * s > _ROUNDING
    k = _units(np.where(turns[..., None], vector, p))
    along = _dot(k, p)
    cotangent = np.where(turns, w / np.where(turns, s, 1), 0)
    moment = (np.cross(p, k) + (p - k * along[..., None]) * cotangent[..., None]) / 2
    return ScrewMotion(k, moment, np.where(turns, 2 * np.arctan2(s, w), 0)[()], along)


def of_twist(w: Floats, v: Floats, rest: bool = False) -> ScrewMotion:
    """The screws of angular velocities and velocities of the origin (…, 3); `rest` allows none, whose axis is NaN."""
    rate = np.linalg.norm(w, axis=-1)
    turns = rate > 0
    k = _units(np.where(turns[..., None], w, v), rest)
    along = _dot(k, v)
    moment = np.where(turns[..., None], v - k * along[..., None], 0) / np.where(turns, rate, 1)[..., None]
    return ScrewMotion(k, moment, rate, along)


def _units(vectors: Floats, rest: bool = False) -> Floats:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not length.all() and not rest:
        first = np.argwhere(length[..., 0] == 0)[0]
        raise no_axis(f"screw_of, number {', '.join(map(str, first.tolist()))}" if len(first) else "screw_of")
    return np.asarray(vectors / np.where(length, length, np.nan))


def _dot(a: Floats, b: Floats) -> Any:
    return np.einsum("...i,...i->...", a, b)[()]


def _check_rotations(R: Floats) -> None:
    gap = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0)
    if gap > TOLERANCE or (np.linalg.det(R) < 0).any():
        message = "the matrix is not a rotation: it is not orthogonal with determinant 1."
        cure = f"Its numbers must be right to {TOLERANCE}; `Rotation.from_matrix(R, nearest=True)` mends others."
        raise PolhodeError(message, "screw_of", cure, "E-ROTATION-NUMBER")
