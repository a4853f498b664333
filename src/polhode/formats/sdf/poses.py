"""Poses of an SDF model, as numbers: in a file they stand in the model's frame, in a System each in its neighbour's."""

from __future__ import annotations

from fractions import Fraction
from math import asin, atan2, cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from ..numbers import Triple
from ..urdf.parts import Placement

Matrix4 = NDArray[np.float64]


def matrix_of(at: Placement, snap: Fraction) -> Matrix4:
    """The pose as a matrix; an angle this near to a multiple of π/2 is taken to be one."""
    (cr, sr), (cp, sp), (cy, sy) = (_cos_sin(float(angle), float(snap)) for angle in at.rpy)
    made = np.eye(4)
    made[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    made[:3, 3] = [float(entry) for entry in at.xyz]
    return made


def _cos_sin(angle: float, snap: float) -> tuple[float, float]:
    quarter = round(angle / (pi / 2))
    if abs(angle - quarter * pi / 2) <= snap:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarter % 4]
    return cos(angle), sin(angle)


def placement_of(pose: Matrix4, line: int) -> Placement:
    """The pose as position and angles roll, pitch, yaw about fixed axes, to the digits of a double."""
    R = pose[:3, :3]
    pitch = asin(float(np.clip(-R[2, 0], -1.0, 1.0)))
    if abs(R[2, 0]) > 1 - 1e-12:  # roll and yaw turn about one axis: yaw does it all
        roll, yaw = 0.0, atan2(-R[0, 1], R[1, 1])
    else:
        roll, yaw = atan2(R[2, 1], R[2, 2]), atan2(R[1, 0], R[0, 0])
    return Placement(_exact(pose[:3, 3].tolist()), _exact([roll, pitch, yaw]), line)


def inverse(pose: Matrix4) -> Matrix4:
    """(R, p)⁻¹ = (Rᵀ, -Rᵀ p)."""
    made = np.eye(4)
    made[:3, :3] = pose[:3, :3].T
    made[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return made


def turned(pose: Matrix4, axis: Triple) -> Triple:
    """A direction of the model's in the axes of a pose."""
    return _exact((pose[:3, :3].T @ np.array([float(entry) for entry in axis])).tolist())


def _exact(values: list[float]) -> Triple:
    x, y, z = (Fraction(repr(round(value, 15))) for value in values)
    return x, y, z
