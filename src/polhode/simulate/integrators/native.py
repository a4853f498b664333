"""Runs by native integrators: whole runs in compiled code, or one step at a time where Python has a say.

`integrate` lets native code run until there is a reason to come back (`codegen.steppers.run_record`), a while at a
time, so that progress moves and an interrupt is heard. `NativeSolver` gives Python each step, with a right-hand side in
Python: for controllers, events and constraints that are Python's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.steppers.run_record import Reason
from ...compiled.native.stepper import NativeRun, RightSide
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..record import Record, Report

if TYPE_CHECKING:
    from .adaptive import Control

#: A piece of a run takes about this long, so that progress moves and an interrupt is heard.
_PIECE_SECONDS = 0.02
_FIRST_BUDGET = 256
#: So many times ten steps ahead the first rate that is not finite is looked for.
_AHEAD = 12


def integrate(
    rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, report: Report, side: RightSideOf
) -> str:
    """Go from the record's first state to the last of `times`, all in native code."""
    run = begun(rates, record, control, float(times[-1]), side)
    run.record.bound = guard.bound
    states = np.empty((len(times) - 1, len(run.x)))
    run.sample(np.ascontiguousarray(times[1:]), states)
    kept, budget = 0, _FIRST_BUDGET
    steps, evaluations = record.steps, rates.evaluations
    reason = Reason.BUDGET
    try:
        while reason != Reason.DONE:
            began = time.perf_counter()
            reason = run.advance(float(times[-1]), min(budget, control.most_steps - run.record.steps))
            if time.perf_counter() - began < _PIECE_SECONDS:
                budget *= 2
            record.steps, rates.evaluations = steps + run.record.steps, evaluations + run.record.evaluations
            done = run.record.next_sample
            record.add(times[1 + kept : 1 + done], states[kept:done])
            kept = done
            _look_into(reason, run, rates, guard, control)
            report(run.record.t)
    except (Stop, NonFinite, KeyboardInterrupt):
        record.end(run.record.t, run.x)
        raise
    return "done"


RightSideOf = Callable[[NativeRun], RightSide]


def begun(rates: Rates, record: Record, control: Control, t_end: float, side: RightSideOf) -> NativeRun:
    """A native run at the record's last state, ready for its first step."""
    t, x = record.last
    run = NativeRun(control.method, x, t=t, rtol=control.rtol, atol=control.atol, groups=rates.groups)
    run.use(side(run))
    if run.implicit is not None:
        rates.differentiates_natively(run)
    run.record.h_max = control.largest_step
    run.begin(t_end)
    return run


def _look_into(reason: Reason, run: NativeRun, rates: Rates, guard: Guard, control: Control) -> None:
    """Raise what ends a run where native code came back for it."""
    from .adaptive import too_many, underflow

    t = float(run.record.t)
    if reason == Reason.LOOK:
        guard.step(t, run.x, run.f)
    elif reason == Reason.BUDGET and run.record.steps >= control.most_steps:
        raise too_many(t, control)
    elif reason in (Reason.UNDERFLOW, Reason.NONFINITE):
        found = nonfinite_ahead(rates, run)
        if found is not None:
            raise found
        raise guard.explain(t, run.x, underflow(t, control, "the step is swallowed by rounding"))


def nonfinite_ahead(rates: Rates, run: NativeRun) -> NonFinite | None:
    """The first rate that is not finite a little ahead of the run, if there is one, found once more by Python."""
    t, x, f, h = float(run.record.t), run.x.copy(), run.f.copy(), float(run.record.h)
    for tens in range(_AHEAD + 1):
        try:
            rates(t + 10**tens * h, x + 10**tens * h * f)
        except NonFinite as found:
            return found
    return None


class NativeSolver:
    """A native integrator one step at a time, as SciPy's solvers are used."""

    def __init__(
        self, rates: Any, t: float, x: Floats, t_bound: float, *, method: str, max_step: float, rtol: float, atol: float
    ) -> None:
        self.rates, self.t_bound, self.status = rates, t_bound, "running"
        self.run = NativeRun(method, x, t=t, rtol=rtol, atol=atol)
        self.run.use(self.run.python(rates))
        if self.run.implicit is not None and hasattr(rates, "differentiates_natively"):
            rates.differentiates_natively(self.run)
        self.run.record.h_max = max_step
        self.run.begin(t_bound)

    @property
    def t(self) -> float:
        return float(self.run.record.t)

    @property
    def t_old(self) -> float:
        return float(self.run.record.t_old)

    @property
    def y(self) -> Floats:
        return self.run.x.copy()

    @y.setter
    def y(self, x: Floats) -> None:
        self.run.x[:] = x

    @property
    def f(self) -> Floats:
        return self.run.f.copy()

    @f.setter
    def f(self, rate: Floats) -> None:
        self.run.f[:] = rate

    @property
    def h_abs(self) -> float:
        """The length of the next step."""
        return float(self.run.record.h)

    @h_abs.setter
    def h_abs(self, h: float) -> None:
        self.run.record.h = h

    def step(self) -> str | None:
        """One step; a sentence where there is none that is good enough."""
        reason = self.run.advance(self.t_bound, 1)
        self.run.record.pending = 0
        if reason in (Reason.NONFINITE, Reason.UNDERFLOW):
            found = nonfinite_ahead(self.rates, self.run)
            if found is not None:
                raise found
            self.status = "failed"
            return "the step is swallowed by rounding"
        self.status = "finished" if self.t >= self.t_bound else "running"
        return None

    def dense_output(self) -> Callable[[Any], Floats]:
        """The state at one time within the last step, or at several, a column each."""

        def interpolant(t: Any) -> Floats:
            if np.ndim(t) == 0:
                return self.run.state_at(float(t))
            return np.array([self.run.state_at(float(each)) for each in t]).T

        return interpolant


def solver(method: str) -> Callable[[], Callable[..., NativeSolver]]:
    """How `adaptive` gets the solver of a native method."""
    return lambda: partial(NativeSolver, method=method)
