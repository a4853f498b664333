"""Inertial parameters that some distribution of mass has: those whose pseudo-inertia is positive definite.

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]],    Σ = ½ tr(I) 1 - I

P. M. Wensing, S. Kim and J.-J. E. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (2018): J > 0 says at once that the mass is positive, and that the principal moments are and keep the
triangle inequality. J is linear in the ten moments.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

#: A body without extent is given this one: metres, and as a part of how far its mass centre is.
_EXTENT = 1e-2


def pseudo_inertia(moments: Floats) -> Floats:
    """J of m, m c and the inertia about the origin (xx, yy, zz, xy, xz, yz).

    >>> pseudo_inertia(np.array([2.0, 0, 0, 1, 3, 3, 1, 0, 0, 0])).diagonal().tolist()
    [0.5, 0.5, 2.5, 2.0]
    """
    m, x, y, z, xx, yy, zz, xy, xz, yz = moments
    half = (xx + yy + zz) / 2
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], dtype=np.float64
    )


def moments_of_pseudo(J: Floats) -> Floats:
    """The ten moments of J."""
    xx, yy, zz = J[0, 0], J[1, 1], J[2, 2]
    return np.array(
        [J[3, 3], J[0, 3], J[1, 3], J[2, 3], yy + zz, xx + zz, xx + yy, -J[0, 1], -J[0, 2], -J[1, 2]], dtype=np.float64
    )


def is_consistent(moments: Floats) -> bool:
    """Whether some distribution of mass, with an extent, has these moments."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(moments))[0] > 0)


def made_consistent(moments: Floats) -> Floats:
    """The moments of a body that could be; one without mass or extent, or impossible, is given a little of them.

    >>> point = np.array([2.0, 0, 0, 2.0, 2.0, 2.0, 0, 0, 0, 0])
    >>> is_consistent(point), is_consistent(made_consistent(point))
    (False, True)
    """
    J = pseudo_inertia(moments)
    m = max(float(J[3, 3]), 1e-3)
    c = J[:3, 3] / m
    sizes, axes = np.linalg.eigh(J[:3, :3] - m * np.outer(c, c))
    least = m * (_EXTENT * max(1.0, float(np.abs(c).max()))) ** 2
    if J[3, 3] == m and sizes[0] > 1e-4 * least:
        return moments
    around = (axes * np.maximum(sizes, least)) @ axes.T
    return moments_of_pseudo(np.block([[around + m * np.outer(c, c), m * c[:, None]], [m * c[None], np.array([[m]])]]))
