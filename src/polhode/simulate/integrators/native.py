"""Whole runs by native integrators, in compiled code.

`integrate` lets native code run until there is a reason to come back (`ode.run_record`), a while at a
time, so that progress moves and an interrupt is heard.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from ...ode_former.run_record import SAMPLES, Reason
from ...ode_former.stepper import NativeRun
from ..control.callables import ControllerFailed
from ..events import EventLocator, Events, Met
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record, Report
from .dense_output import DenseOutput
from .native_solver import nonfinite_ahead
from .stiff import Switch

if TYPE_CHECKING:
    from ...ode_former.load_pieces import Pieces
    from ..limits import LimitsOfRun
    from .adaptive import Control

#: A piece of a run takes about this long, so that progress moves and an interrupt is heard.
_PIECE_SECONDS = 0.02
_FIRST_BUDGET, _KEPT_AT_ONCE = 256, 65_536
#: Steps between the samples of a law from which on its loop is looked at.
_MANY_STEPS = 500
#: Under constraints a step is at most so much longer than the one before it. An estimate of the error that happens to
#: vanish, as it may where all coordinates move as one, would allow more.
CAREFUL = 1.5
#: Changes of the state that follow each other so soon never end.
_ZENO = 1e-12
#: A smaller part of the state that projection changes is not worth a word.
_TOLD = 1e-9


def integrate(
    rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, events: Events, report: Report
) -> str:
    """Go from the record's first state to the last of `times`, in native code but where Python must help.

    Returns "done", or "event" where a terminal event ended the run; raises what stopped it otherwise.
    """
    return _NativeIntegration(rates, guard, record, times, control, events).go(report)


class _NativeIntegration:
    """One run in native code; constraints that are ill conditioned are passed step by step, in Python."""

    def __init__(
        self, rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, events: Events
    ) -> None:
        self.rates, self.guard, self.record, self.control = rates, guard, record, control
        self.times, self.end = np.ascontiguousarray(times[1:]), float(times[-1])
        t, x = record.last
        self.states = np.empty((len(self.times), len(x)))
        self.events, self.switch = events, switch_of(record, control)
        self.limits = _limits(rates, record)
        self.past: list[NativeRun] = []  # runs by other methods that came before
        self.is_in_python = False
        self.run = self._of_method(control.method, t, x)
        self.functions = rates.functions
        self.evaluations = rates.evaluations
        self.tried: tuple[float, int, Reason] | None = None  # where a singular pose was last looked for
        self.kept, self.watched = 0, EventLocator(events, rates.coordinates, record, t, x)
        self.pieces = self._pieces(len(x))
        self.piece = rates.passed, 0  # breaks that were passed and steps that were taken, when a piece was last begun
        self._begin()

    def _pieces(self, size: int) -> Pieces | None:
        """The breaks, where native code can pass them: nobody in Python is asked there."""
        breaks = self.rates.breaks
        if not len(breaks) or self.rates.drive.is_held:
            return None
        from ...ode_former.load_pieces import Pieces

        sampled = self.rates.drive.sampled
        if sampled is not None and sampled.law.law.backend == "numpy":
            return None
        return Pieces(breaks.times, breaks.before, self.end, size, None if sampled is None else sampled.law)

    def _of_method(self, method: str, t: float, x: Floats) -> NativeRun:
        """A run by some method, about to begin."""
        rates, control, events = self.rates, self.control, self.events
        run = NativeRun(rates.stepper(method), x, t=t, rtol=control.rtol, atol=control.atol, groups=rates.groups)
        run.sample(self.times, self.states)
        run.record.h_max, run.record.bound = control.largest_step, self.guard.bound
        if rates.is_constrained:
            run.record.growth = CAREFUL
        if events.compiled is not None:
            run.watch(events.compiled, [event.direction for event in events.watched])
        run.record.each_step = int(bool(events) and events.compiled is None)
        if self.limits is not None:
            run.watch_limits(self.limits.watched)
        self._natively(run)
        if self.switch is not None:
            self.switch.watch(run)
        return run

    def _begin(self) -> None:
        """Rates at the state as it is; by Python where constraints are ill conditioned there."""
        if self.run.begin(self.end):
            self._in_python()
            self.run.begin(self.end)

    def _natively(self, run: NativeRun) -> None:
        """Step the rates in native code, with their own derivatives where these are worth it."""
        self.rates.steps_natively(run)
        self.is_in_python = False
        if self.switch is None:
            self.rates.differentiates_natively(run)

    def _turn(self, switch: Switch) -> None:
        """Go on with the other kind of method, if that is worth it."""
        old = self.run
        if not switch.turned(old, self.end):
            return
        self.run = run = self._of_method(switch.method, float(old.record.t), old.x)
        for count in ("steps", "rejected", "evaluations", "next_sample"):
            setattr(run.record, count, getattr(old.record, count))
        run.steps_before = old.record.steps
        self.past.append(old)
        run.record.h = switch.first_step(old)
        self._begin()
        for values in ("event_values", "event_values_old", "event_sides"):
            getattr(run, values)[:] = getattr(old, values)

    def go(self, report: Report) -> str:
        """To the end; what stops a run before is raised, with all in the record that was reached."""
        budget, reason = _FIRST_BUDGET, Reason.BUDGET
        try:
            while reason != Reason.DONE:
                began = time.perf_counter()
                allowed = min(budget, self.control.most_steps - self.run.record.steps)
                self.run.keep_steps(allowed)
                reason = self._advance(allowed)
                if time.perf_counter() - began < _PIECE_SECONDS:
                    budget = min(2 * budget, _KEPT_AT_ONCE)
                if reason in (Reason.CROSSING, Reason.STEP):
                    if self._ends_by_event(reason):
                        return "event"
                else:
                    self._look_into(reason)
                self._look_at_samples()
                if reason == Reason.DONE and self.run.record.t < self.end:
                    self._pass_break()
                    reason = Reason.BUDGET
                self._note()
                report(self.run.record.t)
        except (Stop, NonFinite, ControllerFailed, KeyboardInterrupt):
            self._note()
            self.record.end(float(self.run.record.t), self.run.x)
            raise
        finally:
            self._keep_interpolant()
            if self.limits is not None:
                self.record.info.update(self.limits.facts)
        return "done"

    def _advance(self, allowed: int) -> Reason:
        """Steps in native code, past breaks too where nobody else is asked there."""
        if self.pieces is None or self.is_in_python:
            return self.run.advance(self._goal, allowed)
        reason = self.pieces.advance(self.run, self.rates.passed, allowed)
        self.rates.pass_to(self.pieces.passed, self.pieces.states)
        return reason

    def _look_at_samples(self) -> None:
        """Whether a sampled loop is stable, where the time between its samples takes many steps."""
        if self.rates.drive.sampled is None:
            return
        (passed, steps), record = self.piece, self.run.record
        if record.steps - steps > _MANY_STEPS * (self.rates.passed - passed + 1):
            self.guard.sample(float(record.t), self.run.x)
        if self.rates.passed > passed:
            self.piece = self.rates.passed, record.steps

    def _keep_interpolant(self) -> None:
        """Let the trajectory be asked between its samples, where nothing broke the run into pieces."""
        pieces = [(run, run.kept_steps) for run in (*self.past, self.run)]
        known = [(run, steps) for run, steps in pieces if steps is not None]
        if len(known) == len(pieces) and any(len(steps) for _, steps in known) and not len(self.rates.breaks):
            self.record.interpolant = DenseOutput(known, self.rates)

    @property
    def _goal(self) -> float:
        """The end, or a few last bits before the next break: no step sees what holds after it."""
        return min(self.rates.before_break, self.end)

    def _pass_break(self) -> None:
        """Go on at a break: what is held is asked, and the rates are new."""
        run, t = self.run, self.rates.next_break
        run.record.t = t
        while run.record.next_sample < len(self.times) and self.times[run.record.next_sample] <= t:
            self.states[run.record.next_sample] = run.x
            run.record.next_sample += 1
        if t < self.end:
            self.rates.begin(t, run.x.copy())
            run.restart(self.rates(t, run.x.copy()))

    def _note(self) -> None:
        """Bring the record up to date."""
        run, record = self.run.record, self.record
        record.steps = run.steps
        self.rates.evaluations = max(self.rates.evaluations, self.evaluations + run.evaluations)
        done = run.next_sample
        record.add(self.times[self.kept : done], self.states[self.kept : done])
        self.kept = done

    def _look_into(self, reason: Reason) -> None:
        """Do what native code came back for, or raise what ends the run."""
        from .adaptive import too_many, underflow

        run, t = self.run, float(self.run.record.t)
        if reason == Reason.LOOK:
            self.guard.step(t, run.x, run.f)
        elif reason == Reason.BUDGET and run.record.steps >= self.control.most_steps:
            raise too_many(t, self.control)
        elif reason in (Reason.UNDERFLOW, Reason.NONFINITE):
            found = nonfinite_ahead(self.rates, run)
            if found is not None:
                raise found
            raise self.guard.explain(t, run.x, underflow(t, self.control, "the step is swallowed by rounding"))
        elif reason == Reason.STIFF and self.switch is not None:
            self._turn(self.switch)
        elif reason in (Reason.ILL_CONDITIONED, Reason.PROJECT, Reason.SAMPLE) and not self._finds_pose(reason):
            self._help(reason)

    # ---- events ------------------------------------------------------------------------------------------------

    def _ends_by_event(self, reason: Reason) -> bool:
        """Note what was crossed in the last step; whether that ends the run. A change of the state is made."""
        run, watched = self.run, self.watched
        if reason == Reason.CROSSING:
            watched.values = run.event_values_old.tolist()
        t = float(run.record.t)
        met = watched.locate(run.state_at, float(run.record.t_old), t, run.x)
        if met is None:
            return False
        x = run.x.copy() if met.t == t else run.state_at(met.t)
        while run.record.next_sample < len(self.times) and self.times[run.record.next_sample] <= met.t:
            self._sample_in_python()
        self._note()
        x = self.rates.projected(met.t, x)
        self.record.end(met.t, x)
        run.record.t, run.x[:], run.record.pending = met.t, x, 0
        run.note_limits()
        if met.event.change is None:
            return True
        run.x[:] = x = changed(self.rates, self.record, met, x)
        run.begin(self.end)
        watched.restart(met.t, x, met)
        if len(run.event_values):
            run.event_values[:], run.event_sides[:] = watched.values, watched.sides
        return False

    # ---- by other means where constraints are ill conditioned -----------------------------------------------------

    def _finds_pose(self, reason: Reason) -> bool:
        """Whether there is a singular pose that native code was not yet told of, and may pass now."""
        run = self.run
        place = float(run.record.t), run.record.next_sample, reason
        if place == self.tried:
            return False
        self.tried = place
        x = run.x if reason == Reason.PROJECT else run.y
        t = float(run.record.clock) if reason == Reason.ILL_CONDITIONED else float(run.record.t)
        found = self.rates.singular_pose(t, x.copy())
        if found is not None:
            run.pass_pose(*found)
        return found is not None

    def _help(self, reason: Reason) -> None:
        """Do in Python what native code could not."""
        if reason == Reason.SAMPLE:
            self._sample_in_python()
            return
        if reason == Reason.PROJECT:
            self._project_in_python()
            self.run.record.pending = SAMPLES
        else:
            self._step_in_python()
        self._pass_singular_pose()

    def _pass_singular_pose(self) -> None:
        """Steps in Python until native code can be trusted again."""
        while not self.rates.is_well_conditioned and self.run.record.t < self._goal:
            self._step_in_python()
        self._natively(self.run)

    def _in_python(self) -> None:
        """Step the rates in Python; where constraints are ill conditioned, so are derivatives by their pivots."""
        self.run.use(self.run.python(self.rates))
        self.is_in_python = True
        if self.run.implicit is not None:
            self.run.implicit.by_differences()

    def _step_in_python(self) -> None:
        """A step with rates and projection in Python; one that ends the run is not taken."""
        run = self.run
        self._in_python()
        if run.record.pending:
            self._samples_in_python()
            run.record.pending = 0
        run.record.sample_count = 0
        reason = run.advance(self._goal, 1)
        run.record.sample_count = len(self.times)
        if reason not in (Reason.DONE, Reason.BUDGET, Reason.LOOK):
            self._look_into(reason)
        try:
            self._samples_in_python()
            self._project_in_python()
        except Stop:
            run.record.t, run.x[:] = run.record.t_old, run.x_old
            raise
        self.guard.step(float(run.record.t), run.x, run.f)

    def _samples_in_python(self) -> None:
        """The samples up to the time that is reached."""
        run = self.run.record
        while run.next_sample < len(self.times) and self.times[run.next_sample] <= run.t:
            self._sample_in_python()

    def _sample_in_python(self) -> None:
        run = self.run
        k = run.record.next_sample
        t = float(self.times[k])
        self.states[k] = self.rates.projected(t, run.x.copy() if t == run.record.t else run.state_at(t))
        run.record.next_sample = k + 1

    def _project_in_python(self) -> None:
        run, t = self.run, float(self.run.record.t)
        run.x[:] = self.rates.projected(t, run.x.copy())
        run.f[:] = self.rates(t, run.x.copy())


def changed(rates: Rates, record: Record, met: Met, x: Floats) -> Floats:
    """The state after an event that changes it, on the constraints; it goes into the record."""
    if met.event.change is None:
        return x
    if met.t - record.changed_at <= _ZENO * max(1.0, abs(met.t)):
        raise Stop(
            "event_stuck",
            f"at t = {met.t:.6g} s event {met.number} follows itself without end.",
            "Let the motion come to rest, or end the run, where it is slow: with a terminal event of the speed, say.",
        )
    record.changed_at = met.t
    new = met.event.change.applied(met.t, x)
    after = rates.projected(met.t, new)
    if rates.is_constrained and np.abs(after - new).max() > _TOLD * max(1.0, float(np.abs(new).max())):
        told = "where an event changed the state, speeds were brought to the constraints, in the metric of the masses."
        record.notices += [] if told in record.notices else [told]
    record.add(np.array([np.nextafter(met.t, np.inf)]), after[None, :])
    return after


def _limits(rates: Rates, record: Record) -> LimitsOfRun | None:
    """What notes the limits of coordinates and speeds, where there are any."""
    known = rates.functions.derivation.synopsis
    if not known.limits and not known.has_limits_of_parameters:
        return None
    from ..limits import NOTED, LimitsOfRun

    record.info.pop(NOTED, None)
    return LimitsOfRun.of(rates.functions, rates.given)


def switch_of(record: Record, control: Control) -> Switch | None:
    """What lets a run choose between kinds of methods, where it may."""
    if not control.may_switch:
        return None
    made = Switch(control.method)
    record.info["switches"] = made.turns
    return made
