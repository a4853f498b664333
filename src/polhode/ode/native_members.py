"""Members of a batch in native memory: their starts, rows of their own, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats
from .members import NONE, OWN, Members
from .native_events import EventLogs
from .native_run import WatchedLimits


@dataclass(frozen=True, eq=False)
class MemberRows:
    """Runs that differ in their starts and in rows of their own; what becomes of each is written by native code."""

    starts: Floats  # (N, n)
    own: Mapping[str, Floats]  # rows (N, …) of the work array, efforts, inputs; of other functions as "jacobian.work"
    states: Floats  # (N, 1 + T, n): the start, and the samples
    reasons: NDArray[np.int64]
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    next: NDArray[np.int64]  # (1,)
    limits: WatchedLimits
    signs: Floats  # (N, …), of the pivots of the constraints at each start
    logs: EventLogs | None = None

    @classmethod
    def of(
        cls,
        starts: Floats,
        own: Mapping[str, Floats],
        samples: int,
        limits: WatchedLimits,
        signs: Floats | None = None,
        logs: EventLogs | None = None,
    ) -> MemberRows:
        """Members that are still to be run; `limits` have rows for each of them, and so have signs of pivots."""
        count, size = starts.shape
        rows = {name: np.ascontiguousarray(array) for name, array in own.items() if array.shape[1]}
        reasons, steps, evaluations, begun = (np.zeros(size, dtype=np.int64) for size in (count, count, count, 1))
        states = np.empty((count, samples + 1, size))
        states[:, 0] = starts
        signs = np.zeros((count, 0)) if signs is None else np.ascontiguousarray(signs)
        starts = np.ascontiguousarray(starts)
        return cls(starts, rows, states, reasons, steps, evaluations, begun, limits, signs, logs)


class MembersRecord:
    """Members as native code sees them, for a table of pointers with these places."""

    def __init__(self, members: MemberRows, places: Mapping[str, int]) -> None:
        names = ("next", "starts", "states", "reasons", "steps", "evaluations", "signs")
        arrays = {name: getattr(members, name) for name in names}
        arrays |= {"limits": members.limits.rows, "limits_noted": members.limits.noted}
        if members.logs is not None:
            arrays |= {"logs": members.logs.rows, "log_counts": members.logs.counts}
        own = np.zeros((3, len(OWN)), dtype=np.int64)  # addresses, lengths, places
        for k, name in enumerate(OWN):
            if name in members.own:
                rows = members.own[name]
                own[:, k] = rows.ctypes.data, rows.shape[1], places[name]
        arrays |= dict(zip(("own_rows", "own_strides", "own_places"), own, strict=True))
        self.record: Any = Members.native(end=len(members.starts), current=NONE, **arrays)
        self._kept = members
