"""Runs with a fixed step: explicit Runge–Kutta methods in one native loop, or in Python around a controller; and
methods that keep the structure of a motion (`structured`).

To add a method is one line in METHODS: how its steps are made, and for which mechanisms there are none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...codegen.fixed_steps import METHODS as TABLEAUX
from ...codegen.fixed_steps import UNPROJECTED
from ...constraints import PseudoSpeeds
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError
from ..control.callables import ControllerFailed
from ..events import EventLocator, Events
from ..guard import DIVERGED, Guard
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record, Report
from .damped import alpha_steps
from .single_steps import SNAP, Ended, PythonSteps, SingleSteps, Stepper
from .structured import gauss_steps, lie_steps

#: A piece of the native loop takes about this long, so that progress moves and an interrupt is heard.
_PIECE_SECONDS = 0.05
#: To enter the native loop takes as long as so many steps in Python.
_WORTH_A_LOOP = 2


def integrate(
    rates: Rates,
    guard: Guard,
    record: Record,
    h: float,
    steps: int,
    every: int,
    method: str,
    events: Events,
    report: Report,
) -> str:
    """Take `steps` steps of size h and record every `every`-th state, and the last.

    Returns "done", or "event" where a terminal event ended the run; raises what stopped it otherwise.
    """
    stepper = METHODS[method].steps(rates, guard, record, h, method)
    if events:
        stepper = _EventSteps(stepper, rates, guard, record, h, events)
    done, records = 0, 1
    while done < steps:
        began = time.perf_counter()
        wide = min(every, steps - done)
        count = max(1, min(records, (steps - done) // wide))
        _, x = record.last
        taken, states = stepper.advance(x, done, count, wide)
        record.steps += taken
        whole = taken // wide
        t_done = np.asarray((done + wide * np.arange(1, whole + 1)) * h, dtype=np.float64)
        good = _within_bounds(states[:whole])
        record.add(t_done[:good], states[:good])
        if good < whole:
            guard.step(float(t_done[good]), states[good], np.zeros_like(x))
        done += taken
        if taken < count * wide:
            reason = stepper.reason(done)
            if isinstance(reason, Ended):
                record.steps += 1
                record.end(reason.t, reason.x)
                return "event"
            record.end(done * h, stepper.last)
            raise reason
        t, x = record.last
        guard.step(t, x, rates(t, x))
        report(t)
        if time.perf_counter() - began < _PIECE_SECONDS:
            records *= 2
    return "done"


def _cubic(t: float, h: float, x: Floats, x_next: Floats, rate: Floats, rate_next: Floats) -> Callable[[float], Floats]:
    """The states of a step by Hermite's cubic, which is as exact as the step itself of fourth order."""

    def interpolant(then: float) -> Floats:
        s = (then - t) / h
        r = 1.0 - s
        ends = r * r * (1.0 + 2.0 * s) * x + s * s * (3.0 - 2.0 * s) * x_next
        return np.asarray(ends + h * s * r * (r * rate - s * rate_next))

    return interpolant


def _explicit(rates: Rates, guard: Guard, record: Record, h: float, method: str) -> Stepper:
    if len(rates.breaks) and _HeldSteps.can_step(rates, guard):
        return _HeldSteps(rates, h, method)
    if guard.discontinuities or not rates.is_autonomous or len(rates.breaks):
        return PythonSteps(rates, h, method, guard.discontinuities, None if rates.is_autonomous else record)
    return _ProjectedSteps(rates, h, method) if rates.is_constrained else _NativeSteps(rates, h, method)


def _within_bounds(states: Floats) -> int:
    """How many states come before the first that is beyond all bounds."""
    beyond = np.flatnonzero(~(np.abs(states).max(axis=1, initial=0.0) <= DIVERGED))
    return int(beyond[0]) if len(beyond) else len(states)


class _NativeSteps:
    """The loop in native code."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h, self.method = rates, h, method
        of = rates.rates_alone
        self.loop = rates.functions.fixed_step(method, rates.groups, of)
        self.constant: dict[str, Any] = {"tau": rates.drive.tau}
        if of == "stabilised_rates":
            self.constant["alpha"] = rates.alpha
        if "inputs" in rates.native.arrays:
            self.constant["inputs"] = rates.drive.inputs
        self.parameters = rates.functions.parameter_values(of, rates.given)
        self.stages = len(TABLEAUX[method].b)
        self.last: Floats = np.zeros(0)

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
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
            new = PythonSteps(self.rates, self.h, self.method).step(self.last, done)
        except NonFinite as found:
            return found
        return NonFinite(done * self.h, new, new)


class _HeldSteps:
    """The native loop from break to break, where what is held changes; a step that is alone, or broken, is Python's.

    So it may be where the rates do not know the time: a step that ends at a break then sees nothing of what follows.
    """

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h = rates, h
        self.native, self.single = _NativeSteps(rates, h, method), PythonSteps(rates, h, method)
        self.last: Floats = np.zeros(0)
        self.stopped: BaseException | None = None

    @staticmethod
    def can_step(rates: Rates, guard: Guard) -> bool:
        """Whether nothing but held values changes at breaks, and no step has to be looked at."""
        is_plain = not (rates.is_constrained or guard.discontinuities) and rates.can_step_natively
        return is_plain and "t" not in rates.native.arrays

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        states = np.full((records, len(x)), np.nan)
        self.last, self.stopped, k = x, None, 0
        while k < records * every:
            try:
                taken = self._some(done + k, every - k % every)
            except (NonFinite, ControllerFailed, KeyboardInterrupt) as stopped:
                self.stopped = stopped
                return k, states
            k += taken
            if not taken:
                return k, states
            if k % every == 0:
                states[k // every - 1] = self.last
        return records * every, states

    def _some(self, k: int, most: int) -> int:
        """Steps up to the next break, or so many; how many were taken."""
        t = k * self.h
        self.rates.begin(t, self.last, SNAP * self.h)
        ahead = (self.rates.next_break - t) / self.h
        whole = int(min(ahead + SNAP, float(most)))
        if whole < _WORTH_A_LOOP:
            self.last = self.single.step(self.last, k)
            return 1
        taken, _ = self.native.advance(self.last, k, 1, whole)
        self.last = self.native.last
        return taken

    def reason(self, done: int) -> BaseException:
        return self.native.reason(done) if self.stopped is None else self.stopped


class _ProjectedSteps:
    """The native loop a few steps at a time, each time projected; single steps in Python where ill conditioned."""

    def __init__(self, rates: Rates, h: float, method: str) -> None:
        self.rates, self.h, self.method = rates, h, method
        self.native = _NativeSteps(rates, h, method)
        self.functions = rates.functions
        self.controlled = PythonSteps(rates, h, method)
        self.last: Floats = np.zeros(0)

    def advance(self, x: Floats, done: int, records: int, every: int) -> tuple[int, Floats]:
        states = np.full((records, len(x)), np.nan)
        self.last, k = x, 0
        while k < records * every:
            few = min(UNPROJECTED, every - k % every)
            taken, made = self._few(self.last, done + k, few)
            k += taken
            if taken < few:
                return k, states
            self.last = self.rates.projected((done + k) * self.h, made)
            if k % every == 0:
                states[k // every - 1] = self.last
        return records * every, states

    def _few(self, x: Floats, done: int, steps: int) -> tuple[int, Floats]:
        if self.functions is not self.rates.functions:
            self.native, self.functions = _NativeSteps(self.rates, self.h, self.method), self.rates.functions
        if self.rates.is_well_conditioned:
            taken, states = self.native.advance(x, done, 1, steps)
            if taken == steps:
                return taken, states[0]
        taken, states = self.controlled.advance(x, done, 1, steps)
        return taken, states[0]

    def reason(self, done: int) -> BaseException:
        return self.controlled.reason(done)


class _EventSteps(SingleSteps):
    """Steps of another stepper, with a search for events in each, on Hermite's cubic between its ends."""

    def __init__(self, stepper: Stepper, rates: Rates, guard: Guard, record: Record, h: float, events: Events) -> None:
        self.stepper, self.rates, self.guard, self.h = stepper, rates, guard, h
        t, x = record.last
        self.events = EventLocator(events, rates.coordinates, record, t, x)
        self.rate = rates(t, x)

    def take(self, x: Floats, k: int, recorded: bool) -> Floats:
        if self.rates.begin(k * self.h, x, SNAP * self.h):
            self.rate = self.rates(k * self.h, x)
        taken, states = self.stepper.advance(x, k, 1, 1)
        if not taken:
            raise self.stepper.reason(k)
        t_old, t, new = k * self.h, (k + 1) * self.h, np.asarray(states[0])
        if not _within_bounds(states):
            self.guard.step(t, new, np.zeros_like(new))
        before, self.rate = self.rate, self.rates(t, new)
        interpolant = _cubic(t_old, self.h, x, new, before, self.rate)
        ended = self.events.locate(interpolant, t_old, t, new)
        if ended is not None:
            raise Ended(ended.t, new if ended.t == t else self.rates.projected(ended.t, interpolant(ended.t)))
        self.guard.step(t, new, self.rate)
        return new


def _never(equations: EquationsOfMotion) -> str:
    return ""


def _with_constraints(equations: EquationsOfMotion) -> str:
    return "" if equations.constraints is None else "it does not keep constraints"


def _with_constraints_or_without_quaternions(equations: EquationsOfMotion) -> str:
    none = "it turns quaternions, of which there are none (without them it is rk4)"
    return _with_constraints(equations) or ("" if equations.quaternions else none)


@dataclass(frozen=True)
class Method:
    """How steps are made, and why there are none for a mechanism, if there is a reason."""

    steps: Callable[[Rates, Guard, Record, float, str], Stepper]
    refusal: Callable[[EquationsOfMotion], str] = _never


EXPLICIT = tuple(TABLEAUX)
#: The methods with fixed steps by their names.
METHODS = {name: Method(_explicit) for name in EXPLICIT} | {
    "gauss4": Method(gauss_steps, _with_constraints),
    "gauss6": Method(gauss_steps, _with_constraints),
    "lie4": Method(lie_steps, _with_constraints_or_without_quaternions),
    "generalised_alpha": Method(alpha_steps),
}


def check_fit(method: str, equations: EquationsOfMotion) -> None:
    """Refuse a method that cannot step a mechanism."""
    reason = METHODS[method].refusal(equations) if method in METHODS else ""
    known = equations.dependent_speeds
    if method in METHODS and isinstance(known, PseudoSpeeds) and (known.moving_pivots or method not in EXPLICIT):
        reason = "it is written in pseudo-velocities, which adaptive methods look after"
    cure = "." if method in EXPLICIT else ' or "rk4".'
    if reason:
        raise PolhodeError(
            f"the method {method} is not for system '{equations.system.name}': {reason}.",
            place="method",
            cure=f'Use method="auto"{cure}',
            code="E-SIM-101",
        )
