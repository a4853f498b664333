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
from ..native.language import (
    INFINITY,
    NAN,
    Array,
    Code,
    Integers,
    Pointers,
    absolute,
    at,
    blocks,
    call,
    entry,
    fma,
    inline,
    is_nan,
    largest,
    native,
)  # fmt: skip
from .corners import LITTLE, argument_slope, hold_segments, note_refused_corners, step_between_corners
from .event_location import evaluate_events, event_value, next_sign_change, next_zero, scan
from .limits import begin_limits, note_limits, note_limits_inside
from .rates import copy, largest_of
from .record import (
    AGAIN,
    CHANGES_BY_PYTHON,
    CORNERS,
    ENDS,
    EVENTS,
    GOES_ON,
    HEAD,
    KINKS,
    NOTHING,
    PROJECTION,
    REFUSED,
    SAMPLES,
    SEARCH_ROOM,
    SNAP,
    SUSPICIOUS,
    SWALLOWED,
    SWITCHES,
    ZENO,
    Reason,
    Run,
)  # fmt: skip
from .right_side import project, rates
from .step_control import MOST_RETRIES, next_step

#: What a function gives where the run goes on.
GO_ON = -1
#: The slope of the dense output may differ from the rates at a sample by so many tolerances, over the step.
DEFECT = 500.0
#: A step that missed something is taken again, so much shorter.
_SHORTER = 0.25
#: A switch this near to zero, relative to its size before or to one, vanishes together with another.
_NEAR_SWITCH = 1e-12
#: An event that is zero at the begin of a step comes with the sign that it has after this part of it.
_FIRST_PART = 2.0**-10
#: A value this near to zero, relative to that before a change of the state or to one, is zero behind it.
_ZERO = 1e-12
#: A kink in this first part of a step is left inside of it.
_SHORT = 1e-2


@native
def begin(run: Run) -> int:
    """Begin at run.t and run.x: rates, limits, events, and a first step where run.h is 0."""
    run.dense_ready = 0
    run.pending = NOTHING
    run.noted_steps = 0
    run.quiet_steps = 0
    run.h_cap = INFINITY
    run.retries = 0
    if run.has_corners > 0:
        hold_segments(run)
    reason = call(run.begin_method, run, returns=int)
    if reason > 0:
        return reason
    if run.limit_count > 0:
        begin_limits(run, 0, 1)
    if run.event_count > 0 and run.event_count > run.events.kink_count:
        return _begin_events(run)
    return 0


@inline
def _begin_events(run):
    """The values of events at run.t and run.x, and their signs; a reason where one is nan, else 0."""
    events = run.events
    evaluate_events(run, run.t, run.x)
    if run.failed > 0:
        return Reason.FAILED
    for i in range(run.event_count):
        value = events.values[i]
        if is_nan(value):
            events.number = i
            return Reason.NAN_EVENT
        events.before[i] = value
        if value != 0.0:
            events.sides[i] = 1.0 if value > 0.0 else -1.0
    return 0


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
            reason = _handle_events(run)
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
def write_samples(run: Run, end: float) -> int:
    """The states at the sample times up to one within the last step, on the constraints; a reason where one fails."""
    snap = SNAP * run.h if run.is_fixed > 0 else 0.0
    last = end if end < run.t else end + snap
    while run.next_sample < run.sample_count:
        t = run.times[run.next_sample]
        if t > last:
            break
        sample = at(run.samples, run.next_sample * run.size)
        source = run.x
        if t < run.t - snap:
            source = run.y
            if run.next_sample < run.samples_ready:
                for i in range(run.size):
                    run.y[i] = sample[i]
            else:
                reason = call(run.state_at, run, t, run.y, returns=int)
                if reason > 0:
                    return reason
            if run.is_constrained > 0:
                off = project(run, t, run.y)
                if off > 0:
                    return Reason.FAILED if off == Reason.FAILED else Reason.SAMPLE
        for i in range(run.size):
            sample[i] = source[i]
        run.next_sample += 1
    return 0


@native
def _check_samples(run: Run) -> int:
    """Compare the slope of the dense output with the rates at the samples inside of the step.

    Where they differ by too much the step is undone, to be taken again shorter. A reason to return, or GO_ON. The
    states are kept in the rows of the samples.
    """
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
            _undo_step(run)
            return GO_ON
        sample = at(run.samples, number * run.size)
        for i in range(run.size):
            sample[i] = run.y[i]
        number += 1
        run.samples_ready = number
    return GO_ON


@inline
def _undo_step(run):
    """Go back to the begin of the last step, and take a shorter one next."""
    copy(run, run.x_old, run.x)
    copy(run, run.f_old, run.f)
    if run.trace_count > 0 and run.trace_count <= run.trace_room:
        run.trace_count -= 1
    run.t = run.t_old
    run.steps -= 1
    run.rejected += 1
    run.h_cap = _SHORTER * run.taken
    run.look = 0
    run.dense_ready = 0
    run.pending = NOTHING


# ---- events --------------------------------------------------------------------------------------------------------


@native
def _handle_events(run: Run) -> int:
    """Log the events of the last step in their order, up to one that interrupts it; a reason to return, or GO_ON."""
    events = run.events
    logged = events.log_count
    events.active = run.event_count
    if events.kink_count > 0:
        if run.was_refused > 0:
            evaluate_events(run, run.t_old, run.x_old)
            for i in range(run.event_count - events.kink_count, run.event_count):
                events.before[i] = events.values[i]
                events.sides[i] = 1.0 if events.values[i] > 0.0 else -1.0
        else:
            events.active -= events.kink_count
    if events.corner_count > 0 and events.are_held == 0 and run.was_refused == 0:
        events.active -= events.corner_count
    if events.active == 0:
        return GO_ON
    found = scan(run)
    if run.failed > 0:
        return Reason.FAILED
    if found < 0:
        return Reason.ILL_CONDITIONED
    for i in range(events.active):
        if is_nan(events.values[i]):
            events.number = i
            return Reason.NAN_EVENT
    if found > 0:
        for i in range(events.active):
            if events.sides[i] == 0.0:
                value = event_value(run, i, fma(_FIRST_PART, run.t - run.t_old, run.t_old))
                events.sides[i] = 1.0 if value > 0.0 else (-1.0 if value < 0.0 else 0.0)
            if not is_nan(events.times[i]):
                reason = _search(run, i, run.t_old)
                if reason > 0:
                    return reason
        while True:
            first = _first(run)
            if first < 0:
                break
            t, kind = events.times[first], events.kinds[first]
            is_along = events.directions[first] * events.sides[first] <= 0.0
            if kind == KINKS and t - run.t_old < _SHORT * run.taken:
                is_along = False
            if is_along:
                if not events.log_count < events.log_room:
                    _locate_again(run, logged)
                    events.number = -1
                    return Reason.EVENT
                if kind != GOES_ON:
                    reason = _interrupt(run, t, first, kind)
                    if reason == Reason.PROJECT or reason == Reason.SAMPLE:
                        _locate_again(run, logged)
                    return reason
                logged_row = at(events.log, events.log_count * (run.size * 2 + HEAD))
                reason = _log_before(run, t, logged_row, 0)
                if reason > 0:
                    _locate_again(run, logged)
                    return reason
                logged_row[0] = t
                logged_row[1] = float(first)
                logged_row[2] = float(kind)
                logged_row[3] = float(run.next_sample)
                events.log_count += 1
            events.sides[first] = -events.sides[first]
            reason = _search(run, first, t)
            if reason > 0:
                return reason
    reason = _begin_events(run)
    if reason > 0:
        return reason
    for k in range(events.switch_count):
        number = run.event_count - events.switch_count + k
        if events.kinds[number] == SWITCHES and events.signs[k] == 0.0 and events.values[number] != 0.0:
            events.number = number
            return Reason.SWITCH
    return GO_ON


@inline
def _locate_again(run, logged):
    """All events of the step are located once more: the log has so many rows, and signs are those at its begin."""
    events = run.events
    events.log_count = logged
    for i in range(events.active):
        events.sides[i] = events.work[i * SEARCH_ROOM]


@inline
def _search(run, number, begin):
    """events.times[number] becomes the next zero of an event; a reason where it is nan."""
    events = run.events
    if events.smooth[number] > 0:
        events.times[number] = next_zero(run, number, begin, events.sides[number])
    else:
        events.times[number] = next_sign_change(run, number, begin, events.sides[number])
    if events.times[number] >= 1e300:
        events.number = number
        return Reason.FAILED if run.failed > 0 else Reason.NAN_EVENT
    return 0


@inline
def _first(run):
    """The event with the earliest zero, of several at one time one that changes no state; -1 where there is none."""
    events = run.events
    found, earliest = -1, 0.0
    for i in range(events.active):
        t = events.times[i]
        if not is_nan(t) and (found < 0 or t < earliest):
            found = i
            earliest = t
    latest = earliest + ZENO * largest(absolute(earliest), 1.0)
    for i in range(events.active):
        if found >= 0 and events.times[i] <= latest:
            kind = events.kinds[found]
            if kind > ENDS and kind <= CHANGES_BY_PYTHON and events.kinds[i] <= ENDS:
                found = i
    return found


@inline
def _log_before(run, t, row, is_constrained):
    """The state at an event into its row of the log, on the constraints if there are some; a reason, or 0."""
    before, source = at(row, HEAD), run.x
    if t < run.t:
        source = run.y
        reason = call(run.state_at, run, t, run.y, returns=int)
        if reason > 0:
            return reason
        if is_constrained > 0:
            off = project(run, t, run.y)
            if off > 0:
                return Reason.FAILED if off == Reason.FAILED else Reason.PROJECT
    for i in range(run.size):
        before[i] = source[i]
    return 0


@native
def _interrupt(run: Run, t: float, number: int, kind: int) -> int:
    """The run ends at an event, or goes on from another state; a reason to return, or GO_ON."""
    events, size = run.events, run.size
    logged = at(events.log, events.log_count * (size * 2 + HEAD))
    before = at(logged, HEAD)
    reason = _log_before(run, t, logged, run.is_constrained)
    if reason > 0:
        return reason
    reason = write_samples(run, t)
    if reason > 0:
        return reason
    logged[0] = t
    logged[1] = float(number)
    logged[2] = float(kind)
    logged[3] = float(run.next_sample)
    for i in range(size):
        run.x[i] = before[i]
    run.t = t
    run.pending = NOTHING
    events.number = number
    if run.limit_count > 0:
        reason = note_limits_inside(run)
        if reason > 0:
            return reason
    if kind >= SWITCHES:
        return _switch(run, number, kind)
    if kind == ENDS:
        events.log_count += 1
        return Reason.ENDED
    if t - events.changed_at <= ZENO * largest(absolute(t), 1.0) or kind == CHANGES_BY_PYTHON:
        return Reason.EVENT
    _change(run, number)
    return continue_after_event(run, number)


@native
def continue_after_event(run: Run, number: int) -> int:
    """Go on from run.x, which an event has changed; a reason to return, or GO_ON."""
    events, size = run.events, run.size
    after = at(events.log, events.log_count * (size * 2 + HEAD) + size + HEAD)
    if run.is_constrained > 0:
        off = project(run, run.t, run.x)
        if off > 0:
            return Reason.FAILED if off == Reason.FAILED else Reason.PROJECT
    for i in range(size):
        after[i] = run.x[i]
    events.log_count += 1
    events.changed_at = run.t
    return _go_on(run, number, events.sides[number])


@native
def _switch(run: Run, number: int, kind: int) -> int:
    """Go on behind a zero of a switch with the sign that the motion itself keeps; a reason to return, or GO_ON.

    Behind a zero of g the sign s of g is held still for which s dg/dt > 0 (Filippov). Where other switches vanish too,
    or no sign does, Python chooses.
    """
    events, size = run.events, run.size
    if kind == KINKS:
        events.kinks_passed += 1
        return _go_on_alike(run, number, -events.sides[number])
    if kind == CORNERS:
        return _pass_corner(run, number)
    first = run.event_count - events.switch_count
    after = at(events.log, events.log_count * (size * 2 + HEAD) + size + HEAD)
    for i in range(size):
        after[i] = run.x[i]
    events.log_count += 1
    before, chosen = events.sides[number], 0.0
    is_alone = True
    evaluate_events(run, run.t, run.x)
    for i in range(first, run.event_count - events.kink_count - events.corner_count):
        if i != number and absolute(events.values[i]) <= _NEAR_SWITCH * largest(1.0, absolute(events.before[i])):
            is_alone = False
    if is_alone:
        slope = _switch_slope(run, number, -before)
        if -before * slope > 0.0:
            chosen = -before
        else:
            slope = _switch_slope(run, number, before)
            if before * slope > 0.0:
                chosen = before
    if chosen == 0.0:
        events.number = number
        return Reason.SWITCH
    return _go_on_alike(run, number, chosen)


@native
def _pass_corner(run: Run, number: int) -> int:
    """Go on behind a corner of a table, in its next segment; a reason where its value jumps and the motion returns."""
    events = run.events
    events.kinks_passed += 1
    if events.located_corners > 0:
        events.located_corners -= 1
    k = number - (run.event_count - events.kink_count - events.corner_count)
    if events.corner_jumps[k] == 0:
        return _go_on_alike(run, number, 1.0)
    reason = rates(run, run.t, run.x, run.f)
    before = 0.0 if reason > 0 else argument_slope(run, k)
    reason = _go_on_alike(run, number, 1.0)
    if reason == GO_ON and before * argument_slope(run, k) < 0.0:
        events.number = number
        reason = Reason.SWITCH
    return reason


@inline
def _go_on_alike(run, number, side):
    """Begin anew with the state as it is, where events that are at their zeros too, to rounding, keep their signs."""
    events = run.events
    for i in range(run.event_count):
        events.times[i] = events.sides[i]
    reason = begin(run)
    if reason > 0:
        return reason
    for i in range(run.event_count):
        if events.times[i] != 0.0:
            events.sides[i] = events.times[i]
    events.sides[number] = side
    events.before[number] = 0.0
    return GO_ON


@inline
def _go_on(run, number, side):
    """Begin anew at an event, with this sign of it behind; a reason to return, or GO_ON.

    Other events that are zero there, to rounding, come with the sign that they take behind, or where they are still to
    occur at the same time with the sign that they have.
    """
    events, soon = run.events, run.t + ZENO * largest(absolute(run.t), 1.0)
    for i in range(run.event_count):
        is_still_to_occur = i < events.active and not is_nan(events.times[i]) and events.times[i] <= soon
        events.work[i * SEARCH_ROOM] = events.sides[i] if is_still_to_occur else 0.0
        events.times[i] = absolute(events.before[i])
    reason = begin(run)
    if reason > 0:
        return reason
    for i in range(run.event_count):
        if absolute(events.values[i]) <= _ZERO * largest(1.0, events.times[i]):
            events.sides[i] = events.work[i * SEARCH_ROOM]
            events.before[i] = 0.0
    events.sides[number] = side
    events.before[number] = 0.0
    for i in range(run.event_count - events.switch_count, run.event_count - events.kink_count - events.corner_count):
        if absolute(events.values[i]) <= _NEAR_SWITCH * largest(1.0, events.times[i]):
            events.number = i  # a sign in the rates vanishes at the same time: it is chosen for the state as it is now
            return Reason.SWITCH
    return GO_ON


@inline
def _switch_slope(run, number, sign):
    """How much a switch changes a little later where its sign is held at a value; nan where there are no rates."""
    events = run.events
    events.signs[number - (run.event_count - events.switch_count)] = sign
    reason = rates(run, run.t, run.x, run.f)
    evaluate_events(run, run.t, run.x)
    now = events.values[number]
    for block in blocks(run):
        run.y[block] = fma(LITTLE, run.f[block], run.x[block])
    evaluate_events(run, run.t + LITTLE, run.y)
    return NAN if reason > 0 else events.values[number] - now


@inline
def _change(run, number):
    """New values of some entries of the state, all from the state as it is."""
    events = run.events
    table = entry(events.change_arguments, number, Pointers)
    run.clock = run.t
    table[0] = run.x
    call(entry(events.change_at, number, Code), table)
    places, values = entry(events.change_places, number, Integers), entry(events.change_values, number, Array)
    for i in range(events.change_counts[number]):
        run.x[places[i]] = values[i]


@inline
def _pass_time_event(run):
    """Go on behind the next time event; -1, or a reason to return.

    Where the run cannot begin natively there it is left before it, as done; the caller goes on from there.
    """
    schedule = run.schedule
    k = schedule.next
    if not k < schedule.count:
        return Reason.DONE
    if run.t < schedule.before[k]:
        run.t_end = schedule.before[k]
        return -1
    t = schedule.times[k]
    while run.next_sample < run.sample_count and run.times[run.next_sample] <= t:
        sample = at(run.samples, run.next_sample * run.size)
        for i in range(run.size):
            sample[i] = run.x[i]
        run.next_sample += 1
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
