"""Runs in native code: from the options of a run to the record of `ode`, and back to the trajectory.

Native code runs until there is a reason to return (`ode.record.Reason`). What is left to Python: the sentences about
runs that cannot go on, functions of a user's own at events and time events, the choice between kinds of methods, and
projection with other rows of the constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.fixed_steps import METHODS as TABLEAUX
from ...errors import PolhodeError
from ...native.backends import say_once
from ...ode.native_code import loop_code
from ...ode.native_run import Driver, InitialValueProblem, NativeRun
from ...ode.record import CONSTRAINED_GROWTH, EDGES, EVENTS, GOES_ON, GROWTH, NOTHING, SNAP, SWITCHES, Reason
from ..control.actuation import ControllerFailed
from ..events import Events, StateChange, event_failed
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..settings import (
    ADAPTIVE,
    EXPLICIT,
    Control,
    check_contacts,
    explicit_method,
    resolved,
    too_many,
    underflow,
    working,
)
from ..trajectory.record import Record, Report
from .other_variables import Momenta, second_order_memory, why_no_momenta

if TYPE_CHECKING:
    from ...ode.native_events import EventMemory
    from ...ode.native_schedule import ScheduleMemory
    from ..contact.contact_run import ContactRun
    from ..limits import LimitsOfRun

#: Steps between the samples of a law from which on its loop is tested for stability.
_MANY_STEPS = 500
#: So many times ten steps ahead the first rate that is not finite is sought.
_AHEAD = 12
#: h |λ| beyond which no explicit method with fixed steps is stable; and what part of a state its changes are taken by.
_STABLE, _NEAR = 3.0, 1e-7
_CHANGE = "A change is an expression, or a function f(t, q, u) that returns new values by name, finite numbers each."
_JUMPING = (
    "a force jumps, and generalised_alpha evaluates it as it is inside of its steps: in steps in which it jumps it is "
    'of first order at most, or finds none. method="auto", or another with fixed steps, divides them there.'
)


def integrate(
    rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, events: Events, report: Report
) -> str:
    """Go from the record's first state to the last of `times`."""
    is_auto = control.method == "auto"
    if rates.has_contacts:
        check_contacts(control.method)
    if not control.fixed_step:
        control = resolved(control, rates, guard, bool(events))
        record.info["method"] = control.method
        name = working(control.method, rates)
        if not ADAPTIVE[name].is_native:
            from .solvers import SolverIntegration

            control = replace(control, method=name, may_switch=False)
            return SolverIntegration(rates, guard, record, times, control, events).go(report)
    elif (problem := _missing()) is not None:
        return _plainly(rates, record, times, control, events, problem)
    begun = list(record.pieces)
    try:
        return Integration(rates, guard, record, times, control, events).go(report)
    except (Stop, NonFinite):
        if not is_auto or control.method != "taylor":
            raise
    # a series may end where the motion does not, or leap over the place where it does
    control = replace(control, method=explicit_method(rates, guard))
    record.pieces[:], record.steps, record.info["method"] = begun, 0, control.method
    return Integration(rates, guard, record, times, control, events).go(report)


def _missing() -> str | None:
    """Why native code does not work here; None where it does."""
    try:
        loop_code()
    except OSError as problem:
        return str(problem)
    return None


def _plainly(rates: Rates, record: Record, times: Floats, control: Control, events: Events, problem: str) -> str:
    """Fixed steps by the functions of native code in plain Python, where there is no compiler."""
    from ...ode.plain_run import advance_plainly, plain_fixed_run

    is_known = control.method in TABLEAUX and not events and not rates.is_constrained and not len(rates.breaks)
    if not is_known or rates.signs is not None:
        message = f"the method {control.method} needs native code here, which does not work ({problem})."
        raise PolhodeError(message, "method", 'Use method="auto", which is then SciPy\'s.', "E-RUN-UNSUPPORTED")
    say_once(f"fixed steps are taken in Python: native code does not work here ({problem}).")
    _, x = record.last
    run, states = plain_fixed_run(
        control.method, rates, x, h=control.fixed_step, end=float(times[-1]), times=times[1:], groups=rates.groups,
        positions=rates.coordinates,
    )  # fmt: skip
    reason = advance_plainly(run)
    record.steps = run.steps
    record.add(times[1 : 1 + run.next_sample], states[: run.next_sample])
    if reason != Reason.DONE:
        record.end(float(run.t), run.x[: run.size])
        raise NonFinite(float(run.t), run.x[: run.size], np.full(run.size, np.nan))
    return "done"


def problem_for(rates: Rates, control: Control, x: Floats, bound: float, **more: Any) -> InitialValueProblem:
    """The initial value problem of a run or of a member of a batch; `more` are entries of one of them."""
    code = rates.fixed_stepper(control.method) if control.fixed_step else rates.stepper(control.method)
    return InitialValueProblem(**{
        "method": code, "x": x, "right_side": rates.steps_natively, "rtol": control.rtol, "atol": control.atol,
        "max_step": control.largest_step, "fixed_step": control.fixed_step, "bound": bound, "groups": rates.groups,
        "growth": CONSTRAINED_GROWTH if rates.is_constrained else GROWTH, "positions": rates.coordinates,
        "may_hide": rates.may_hide, **more,
    })  # fmt: skip


class Integration:
    """One run in native code."""

    def __init__(
        self, rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, events: Events
    ) -> None:
        self.rates, self.guard, self.record, self.control, self.events = rates, guard, record, control, events
        self.times, self.end = np.ascontiguousarray(times[1:]), float(times[-1])
        self.first = t, x = record.last
        self.momenta = self._momenta()
        x = x if self.momenta is None else self.momenta.stepped(x)
        self.states = np.empty((len(self.times), len(x)))
        if control.spectral_radius is not None and rates.signs is not None:
            record.notices.append(_JUMPING)
        self.switch = switch_of(record, control)
        self.limits = _limits(rates, record)
        self.driver = Driver(control.most_steps)
        self.past: list[NativeRun] = []  # runs by other methods that came before
        self.evaluations = rates.evaluations
        self.unprojected: tuple[float, Reason] | None = None  # where native code last failed to project
        self.kept = self.logged = 0
        self.found: list[list[float]] = [[] for _ in events.watched]
        if events:
            record.info["events"] = self.found
        self.schedule = self._schedule(len(x))
        self.passed_at = rates.passed, 0  # time events that were passed, and steps taken, when that last changed
        self.contacts = _contacts(rates, control.atol)
        self.run = self._of_method(control.method, t, x)
        if self.contacts is not None:  # those that are closed at the start, to which the state is brought
            self.run.x[:] = self.contacts.begin(t, x)
            if np.abs(self.run.x - x).max(initial=0.0) > 0.0:
                record.restart(self.run.x.copy())
        self._begin()

    def _momenta(self) -> Momenta | None:
        """The change of variables from speeds to momenta, for methods that are symplectic in momenta; else None."""
        if self.control.method == "lie4":
            self.record.info["variables"] = "q, u"
        if not self.control.method.startswith("gauss"):
            return None

        why_not = why_no_momenta(self.rates)
        self.record.info["variables"] = "q, u" if why_not else "q, p"
        if why_not:
            self.record.notices.append(
                f"{self.control.method} steps speeds, not momenta, and is symmetric but not symplectic: {why_not}."
            )
            return None
        return Momenta(self.rates)

    def _state(self, x: Floats) -> Floats:
        """The state of the run for one in the integrator's variables."""
        return x if self.momenta is None else self.momenta.states(x[None, :])[0]

    @property
    def x(self) -> Floats:
        """The current state."""
        return self._state(self.run.x)

    def _schedule(self, size: int) -> ScheduleMemory | None:
        """The time events, where native code can pass them: no Python function is called there."""
        breaks, sampled = self.rates.breaks, self.rates.drive.sampled
        is_python = self.rates.drive.is_held or (sampled is not None and sampled.law.law.backend == "numpy")
        if not len(breaks) or is_python:
            return None
        from ...ode.native_schedule import ScheduleMemory

        law = None if sampled is None else sampled.law
        return ScheduleMemory(breaks.times, breaks.before, self.end, size, law)

    def _of_method(self, method: str, t: float, x: Floats) -> NativeRun:
        """A run by some method, about to begin."""
        rates = self.rates
        self.jumps = self.guard.discontinuities
        control = self.control if method == self.control.method else replace(self.control, method=method)
        run = problem_for(
            rates, control, x, self.guard.bound, t=t, samples=(self.times, self.states), right_side=self._natively,
            events=self._events, each_step=self.guard.watches_steps or not rates.is_autonomous, schedule=self.schedule,
            limits=None if self.limits is None else self.limits.watched,
        ).run()  # fmt: skip
        if not rates.is_autonomous and run.implicit is None:
            run.record.growth = CONSTRAINED_GROWTH
        if not rates.is_autonomous and method in EXPLICIT:
            run.record.state_at = run.loop.cubic_state_at  # a controller is called once for a state, of the steps alone
        if self.switch is not None:
            self.switch.watch(run)
        return run

    def _events(self, run: NativeRun) -> EventMemory | None:
        """Events, and jumps and kinks of the rates."""
        events, located = self.events, None if self.control.fixed_step and self.jumps is None else self.rates.located
        effects = [*events.effects, *([] if self.contacts is None else self.contacts.effects)]
        effects += [] if located is None else located.effects
        if self.momenta is not None:  # new values are those of speeds
            effects = [e if e.change is None else replace(e, change=None, by_python=True) for e in effects]
        if not effects:
            return None
        from ...ode.native_events import EventMemory

        values: Any = None if self.momenta is not None else events.compiled
        values = values or (lambda t, x: [self._event_value(k, t, x) for k in range(len(events.watched))])
        memory = EventMemory(values if events else None, effects, run.size, run.clock, callback=run.callback)
        if self.contacts is not None:
            self.contacts.guard(memory)
        if located is not None:
            self.rates.divide_steps(run, memory)
        return memory

    def _event_value(self, number: int, t: float, x: Floats) -> float:
        """The value of an event; an exception of a user's function ends the run."""
        n, is_first = self.rates.coordinates, t == self.first[0]  # momenta would round speeds that are zero there
        x = self.first[1] if is_first and self.momenta is not None else self._state(x)
        return self.events.watched[number].value(t, x[:n].copy(), x[n:].copy())

    def _begin(self) -> None:
        """Evaluate the rates at the current state and choose the first step."""
        reason = self.run.begin(self.end)
        if reason == Reason.NAN_EVENT:
            self._look_into(reason)

    def _natively(self, run: NativeRun) -> None:
        """Step the rates in native code, with their own derivatives where these are worth it."""
        if self.momenta is not None:
            self.momenta.use(run)
            return
        self.rates.steps_natively(run)
        if self.contacts is not None:
            self.contacts.connect(run, run.side.outputs)
        if self.control.spectral_radius is not None:
            run.remember(second_order_memory(self.rates, self.control.spectral_radius))
        if self.switch is None:
            self.rates.differentiates_natively(run)

    def _turn(self, switch: Switch) -> None:
        """Go on with the other kind of method, if that is worth it."""
        old = self.run
        if not switch.turned(old, self.end):
            return
        self._note()
        self.run = run = self._of_method(switch.method, float(old.record.t), old.x)
        for count in ("steps", "rejected", "evaluations", "next_sample"):
            setattr(run.record, count, getattr(old.record, count))
        run.steps_before = old.record.steps
        self.past.append(old)
        run.record.h = switch.first_step(old)
        self.logged = 0
        if run.record.event_count:
            run.events.take_signs(old.events)
        self._begin()

    def go_on(self, end: float, tau: Floats, inputs: Floats) -> Record:
        """On from where it stands to a later end, with these efforts and inputs; the record of that alone."""
        run, record, drive = self.run, self.record, self.rates.drive
        is_changed = not (np.array_equal(drive.tau, tau) and np.array_equal(drive.inputs, inputs))
        drive.tau[:], drive.inputs[:] = tau, inputs
        record.pieces[:] = [(np.array([float(run.record.t)]), self.x[None, :].copy())]
        record.notices.clear()
        for times in self.found:
            times.clear()
        self.end, self.times, self.logged, self.kept = end, np.array([end]), 0, 0
        run.sample(self.times, self.states)
        run.record.steps = run.record.trace_count = 0
        if run.record.event_count:
            run.events.record.log_count = run.events.record.last_changes = 0
        if self.contacts is not None:
            self.contacts.forget()
            if is_changed:
                run.x[:] = self.contacts.decide(float(run.record.t), run.x.copy())
        self._begin()
        record.info["status"] = self.go(lambda _: None)
        return record

    def go(self, report: Report) -> str:
        """To the end; what stops a run before is raised, with all in the record that was reached."""
        try:
            return self.driver.interruptible(lambda: self._go(report))
        except (Stop, NonFinite, ControllerFailed, KeyboardInterrupt) as problem:
            if isinstance(problem, ControllerFailed | KeyboardInterrupt):
                self.run.undo_unfinished_step()
            self._note()
            self.record.end(float(self.run.record.t), self.x)
            raise
        finally:
            self._keep_interpolant()
            if self.contacts is not None:
                self.record.notices += self.contacts.notices
                self.record.info["contacts"] = self.contacts.history
            if self.limits is not None:
                self.record.info.update(self.limits.facts)
            if self.run.record.event_count:
                events = self.run.events.record
                if events.kink_count or events.corner_count:
                    self.record.info["kinks"] = int(events.kinks_passed)
                signs = self.run.events.have_signs[: len(self.found)]
                for event, times, has_sign in zip(self.events.watched, self.found, signs, strict=True):
                    if not times and not has_sign:
                        self.record.notices.append(f"{event.name} was zero all along, and did not change its sign.")

    def _go(self, report: Report) -> str:
        reason = Reason.BUDGET
        while reason != Reason.DONE:
            reason = self._advance()
            self._note()
            if reason == Reason.ENDED:
                self.record.end(float(self.run.record.t), self.x)
                return "event"
            if reason == Reason.DONE and self.contacts is not None:
                self.contacts.end(float(self.run.record.t), self.run.x)
            self._look_into(reason)
            self._test_loop()
            if reason == Reason.DONE and self.run.record.t < self.end:
                self._pass_bound()
                reason = Reason.BUDGET
            report(self.run.record.t)
        return "done"

    def _advance(self) -> Reason:
        """Steps in native code, past time events too where no Python function is called there."""
        if self.schedule is None:
            return self.driver.advance(self.run, self._goal)
        schedule = self.schedule
        schedule.measure(self.run)
        reason = self.driver.advance(self.run, schedule.goal(self.rates.passed))
        self.rates.pass_to(schedule.passed, schedule.states)
        return reason

    def _test_loop(self) -> None:
        """Whether a sampled loop is stable, where the time between its samples takes many steps."""
        if self.rates.drive.sampled is None:
            return
        (passed, steps), record = self.passed_at, self.run.record
        if record.steps - steps > _MANY_STEPS * (self.rates.passed - passed + 1):
            self.guard.sample(float(record.t), self.run.x)
        if self.rates.passed > passed:
            self.passed_at = self.rates.passed, record.steps

    def _keep_interpolant(self) -> None:
        """Keep the steps, so that the trajectory has states between its samples, where what drove them is known."""
        pieces = [(run, run.kept_steps) for run in (*self.past, self.run)]
        kept = [(run, steps) for run, steps in pieces if steps is not None]
        is_whole = len(kept) == len(pieces) and any(len(steps) for _, steps in kept)
        is_alike = self.rates.is_autonomous and self.rates.signs is None  # no step is taken again with other signs
        is_alike = is_alike and self.contacts is None  # or modes
        drive, is_divided = self.rates.drive, len(self.rates.breaks) > 0
        is_known = not is_divided or not (drive.is_held or drive.sampled is not None or self.rates.is_constrained)
        if is_whole and is_known and is_alike:
            self.record.interpolant = DenseOutput(kept, self.rates)

    @property
    def _goal(self) -> float:
        """The end, the next sample under a controller in Python, or a few last bits before the next time event."""
        goal = min(self.rates.before_break, self.end)
        number = self.run.record.next_sample
        if not self.rates.is_autonomous and number < len(self.times) and not self.control.fixed_step:
            goal = min(goal, float(self.times[number]))
        return goal

    def _pass_bound(self) -> None:
        """Go on at a bound: a sample under a controller, or a time event, where held functions are called."""
        run = self.run
        if not run.record.t >= self.rates.before_break:
            return
        t = self.rates.next_break
        is_changed = bool(run.record.event_count) and run.events.record.changed_at >= run.record.t
        run.record.t = t
        while run.record.next_sample < len(self.times) and self.times[run.record.next_sample] <= t:
            self.states[run.record.next_sample] = run.x
            run.record.next_sample += 1
        if t < self.end:
            self.rates.begin(t, run.x.copy())
            if is_changed:
                run.begin_behind_event()
            elif self.control.fixed_step or self.contacts is not None:
                run.begin(self.end)
            else:
                run.restart(self.rates(t, run.x.copy()))
            if not self.rates.is_autonomous:
                self._note_actuation(t)

    def _note_actuation(self, t: float) -> None:
        """Keep what acts at a state; at the end of a fixed step at the time of the sample there."""
        run, acting = self.run.record, self.rates.actuation(t, self.run.x.copy())
        sample = self.times[run.next_sample - 1] if run.next_sample else 0.0
        is_sample = abs(sample - t) <= SNAP * self.control.fixed_step
        self.record.add_actuation(float(sample) if is_sample else t, acting)

    def _note(self) -> None:
        """Bring the record up to date."""
        run, record = self.run.record, self.record
        record.steps = run.steps
        self.rates.evaluations = max(self.rates.evaluations, self.evaluations + run.evaluations)
        if run.event_count:
            for t, number, kind, done, before, after in self.run.events.entries(self.logged):
                self.logged += 1
                if kind >= SWITCHES and self.jumps is not None:
                    try:
                        self.jumps.count(t, before)
                    except Stop:  # the run ends here, and what came later did not happen
                        run.t, run.next_sample, self.run.x[:] = t, done, before
                        self.run.events.record.log_count = self.logged
                        raise
                    continue
                is_contact = number >= len(self.found)
                if is_contact and after is not None and not np.abs(after - before).max(initial=0.0) > 0.0:
                    continue
                if not is_contact:
                    self.found[number].append(t)
                if kind != GOES_ON:
                    self._add_samples(done)
                    if after is None:
                        record.end(t, self._state(before))
                    else:
                        if not is_contact:
                            self._note_change()
                        record.jump(t, self._state(before), self._state(after))
        self._add_samples(run.next_sample)

    def _add_samples(self, done: int) -> None:
        if done <= self.kept:
            return
        new, self.kept = slice(self.kept, done), done  # first: an interrupt in between must not add them twice
        states = self.states[new]
        self.record.add(self.times[new], states if self.momenta is None else self.momenta.states(states))

    def _note_change(self) -> None:
        sentence = (
            "where an event changed the state, speeds were brought to the constraints, in the metric of the masses."
        )
        if self.rates.is_constrained and sentence not in self.record.notices:
            self.record.notices.append(sentence)

    def _look_into(self, reason: Reason) -> None:
        """Do what native code returned for, or raise what ends the run."""
        if reason == Reason.DONE:
            return
        run, t = self.run, float(self.run.record.t)
        if reason in (Reason.LOOK, Reason.STEP):
            if not self.rates.is_autonomous:
                self._note_actuation(t)
            try:
                self.guard.step(t, self.x, run.f)
            except Stop as stop:
                raise self._with_reason(stop) from None
        elif reason == Reason.BUDGET and run.record.steps >= self.control.most_steps:
            raise too_many(t, self.control)
        elif reason in (Reason.UNDERFLOW, Reason.NONFINITE, Reason.NOT_FOUND):
            diverged = self._nonfinite_ahead()
            if diverged is not None:
                raise diverged
            if self.control.fixed_step:
                raise self._too_long(t)
            locked = None if self.contacts is None else self.contacts.locked(t, run.x.copy())
            if locked is not None:
                raise locked
            raise self.guard.explain(t, run.x, underflow(t, self.control, run.message))
        elif reason == Reason.STIFF and self.switch is not None:
            self._turn(self.switch)
        elif reason == Reason.INTERRUPTED:
            raise KeyboardInterrupt
        elif reason == Reason.NAN_EVENT:
            name = self.events.watched[run.events.record.number].name
            if not np.isfinite(run.x).all():
                raise Stop("event_failed", f"at t = {t:.6g} s {name} sets a value that is not finite.", _CHANGE)
            raise event_failed(f"at t = {t:.6g} s {name} is nan, which no zero can be found of.")
        elif reason == Reason.EVENT:
            self._change_state()
        elif reason == Reason.SWITCH:
            self._choose_signs()
        elif reason == Reason.CONTACT and self.contacts is not None:
            before, signs = run.x.copy(), self._signs()
            run.x[:] = self.contacts.decide_anew(t, before)
            if np.abs(run.x - before).max() > 0.0:
                self._add_samples(run.record.next_sample)
                self.record.jump(t, self._state(before), self.x)
            run.begin(self.end)
            run.events.restore_signs(signs)
            run.record.h_cap = min(run.record.h_cap, self.contacts.transitions.longest_step)
        elif reason in (Reason.PROJECT, Reason.SAMPLE):
            self._project(reason)

    def _with_reason(self, stop: Stop) -> Stop:
        """The same, with why the motion has left all bounds if at the start no step of this length was stable."""
        (t, x), h = self.first, self.control.fixed_step
        if stop.status != "diverged" or not h:
            return stop
        f, small = self.rates(t, x), _NEAR * (1.0 + np.abs(x))
        jacobian = [(self.rates(t, x + step) - f) / size for step, size in zip(np.diag(small), small, strict=True)]
        fastest = float(np.abs(np.linalg.eigvals(jacobian)).max())
        if h * fastest < _STABLE:
            return stop
        return Stop(
            stop.status,
            f"{stop.message} The step of {h:g} s is too long for {self.control.method}: at the start, rates change "
            f"within {1.0 / fastest:.1g} s.",
            'Use a smaller step; a stiff mechanism needs method="auto", "Rodas5P" or "Radau".',
        )

    def _too_long(self, t: float) -> Stop:
        """Why a run with fixed steps ended."""
        h, method = self.control.fixed_step, self.control.method
        is_iterated = method.startswith(("gauss", "generalised"))
        what = f"the stages of {method} were not found" if is_iterated else "the state one step later is not finite"
        return Stop(
            "not_converged", f"after t = {t:.6g} s {what}: the step of {h:g} s is too long.", "Give a shorter step."
        )

    def _nonfinite_ahead(self) -> NonFinite | None:
        """The first non-finite rate shortly after the current time, searched in Python; None if there is none."""
        run = self.run
        t, x, f, h = float(run.record.t), self.x.copy(), run.f.copy(), float(run.record.h)
        if self.control.fixed_step:
            f, h = self.rates(t, x), 1e-9 * h
        for ahead in (0.0, *(10.0**tens * h for tens in range(_AHEAD + 1))):
            try:
                self.rates(t + ahead, x + ahead * f if ahead else x)
            except NonFinite as found:
                return found
        return None

    def _change_state(self) -> None:
        """Change the state at an event by a Python function, or have room for more events."""
        run, events = self.run, self.run.events
        number = int(events.record.number)
        if number < 0:
            events.grow()
            return
        t, watched = float(run.record.t), len(self.events.watched)
        if self.contacts is not None and number >= watched:
            signs = self._signs()
            run.x[:] = self.contacts.decide(t, run.x.copy(), number - watched)
            self._continue_after_event()
            events.restore_signs(signs)
            run.record.h_cap = min(run.record.h_cap, self.contacts.transitions.longest_step)
            return
        change = self.events.watched[number].change
        if change is None or events.is_stuck(number, t):
            raise Stop(
                "event_stuck",
                f"at t = {t:.6g} s {self.events.watched[number].name} follows itself without end.",
                "End the run, or bring the motion to rest, where it is slow: with a terminal event of the speed, say.",
            )
        run.x[:] = self._changed(t, change)
        self._continue_after_event()

    def _signs(self) -> Floats:
        """The signs of the last values of the user's events that were not zero."""
        return self.run.events.signs[: len(self.events.watched)].copy()

    def _continue_after_event(self) -> None:
        reason = self.run.continue_after_event()
        if reason is not None:
            self._look_into(reason)

    def _changed(self, t: float, change: StateChange) -> Floats:
        """The state after a change; an exception of a user's function ends the run."""
        try:
            new = change.applied(t, self.x.copy())
        except (PolhodeError, Stop):
            raise
        except Exception as error:
            message = f"at t = {t:.6g} s a change of the state raised {type(error).__name__}: {error}"
            raise Stop("event_failed", message, _CHANGE) from error
        return new if self.momenta is None else self.momenta.stepped(new)

    def _choose_signs(self) -> None:
        """Choose signs after a switch in Python: several values vanish, one leaves zero, or no choice works."""
        run, jumps, located = self.run, self.jumps, self.rates.located
        number = int(run.events.record.number) - len(self.events.watched) - int(run.events.record.guard_count)
        t, x = float(run.record.t), run.x.copy()
        if located is not None and number >= located.signs:
            raise Stop(
                "sticks",
                f"at t = {t:.6g} s {located.corners[number - located.signs].jumping} jumps and pushes back from both "
                "sides: the motion sticks there, which is not modelled.",
                "Make the jump a steep line, or end the run there by an event.",
            )
        if jumps is None:
            return
        if jumps.modes[number] == 0.0:
            t_left = jumps.leave(run.state_at, float(run.record.t_old), t)
            if t_left is not None and t_left < t:
                t, x = t_left, self.rates.projected(t_left, run.state_at(t_left))
                run.write_samples(t)
                run.record.t, run.x[:], run.record.pending = t, x, 0
        else:
            jumps.turning, jumps.leaving = [number], []
        jumps.switch(t, x)
        run.begin_behind_event()
        run.events.hold_signs(jumps.modes)

    def _project(self, reason: Reason) -> None:
        """Project otherwise what native code could not: the state, or a sample; a run ends before where that fails."""
        run, number = self.run, self.run.record.next_sample
        t = float(run.record.t if reason == Reason.PROJECT else self.times[number])
        try:
            if self.unprojected == (t, reason):
                raise _unprojected(t)
            self.unprojected = t, reason
            if reason == Reason.SAMPLE:
                self.states[number] = self.rates.projected_otherwise(t, run.state_at(t))
                run.record.next_sample += 1
                return
            run.x[:] = self.rates.projected_otherwise(t, run.x.copy())
        except Stop as found:
            run.record.t, run.x[:] = run.record.t_old, run.x_old
            raise self.guard.explain(float(run.record.t), run.x, found) from None
        self._natively(run)
        if run.record.pending == NOTHING:  # at an event that has changed the state
            self._continue_after_event()
            return
        contacts = self.contacts
        run.f[:] = self.rates(t, run.x.copy()) if contacts is None else contacts.memory.forces(t, run.x.copy())[1]
        run.record.pending = EVENTS


def _unprojected(t: float) -> Stop:
    message = f"at t = {t:.6g} s the constraints cannot be satisfied any longer."
    cure = "The mechanism may be at the end of its reach, or two constraints contradict each other from here on."
    return Stop("constraints_broken", message, cure)


def _contacts(rates: Rates, atol: float) -> ContactRun | None:
    """The modes of contacts, where there are any."""
    if not rates.has_contacts:
        return None
    from ..contact.contact_run import ContactRun

    return ContactRun(rates, rates.impacts, atol)


def _limits(rates: Rates, record: Record) -> LimitsOfRun | None:
    """The watched limits of coordinates and speeds; None if there are none."""
    synopsis = rates.functions.derivation.synopsis
    if not synopsis.limits and not synopsis.has_limits_of_parameters:
        return None
    from ..limits import NOTED, LimitsOfRun

    record.info.pop(NOTED, None)
    return LimitsOfRun.of(rates.functions, rates.given)


def switch_of(record: Record, control: Control) -> Switch | None:
    """The switch between explicit and implicit methods along a run; None if the method is fixed."""
    if not control.may_switch:
        return None
    switch = Switch(control.method)
    record.info["switches"] = switch.turns
    return switch


# ---- stiff ---------------------------------------------------------------------------------------------------
# When a run goes on with another kind of method: with an implicit one while it is stiff, with an explicit one after.
#
# Native code returns when stiffness begins or ends (`ode.stiffness`). What is decided here depends
# on the motion alone, never on a clock, so that a run can be repeated.

#: The method of stiff runs, by differences of the rates. On chains of 2 to 12 links with stiff joints, an elastic joint
#: and a stiff actuator, at 1e-4, 1e-6 and 1e-9, it takes 0.5 to 1.0 of the time of Rodas5P with exact derivatives, and
#: mostly has a fifth of its error or less. Exact derivatives save Rodas5P a tenth to a third, and Radau nothing,
#: which evaluates them seldom.
STIFF_METHOD = "Radau"
#: Steps in a row that must suggest another method before it changes; after each change in vain, this many times more.
_PATIENCE, _MORE = 15, 4
#: A run with fewer explicit steps ahead of it goes on with them.
_FEW = 1000


@dataclass(eq=False)
class Switch:
    """State of a run that may switch between an explicit and an implicit method."""

    explicit: str
    is_stiff: bool = False
    turns: list[tuple[float, str]] = field(default_factory=list)  # when each method began
    _patience: int = _PATIENCE

    @property
    def method(self) -> str:
        return STIFF_METHOD if self.is_stiff else self.explicit

    def watch(self, run: NativeRun) -> None:
        """Set the stiffness counter at which the run returns to change its method."""
        run.record.stiffness_limit = _PATIENCE if self.is_stiff else self._patience

    def turned(self, run: NativeRun, end: float) -> bool:
        """True if the method changes, for a run that has reached the stiffness limit."""
        t, h = float(run.record.t), float(run.record.taken)
        ahead = (end - t) / h
        is_worth_it = self.is_stiff or ahead > _FEW
        if self.is_stiff or not is_worth_it:
            self._patience *= _MORE
        if not is_worth_it:
            self.watch(run)
            return False
        self.is_stiff = not self.is_stiff
        self.turns.append((t, self.method))
        return True

    def first_step(self, run: NativeRun) -> float:
        """The first step after a turn, from what the run before it wanted."""
        h = float(run.record.h)
        if run.implicit is not None and run.implicit.record.spectral_radius > 0.0:
            return float(min(h, EDGES[8] / run.implicit.record.spectral_radius))
        return h


# ---- dense output --------------------------------------------------------------------------------------------
# Dense output of a run that is over: the step around a time is repeated.


class DenseOutput:
    """States between steps: repeats the step that contains a time, and evaluates its polynomial."""

    def __init__(self, pieces: Sequence[tuple[NativeRun, Floats]], rates: Rates) -> None:
        self.rates = rates
        self.steps = pieces[0][1] if len(pieces) == 1 else np.concatenate([steps for _, steps in pieces])
        self.runs = [run for run, _ in pieces]
        self.ends = [sum(len(steps) for _, steps in pieces[: k + 1]) for k in range(len(pieces))]  # steps so far
        self._at = -1

    def __call__(self, times: Floats) -> Floats:
        """States (T, n) at times (T,)."""
        places = np.clip(np.searchsorted(self.steps[:, 0], times, side="right") - 1, 0, len(self.steps) - 1)
        states = np.empty((len(times), self.runs[0].size))
        for k in np.argsort(places, kind="stable").tolist():
            states[k] = self._state(float(times[k]), int(places[k]))
        return states

    def _state(self, t: float, place: int) -> Floats:
        run, rates = next(run for run, end in zip(self.runs, self.ends, strict=True) if place < end), self.rates
        if place != self._at:
            rates.steps_natively(run)
            run.retake(self.steps[place])
            self._at = place
        row = self.steps[place]
        x = row[2:].copy() if t <= row[0] else run.state_at(min(t, float(row[0] + row[1])))
        return rates.unit(rates.projected(t, x))[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()
