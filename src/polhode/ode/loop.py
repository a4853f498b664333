"""The stepping loop of a run: one for every method, for runs alone and for members of a batch one after the other.

A method is called behind pointers: `attempt(run, step)` computes a step from run.x to run.y and accepts or refuses it,
`state_at(run, t, x)` gives the state at a time within the last step. Some also have `prepare(run)`, which sets the
length of the next step, or takes fixed steps between which nothing happens, and `begin_method(run)`. A fixed step is
one whose error is nil; it ends at origin + k h, but for one that is cut by an event, or before a time event: the rest
of it comes next.

After a step that was accepted the loop projects its end onto the constraints, locates events, tests limits and writes
the samples that the step passed, in this order. Wherever it returns in between, `pending` says what is left to do.

Samples inside of a step are by its dense output. The slope of that is compared with the rates at each of them: where
they differ by more than `DEFECT` tolerances the step missed something that happened in between, and is taken again,
shorter. Where none does, the bits of a run do not depend on its samples.
"""

from __future__ import annotations

from ..codegen.fixed_steps import UNPROJECTED
from ..native.language import INFINITY, Array, absolute, at, call, entry, fma, inline, largest, native
from .event_handling import (
    begin,
    begin_behind_event,
    handle_events,
    locate_again,
    may_be_shorter,
    write_samples,
    write_state,
)
from .event_location import note_refused_corners, step_between_corners
from .limits import note_limits
from .record import (
    AGAIN,
    EVENTS,
    GO_ON,
    NOTHING,
    PROJECTION,
    REFUSED,
    SAMPLES,
    SNAP,
    SUSPICIOUS,
    SWALLOWED,
    Reason,
    Run,
)
from .right_side import copy, largest_of, project, rates
from .step_control import MOST_RETRIES, next_step

#: The slope of the dense output may differ from the rates at a sample by so many tolerances, over the step.
DEFECT = 500.0
#: A step that missed something is taken again, so much shorter.
_SHORTER = 0.25


@native
def advance(run: Run) -> int:
    """Steps, until there is a reason to return."""
    while True:
        reason = _finish_step(run)
        if reason >= 0:
            return reason
        if not run.t < run.t_end and run.has_schedule > 0:
            reason = _pass_time_event(run)
            if reason >= 0:
                return reason
            continue
        reason = reason_before_step(run)
        if reason >= 0:
            return reason
        if run.has_prepare > 0:
            reason = call(run.prepare, run, returns=int)
            if reason > 0:
                return reason
            if run.is_fixed > 0 and run.is_inside == 0:
                run.t = fma(float(run.number), run.h, run.origin)
        step = 0.0
        if run.has_corners > 0:
            step = step_between_corners(run)
        else:
            step = next_step(run)
        if is_swallowed(run, step):
            return Reason.UNDERFLOW
        verdict = call(run.attempt, run, step, returns=int)
        if verdict >= 0:
            return verdict
        if verdict == REFUSED:
            if run.has_corners > 0:
                note_refused_corners(run)
            reason = note_refused(run, step)
            if reason >= 0:
                return reason
        elif verdict != AGAIN:
            _accept(run, step)
            if run.has_corners > 0 and run.events.are_held == 0:
                run.events.refused_corners = 0


@inline
def reason_before_step(run):
    """A reason to take no step, or GO_ON."""
    if run.failed > 0:
        return Reason.FAILED
    if not run.t < run.t_end:
        return Reason.DONE
    if run.has_unilateral > 0 and run.unilateral.is_undecided > 0:
        return Reason.CONTACT
    if run.stiffness_limit > 0 and run.noted_steps >= run.stiffness_limit:
        run.noted_steps = 0
        return Reason.STIFF
    if run.interrupted > 0:
        return Reason.INTERRUPTED
    if run.budget <= 0:
        return Reason.BUDGET
    return GO_ON


@inline
def is_swallowed(run, step):
    """True for a step so short that rounding swallows it."""
    return run.is_last == 0 and step <= SWALLOWED * absolute(run.t)


@inline
def note_refused(run, step):
    """A step was refused: the next is run.h_next long, or a tenth where rates were not finite; a reason, or GO_ON."""
    run.rejected += 1
    run.after_rejection = 1
    run.h = run.h_next
    if run.is_finite == 0:
        run.retries += 1
        run.h = 0.1 * step
        if run.retries > MOST_RETRIES:
            run.retries = 0
            return Reason.NONFINITE
    return GO_ON


@inline
def note_accepted(run, step):
    """A step was accepted: time, counts and the length of the next one."""
    run.retries = 0
    run.was_refused = run.after_rejection
    run.after_rejection = 0
    run.t_old = run.t
    if run.is_fixed > 0:
        run.is_inside = run.is_last
        run.number += 1 - run.is_last
        end = fma(float(run.number), run.h, run.origin)
        is_at_end = run.is_last > 0 or absolute(end - run.t_end) <= SNAP * run.h
        run.t = run.t_end if is_at_end else end
        run.unprojected += 1
    else:
        # a step that was cut to end at t_end, or for a sample, is no reason against the one that was wanted
        is_cut = (run.is_last > 0) | (run.h_cap < INFINITY)
        run.h = largest(run.h_next, run.h) if is_cut else run.h_next
        run.h_cap = INFINITY
        run.t = run.t_end if run.is_last > 0 else run.t + step
    run.taken = step
    run.dense_ready = 0
    run.steps += 1
    run.budget -= 1
    run.pending = PROJECTION
    run.samples_ready = 0


@inline
def _accept(run, step):
    """run.y is the next state and run.rate its rates."""
    note_accepted(run, step)
    copy(run, run.x, run.x_old)
    copy(run, run.f, run.f_old)
    if run.trace_count < run.trace_room:
        kept = at(run.trace, run.trace_count * (run.size + 2))
        kept[0] = run.t_old
        kept[1] = run.taken
        for i in range(run.size):
            kept[i + 2] = run.x_old[i]
        run.trace_count += 1
    copy(run, run.y, run.x)
    copy(run, run.rate, run.f)
    size, speed = largest_of(run, run.x), largest_of(run, run.f)
    run.look = 1 if (not size <= run.bound) | (speed > SUSPICIOUS * (size + 1.0)) else 0


@native
def _finish_step(run: Run) -> int:
    """What is pending about the last step; a reason to return, or GO_ON."""
    if run.pending == PROJECTION:
        if run.has_defect > 0:
            reason = _check_samples(run)
            if reason >= 0:
                return reason
            if run.pending == NOTHING:
                return GO_ON
        if run.is_constrained > 0 and _is_projection_due(run):
            off = project(run, run.t, run.x)
            if off > 0:
                return Reason.FAILED if off == Reason.FAILED else Reason.PROJECT
            run.unprojected = 0
            reason = rates(run, run.t, run.x, run.f)
            if reason > 0:
                return Reason.FAILED if reason == Reason.FAILED else Reason.PROJECT
        run.pending = EVENTS
    if run.pending == EVENTS:
        if run.event_count > 0:
            logged = run.events.log_count
            reason = handle_events(run)
            is_nan = reason == Reason.NAN_EVENT and run.pending == EVENTS and may_be_shorter(run, run.t)
            if is_nan or reason == AGAIN:
                locate_again(run, logged)
                _undo_step(run, _SHORTER * run.taken if is_nan else run.h_next)
                return GO_ON
            if reason >= 0:
                return reason
        if run.pending == EVENTS:
            run.pending = SAMPLES
    if run.pending == SAMPLES:
        if run.limit_count > 0 and run.limits_seen < run.t:
            reason = note_limits(run)
            if reason > 0:
                return reason
        reason = write_samples(run, run.t)
        if reason > 0:
            return reason
        run.pending = NOTHING
        if run.look > 0:
            run.look = 0
            return Reason.LOOK
        if run.each_step > 0:
            return Reason.STEP
    return GO_ON


@inline
def _is_projection_due(run):
    """True after every step whose length was chosen, some steps of fixed length, and one with a sample at its end."""
    is_due = run.is_fixed == 0 or run.unprojected >= UNPROJECTED or run.event_count > 0
    if not is_due and run.next_sample < run.sample_count:
        is_due = run.times[run.next_sample] <= run.t + SNAP * run.h
    return is_due


# ---- samples -------------------------------------------------------------------------------------------------------


@native
def _check_samples(run: Run) -> int:
    """Compare the slope of the dense output with the rates at the samples inside of the step."""
    number = run.next_sample
    run.samples_ready = number
    while number < run.sample_count:
        t = run.times[number]
        if not t < run.t:
            break
        defect = call(run.defect, run, t, returns=float)
        if defect < 0.0:
            return -int(defect)
        if defect > DEFECT:
            _undo_step(run, _SHORTER * run.taken)
            return GO_ON
        sample = at(run.samples, number * run.size)
        for i in range(run.size):
            sample[i] = run.y[i]
        number += 1
        run.samples_ready = number
    return GO_ON


@inline
def _undo_step(run, step):
    """Go back to the begin of the last step, and take one of this length next."""
    copy(run, run.x_old, run.x)
    copy(run, run.f_old, run.f)
    if run.trace_count > 0 and run.trace_count <= run.trace_room:
        run.trace_count -= 1
    run.t = run.t_old
    run.steps -= 1
    run.rejected += 1
    run.h_cap = step
    run.look = 0
    run.dense_ready = 0
    run.pending = NOTHING


@inline
def _pass_time_event(run):
    """Go on behind the next time event; -1, or a reason to return."""
    schedule = run.schedule
    k = schedule.next
    if not k < schedule.count:
        return Reason.DONE
    if run.t < schedule.before[k]:
        run.t_end = schedule.before[k]
        return -1
    t = schedule.times[k]
    write_state(run, t)
    if not t < schedule.end:
        run.t = t
        run.t_end = t
        return Reason.DONE
    kept = at(schedule.states, k * run.size)
    for i in range(run.size):
        kept[i] = run.x[i]
    if schedule.control_count > 0:
        if not _sample_law(schedule, k):
            return Reason.DONE
        number = schedule.acts[k]
        if number >= 0:
            controls = at(schedule.controls, number * schedule.control_count)
            for i in range(schedule.control_count):
                schedule.held[schedule.columns[i]] = controls[i]
    noted, quiet = run.noted_steps, run.quiet_steps
    run.t = t
    run.t_end = schedule.before[k + 1] if k + 1 < schedule.count else schedule.end
    reason = begin(run)
    if reason == 0 and run.event_count > 0 and run.events.changed_at >= schedule.before[k]:
        reason = begin_behind_event(run)  # events have the signs of their slopes under what acts now
    run.noted_steps = noted
    run.quiet_steps = quiet
    if reason > 0:
        run.t = schedule.before[k]
        return Reason.DONE
    schedule.next = k + 1
    return -1


@inline
def _sample_law(schedule, k):
    """Fill a row of the law's log; False where a control is not finite."""
    number = schedule.samples[k]
    is_finite = True
    if number >= 0:
        for i in range(schedule.entries):
            schedule.table[i] = at(entry(schedule.bases, i, Array), number * schedule.strides[i])
        call(schedule.law, schedule.table)
        controls = at(schedule.controls, number * schedule.control_count)
        for i in range(schedule.control_count):
            if controls[i] - controls[i] != 0.0:
                is_finite = False
    return is_finite
