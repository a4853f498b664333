"""Limits of entries of the state, as native code watches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats


@dataclass(frozen=True, eq=False)
class WatchedLimits:
    """Limits c x[k] + d ≤ 0 of entries of the state, and what native code notes of them; for one run or a batch."""

    places: NDArray[np.int64]  # (L,), the k
    rows: Floats  # (…, L, 2), c and d
    noted: Floats  # (…, L, 2), when each was first passed (nan: never), and the largest c x[k] + d seen

    @classmethod
    def of(cls, places: Sequence[int] | NDArray[np.int64], rows: Floats) -> WatchedLimits:
        """Limits of which nothing is noted yet."""
        noted = np.empty(rows.shape)
        noted[..., 0], noted[..., 1] = np.nan, -np.inf
        return cls(np.asarray(places, dtype=np.int64), np.ascontiguousarray(rows), noted)
