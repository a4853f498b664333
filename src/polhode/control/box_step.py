"""The least of a small quadratic between limits, and which of its variables are at none, by projected Newton steps.

D. P. Bertsekas, *Projected Newton methods for optimization problems with simple constraints* (1982); as in Y. Tassa,
N. Mansard and E. Todorov (2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .weights import Floats

_MOST, _NOTHING = 30, 1e-12


def box_step(H: Floats, g: Floats, lower: Floats, upper: Floats) -> tuple[Floats, NDArray[np.bool_], Floats] | None:
    """The x of least ½ xᵀH x + gᵀx within limits, which entries are free, and the inverse of H among these.

    None where H is not positive definite.

    >>> x, free, _ = box_step(np.eye(2), np.array([-3.0, 0.5]), -np.ones(2), np.ones(2))
    >>> x.tolist(), free.tolist()
    ([1.0, -0.5], [False, True])
    """
    if not np.isfinite(H).all() or np.linalg.eigvalsh(H)[0] <= 0:
        return None
    inverse: Floats = np.asarray(np.linalg.inv(H), dtype=np.float64)
    freely = -inverse @ g
    x, free = np.clip(freely, lower, upper), np.ones(len(g), dtype=np.bool_)
    if (x == freely).all():
        return x, free, inverse
    for _ in range(_MOST):
        slope = H @ x + g
        free = ~(((x <= lower) & (slope > 0)) | ((x >= upper) & (slope < 0)))
        if not free.any() or np.abs(slope[free]).max() <= _NOTHING * (1 + np.abs(g).max()):
            break
        step = np.zeros_like(x)
        step[free] = -np.linalg.solve(H[np.ix_(free, free)], slope[free])
        length = 1.0
        while length > _NOTHING:
            tried = np.clip(x + length * step, lower, upper)
            moved = tried - x
            if slope @ moved + moved @ H @ moved / 2 <= 0.1 * slope @ moved:
                break
            length /= 2
        x = tried
    return x, free, np.asarray(np.linalg.inv(H[np.ix_(free, free)]), dtype=np.float64)
