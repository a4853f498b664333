"""Which of many mass matrices can surely be solved with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiled.functions import Functions
from ..guard import SURE
from ..initial_state import Floats


def have_regular_masses(
    functions: Functions, q: Floats, parameters: Mapping[str, Any], inputs: Floats
) -> NDArray[np.bool_]:
    """Which members have a mass matrix at their start that can surely be solved with."""
    given: dict[str, Any] = {"t": 0.0, "inputs": inputs, "parameters": dict(parameters)}
    M = np.broadcast_to(functions.mass_matrix(q, **given), (len(q), *[len(functions.equations.u)] * 2))
    with np.errstate(all="ignore"):
        scale = np.sqrt(np.abs(np.diagonal(M, axis1=1, axis2=2)))
        scaled = M / (scale[:, :, None] * scale[:, None, :])
        sure = _are_surely_regular(scaled)
        rest = np.flatnonzero(~sure & np.isfinite(scaled).all(axis=(1, 2)))
    if len(rest):
        moments = np.linalg.eigvalsh(scaled[rest])
        sure[rest] = moments[:, 0] > SURE * moments[:, -1]
    return sure


def _are_surely_regular(M: Floats) -> NDArray[np.bool_]:
    """Which matrices (N, n, n) of unit diagonal have a determinant that rules out a moment near zero.

    The moments add up to n, so that the least is at least det ((n - 1) / n)^(n - 1) > det / e.
    """
    n = M.shape[-1]
    left, determinant = np.ascontiguousarray(M.transpose(1, 2, 0)), np.ones(len(M))
    sure = np.ones(len(M), dtype=bool)
    for k in range(n):
        pivot = left[k, k]
        sure &= pivot > 0.0
        determinant = determinant * pivot
        for i in range(k + 1, n):
            left[i, k + 1 :] -= left[i, k] / pivot * left[k, k + 1 :]
    return np.asarray(sure & (determinant > np.e * n * SURE))
