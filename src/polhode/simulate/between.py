"""States between samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import PolhodeError
from .state import Floats


def interpolated(
    t: Floats, q: Floats, u: Floats, times: Floats, rates: Floats | None, groups: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Coordinates and speeds at other times inside the trajectory.

    Coordinates follow Hermite's cubic with slopes q̇ where `rates` are known, and a natural-looking cubic otherwise, as
    speeds do. Quaternions are continued on the side of the sphere where they were, and scaled to unit length.
    """
    if not len(t) or times.ndim != 1 or not np.isfinite(times).all():
        raise PolhodeError("these are no times to look at.", place="trajectory", code="E-TRAJ-004")
    slack = 1e-12 * max(1.0, abs(float(t[-1])))
    if times.size and (times.min() < t[0] - slack or times.max() > t[-1] + slack):
        raise PolhodeError(
            f"the trajectory runs from {t[0]:g} to {t[-1]:g} s, not from {times.min():g} to {times.max():g} s.",
            cure="Simulate for longer.",
            code="E-TRAJ-008",
        )
    if len(t) == 1:
        return np.repeat(q, len(times), axis=0), np.repeat(u, len(times), axis=0)
    from scipy.interpolate import Akima1DInterpolator, CubicHermiteSpline

    inside = np.clip(times, t[0], t[-1])
    q = q.copy()
    slopes = None if rates is None else rates.copy()
    for first, count in groups:
        part = slice(first, first + count)
        turns = np.cumprod(np.where(np.einsum("ti,ti->t", q[:-1, part], q[1:, part]) < 0.0, -1.0, 1.0))
        q[1:, part] *= turns[:, None]
        if slopes is not None:
            slopes[1:, part] *= turns[:, None]
    if slopes is None:
        q_then = Akima1DInterpolator(t, q)(inside)
    else:
        q_then = CubicHermiteSpline(t, q, slopes)(inside)
    u_then = Akima1DInterpolator(t, u)(inside) if u.shape[1] else np.zeros((len(inside), 0))
    for first, count in groups:
        part = slice(first, first + count)
        q_then[:, part] /= np.linalg.norm(q_then[:, part], axis=1, keepdims=True)
    return np.asarray(q_then, dtype=np.float64), np.asarray(u_then, dtype=np.float64)
