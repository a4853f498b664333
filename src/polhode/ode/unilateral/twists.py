"""Rows as combinations of twists: along an axis e at an arm r the velocity is e·(v + ω × r).

So are the accelerations e·(v̇ + ω̇ × r + ω × ṙ) + ė·(v + ω × r), and the row of speeds and the responses alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...native.arrays import Floats
from ...native.language import at, fma, native
from .record import Unilateral

#: For each group the place of its velocities, of its axes and of its arm; -1 for rows that are no combination.
Layout: TypeAlias = Sequence[tuple[int, int, int]]
#: What is combined, and the names of what it is combined of.
COMBINED = {"rows": "twist_rows", "responses": "twist_responses", "velocities": "twists", "drift": "twist_drift"}
TWISTS = (*COMBINED.values(), "axes", "axes_rates", "arms", "arms_rates")


@native
def velocity_of(rows: Unilateral, i: int) -> float:
    """The velocity of a row, of a group that is open too."""
    if rows.has_twists == 0:
        return rows.velocities[i]
    V = at(rows.twists, rows.twist_of[i])
    if rows.arm_of[i] < 0:
        return V[0]
    e, r = at(rows.axes, 3 * rows.axis_of[i]), at(rows.arms, 3 * rows.arm_of[i])
    along = e[0] * V[0] + e[1] * V[1] + e[2] * V[2] + (r[1] * e[2] - r[2] * e[1]) * V[3]
    return along + (r[2] * e[0] - r[0] * e[2]) * V[4] + (r[0] * e[1] - r[1] * e[0]) * V[5]


@native
def combine(rows: Unilateral) -> None:
    """Velocities of closed rows, their rows of speeds, responses and drifts."""
    n = rows.speeds
    for c in range(rows.closed_count):
        i = rows.closed[c]
        first, arm = rows.twist_of[i], rows.arm_of[i]
        line, response = at(rows.rows, n * i), at(rows.responses, n * i)
        J, R = at(rows.twist_rows, n * first), at(rows.twist_responses, n * first)
        V, D = at(rows.twists, first), at(rows.twist_drift, first)
        rows.velocities[i] = velocity_of(rows, i)
        if arm < 0:
            rows.drift[i] = D[0]
            for k in range(n):
                line[k] = J[k]
                response[k] = R[k]
        else:
            e, f = at(rows.axes, 3 * rows.axis_of[i]), at(rows.axes_rates, 3 * rows.axis_of[i])
            r, s = at(rows.arms, 3 * arm), at(rows.arms_rates, 3 * arm)
            a, b, c_ = e[0], e[1], e[2]
            x, y, z = r[1] * c_ - r[2] * b, r[2] * a - r[0] * c_, r[0] * b - r[1] * a  # r × e
            xt = s[1] * c_ - s[2] * b + r[1] * f[2] - r[2] * f[1]
            yt = s[2] * a - s[0] * c_ + r[2] * f[0] - r[0] * f[2]
            zt = s[0] * b - s[1] * a + r[0] * f[1] - r[1] * f[0]
            turning = f[0] * V[0] + f[1] * V[1] + f[2] * V[2] + xt * V[3] + yt * V[4] + zt * V[5]
            rows.drift[i] = a * D[0] + b * D[1] + c_ * D[2] + x * D[3] + y * D[4] + z * D[5] + turning
            for m in range(n):
                one, two = a * J[m], a * R[m]
                one, two = fma(b, J[n + m], one), fma(b, R[n + m], two)
                one, two = fma(c_, J[2 * n + m], one), fma(c_, R[2 * n + m], two)
                one, two = fma(x, J[3 * n + m], one), fma(x, R[3 * n + m], two)
                one, two = fma(y, J[4 * n + m], one), fma(y, R[4 * n + m], two)
                line[m], response[m] = fma(z, J[5 * n + m], one), fma(z, R[5 * n + m], two)


def places_of(groups: Sequence[tuple[int, int]], layout: Layout) -> NDArray[np.int64]:
    """For each row its velocities, its axis and its arm; the rows themselves without a layout."""
    sizes = [sum(group) for group in groups]
    inside = np.concatenate([np.arange(size) for size in sizes]).astype(np.int64)
    if not layout:
        return np.stack([np.arange(len(inside)), 0 * inside, 0 * inside - 1])
    first, axis, arm = np.repeat(np.array(layout, dtype=np.int64), sizes, axis=0).T
    return np.stack([np.where(arm < 0, first + inside, first), axis + inside, arm])


def combined(found: Mapping[str, Floats], groups: Sequence[tuple[int, int]], layout: Layout) -> dict[str, Floats]:
    """What contact motion puts out, state by state, with rows, responses, velocities and drifts of all rows."""
    if not layout:
        return dict(found)
    first, axis, arm = places_of(groups, layout)
    own, V = arm >= 0, found["velocities"]
    six = first[own][:, None] + np.arange(6)
    e, f = (found[name].reshape(*V.shape[:-1], -1, 3)[..., axis[own], :] for name in ("axes", "axes_rates"))
    r, s = (found[name].reshape(*V.shape[:-1], -1, 3)[..., arm[own], :] for name in ("arms", "arms_rates"))
    weights = np.concatenate([e, np.cross(r, e)], axis=-1)
    turning = (np.concatenate([f, np.cross(s, e) + np.cross(r, f)], axis=-1) * V[..., six]).sum(axis=-1)
    made = dict(found)
    for name in COMBINED:
        given = found[name].reshape(*V.shape, -1)
        whole = given[..., first, :]
        whole[..., own, :] = (weights[..., None, :] @ given[..., six, :])[..., 0, :]
        made[name] = whole.reshape(*V.shape[:-1], -1)
    made["drift"][..., own] += turning
    return made
