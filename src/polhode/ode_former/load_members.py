"""Members of a batch as native code sees them: their starts, rows of their own, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats
from .load_limits import WatchedLimits
from .members import MEMBERS, NONE, OWN

_MEMBERS = MEMBERS.structure()


@dataclass(frozen=True, eq=False)
class Members:
    """Runs that differ in their starts and in rows of their own; what becomes of each is written by native code.

    Whoever is free takes the next member, from one counter for all threads.
    """

    starts: Floats  # (N, n)
    own: Mapping[str, Floats]  # rows (N, …) of the work array, efforts, inputs; of other functions as "jacobian.work"
    states: Floats  # (N, 1 + T, n): the start, and the samples
    reasons: NDArray[np.int64]
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    next: NDArray[np.int64]  # (1,)
    limits: WatchedLimits
    pivots: Floats  # (N, …), the largest seen around each start; nothing without constraints
    signs: Floats  # (N, …), of the pivots there

    @classmethod
    def of(
        cls,
        starts: Floats,
        own: Mapping[str, Floats],
        samples: int,
        limits: WatchedLimits,
        pivots: tuple[Floats, Floats] | None = None,
    ) -> Members:
        """Members that are still to be run; `limits` have rows for each of them, and so have pivots and their signs."""
        count, size = starts.shape
        rows = {name: np.ascontiguousarray(array) for name, array in own.items() if array.shape[1]}
        reasons, steps, evaluations, begun = (np.zeros(size, dtype=np.int64) for size in (count, count, count, 1))
        states = np.empty((count, samples + 1, size))
        states[:, 0] = starts
        seen, signs = (np.ascontiguousarray(each) for each in pivots or (np.zeros((count, 0)), np.zeros((count, 0))))
        return cls(np.ascontiguousarray(starts), rows, states, reasons, steps, evaluations, begun, limits, seen, signs)


def members_record(members: Members, places: Mapping[str, int]) -> Any:
    """Members as native code sees them, for a table of pointers with these places."""
    addresses = {
        name: getattr(members, name).ctypes.data
        for name in ("next", "starts", "states", "reasons", "steps", "evaluations")
    }
    addresses |= {"limits": members.limits.rows.ctypes.data, "limits_noted": members.limits.noted.ctypes.data}
    addresses |= {"pivots": members.pivots.ctypes.data, "signs": members.signs.ctypes.data}
    record = _MEMBERS(end=len(members.starts), current=NONE, **addresses)
    for name, rows in members.own.items():
        if name not in OWN:
            continue
        setattr(record, f"{name}_rows", rows.ctypes.data)
        setattr(record, f"{name}_stride", rows.shape[1])
        setattr(record, f"{name}_index", places[name])
    return record
