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
#: The gap, relative to the loads, at which the maximum is known; by how much the barrier falls at once; Newton's steps,
#: and their decrease, relative to the barrier, at which it falls.
_GAP, _FASTER, _STEPS, _CENTRED = 1e-13, 200.0, 60, 1e-2
#: A margin is known up to this size: a guard that is far from zero is constant.
CLEAR = 1e-4
#: A search ends at forces with this margin, which hold a while longer.
_AMPLE = 3e-4


class Cone(NamedTuple):
    """A group of unknown forces: its normal and its tangents among them, μ or the bound."""

    normal: int | None
    tangents: tuple[int, ...]
    friction: float


def holding_margin(matrix: Floats, free: Floats, cones: Sequence[Cone], near: Floats | None = None) -> float:
    """The margin s, relative to the loads and at most 1e-4, of forces λ with matrix λ + free = 0; -1 without any.

    The search begins at forces that are `near`, and puts those there with which it ends.
    """
    u, singular, vt = np.linalg.svd(matrix)
    rank = int((singular > _RANK * max(singular.max(initial=0.0), 1e-300)).sum())
    start = -vt[:rank].T @ ((u[:, :rank].T @ free) / singular[:rank])
    scale = float(np.abs(free).max(initial=0.0))
    if np.abs(matrix @ start + free).max(initial=0.0) > 1e-8 * max(scale, 1e-300):
        return -1.0
    bounds = [cone.friction for cone in cones if cone.normal is None]
    load = max(float(np.abs(start).max(initial=0.0)), *bounds, 1e-300)
    N, rows = vt[rank:].T, len(vt)
    take, along = np.full((len(cones), 3), rows), np.ones((len(cones), 3))
    offset = np.zeros((len(cones), 3))
    for k, cone in enumerate(cones):
        take[k, 1 : 1 + len(cone.tangents)] = cone.tangents
        if cone.normal is None:
            offset[k, 0] = cone.friction
        else:
            take[k, 0], along[k, 0] = cone.normal, cone.friction if cone.tangents else 1.0
    padded = np.vstack([N, np.zeros(N.shape[1])])
    offset += along * np.append(start, 0.0)[take]
    y = np.zeros(N.shape[1]) if near is None else N.T @ (near - start) / load
    margin = _largest(offset / load, along[:, :, None] * padded[take], y)
    if near is not None:
        near[:] = start + load * (N @ y)
    return margin


def _largest(offset: Floats, slopes: Floats, given: Floats) -> float:
    """The largest s ≤ 1e-4 with |b| ≤ a - s for all (a, b) = offset + slope y, three numbers each; y becomes that."""
    count = slopes.shape[2]
    least = _margin(offset + slopes @ given)
    if count == 0 or least > CLEAR:
        return min(CLEAR, least)
    y = np.append(given, min(least, 1.0) - 0.5)
    wide = np.concatenate([slopes, np.broadcast_to([[-1.0], [0.0], [0.0]], (len(slopes), 3, 1))], axis=2)
    flat, signs = wide.reshape(-1, count + 1), np.array([1.0, -1.0, -1.0])
    weight, last = 1.0, 2.0 * (len(offset) + 1) / _GAP
    z = offset + wide @ y
    while True:
        for _ in range(_STEPS):
            size = np.sqrt(z[:, 1] * z[:, 1] + z[:, 2] * z[:, 2])
            inside = ((z[:, 0] - size) * (z[:, 0] + size))[:, None]  # not 0 by cancellation
            direction = (-2.0 * signs) * z / inside
            turned = (direction[:, None, :] @ wide)[:, 0]
            gradient = turned.sum(axis=0)
            gradient[-1] += 1.0 / (1.0 - y[-1]) - weight
            hessian = turned.T @ turned - (flat * np.ravel(2.0 * signs / inside)[:, None]).T @ flat
            hessian[-1, -1] += 1.0 / (1.0 - y[-1]) ** 2
            step = -_solved(hessian, gradient)
            decrease, moved = -float(gradient @ step), wide @ step
            part, there = 1.0, z + moved
            while part > 1e-12 and not (y[-1] + part * step[-1] < 1.0 and _margin(there) > 0.0):
                part *= 0.5
                there = z + 0.95 * part * moved
            if part <= 1e-12:
                break
            y, z = y + (part * (0.95 if part < 1.0 else 1.0)) * step, there
            if y[-1] > _AMPLE or decrease < _CENTRED:
                break
        gap = 2.0 * (len(offset) + 1) / weight
        if weight >= last or y[-1] > _AMPLE or y[-1] + 2.0 * gap < -CLEAR:
            given[:] = y[:-1]
            return float(min(max(y[-1], -CLEAR), CLEAR))
        weight = min(_FASTER * weight, last)


def _solved(matrix: Floats, right: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-15)[0])


def _margin(z: Floats) -> float:
    """The least a - |b| of all (a, b)."""
    return float((z[:, 0] - np.sqrt(z[:, 1] * z[:, 1] + z[:, 2] * z[:, 2])).min(initial=np.inf))
