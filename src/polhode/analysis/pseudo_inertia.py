"""Inertial parameters that some distribution of mass has: those whose pseudo-inertia is positive definite.

C. Rucker and P. M. Wensing, "Smooth parameterization of rigid-body inertia" (2022): with

    J = ∫ (r, 1)(r, 1)ᵀ dm = U Uᵀ,    U = e^α [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]]

any ten numbers (α, d1, d2, d3, s12, s23, s13, t1, t2, t3) are a body, and every body is some ten numbers: m is e^2α, the
mass centre t. So least squares over them need no inequalities.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

#: Where d, s and t are in U.
_DIAGONAL = ((0, 0), (1, 1), (2, 2))
_UPPER = ((0, 1), (1, 2), (0, 2))
_LAST = ((0, 3), (1, 3), (2, 3))
#: A body without extent is given this one, in metres and as a part of how far its mass centre is.
_EXTENT = 1e-2


def pseudo_inertia(moments: Floats) -> Floats:
    """J of m, m c and the inertia about the origin (xx, yy, zz, xy, xz, yz).

    >>> pseudo_inertia(np.array([2.0, 0, 0, 1, 3, 3, 1, 0, 0, 0])).tolist()[2]
    [0.0, 0.0, 2.5, 1.0]
    """
    m, x, y, z, xx, yy, zz, xy, xz, yz = moments
    half = (xx + yy + zz) / 2
    return np.array(
        [[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y], [-xz, -yz, half - zz, z], [x, y, z, m]], dtype=np.float64
    )


def moments_of_pseudo(J: Floats) -> Floats:
    """The ten moments of J; it is linear, and so takes rates of J to rates of them."""
    xx, yy, zz = J[0, 0], J[1, 1], J[2, 2]
    return np.array(
        [J[3, 3], J[0, 3], J[1, 3], J[2, 3], yy + zz, xx + zz, xx + yy, -J[0, 1], -J[0, 2], -J[1, 2]], dtype=np.float64
    )


def is_consistent(moments: Floats) -> bool:
    """Whether some distribution of mass has these moments."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(moments))[0] > 0)


def moments_at(theta: Floats) -> tuple[Floats, Floats]:
    """The ten moments at ten numbers, and their derivatives, a column for each.

    >>> moments_at(np.zeros(10))[0].tolist()
    [1.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0, -0.0, -0.0, -0.0]
    """
    U, scale = np.zeros((4, 4)), float(np.exp(theta[0]))
    U[3, 3] = 1.0
    for place, value in zip(_DIAGONAL, np.exp(theta[1:4]), strict=True):
        U[place] = value
    for place, value in zip((*_UPPER, *_LAST), theta[4:], strict=True):
        U[place] = value
    U *= scale
    J = U @ U.T
    columns = [2 * J]
    for place in (*_DIAGONAL, *_UPPER, *_LAST):
        change = np.zeros((4, 4))
        change[place] = U[place] if place in _DIAGONAL else scale
        columns.append(change @ U.T + U @ change.T)
    return moments_of_pseudo(J), np.column_stack([moments_of_pseudo(each) for each in columns])


def theta_of(moments: Floats) -> Floats:
    """The ten numbers of a body; one without extent, or impossible, is made a little wider first.

    >>> body = np.array([2.0, 0.1, 0, 0.4, 0.3, 0.4, 0.2, 0.01, 0, 0])
    >>> bool(np.allclose(moments_at(theta_of(body))[0], body))
    True
    """
    J = pseudo_inertia(moments)
    m = max(float(J[3, 3]), 1e-3)
    c = J[:3, 3] / m
    around = J[:3, :3] - m * np.outer(c, c)
    sizes, axes = np.linalg.eigh(around)
    least = m * (_EXTENT * max(1.0, float(np.abs(c).max()))) ** 2
    around = (axes * np.maximum(sizes, least * 1e-2 if sizes[0] > 0 else least)) @ axes.T
    # U = e^α [[A, t], [0, 1]] with A upper triangular: A Aᵀ = (Σ - m c cᵀ)/m
    flipped = np.linalg.cholesky((around / m)[::-1, ::-1])[::-1, ::-1]
    return np.array(
        [np.log(m) / 2, *np.log(np.diag(flipped)), flipped[0, 1], flipped[1, 2], flipped[0, 2], *c], dtype=np.float64
    )
