"""Runs with a fixed step: explicit Runge–Kutta methods in one native loop, or in Python around a controller."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..codegen.step_loop import METHODS as TABLEAUX
from ..codegen.step_loop import Tableau
from ..compiled.native.fixed_step import runge_kutta_step
from .drive import ControllerFailed
from .events import Event, Watch
from .guard import DIVERGED, Guard, Stop
from .jumps import Jumps
from .rates import NonFinite, Rates
from .record import Record, Told
from .state import Floats

METHODS = tuple(TABLEAUX)
#: A piece of the native loop takes about this long, so that progress moves and an interrupt is heard.
_PIECE_SECONDS = 0.05
#: Native steps to take before the state is brought back to its constraints.
_UNSETTLED = 10


def integrate(
    rates: Rates, guard: Guard, record: Record, h: float, steps: int, every: int, method: str, told: Told
) -> str:
    """Take `steps` steps of size h and record every `every`-th state, and the last."""
    piece = _piece(rates, guard, record, h, method)
    done, records = 0, 1
    while done < steps:
        began = time.perf_counter()
        wide = min(every, steps - done)
        count = max(1, min(records, (steps - done) // wide))
        _, x = record.last
        taken, states = piece.advance(x, done, count, wide)
        record.steps += taken
        whole = taken // wide
        t_done = np.asarray((done + wide * np.arange(1, whole + 1)) * h, dtype=np.float64)
        good = _within_bounds(states[:whole])
        record.add(t_done[:good], states[:good])
        if good < whole:
            guard.step(float(t_done[good]), states[good], np.zeros_like(x))
        done += taken
        if taken < count * wide:
            record.end(done * h, piece.last)
            raise piece.reason(done)
        t, x = record.last
        guard.step(t, x, rates(t, x))
        told(t)
        if time.perf_counter() - began < _PIECE_SECONDS:
            records *= 2
    return "done"


def integrate_watching(
    rates: Rates,
    guard: Guard,
    record: Record,
    h: float,
    steps: int,
    every: int,
    method: str,
    events: Sequence[Event],
    told: Told,
) -> str:
    """The same a step at a time, with a look for events in each, on Hermite's cubic between its ends."""
    piece = _piece(rates, guard, record, h, method)
    t, x = record.last
    watched, rate = Watch(events, rates.coordinates, record, t, x), rates(t, x)
    for done in range(1, steps + 1):
        taken, states = piece.advance(x, done - 1, 1, 1)
        if not taken:
            record.end(t, x)
            raise piece.reason(done - 1)
        record.steps += 1
        t_old, x_old, rate_old = t, x, rate
        t, x = done * h, states[0]
        if not _within_bounds(states):
            guard.step(t, x, np.zeros_like(x))
        rate = rates(t, x)
        between = _cubic(t_old, h, x_old, x, rate_old, rate)
        ended = watched.look(between, t_old, t, x)
        if ended is not None:
            x = x if ended == t else rates.settled(ended, between(ended))
            record.end(ended, x)
            return "event"
        if done % every == 0 or done == steps:
            record.end(t, x)
        guard.step(t, x, rate)
        told(t)
    return "done"


def _cubic(t: float, h: float, x: Floats, x_next: Floats, rate: Floats, rate_next: Floats) -> Callable[[float], Floats]:
    """The states of a step by Hermite's cubic, which is as exact as the step itself of fourth order."""

    def between(then: float) -> Floats:
        s = (then - t) / h
        r = 1.0 - s
        ends = r * r * (1.0 + 2.0 * s) * x + s * s * (3.0 - 2.0 * s) * x_next
        return np.asarray(ends + h * s * r * (r * rate - s * rate_next))

    return between


def _piece(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> _Native | _Controlled | _Kept:
    if guard.jumps or not rates.is_autonomous:
        return _Controlled(rates, h, method, guard.jumps, None if rates.is_autonomous else record)
    return _Kept(rates, h, method) if rates.is_kept else _Native(rates, h, method)


def _within_bounds(states: Floats) -> int:
    """How many states come before the first that is beyond all bounds."""
    beyond = np.flatnonzero(~(np.abs(states).max(axis=1, initial=0.0) <= DIVERGED))
    return int(beyond[0]) if len(beyond) else len(states)


class _Native:
    """The loop in native code."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h, self.method = rates, h, method
        of = "stabilised_rates" if "alpha" in rates.native.arrays else "state_rates"
        self.loop = rates.functions.fixed_step(method, rates.groups, of)
        self.constant: dict[str, Any] = {"tau": rates.tau.rest}
        if "alpha" in rates.native.arrays:
            self.constant["alpha"] = rates.alpha
        if "inputs" in rates.native.arrays:
            self.constant["inputs"] = rates.inputs.rest
        self.parameters = rates.functions.parameter_values(of, rates.given)
        self.stages = len(TABLEAUX[method].b)
        self.last: Floats = np.zeros(0)

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        """Up to `records` records of `every` steps each: steps taken, and the recorded states."""
        made = self.loop.run(
            x, h=self.h, steps=records * every, every=every, start=done, parameters=self.parameters, threads=1,
            **self.constant,
        )  # fmt: skip
        self.rates.evaluations += int(made.completed) * self.stages
        self.last = made.final
        return int(made.completed), made.states[1:]

    def reason(self, done: int) -> BaseException:
        """The step that native code refused to take, taken once more where it can be looked at."""
        try:
            new = _Controlled(self.rates, self.h, self.method).step(self.last, done)
        except NonFinite as found:
            return found
        return NonFinite(done * self.h, new, new)


class _Kept:
    """The native loop a few steps at a time, each time brought back to the constraints; with care where it is due."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h, self.method = rates, h, method
        self.native = _Native(rates, h, method)
        self.functions = rates.functions
        self.controlled = _Controlled(rates, h, method)
        self.last: Floats = np.zeros(0)

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        """As the native loop."""
        states = np.full((records, len(x)), np.nan)
        self.last, k = x, 0
        while k < records * every:
            few = min(_UNSETTLED, every - k % every)
            taken, made = self._few(self.last, done + k, few)
            k += taken
            if taken < few:
                return k, states
            self.last = self.rates.settled((done + k) * self.h, made)
            if k % every == 0:
                states[k // every - 1] = self.last
        return records * every, states

    def _few(self, x: Floats, done: int, steps: int) -> tuple[int, Floats]:
        if self.functions is not self.rates.functions:
            self.native, self.functions = _Native(self.rates, self.h, self.method), self.rates.functions
        if self.rates.is_sure:
            taken, states = self.native.advance(x, done, 1, steps)
            if taken == steps:
                return taken, states[0]
        taken, states = self.controlled.advance(x, done, 1, steps)
        return taken, states[0]

    def reason(self, done: int) -> BaseException:
        """What stopped it."""
        return self.controlled.reason(done)


class _Controlled:
    """The same loop in Python: a controller is asked at every stage, and signs are held still in each step."""

    def __init__(
        self, rates: Rates, h: float, method: str, jumps: Jumps | None = None, driven: Record | None = None
    ) -> None:
        self.rates, self.h, self.jumps, self.driven = rates, h, jumps, driven
        self.tableau: Tableau = TABLEAUX[method]
        self.last: Floats = np.zeros(0)
        self.stopped: BaseException = KeyboardInterrupt()

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        """As the native loop; what ends it early is kept, so that the states before it are."""
        states = np.full((records, len(x)), np.nan)
        self.last = x
        for k in range(records * every):
            try:
                if self.driven is not None and k % every == 0:
                    t = (done + k) * self.h
                    self.driven.drive(t, self.rates.acting(t, self.last))
                self.last = self.step(self.last, done + k)
                if self.jumps:
                    self.jumps.step((done + k + 1) * self.h, self.last)
            except (NonFinite, ControllerFailed, KeyboardInterrupt, Stop) as stopped:
                self.stopped = stopped
                return k, states
            if (k + 1) % every == 0:
                states[k // every] = self.last
        return records * every, states

    def step(self, x: Floats, k: int) -> Floats:
        """One step from the state at time k h."""
        new = runge_kutta_step(self.tableau, lambda c, x: self.rates((k + c) * self.h, x), x, self.h)
        if self.rates.is_kept and np.isfinite(new).all():
            return self.rates.settled((k + 1) * self.h, new)
        return self.rates.unit(new)[0] if self.rates.groups else new

    def reason(self, done: int) -> BaseException:
        """What stopped it."""
        return self.stopped
