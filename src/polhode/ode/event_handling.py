"""Events of a run: where it begins, what happens at their zeros, and where it goes on from there.

All that is due at one time happens once, in this order: events without effect are logged; one may end the run; those
that change the state do so in the order of their numbers; signs, corners of tables and kinks in the rates are passed.
"""

from __future__ import annotations

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
from .event_location import (
    LITTLE,
    argument_slope,
    evaluate_events,
    evaluate_switches,
    event_value,
    hold_segments,
    next_sign_change,
    next_zero,
    scan,
)
from .limits import begin_limits, note_limits_inside
from .record import (
    AGAIN,
    CHANGES_BY_PYTHON,
    CORNERS,
    ENDS,
    EVENTS,
    FAR,
    GO_ON,
    GOES_ON,
    HEAD,
    KINKS,
    NOTHING,
    SEARCH_ROOM,
    SNAP,
    SWITCHES,
    ZENO,
    Reason,
    Run,
)  # fmt: skip
from .right_side import copy, project, rates
from .unilateral.record import BEHIND

#: A switch this near to zero, relative to its size before or to one, vanishes together with another.
_NEAR_SWITCH = 1e-12
#: An event that is zero at the begin of a step comes with the sign that it has after this part of it.
_FIRST_PART = 2.0**-10
#: A value this near to zero, relative to that before a change of the state or to one, is zero behind it.
_ZERO = 1e-12
#: A slope of this part of that before a change of the state is none.
_AT_REST = 1e-6
#: An event stays at zero where it is smaller than what such errors of the state, relative to its size or to one, make
#: of it, and changes in so many seconds by less than this part of that. Larger values than the last are not tested.
_ERROR, _MOMENT, _STILL, _SMALL = 1e-10, 1e-10, 1e-5, 1e-6
#: What is noted of each event where a run is interrupted, in its row of `Events.work`: whether it is due (1, `_CHANGES`
#: if it changes the state), not due, or at once after it (0); its value and slope before all changes, its
#: size at the begin of the step, and its sign; its value where it may stay at zero, and the change in a moment; 1 for a
#: guard that is below zero at the end of the step.
_DUE, _VALUE, _SLOPE, _SIZE, _SIDE, _REST, _CHANGE, _FALLS = 1, 2, 3, 4, 5, 6, 7, 8
_NOT_DUE, _CHANGES = -1.0, 2.0
#: A guard of a unilateral row below minus this does not hold.
_VIOLATED = 1e-9
#: A kink in this first part of a step is left inside of it.
_SHORT = 1e-2
#: A step in which a sign and a kink change is taken again up to there, but for this last part of it; and less by this
#: factor where it was not much longer, for methods with stages beyond the end.
_LAST_PART, _LESS, _NOT_LONGER = 1e-4, 0.95, 0.1


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
    events, resting = run.events, 0
    evaluate_events(run, run.t, run.x)
    for i in range(run.event_count - events.switch_count):
        if absolute(events.values[i]) <= _SMALL and (events.sides[i] == 0.0 or events.near[i] > 0.0):
            resting += 1
    if resting > 0:
        _hold_at_zero(run)
    if run.failed > 0:
        return Reason.FAILED
    for i in range(run.event_count):
        value = events.values[i]
        if is_nan(value):
            events.number = i
            return Reason.NAN_EVENT
        events.before[i] = value
        if absolute(value) > events.near[i]:
            events.sides[i] = 1.0 if value > 0.0 else -1.0
            events.near[i] = 0.0
    if events.guard_count > 0:
        end = run.event_count - events.switch_count
        for i in range(end - events.guard_count, end):
            events.sides[i] = 1.0  # a mode holds where it begins, or is decided anew
            events.near[i] = run.unilateral.near if absolute(events.values[i]) <= run.unilateral.near else 0.0
            if events.values[i] < -_VIOLATED and run.unilateral.is_undecided == 0:
                run.unilateral.is_undecided = 1
        for k in range(run.unilateral.count):
            if run.unilateral.held[k] == BEHIND and run.unilateral.margins[k] <= 0.0:
                run.unilateral.held[k] = 0
    return 0


@native
def _hold_at_zero(run: Run) -> int:
    """Events that are zero at run.x, and stay so, count as zero within errors of the state; run.events.values stay."""
    events, count, sign, part = run.events, run.event_count - run.events.switch_count, 1.0, 0.5
    for block in blocks(run):
        run.y[block] = fma(_MOMENT, run.f[block], run.x[block])
    for i in range(count):
        at(events.work, i * SEARCH_ROOM)[_REST] = events.values[i]
    evaluate_events(run, run.t + _MOMENT, run.y)
    for i in range(count):
        row = at(events.work, i * SEARCH_ROOM)
        row[_CHANGE] = absolute(events.values[i] - row[_REST])
    for i in range(run.size):
        run.y[i] = fma(sign * part * _ERROR, 1.0 + absolute(run.x[i]), run.x[i])
        sign = -sign
        part = part + 0.618 if part < 0.882 else part - 0.382
    evaluate_events(run, run.t, run.y)
    for i in range(count):
        row = at(events.work, i * SEARCH_ROOM)
        error = absolute(events.values[i] - row[_REST])
        is_there = events.sides[i] == 0.0 or events.near[i] > 0.0 or events.before[i] == 0.0
        if is_there and absolute(row[_REST]) <= error and row[_CHANGE] <= _STILL * error:
            events.near[i] = error
    evaluate_events(run, run.t, run.x)
    return 0


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
def handle_events(run: Run) -> int:
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
    found, first_guard = scan(run), run.event_count - events.switch_count - events.guard_count
    if run.failed > 0:
        return Reason.FAILED
    if found < 0:
        return Reason.ILL_CONDITIONED
    for i in range(events.active):
        if is_nan(events.values[i]):
            events.number = i
            return Reason.NAN_EVENT
    if found > 0:
        events.limit = FAR
        for j in range(events.active):
            is_guard = j >= first_guard and j < first_guard + events.guard_count
            at(events.work, j * SEARCH_ROOM)[_FALLS] = 1.0 if is_guard and events.values[j] < 0.0 else 0.0
        for falls in (1.0, 0.0):  # guards that end below zero come first: at the earliest the step ends
            for i in range(events.active):
                if not is_nan(events.times[i]) and at(events.work, i * SEARCH_ROOM)[_FALLS] == falls:
                    if events.sides[i] == 0.0:
                        value = event_value(run, i, fma(_FIRST_PART, run.t - run.t_old, run.t_old))
                        events.sides[i] = 1.0 if value > events.near[i] else (-1.0 if value < -events.near[i] else 0.0)
                    reason = _search(run, i, run.t_old)
                    if reason > 0:
                        return reason
                    t = events.times[i]
                    if i >= first_guard and i < first_guard + events.guard_count and t < events.limit:  # of nan False
                        events.limit = t + ZENO * largest(1.0, absolute(t))
        while True:
            first = _first(run)
            if first < 0:
                break
            t, kind = events.times[first], events.kinds[first]
            is_along = events.directions[first] * events.sides[first] <= 0.0
            if kind == KINKS and t - run.t_old < _SHORT * run.taken:
                is_along = False
            if is_along:
                if kind == SWITCHES and events.kink_count > 0 and may_be_shorter(run, t) and _passes_kink(run, t):
                    return AGAIN
                if not events.log_count < events.log_room:
                    locate_again(run, logged)
                    events.number = -1
                    return Reason.EVENT
                if kind != GOES_ON:
                    reason = _interrupt(run, t, first, kind)
                    if run.pending == EVENTS:
                        locate_again(run, logged)
                    return reason
                logged_row = at(events.log, events.log_count * (run.size * 2 + HEAD))
                reason = _log_before(run, t, logged_row, 0)
                if reason > 0:
                    locate_again(run, logged)
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
            for i in range(run.event_count - events.switch_count):
                row = at(events.work, i * SEARCH_ROOM)
                row[_DUE] = 0.0
                row[_VALUE] = 0.0
                row[_SIZE] = 0.0
                row[_SIDE] = events.sides[i]
            return Reason.SWITCH
    return GO_ON


@inline
def may_be_shorter(run, t):
    """True for a step that was chosen, if its begin and a time in it are not one time."""
    return run.rtol > 0.0 and run.is_fixed == 0 and t - run.t_old > ZENO * largest(1.0, absolute(t))


@native
def _passes_kink(run: Run, t: float) -> bool:
    """True if the last step passes a kink of the rates, where its dense output is wrong; run.h_next leads up to t."""
    events, passed, part = run.events, False, t - run.t_old
    run.h_next = _LESS * part if part > _NOT_LONGER * run.taken else part
    evaluate_switches(run, run.t_old, run.x_old)
    for i in range(run.event_count - events.kink_count, run.event_count):
        events.before[i] = events.values[i]
    evaluate_switches(run, run.t, run.x)
    for i in range(run.event_count - events.kink_count, run.event_count):
        passed = passed or events.before[i] * events.values[i] < 0.0
    return passed and run.t - t > _LAST_PART * run.taken


@inline
def locate_again(run, logged):
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
    """The event with the earliest zero, of several at one time one that interrupts the run; -1 where there is none."""
    events = run.events
    found, earliest = -1, 0.0
    for i in range(events.active):
        t = events.times[i]
        if not is_nan(t) and (found < 0 or t < earliest):
            found = i
            earliest = t
    latest = earliest + ZENO * largest(absolute(earliest), 1.0)
    for i in range(events.active):
        if found >= 0 and events.kinds[found] == GOES_ON and events.kinds[i] != GOES_ON and events.times[i] <= latest:
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


@inline
def _begin_row(run, number):
    """The next row of the log: an event at the state as it is, which it leaves as it is."""
    events, size = run.events, run.size
    row = at(events.log, events.log_count * (size * 2 + HEAD))
    row[0] = run.t
    row[1] = float(number)
    row[2] = float(events.kinds[number])
    row[3] = float(run.next_sample)
    for i in range(size):
        row[HEAD + i] = run.x[i]
        row[HEAD + size + i] = run.x[i]


@inline
def write_state(run, end):
    """The state as it is at the samples up to a time."""
    while run.next_sample < run.sample_count and run.times[run.next_sample] <= end:
        sample = at(run.samples, run.next_sample * run.size)
        for i in range(run.size):
            sample[i] = run.x[i]
        run.next_sample += 1


@native
def _interrupt(run: Run, t: float, number: int, kind: int) -> int:
    """All that happens at the time of an event: a reason to return, or GO_ON.

    Events that are due are logged; one of them may end the run; else those that change the state do so in their order,
    each the state that the one before it left, unless its function was moved away from zero; then signs, corners and
    kinks of the rates are passed. A sample at this time is the state behind all changes.
    """
    events = run.events
    count, near = run.event_count - events.switch_count, ZENO * largest(absolute(t), 1.0)
    reason = write_samples(run, t - near if count > 0 else t)
    if reason > 0:
        return reason
    has_changes = False
    for i in range(count):
        has_changes = has_changes or (events.times[i] <= t + near and events.kinds[i] > ENDS)
    if has_changes:  # they are at a sample, or at the end of the segment, before a sampled law acts
        while run.next_sample > 0 and run.times[run.next_sample - 1] >= largest(run.t_old, t - near):
            run.next_sample -= 1
        if run.next_sample < run.sample_count and run.times[run.next_sample] <= t + near:
            t = run.times[run.next_sample]
        elif run.t >= run.t_end and run.t - t <= near:
            t = run.t
    logged = at(events.log, events.log_count * (run.size * 2 + HEAD))
    reason = _log_before(run, t, logged, run.is_constrained)
    if reason > 0:
        return reason
    rested = events.near[number]
    if absolute(event_value(run, number, 0.5 * (run.t_old + t))) > rested:
        rested = 0.0
    due = _mark_due(run, t, t + near)
    if due < 0:
        return -due
    events.near[number] = rested  # one that has changed the state, and did not leave zero, follows itself
    if events.log_count + due + int(kind >= SWITCHES) > events.log_room:
        events.number = -1
        return Reason.EVENT
    for i in range(run.size):
        run.x[i] = logged[HEAD + i]
    run.t = t
    run.pending = NOTHING
    events.number = number
    if run.limit_count > 0:
        reason = note_limits_inside(run)
        if reason > 0:
            return reason
    evaluate_events(run, t, run.x)
    ends, changes = -1, 0
    for i in range(count):
        row = at(events.work, i * SEARCH_ROOM)
        if row[_DUE] > 0.0:
            row[_VALUE] = absolute(events.values[i])
            if events.directions[i] * events.sides[i] <= 0.0:
                if events.kinds[i] == GOES_ON:
                    _begin_row(run, i)
                    events.log_count += 1
                    row[_SIDE] = -row[_SIDE]
                elif events.kinds[i] == ENDS:
                    ends = i if ends < 0 else ends
                else:
                    changes += 1
                    row[_DUE] = _CHANGES
    if ends >= 0:
        write_state(run, run.t)
        for i in range(count):
            is_along = events.directions[i] * events.sides[i] <= 0.0
            if events.kinds[i] == ENDS and is_along and at(events.work, i * SEARCH_ROOM)[_DUE] > 0.0:
                _begin_row(run, i)
                events.log_count += 1
        events.number = ends
        return Reason.ENDED
    if changes > 0:
        events.first_change = events.log_count
        return _change_from(run, 0)
    write_state(run, run.t)
    return _switch(run, number, kind)


@native
def _mark_due(run: Run, t: float, latest: float) -> int:
    """Note for each event of a user whether it is due at t; how many are, or minus a reason."""
    events = run.events
    count, due = run.event_count - events.switch_count, 0
    if count > 0:
        if t < run.t:
            reason = call(run.state_at, run, t, run.y, returns=int)
            if reason > 0:
                return -reason
        else:
            copy(run, run.x, run.y)
        evaluate_events(run, t, run.y)
        for i in range(count):
            row = at(events.work, i * SEARCH_ROOM)
            row[_VALUE] = events.values[i]
            row[_SIZE] = absolute(events.before[i])
            row[_SIDE] = events.sides[i]
        if run.failed == 0 and rates(run, t, run.y, run.f) == 0:
            for block in blocks(run):
                run.y[block] = fma(LITTLE, run.f[block], run.y[block])
            evaluate_events(run, t + LITTLE, run.y)
        if run.failed > 0:
            return -Reason.FAILED
        for i in range(count):
            row = at(events.work, i * SEARCH_ROOM)
            row[_SLOPE] = events.values[i] - row[_VALUE]
            is_due = events.times[i] <= latest  # of nan False
            if row[_SIDE] * row[_SLOPE] < 0.0:
                is_due = is_due or absolute(row[_VALUE]) * LITTLE <= (latest - t) * absolute(row[_SLOPE])
            is_near = absolute(row[_VALUE]) <= _ZERO * largest(1.0, row[_SIZE])
            row[_VALUE] = 0.0
            row[_DUE] = 0.0
            events.near[i] = 0.0
            if is_due:
                row[_DUE] = 1.0
                due += 1
            elif is_nan(events.times[i]) or not is_near:
                row[_DUE] = _NOT_DUE
    return due


@native
def _change_from(run: Run, first: int) -> int:
    """Change the state by the events from one on that are due; a reason to return, or GO_ON."""
    events = run.events
    is_soon = run.t - events.changed_at <= ZENO * largest(absolute(run.t), 1.0)
    for i in range(first, run.event_count - events.switch_count):
        if at(events.work, i * SEARCH_ROOM)[_DUE] == _CHANGES:
            evaluate_events(run, run.t, run.x)
            if run.failed > 0:
                return Reason.FAILED
            if _is_at_zero(run, i):
                _begin_row(run, i)
                events.number = i
                if is_soon or events.near[i] > 0.0 or events.kinds[i] == CHANGES_BY_PYTHON:
                    return Reason.EVENT
                _change(run, i)
                reason = _end_row(run)
                if reason > 0:
                    return reason
            else:
                at(events.work, i * SEARCH_ROOM)[_DUE] = 0.0
    return _go_on(run)


@inline
def _is_at_zero(run, number):
    """True if an event, evaluated at the state as it is, is as near to zero as it was before all changes."""
    row = at(run.events.work, number * SEARCH_ROOM)
    return absolute(run.events.values[number]) <= row[_VALUE] + _ZERO * largest(1.0, row[_SIZE])


@inline
def _end_row(run):
    """Project the state that an event has changed, and log it; a reason to return, or 0."""
    events, size = run.events, run.size
    for i in range(size):
        if run.x[i] - run.x[i] != 0.0:
            return Reason.NAN_EVENT
    if run.has_unilateral > 0:
        if events.number < run.event_count - events.switch_count - events.guard_count:
            run.unilateral.is_undecided = 2
    elif run.is_constrained > 0:
        off = project(run, run.t, run.x)
        if off > 0:
            return Reason.FAILED if off == Reason.FAILED else Reason.PROJECT
    after = at(events.log, events.log_count * (size * 2 + HEAD) + size + HEAD)
    for i in range(size):
        after[i] = run.x[i]
    events.log_count += 1
    return 0


@native
def continue_after_event(run: Run, number: int) -> int:
    """Go on from run.x, which an event has changed; a reason to return, or GO_ON."""
    reason = _end_row(run)
    return reason if reason > 0 else _change_from(run, number + 1)


@inline
def _go_on(run):
    """Begin anew with a state that events have changed; a reason to return, or GO_ON."""
    events = run.events
    first, end = run.event_count - events.switch_count, run.event_count - events.kink_count - events.corner_count
    events.changed_at = run.t
    events.last_changes = events.first_change
    evaluate_events(run, run.t, run.x)
    number = -1
    for i in range(first, end):
        if absolute(events.values[i]) <= _NEAR_SWITCH * largest(1.0, absolute(events.before[i])):
            number = i if number < 0 else number
        else:
            events.signs[i - first] = 1.0 if events.values[i] > 0.0 else -1.0
    reason = begin_behind_event(run)
    if reason > 0:
        return reason
    write_state(run, run.t)
    if number >= 0:
        events.number = number  # a sign in the rates vanishes at the same time: it is chosen for the state as it is now
        return Reason.SWITCH
    return GO_ON


@native
def begin_behind_event(run: Run) -> int:
    """Begin anew at events, with the signs that they have behind their zeros; a reason, or 0.

    An event that is at its zero has the sign of its slope there. One that changed the state and left itself without a
    slope has the sign with which it came: where it goes through, it follows itself without end. One whose zero comes
    later in the last step keeps its sign.
    """
    events = run.events
    count, due = run.event_count - events.switch_count, 0
    reason = begin(run)
    if reason > 0:
        return reason
    for i in range(count):
        events.times[i] = events.values[i]
        if at(events.work, i * SEARCH_ROOM)[_DUE] != 0.0 and _is_at_zero(run, i):
            due += 1
    if due > 0:
        for block in blocks(run):
            run.y[block] = fma(LITTLE, run.f[block], run.x[block])
        evaluate_events(run, run.t + LITTLE, run.y)
        if run.failed > 0:
            return Reason.FAILED
    for i in range(count):
        row, slope = at(events.work, i * SEARCH_ROOM), events.values[i] - events.times[i]
        events.values[i] = events.times[i]
        if _is_at_zero(run, i):
            events.sides[i] = row[_SIDE]
            events.before[i] = 0.0
            events.near[i] = absolute(events.times[i])
            if row[_DUE] != 0.0:
                if absolute(slope) > _AT_REST * absolute(row[_SLOPE]):
                    events.sides[i] = 1.0 if slope > 0.0 else -1.0
                elif row[_DUE] != _CHANGES:
                    events.sides[i] = 0.0
    if due > 0:
        _hold_at_zero(run)
    for k in range(count - events.guard_count, count):
        events.sides[k] = 1.0
        events.before[k] = events.values[k]
        events.near[k] = run.unilateral.near
    return Reason.FAILED if run.failed > 0 else 0


@native
def _switch(run: Run, number: int, kind: int) -> int:
    """Go on behind a zero of a switch with the sign that the motion itself keeps; a reason to return, or GO_ON.

    Behind a zero of g the sign s of g is held still for which s dg/dt > 0 (Filippov). Where other switches vanish too,
    or no sign does, Python chooses.
    """
    events = run.events
    if kind == KINKS:
        events.kinks_passed += 1
        return _go_on_alike(run, number, -events.sides[number])
    if kind == CORNERS:
        return _pass_corner(run, number)
    first = run.event_count - events.switch_count
    _begin_row(run, number)
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
    """Begin anew with the state as it is, where signs of the rates keep theirs but for one; a reason, or GO_ON."""
    events = run.events
    for i in range(run.event_count - events.switch_count, run.event_count):
        at(events.work, i * SEARCH_ROOM)[_SIDE] = events.sides[i]
    reason = begin_behind_event(run)
    if reason > 0:
        return reason
    for i in range(run.event_count - events.switch_count, run.event_count):
        if at(events.work, i * SEARCH_ROOM)[_SIDE] != 0.0:
            events.sides[i] = at(events.work, i * SEARCH_ROOM)[_SIDE]
    events.sides[number] = side
    events.before[number] = 0.0
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
