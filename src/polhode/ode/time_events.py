"""Times at which what drives a run jumps: the run begins anew there, with the step that it wanted."""

from __future__ import annotations

from ..native.language import Array, at, call, entry, inline
from .record import Reason


@inline
def pass_time_event(run, begin):
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
