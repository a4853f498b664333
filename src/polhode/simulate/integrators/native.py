"""Runs in native code: from the options of a run to the record of `ode`, and back to the trajectory.

Native code runs until there is a reason to return (`ode.record.Reason`). What is left to Python: the sentences about
runs that cannot go on, functions of a user's own at events and time events, the choice between kinds of methods, and
projection with other rows of the constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import PolhodeError
from ...native.backends import say_once
from ...ode.driver import Driver
from ...ode.native_code import loop_code
from ...ode.native_events import EventMemory
from ...ode.native_run import NativeRun
from ...ode.problem import InitialValueProblem
from ...ode.record import CONSTRAINED_GROWTH, EVENTS, GOES_ON, GROWTH, SNAP, SWITCHES, Reason
from ..control.callables import ControllerFailed
from ..events import Events, event_failed, goes_through
from ..guard import Guard, Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates
from ..trajectory.record import Record, Report
from .dense_output import DenseOutput
from .fixed import EXPLICIT
from .stiff import Switch

if TYPE_CHECKING:
    from ...ode.native_schedule import ScheduleMemory
    from ..limits import LimitsOfRun
    from .adaptive import Control
    from .momenta import Momenta

#: Steps between the samples of a law from which on its loop is tested for stability.
_MANY_STEPS = 500
#: A smaller part of the state that projection changes is not worth a word.
_NOTABLE = 1e-9
#: So many times ten steps ahead the first rate that is not finite is sought.
_AHEAD = 12
#: h |λ| beyond which no explicit method with fixed steps is stable; and what part of a state its changes are taken by.
_STABLE, _NEAR = 3.0, 1e-7


def integrate(
    rates: Rates, guard: Guard, record: Record, times: Floats, control: Control, events: Events, report: Report
) -> str:
    """Go from the record's first state to the last of `times`.

    Returns "done", or "event" where a terminal event ended the run; raises what stopped it otherwise.
    """
    try:
        loop_code()
    except OSError as problem:
        return _plainly(rates, record, times, control, events, str(problem))
    return Integration(rates, guard, record, times, control, events).go(report)


def _plainly(rates: Rates, record: Record, times: Floats, control: Control, events: Events, problem: str) -> str:
    """Fixed steps by the functions of native code in plain Python, where there is no compiler."""
    from ...codegen.fixed_steps import METHODS as TABLEAUX
    from ...ode.plain_run import advance_plainly, plain_fixed_run

    is_known = control.method in TABLEAUX and not events and not rates.is_constrained and not len(rates.breaks)
    if not is_known or rates.signs is not None:
        raise PolhodeError(
            f"the method {control.method} needs native code here, which does not work ({problem}).",
            place="method",
            cure='Use method="auto", which is then SciPy\'s.',
            code="E-SIM-102",
        )
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


def problem_for(rates: Rates, control: Control, x: Floats, bound: float) -> InitialValueProblem:
    """What runs alone, members of a batch and steppers have in common."""
    code = rates.fixed_stepper(control.method) if control.fixed_step else rates.stepper(control.method)
    return InitialValueProblem(
        code, x, rates.steps_natively, rtol=control.rtol, atol=control.atol, max_step=control.largest_step,
        fixed_step=control.fixed_step, growth=CONSTRAINED_GROWTH if rates.is_constrained else GROWTH, bound=bound,
        groups=rates.groups, positions=rates.coordinates, may_hide=rates.may_hide,
    )  # fmt: skip


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
        self.run = self._of_method(control.method, t, x)
        self._begin()

    def _momenta(self) -> Momenta | None:
        """What makes momenta of speeds, for methods that are symplectic in them."""
        if self.control.method == "lie4":
            self.record.info["variables"] = "q, u"
        if not self.control.method.startswith("gauss"):
            return None
        from .momenta import Momenta, why_no_momenta

        why_not = why_no_momenta(self.rates)
        self.record.info["variables"] = "q, u" if why_not else "q, p"
        if why_not:
            self.record.notices.append(
                f"{self.control.method} steps speeds, not momenta, and is symmetric but not symplectic: {why_not}."
            )
            return None
        return Momenta(self.rates)

    def _state(self, x: Floats) -> Floats:
        """The state of the run for one as it is stepped."""
        return x if self.momenta is None else self.momenta.states(x[None, :])[0]

    @property
    def x(self) -> Floats:
        """The state as it is now."""
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
        common = problem_for(rates, replace(self.control, method=method), x, self.guard.bound)
        run = replace(
            common, t=t, samples=(self.times, self.states), right_side=self._natively, events=self._events,
            each_step=self.guard.watches_steps or not rates.is_autonomous, schedule=self.schedule,
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
        effects = [*events.effects, *([] if located is None else located.effects)]
        if not effects:
            return None
        values: Any = None if self.momenta is not None else events.compiled
        values = values or (lambda t, x: [self._event_value(k, t, x) for k in range(len(events.watched))])
        memory = EventMemory(values if events else None, effects, run.size, run.clock, callback=run.callback)
        if located is not None:
            self.rates.divide_steps(run, memory)
        return memory

    def _event_value(self, number: int, t: float, x: Floats) -> float:
        """The value of an event; what goes wrong in a user's function ends the run."""
        n, is_first = self.rates.coordinates, t == self.first[0]  # momenta would round speeds that are zero there
        x = self.first[1] if is_first and self.momenta is not None else self._state(x)
        try:
            return float(self.events.watched[number].value(t, x[:n].copy(), x[n:].copy()))
        except Exception as error:
            raise event_failed(f"at t = {t:.6g} s an event function raised {type(error).__name__}: {error}") from error

    def _begin(self) -> None:
        """Rates at the state as it is, and a first step."""
        reason = self.run.begin(self.end)
        if reason == Reason.NAN_EVENT:
            self._look_into(reason)

    def _natively(self, run: NativeRun) -> None:
        """Step the rates in native code, with their own derivatives where these are worth it."""
        if self.momenta is not None:
            self.momenta.use(run)
            return
        self.rates.steps_natively(run)
        if self.control.spectral_radius is not None:
            from .damped import second_order_memory

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
            if self.limits is not None:
                self.record.info.update(self.limits.facts)
            if self.run.record.event_count and self.run.events.record.kink_count:
                self.record.info["kinks"] = int(self.run.events.record.kinks_passed)

    def _go(self, report: Report) -> str:
        reason = Reason.BUDGET
        while reason != Reason.DONE:
            reason = self._advance()
            self._note()
            if reason == Reason.ENDED:
                self.record.end(float(self.run.record.t), self.x)
                return "event"
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
        known = [(run, steps) for run, steps in pieces if steps is not None]
        is_whole = len(known) == len(pieces) and any(len(steps) for _, steps in known)
        is_alike = self.rates.is_autonomous and self.rates.signs is None  # no step is taken again with other signs
        drive, is_divided = self.rates.drive, len(self.rates.breaks) > 0
        is_known = not is_divided or not (drive.is_held or drive.sampled is not None or self.rates.is_constrained)
        if is_whole and is_known and is_alike:
            self.record.interpolant = DenseOutput(known, self.rates)

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
        run.record.t = t
        while run.record.next_sample < len(self.times) and self.times[run.record.next_sample] <= t:
            self.states[run.record.next_sample] = run.x
            run.record.next_sample += 1
        if t < self.end:
            self.rates.begin(t, run.x.copy())
            if self.control.fixed_step:
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
                self.found[number].append(t)
                if kind != GOES_ON:
                    self._add_samples(done)
                    record.end(t, self._state(before))
                    if after is not None:
                        self._note_change()
                        record.add(np.array([np.nextafter(t, np.inf)]), self._state(after)[None, :])
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
        from .adaptive import too_many, underflow

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
            found = self._nonfinite_ahead()
            if found is not None:
                raise found
            if self.control.fixed_step:
                raise self._too_long(t)
            raise self.guard.explain(t, run.x, underflow(t, self.control, "the step is swallowed by rounding"))
        elif reason == Reason.STIFF and self.switch is not None:
            self._turn(self.switch)
        elif reason == Reason.INTERRUPTED:
            raise KeyboardInterrupt
        elif reason == Reason.NAN_EVENT:
            raise event_failed(
                f"at t = {t:.6g} s event {run.events.record.number} is nan, which no zero can be found of."
            )
        elif reason == Reason.EVENT:
            self._change_state()
        elif reason == Reason.SWITCH:
            self._choose_signs()
        elif reason in (Reason.PROJECT, Reason.SAMPLE):
            self._project(reason)

    def _with_reason(self, found: Stop) -> Stop:
        """The same, with why the motion has left all bounds if at the start no step of this length was stable."""
        (t, x), h = self.first, self.control.fixed_step
        if found.status != "diverged" or not h:
            return found
        f, small = self.rates(t, x), _NEAR * (1.0 + np.abs(x))
        jacobian = [(self.rates(t, x + each) - f) / size for each, size in zip(np.diag(small), small, strict=True)]
        fastest = float(np.abs(np.linalg.eigvals(jacobian)).max())
        if h * fastest < _STABLE:
            return found
        return Stop(
            found.status,
            f"{found.message} The step of {h:g} s is too long for {self.control.method}: at the start, rates change "
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
        """The first rate that is not finite a little ahead of the run, if there is one, found once more by Python."""
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
        t, change = float(run.record.t), self.events.watched[number].change
        if change is None or events.is_stuck(number, t):
            side = self._side_behind(number)
            if side == 0.0:
                raise self._stuck(t, number)
            self._begin()
            events.set_side(number, side)
            return
        run.x[:] = change.applied(t, run.x.copy())
        reason = run.continue_after_event()
        if reason is not None:
            self._look_into(reason)

    def _side_behind(self, number: int) -> float:
        """The sign of an event behind its zero where the last change of the state let it pass, else 0."""
        events, n = self.run.events, self.rates.coordinates
        _, last, _, _, before, after = next(events.entries(events.record.log_count - 1))
        t, event = float(events.record.changed_at), self.events.watched[number]
        if last != number or after is None:
            return 0.0
        before, after = self._state(before), self._state(after)
        return -events.side_of(number) if goes_through(event, self.rates, n, t, before, after) else 0.0

    def _stuck(self, t: float, number: int) -> Stop:
        return Stop(
            "event_stuck",
            f"at t = {t:.6g} s event {number} follows itself without end.",
            "End the run, or bring the motion to rest, where it is slow: with a terminal event of the speed, say.",
        )

    def _choose_signs(self) -> None:
        """Signs behind a switch by Python: where several vanish, or one leaves its zero, or none leads on."""
        run, jumps = self.run, self.jumps
        if jumps is None:
            return
        number = int(run.events.record.number) - len(self.events.watched)
        t, x = float(run.record.t), run.x.copy()
        if jumps.modes[number] == 0.0:
            t_left = jumps.locate(_columns(run), float(run.record.t_old), t)
            if t_left is not None and t_left < t:
                t, x = t_left, self.rates.projected(t_left, run.state_at(t_left))
                run.write_samples(t)
                run.record.t, run.x[:], run.record.pending = t, x, 0
        else:
            jumps.turning, jumps.leaving = [number], []
        jumps.switch(t, x)
        run.begin(self.end)
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
        run.f[:] = self.rates(t, run.x.copy())
        run.record.pending = EVENTS


def _unprojected(t: float) -> Stop:
    return Stop(
        "constraints_broken",
        f"at t = {t:.6g} s the constraints cannot be satisfied any longer.",
        "The mechanism may be at the end of its reach, or two constraints contradict each other from here on.",
    )


def _columns(run: NativeRun) -> Callable[[Any], Floats]:
    """The states of the last step at several times, a column each."""
    return lambda t: run.state_at(float(t)) if np.ndim(t) == 0 else np.array([run.state_at(float(s)) for s in t]).T


def _limits(rates: Rates, record: Record) -> LimitsOfRun | None:
    """What notes the limits of coordinates and speeds, where there are any."""
    known = rates.functions.derivation.synopsis
    if not known.limits and not known.has_limits_of_parameters:
        return None
    from ..limits import NOTED, LimitsOfRun

    record.info.pop(NOTED, None)
    return LimitsOfRun.of(rates.functions, rates.given)


def switch_of(record: Record, control: Control) -> Switch | None:
    """What chooses between kinds of methods along a run, where it may."""
    if not control.may_switch:
        return None
    made = Switch(control.method)
    record.info["switches"] = made.turns
    return made
