"""Whether forces in their cones can hold what sticks, and with which margin.

Where forces are not unique, λ = λ₀ + N y for any y. The margin is the largest s such that for some y

    μ λ_N - s ≥ |λ_T|  of groups that stick,    bound - s ≥ |λ_T|  of those without a normal,    λ_N - s ≥ 0  of others

It is negative if and only if no admissible forces hold them; of one that is positive a lower bound serves. The maximum
is found by Newton's method with a logarithmic barrier (S. Boyd and L. Vandenberghe, *Convex Optimization*, chapter 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...native.arrays import Floats

#: Singular values below this part of the largest are none.
_RANK = 1e-9
#: The gap, relative to the loads, at which the maximum is known; by how much the barrier falls at once; Newton's steps.
_GAP, _FASTER, _STEPS = 1e-13, 200.0, 60
#: A margin of this size need not be known better; along a run larger ones are cut off to it.
CLEAR = 1e-6


class Cone(NamedTuple):
    """A group of unknown forces: its normal and its tangents among them, μ or the bound."""

    normal: int | None
    tangents: tuple[int, ...]
    friction: float


def holding_margin(matrix: Floats, free: Floats, cones: Sequence[Cone], near: Floats | None = None) -> float:
    """The margin s, relative to the loads and at most 1, of forces λ with matrix λ + free = 0; -1 if there are none.

    Where forces next to those in `near` hold clearly, their margin is enough; `near` becomes the forces that are found.
    """
    u, singular, vt = np.linalg.svd(matrix)
    rank = int((singular > _RANK * max(singular.max(initial=0.0), 1e-300)).sum())
    start = -vt[:rank].T @ ((u[:, :rank].T @ free) / singular[:rank])
    scale = float(np.abs(free).max(initial=0.0))
    if np.abs(matrix @ start + free).max(initial=0.0) > 1e-8 * max(scale, 1e-300):
        return -1.0
    bounds = [cone.friction for cone in cones if cone.normal is None]
    load = max(float(np.abs(start).max(initial=0.0)), *bounds, 1e-300)
    N = vt[rank:].T
    offsets, slopes = [], []
    for cone in cones:
        along = cone.friction if cone.tangents else 1.0
        if cone.normal is None:
            offset, slope = np.array([cone.friction]), np.zeros((1, N.shape[1]))
        else:
            offset, slope = along * start[[cone.normal]], along * N[[cone.normal]]
        across = list(cone.tangents)
        offsets.append(np.concatenate([offset, start[across]]) / load)
        slopes.append(np.vstack([slope, N[across]]))
    known = np.zeros(N.shape[1]) if near is None else N.T @ (near - start) / load
    margin, y = _largest(offsets, slopes, known)
    if near is not None:
        near[:] = start + load * (N @ y)
    return margin


def _largest(offsets: Sequence[Floats], slopes: Sequence[Floats], known: Floats) -> tuple[float, Floats]:
    """The largest s ≤ 1 with (a - s, b) in the cone |b| ≤ a - s for all (a, b) = offset + slope y, and y."""
    count = len(known)
    for start in (known, np.zeros(count)):
        least = min(
            (_margin(offset + slope @ start) for offset, slope in zip(offsets, slopes, strict=True)), default=1.0
        )
        if count == 0 or least > CLEAR:
            return min(1.0, least), start
    y = np.zeros(count + 1)
    y[-1] = min(least, 1.0) - 0.5
    wide = [np.hstack([slope, np.eye(len(slope), 1) * -1.0]) for slope in slopes]
    weight, last = 1.0, 2.0 * (len(offsets) + 1) / _GAP
    while True:
        for _ in range(_STEPS):
            gradient, hessian = np.zeros(count + 1), np.zeros((count + 1, count + 1))
            gradient[-1] = -weight + 1.0 / (1.0 - y[-1])
            hessian[-1, -1] = 1.0 / (1.0 - y[-1]) ** 2
            for offset, slope in zip(offsets, wide, strict=True):
                z = offset + slope @ y
                sign = np.where(np.arange(len(z)) == 0, 1.0, -1.0)
                inside = _margin(z) * float(z[0] + np.linalg.norm(z[1:]))  # not 0 by cancellation
                direction = -2.0 * (sign * z) / inside
                gradient += slope.T @ direction
                hessian += slope.T @ (np.outer(direction, direction) - 2.0 * np.diag(sign) / inside) @ slope
            step = -np.linalg.lstsq(hessian, gradient, rcond=1e-15)[0]
            decrease = -float(gradient @ step)
            part = 1.0
            while part > 1e-12 and not _is_inside(y + part * step, offsets, wide):
                part *= 0.5
            y = y + (part * (0.95 if part < 1.0 else 1.0)) * step
            if decrease < 1e-9:
                break
        gap = 2.0 * (len(offsets) + 1) / weight
        if weight >= last or y[-1] > CLEAR or y[-1] + 2.0 * gap < -CLEAR:
            return float(y[-1]), y[:-1]
        weight = min(_FASTER * weight, last)


def _margin(z: Floats) -> float:
    return float(z[0] - np.linalg.norm(z[1:]))


def _is_inside(y: Floats, offsets: Sequence[Floats], slopes: Sequence[Floats]) -> bool:
    inside = (_margin(offset + slope @ y) > 0.0 for offset, slope in zip(offsets, slopes, strict=True))
    return bool(y[-1] < 1.0) and all(inside)
