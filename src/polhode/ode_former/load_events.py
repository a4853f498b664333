"""What handles the events of members in native code: changes of the state, and a log of what happened."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .events import CHANGES, ENDS, EVENTS, GOES_ON, HEAD

_STRUCTURE = EVENTS.structure()
#: Bytes that the logs of all members may take, and the events of each that there is room for in any case.
_MOST_BYTES, _LEAST_ROOM, _MOST_ROOM = 64_000_000, 8, 256


@dataclass(frozen=True, eq=False)
class Happening:
    """What an event does: it ends the run, or gives entries of the state the values of a function of x and t."""

    ends: bool = False
    change: Compiled | None = None
    places: tuple[int, ...] = ()

    @property
    def kind(self) -> int:
        return CHANGES if self.change is not None else ENDS if self.ends else GOES_ON


@dataclass(frozen=True, eq=False)
class EventLogs:
    """What happened to each member, in its order."""

    happenings: Sequence[Happening]
    rows: Floats  # (N, room, 4 + 2 n): time, number, kind, samples before, states before and after
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, happenings: Sequence[Happening], members: int, size: int) -> EventLogs:
        """Room for the events of so many members."""
        width = HEAD + 2 * size
        room = min(_MOST_ROOM, max(_LEAST_ROOM, _MOST_BYTES // (8 * width * members)))
        return cls(happenings, np.empty((members, room, width)), np.zeros(members, dtype=np.int64))

    def of_member(self, i: int) -> Floats:
        """The rows of a member."""
        return self.rows[i, : self.counts[i]]


class EventHandler:
    """The memory with which one thread handles events, and the logs, which all threads share."""

    def __init__(self, logs: EventLogs, clock: int) -> None:
        count = len(logs.happenings)
        self._kept: list[Any] = [logs]
        self.targets: dict[str, int] = {}
        numbers = {name: np.zeros(count) for name in ("when", "came_from", "after", "sides")}
        names = ("kinds", "change_at", "change_arguments", "change_counts", "change_places", "change_values")
        whole = {name: np.zeros(count, dtype=np.int64) for name in names}
        for k, happening in enumerate(logs.happenings):
            whole["kinds"][k] = happening.kind
            if happening.change is not None:
                self._add_change(k, happening.change, happening.places, clock, whole)
        addresses = {name: array.ctypes.data for name, array in (numbers | whole).items()}
        addresses |= {"logs": logs.rows.ctypes.data, "log_counts": logs.counts.ctypes.data}
        self.record = _STRUCTURE(log_room=logs.rows.shape[1], **addresses)
        self._kept += [numbers, whole]

    def _add_change(
        self, k: int, change: Compiled, places: Sequence[int], clock: int, whole: dict[str, NDArray[np.int64]]
    ) -> None:
        work, values, where = change.work(), np.zeros(len(places)), np.array(places, dtype=np.int64)
        table = (ctypes.c_void_p * 4)(0, clock, work.ctypes.data, values.ctypes.data)
        self._kept += [change, work, values, where, table]
        whole["change_at"][k] = change.native.code.address("ph_at")
        whole["change_arguments"][k] = ctypes.addressof(table)
        whole["change_counts"][k] = len(places)
        whole["change_places"][k], whole["change_values"][k] = where.ctypes.data, values.ctypes.data
        self.targets[f"change {k}.work"] = ctypes.addressof(table) + 16
