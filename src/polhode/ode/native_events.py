"""Events in native memory: functions whose zeros are located, what happens there, and a log of it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .record import CHANGES, CHANGES_BY_PYTHON, ENDS, GOES_ON, HEAD, KINKS, SEARCH_ROOM, SWITCHES, ZENO, Events

_STRUCTURE = Events.structure()
#: Rows of the log of a run at first. Of members: bytes for all, and rows of each that there are in any case.
_ROOM = 64
#: So often the state may be changed at one time.
MOST_AT_ONCE = 64
_MOST_BYTES, _LEAST_ROOM, _MOST_ROOM = 64_000_000, 8, 256


@dataclass(frozen=True, eq=False)
class Effect:
    """What an event does: it ends the run, or gives entries of the state the values of a function of x and t."""

    direction: float = 0.0
    ends: bool = False
    change: Compiled | None = None
    places: tuple[int, ...] = ()
    by_python: bool = False  # the state is changed by Python
    is_smooth: bool = True  # an expression, not a Python function
    is_switch: bool = False  # a sign in the right-hand side is of it
    is_kink: bool = False  # the slope of the right-hand side jumps where it is zero

    @property
    def kind(self) -> int:
        """The kind of `event_location`."""
        if self.is_switch or self.is_kink:
            return SWITCHES if self.is_switch else KINKS
        if self.change is not None:
            return CHANGES
        return CHANGES_BY_PYTHON if self.by_python else ENDS if self.ends else GOES_ON


@dataclass(frozen=True, eq=False)
class EventLogs:
    """What happened to each member, in its order."""

    effects: Sequence[Effect]
    rows: Floats  # (N, room, 4 + 2 n): time, event, kind, samples before, states before and after
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, effects: Sequence[Effect], members: int, size: int) -> EventLogs:
        """Room for the events of so many members."""
        width = HEAD + 2 * size
        room = min(_MOST_ROOM, max(_LEAST_ROOM, _MOST_BYTES // (8 * width * members)))
        return cls(effects, np.empty((members, room, width)), np.zeros(members, dtype=np.int64))

    def of_member(self, i: int) -> Floats:
        """The rows of a member."""
        return self.rows[i, : self.counts[i]]


class EventMemory:
    """The events of one run, or of the members that a thread runs.

    `values` is a compiled function of x and t, or a Python function of t and the array x that fills the values;
    `clock` is the address of the time.
    """

    def __init__(
        self,
        values: Compiled | Callable[..., Any] | None,
        effects: Sequence[Effect],
        size: int,
        clock: int,
        *,
        callback: Callable[[Callable[[float], None]], Any] | None = None,
        logs: EventLogs | None = None,
    ) -> None:
        count = len(effects)
        self.effects, self.size = effects, size
        self._kept: list[Any] = []
        self.targets: dict[str, int] = {}
        names = ("values", "directions", "before", "sides", "times")
        numbers = {name: np.zeros(count) for name in names} | {
            "work": np.zeros(SEARCH_ROOM * count),
            "nodes": np.zeros(64),
        }
        numbers["directions"][:] = [each.direction for each in effects]
        whole_names = (
            "kinds",
            "smooth",
            "change_at",
            "change_arguments",
            "change_counts",
            "change_places",
            "change_values",
        )
        whole = {name: np.zeros(count, dtype=np.int64) for name in whole_names}
        self.record = record = _STRUCTURE(count=count, changed_at=-1e300)
        self.values = numbers["values"]
        for k, effect in enumerate(effects):
            whole["kinds"][k], whole["smooth"][k] = effect.kind, effect.is_smooth
            if effect.change is not None:
                self._add_change(k, effect.change, effect.places, clock, whole)
        for name, array in (numbers | whole).items():
            setattr(record, name, array.ctypes.data)
        self._numbers = numbers
        self._kept += [numbers, whole]
        if isinstance(values, Compiled):
            work = values.work()
            table = (ctypes.c_void_p * 4)(0, clock, work.ctypes.data, self.values.ctypes.data)
            record.at = values.native.code.address("ph_at")
            self.targets["events.work"] = ctypes.addressof(table) + 16
            self._kept += [values, work, table]
        elif values is None:
            table = (ctypes.c_void_p * 1)()
            self._kept += [table]
        else:
            table = (ctypes.c_void_p * 1)()
            made = self._called(values, table, callback)
            record.at, record.calls_python = ctypes.cast(made, ctypes.c_void_p).value, 1
            self._kept += [table, made]
        record.arguments = ctypes.addressof(table)
        self._log = np.empty((_ROOM, HEAD + 2 * size))
        if logs is not None:
            record.log_room = logs.rows.shape[1]
            self._kept.append(logs)
        else:
            record.log, record.log_room = self._log.ctypes.data, len(self._log)

    def switch_by(self, side: Any, signs: Floats) -> None:
        """Take the last events, which are switches, from a function; `signs` are held in the right-hand side."""
        count = sum(each.kind in (SWITCHES, KINKS) for each in self.effects)
        record = self.record
        first = self.values[len(self.effects) - count :]
        side.table[side.out_index] = first.ctypes.data
        record.switch_at, record.switch_arguments = side.address, ctypes.addressof(side.table)
        record.switch_x_index, record.switch_count, record.signs = side.x_index, count, signs.ctypes.data
        record.kink_count = sum(each.kind == KINKS for each in self.effects)
        self.targets |= {f"switches.{name}": ctypes.addressof(side.table) + 8 * k for name, k in side.places.items()}
        self._kept += [side, signs, first]

    def hold_signs(self, signs: Floats) -> None:
        """Go on with these signs of the switches."""
        if len(signs):
            self._numbers["sides"][len(self.effects) - self.record.switch_count :][: len(signs)] = signs

    def _called(self, values: Callable[..., Any], table: Any, callback: Any) -> Any:
        from .native_run import array_at

        def evaluate(t: float) -> None:
            self.values[:] = values(t, array_at(table[0], self.size).copy())

        return callback(evaluate)

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

    @property
    def log(self) -> Floats:
        """What has happened so far: rows of time, event, kind, samples before, and the states before and after."""
        return self._log[: self.record.log_count]

    def entries(self, first: int) -> Iterator[tuple[float, int, int, int, Floats, Floats | None]]:
        """Rows of the log from one on: time, event, kind, samples before, states before and after (None for an end)."""
        for row in self.log[first:]:
            t, number, kind, done = float(row[0]), *(int(each) for each in row[1:HEAD])
            before, after = row[HEAD : HEAD + self.size].copy(), row[HEAD + self.size :].copy()
            yield t, number, kind, done, before, after if kind in (CHANGES, CHANGES_BY_PYTHON) else None

    def forget_after(self, t: float) -> None:
        """Take back what was logged after a time."""
        self.record.log_count = int((self.log[:, 0] <= t).sum())

    def is_stuck(self, number: int, t: float) -> bool:
        """True if the state was changed at this very time by this event, or by others too often."""
        near = self.log[self.log[:, 0] >= t - ZENO * max(1.0, abs(t))]
        changes = near[np.isin(near[:, 2], (CHANGES, CHANGES_BY_PYTHON)), 1]
        return len(changes) > 0 and (int(changes[-1]) == number or len(changes) > MOST_AT_ONCE)

    def side_of(self, number: int) -> float:
        """The sign with which an event comes to its zero."""
        return float(self._numbers["sides"][number])

    def set_side(self, number: int, side: float) -> None:
        """Go on with this sign of an event that stands at its zero."""
        self._numbers["sides"][number], self._numbers["before"][number] = side, 0.0

    def take_signs(self, other: EventMemory) -> None:
        """Go on with the signs, and with the last change, of another run."""
        self._numbers["sides"][:] = other._numbers["sides"]
        self.record.changed_at = other.record.changed_at

    def grow(self) -> None:
        """Have room for more."""
        grown = np.empty((2 * len(self._log), self._log.shape[1]))
        grown[: len(self._log)] = self._log
        self._log, self.record.log, self.record.log_room = grown, grown.ctypes.data, len(grown)
