"""Speeds of least squares, for redundant chains and closed ones.

Y. Tokad (1992), section 2.3: the motion of the load port is x_(m+1) = K'S x, (36) to (39); when it is prescribed there
are in general more joint velocities than conditions, and the generalized inverse gives the ones of least squares.

    u = J⁺ x    the least uᵀu among all u that make |J u - x| least

Steps of that kind lead a frame to a pose: `polhode.inverse_kinematics.numerical`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ShapeError

Floats = NDArray[np.float64]

_NEGLIGIBLE = 1e-10  # of the largest singular value


def least_speeds(jacobian: ArrayLike, velocity: ArrayLike) -> Floats:
    """The speeds of least squares that give a port its velocity, J⁺ x.

    >>> least_speeds([[1, 1]], [2]).round(9).tolist()
    [1.0, 1.0]
    """
    J, x = np.asarray(jacobian, dtype=float), np.asarray(velocity, dtype=float)
    if J.ndim != 2 or x.shape != J.shape[:1]:
        raise ShapeError(f"a Jacobian of shape {J.shape} does not give velocities {x.shape}.", code="E-NET-012")
    return np.asarray(np.linalg.lstsq(J, x, rcond=_NEGLIGIBLE)[0])
