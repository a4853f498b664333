"""An initial value problem on arrays: all that a run of it needs, as one record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..native.arrays import Floats
from .native_code import MethodCode
from .native_run import NativeRun, WatchedLimits
from .record import GROWTH

if TYPE_CHECKING:
    from .native_events import EventMemory
    from .native_schedule import ScheduleMemory


@dataclass(frozen=True, eq=False)
class InitialValueProblem:
    """x' = f(t, x) from a state on, and how its steps are chosen.

    `right_side` connects f and the projection to a run, `derivatives` those of f where a method uses them, `events`
    makes the events of a run. `groups` are quaternions, (first entry, length) each; the first `positions` entries of
    the state are coordinates. `may_hide` says that f may have something in it that is short in time or space.
    """

    method: str | MethodCode
    x: Floats
    right_side: Callable[[NativeRun], None]
    t: float = 0.0
    rtol: float = 1e-9
    atol: float = 1e-9
    max_step: float = np.inf
    fixed_step: float = 0.0
    growth: float = GROWTH
    bound: float = np.inf
    groups: Sequence[tuple[int, int]] = ()
    positions: int = 0
    may_hide: bool = True
    each_step: bool = False
    samples: tuple[Floats, Floats] | None = None  # times, and rows for the states at them
    derivatives: Callable[[NativeRun], object] | None = None
    events: Callable[[NativeRun], EventMemory | None] | None = None
    limits: WatchedLimits | None = None
    schedule: ScheduleMemory | None = None

    def run(self) -> NativeRun:
        """A run in native memory that is about to begin."""
        run = NativeRun(self.method, self.x, t=self.t, rtol=self.rtol, atol=self.atol, groups=self.groups)
        record = run.record
        if self.fixed_step:
            run.step_on_grid(self.fixed_step)
        record.position_count, record.h_max, record.bound = self.positions, self.max_step, self.bound
        record.growth, record.each_step = self.growth, int(self.each_step)
        record.has_defect *= int(self.may_hide)
        if self.samples is not None:
            run.sample(*self.samples)
        events = None if self.events is None else self.events(run)
        if events is not None:
            run.watch(events)
        if self.limits is not None:
            run.watch_limits(self.limits)
        if self.schedule is not None:
            self.schedule.connect(run)
        self.right_side(run)
        if self.derivatives is not None:
            self.derivatives(run)
        return run
