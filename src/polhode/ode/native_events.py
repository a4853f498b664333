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
from ..native.kinds import fill
from .native_run import array_at, compiled_side
from .record import (
    CHANGES,
    CHANGES_BY_PYTHON,
    CORNERS,
    ENDS,
    FAR,
    GOES_ON,
    HEAD,
    KINKS,
    SEARCH_ROOM,
    SWITCHES,
    ZENO,
    Events,
)  # fmt: skip

#: Rows of the log of a run at first. Of members: bytes for all, and rows of each that there are in any case.
_ROOM = 64
#: An argument of a table leaves a segment this part of the table's extent behind the corner.
_BEHIND = 1e-12
#: What an impact leaves nearer to zero than this is zero.
_OFF_ZERO = 1e-12
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
    corners: tuple[float, ...] = ()  # of a table in the right-hand side, whose argument leaves a segment there
    extent: float = 0.0  # the largest argument of a point of it
    jumps: bool = False  # its value jumps at some corners

    @property
    def kind(self) -> int:
        """The kind of `event_location`."""
        if self.corners:
            return CORNERS
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
    """The events of one run, or of the members that a thread runs."""

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
        names = ("values", "directions", "before", "sides", "near", "times")
        room = count + sum(effect.kind == CORNERS for effect in effects)  # the values, and arguments of tables
        numbers = {name: np.zeros(room if name == "values" else count) for name in names}
        numbers |= {"work": np.zeros(SEARCH_ROOM * count), "nodes": np.zeros(64)}
        numbers["directions"][:] = [each.direction for each in effects]
        changes = [f"change_{part}" for part in ("at", "arguments", "counts", "places", "values")]
        whole = {name: np.zeros(count, dtype=np.int64) for name in ("kinds", "smooth", *changes)}
        self.record: Any = Events.native(count=count, changed_at=-1e300, **numbers, **whole)
        record, self.values = self.record, numbers["values"]
        for k, effect in enumerate(effects):
            whole["kinds"][k], whole["smooth"][k] = effect.kind, effect.is_smooth
            if effect.change is not None:
                self._add_change(k, effect.change, effect.places, clock, whole)
        self._numbers = numbers
        if isinstance(values, Compiled):
            side = compiled_side(values, {}, clock)
            side.table[side.out_index] = self.values.ctypes.data
            record.at, table = side.address, side.table
            self.targets |= side.entries("events")
            self._kept.append(side)
        else:
            table = (ctypes.c_void_p * 1)()
        if callable(values) and not isinstance(values, Compiled):
            made = self._called(values, table, callback)
            record.at, record.calls_python = ctypes.cast(made, ctypes.c_void_p).value, 1
            self._kept.append(made)
        fill(record, arguments=table)
        self._log = np.empty((_ROOM, HEAD + 2 * size))
        if logs is not None:
            record.log_room = logs.rows.shape[1]
            self._kept.append(logs)
        else:
            fill(record, log=self._log, log_room=len(self._log))

    def switch_by(self, side: Any, signs: Floats, bounds: Floats) -> None:
        """Take the last events, which are switches, from a function."""
        count = sum(each.kind >= SWITCHES for each in self.effects)
        side.table[side.out_index] = self.values[len(self.effects) - count :].ctypes.data
        found = self.corner_arrays(bounds)
        fill(
            self.record, switch_at=side.address, switch_arguments=side.table, switch_x_index=side.x_index,
            switch_count=count, signs=signs, kink_count=sum(each.kind == KINKS for each in self.effects),
            corner_count=len(found["slopes"]), **found,
        )  # fmt: skip
        self.targets |= side.entries("switches")
        self._kept.append(side)

    def corner_arrays(self, bounds: Floats) -> dict[str, NDArray[Any]]:
        """The corners of tables that are read between bounds, as the record of events has them."""
        tables = [each for each in self.effects if each.kind == CORNERS]
        ends = np.cumsum([len(each.corners) + 2 for each in tables], dtype=np.int64) - 1
        return {
            "corner_end": ends,
            "corner_first": ends - np.array([len(each.corners) for each in tables], dtype=np.int64),
            "corners": np.array([x for each in tables for x in (-FAR, *each.corners, FAR)]),
            "corner_widths": np.array([_BEHIND * each.extent for each in tables]),
            "corner_jumps": np.array([each.jumps for each in tables], dtype=np.int64),
            "bounds": bounds,
            "table_arguments": self.values[len(self.effects) :],
            "slopes": np.zeros(len(tables)),
        }

    def hold_signs(self, signs: Floats) -> None:
        """Go on with these signs of the switches."""
        if len(signs):
            self._numbers["sides"][len(self.effects) - self.record.switch_count :][: len(signs)] = signs

    def _called(self, values: Callable[..., Any], table: Any, callback: Any) -> Any:
        def evaluate(t: float) -> None:
            found = values(t, array_at(table[0], self.size).copy())
            self.values[: len(found)] = found  # behind them are switches, which have a function of their own

        return callback(evaluate)

    def _add_change(
        self, k: int, change: Compiled, places: Sequence[int], clock: int, whole: dict[str, NDArray[np.int64]]
    ) -> None:
        side, where = compiled_side(change, {}, clock), np.array(places, dtype=np.int64)
        (values,) = side.outputs.values()
        self._kept += [side, where]
        whole["change_at"][k], whole["change_arguments"][k] = side.address, ctypes.addressof(side.table)
        whole["change_counts"][k] = len(places)
        whole["change_places"][k], whole["change_values"][k] = where.ctypes.data, values.ctypes.data
        self.targets |= side.entries(f"change {k}")

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
        """True if the last changes, at this very time, were by this event too, or too many, or it has not left zero."""
        is_near = self.log[:, 0] >= t - ZENO * max(1.0, abs(t))
        is_near &= np.isin(self.log[:, 2], (CHANGES, CHANGES_BY_PYTHON))
        last = self.log[self.record.last_changes :][is_near[self.record.last_changes :], 1]
        return number in last or int(is_near.sum()) > MOST_AT_ONCE or self._numbers["near"][number] > 0.0

    @property
    def have_signs(self) -> NDArray[np.bool_]:
        """For each event, False if it has been zero since the start, or since it happened."""
        return np.asarray(self._numbers["sides"] != 0.0)

    @property
    def signs(self) -> Floats:
        """For each event the sign of its last value that was not zero; 0 for none yet."""
        return self._numbers["sides"]

    def restore_signs(self, signs: Floats) -> None:
        """Give the first events the signs from before an impact: one that it moved across zero then happens at once."""
        is_off_zero = np.abs(self.values[: len(signs)]) > _OFF_ZERO
        np.copyto(self.signs[: len(signs)], signs, where=is_off_zero & (signs != 0.0))

    def take_signs(self, other: EventMemory) -> None:
        """Go on with the signs, and with the last change, of another run."""
        self._numbers["sides"][:], self._numbers["near"][:] = other._numbers["sides"], other._numbers["near"]
        self.record.changed_at, self.record.kinks_passed = other.record.changed_at, other.record.kinks_passed

    def grow(self) -> None:
        """Have room for more."""
        grown = np.empty((2 * len(self._log), self._log.shape[1]))
        grown[: len(self._log)] = self._log
        self._log = grown
        fill(self.record, log=grown, log_room=len(grown))
