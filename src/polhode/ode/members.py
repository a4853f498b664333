"""Many runs one after the other, in as many threads as there are.

Each member has a start, a row of the work array (its parameters), rows of the arrays that are its own (efforts, inputs)
and a place for its samples; with constraints the signs of the pivots there. Other
functions that a run calls, derivatives and checks, have tables of pointers of their own: their entries for rows of
members are listed as `targets`. All else, memory included, is the run's. A thread that is free takes the next member.
A member that native code cannot bring to its end leaves the reason.
"""

from __future__ import annotations

from ..native.language import Array, Integers, Pointers, Struct, at, entry, inline, native, smallest, take_next
from .event_handling import begin
from .loop import advance
from .record import HEAD, Reason, Run

#: Arrays that each member may have rows of: the work array, efforts, inputs.
OWN = ("work", "tau", "inputs")
#: No member.
NONE = -1


class Members(Struct):
    """Members, and what becomes of each."""

    next: Integers  # the next member, for all threads
    end: int
    starts: Array
    states: Array
    reasons: Integers
    steps: Integers
    evaluations: Integers
    most_steps: int
    allowed: int
    current: int
    limits: Array
    limits_noted: Array
    signs: Array
    logs: Array
    log_counts: Integers
    target_count: int
    targets: Pointers
    target_rows: Pointers
    target_strides: Integers
    # rows of the arrays of `OWN`, their lengths (0 for none), and their places in the table of arguments
    own_rows: Pointers
    own_strides: Integers
    own_places: Integers
    # members that go a step at a time, the first of a thread: their times and bounds, and the steps that they want next
    run: Run
    first: int
    substeps: int
    times: Array
    bounds: Array
    lengths: Array
    sides: Array  # of events, each with what is near to zero for it
    noted: Array  # of limits, in the step that is taken


@native
def step_members(members: Members, dt: float) -> int:
    """Take members whose reason is 0 a time dt further, up to their bounds; how many have another reason."""
    run, stopped = members.run, 0
    for member in range(members.first, members.end):
        if members.reasons[member] == 0 and members.times[member] < members.bounds[member]:
            members.current = member
            _start(run, members)
            run.t = members.times[member]
            run.origin = run.t
            run.t_end = smallest(run.t + dt, members.bounds[member])
            run.h = dt / float(members.substeps) if run.is_fixed > 0 else members.lengths[member]
            if run.sample_count > 0:
                # the end is projected
                run.times[0] = run.t_end
                run.samples = run.y
            for i in range(run.event_count):
                run.events.sides[i] = members.sides[2 * (member * run.event_count + i)]
                run.events.near[i] = members.sides[2 * (member * run.event_count + i) + 1]
            noted = at(members.limits_noted, member * run.limit_count * 2)
            for i in range(run.limit_count * 2):
                members.noted[i] = noted[i]
            run.limits_noted = members.noted
            reason = begin(run)
            while reason == 0 and run.t < run.t_end:
                reason = advance(run)
                if reason == Reason.LOOK:
                    reason = 0
            if reason == 0 or reason == Reason.ENDED:
                members.times[member] = run.t
                members.lengths[member] = run.h
                for i in range(run.size):
                    members.starts[member * run.size + i] = run.x[i]
                for i in range(run.event_count):
                    members.sides[2 * (member * run.event_count + i)] = run.events.sides[i]
                    members.sides[2 * (member * run.event_count + i) + 1] = run.events.near[i]
                for i in range(run.limit_count * 2):
                    noted[i] = members.noted[i]
            if run.event_count > 0:
                members.log_counts[member] = run.events.log_count
            members.reasons[member] = reason
        if members.reasons[member] > 0:
            stopped += 1
    return stopped


@native
def run_members(run: Run, members: Members) -> int:
    """Run members from t = 0 to run.t_end; 1 after the steps that were allowed, 0 where no member is left."""
    while True:
        if members.allowed <= 0:
            return 1
        reason = 0
        if members.current == NONE:
            members.current = next_member(members)
            if members.current == NONE:
                return 0
            _start(run, members)
            reason = begin(run)
        if reason == 0:
            done, allowed = run.steps, members.allowed
            left = members.most_steps - done
            run.budget = left if left < allowed else allowed
            reason = advance(run)
            members.allowed = allowed - (run.steps - done)
        if not (reason == Reason.BUDGET and run.steps < members.most_steps):
            if run.event_count > 0:
                members.log_counts[members.current] = run.events.log_count
            note_end(members, run, members.current, reason)
            members.current = NONE
            # one that took no step has its cost too
            members.allowed -= 1


@inline
def next_member(members):
    """A member that no thread has taken yet; NONE where there is none."""
    member = take_next(members.next)
    return member if member < members.end else NONE


@inline
def reset(run, members, member):
    """The record of a run that is about to begin as this member, but for its state and arrays of its own."""
    run.t = 0.0
    run.t_old = 0.0
    if run.is_fixed == 0:
        run.h = 0.0
    run.number = 0
    run.is_inside = 0
    run.after_rejection = 0
    run.look = 0
    run.steps = 0
    run.rejected = 0
    run.evaluations = 0
    run.next_sample = 0
    run.budget = members.most_steps
    # the first state of each member is its start
    run.samples = at(members.states, (member * (run.sample_count + 1) + 1) * run.size)
    if run.limit_count > 0:
        run.limits = at(members.limits, member * run.limit_count * 2)
        run.limits_noted = at(members.limits_noted, member * run.limit_count * 2)


@inline
def note_end(members, run, member, reason):
    """Why a member came to its end, and how many steps and evaluations it took."""
    members.reasons[member] = reason
    members.steps[member] = run.steps
    members.evaluations[member] = run.evaluations


@inline
def _start(run, members):
    """Begin as the current member."""
    member = members.current
    for k in range(len(OWN)):
        if members.own_strides[k] > 0:
            run.arguments[members.own_places[k]] = at(
                entry(members.own_rows, k, Array), member * members.own_strides[k]
            )
    for k in range(members.target_count):
        own = at(entry(members.target_rows, k, Array), member * members.target_strides[k])
        entry(members.targets, k, Pointers)[0] = own
    for i in range(run.pivot_count):
        run.usual_pivots[i] = 0.0
        run.pivot_signs[i] = members.signs[member * run.pivot_count + i]
    run.pose_reach = 0.0
    if run.event_count > 0:
        events = run.events
        events.log = at(members.logs, member * events.log_room * (run.size * 2 + HEAD))
        events.log_count = 0
        events.changed_at = -1e300
        events.last_changes = 0
        events.located_corners = 0
        events.refused_corners = 0
        for i in range(run.event_count):
            events.sides[i] = 0.0
            events.near[i] = 0.0
    reset(run, members, member)
    start = at(members.starts, member * run.size)
    for i in range(run.size):
        run.x[i] = start[i]
