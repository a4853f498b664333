"""Bodies and friction that could be, nearest to base parameters that were measured.

    min ½ |R (K π - β)|² + γ Σ (tr(J_0⁻¹ J) - log det J),    RᵀR = (cov β)⁻¹

over π, one pseudo-inertia J(π) for each body (`pseudo_inertia`) and one 1×1 matrix for each coefficient of friction and
each moment of a rotor. The second sum, T. Lee, P. M. Wensing and F. C. Park's entropic divergence, "Geometric robot
dynamic identification: a convex programming approach" (2020), keeps every J positive definite and, where data say
nothing, near J_0, which the model has. All of it is convex: Newton's steps, each a least-squares problem in the axes in
which J is the unit matrix, find the one minimum, while γ goes down to a hundredth of a
variance: what data tell is moved by a small part of its uncertainty, and what they do not tell stays where it was.

Inertial parameters that some distribution of mass has: those whose pseudo-inertia is positive definite.

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[Σ, h], [hᵀ, m]],    Σ = ½ tr(I) 1 - I

P. M. Wensing, S. Kim and J.-J. E. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (2018): J > 0 says at once that the mass is positive, and that the principal moments are and keep the
triangle inequality. J is linear in the ten moments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..dynamics.regressor import MOMENTS, StandardParameter

#: γ, from first to last, in units of squared standard deviations.
_WEIGHTS = (1.0, 1e-1, 1e-2)
_STEPS = 60
#: A body, and a coefficient, of which the model says nothing: one kilogram with a radius of gyration of 0.1 m.
_UNKNOWN_BODY = (1.0, 0.0, 0.0, 0.0, 0.02, 0.02, 0.02, 0.0, 0.0, 0.0)
_UNKNOWN_NUMBER = 0.1
_LEAST = 1e-6


@dataclass(frozen=True)
class _Piece:
    """Standard parameters that make one positive matrix, and their values in the model."""

    columns: slice
    units: Floats  # J of a unit of each
    start: Floats

    def at(self, pi: Floats) -> Floats:
        return np.tensordot(pi[self.columns], self.units, axes=1)


def consistent_parameters(
    parameters: Sequence[StandardParameter],
    start: Sequence[float | None],
    K: Floats,
    values: Floats,
    covariance: Floats,
) -> tuple[Mapping[str, float], float]:
    """Standard parameters by name, and how far they are from the values, in standard deviations."""
    pieces = _pieces(parameters, start)
    R = np.linalg.cholesky(_inverse(covariance)).T
    pi = np.concatenate([piece.start for piece in pieces]) if pieces else np.zeros(0)
    for weight in _WEIGHTS:
        pi = _least(pieces, pi, R @ K, R @ values, weight)
    gap = R @ (K @ pi - values)
    return dict(zip((each.name for each in parameters), pi.tolist(), strict=True)), float(np.sqrt(gap @ gap))


def _least(pieces: Sequence[_Piece], pi: Floats, A: Floats, b: Floats, weight: float) -> Floats:
    """The minimum for one γ, by damped Newton steps."""
    now = _value(pieces, pi, A, b, weight)
    for _ in range(_STEPS):
        C, w = _divergence(pieces, pi)
        left, right = np.vstack([A, np.sqrt(weight) * C]), np.concatenate([A @ pi - b, np.sqrt(weight) * w])
        scale = np.linalg.norm(left, axis=0)
        step = -np.linalg.lstsq(left / scale, right, rcond=1e-15)[0] / scale
        slope = float((left @ step) @ (left @ step))  # Newton's decrement, squared
        length = 1.0
        while length > 1e-10:
            then = _value(pieces, pi + length * step, A, b, weight)
            if then <= now - 0.1 * length * slope:
                break
            length /= 2
        else:
            return pi
        pi, now = pi + length * step, then
        if slope < 1e-8 * (1 + weight * len(pieces)):
            return pi
    return pi


def _value(pieces: Sequence[_Piece], pi: Floats, A: Floats, b: Floats, weight: float) -> float:
    rest = A @ pi - b
    total = float(rest @ rest) / 2
    for piece in pieces:
        try:
            L = np.linalg.cholesky(piece.at(pi))
        except np.linalg.LinAlgError:
            return np.inf
        inward = np.linalg.solve(np.linalg.cholesky(np.tensordot(piece.start, piece.units, axes=1)), L)
        total += weight * (float((inward**2).sum()) - 2 * float(np.log(np.diag(L)).sum()))
    return total


def _divergence(pieces: Sequence[_Piece], pi: Floats) -> tuple[Floats, Floats]:
    """C and w, CᵀC the curvature and Cᵀw the slope of Σ (tr(J_0⁻¹ J) - log det J): L⁻¹ dJ L⁻ᵀ and Lᵀ J_0⁻¹ L - 1."""
    rows, rest = [], []
    for piece in pieces:
        L = np.linalg.cholesky(piece.at(pi))
        back = np.linalg.inv(L)
        own = np.zeros((L.size, len(pi)))
        own[:, piece.columns] = (back @ piece.units @ back.T).reshape(len(piece.start), -1).T
        rows.append(own)
        first = np.tensordot(piece.start, piece.units, axes=1)
        rest.append((L.T @ np.linalg.solve(first, L) - np.eye(len(L))).ravel())
    return (np.vstack(rows), np.concatenate(rest)) if rows else (np.zeros((0, 0)), np.zeros(0))


def _inverse(covariance: Floats) -> Floats:
    """The inverse of a covariance whose entries have very different sizes."""
    scale = np.sqrt(np.diag(covariance))
    made = np.linalg.inv(covariance / np.outer(scale, scale)) / np.outer(scale, scale)
    return np.asarray((made + made.T) / 2)


def _pieces(parameters: Sequence[StandardParameter], start: Sequence[float | None]) -> list[_Piece]:
    found, k = [], 0
    while k < len(parameters):
        if parameters[k].kind == MOMENTS[0]:  # a body's ten stand together
            moments = np.array([np.nan if x is None else x for x in start[k : k + 10]])
            known = bool(np.isfinite(moments).all() and moments[0] > 0)
            found.append(
                _Piece(slice(k, k + 10), _UNITS, made_consistent(moments if known else np.array(_UNKNOWN_BODY)))
            )
            k += 10
        else:
            value = start[k]
            least = np.array([max(_UNKNOWN_NUMBER if value is None else value, _LEAST)])
            found.append(_Piece(slice(k, k + 1), np.ones((1, 1, 1)), least))
            k += 1
    return found


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


_UNITS = np.array([pseudo_inertia(unit) for unit in np.eye(10)])


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
