"""Many runs one after the other in native code: ph_members(run, members).

Each member has a start, a row of the work array (its parameters), rows of the arrays that are its own (efforts, inputs)
and a place for its samples; with constraints the pivots that were seen around its start, and their signs. Other
functions that a run calls, derivatives and checks, have tables of pointers of their own: their entries for rows of
members are listed as `targets`. All else, memory included, is the run's. Whoever is free takes the next member, in
whatever thread. A member that native code cannot bring to its end leaves the reason; it is begun from the same place by
whoever wants to know more. `ph_members` comes back with 1 after the steps that were allowed, and is entered again; with
0 where no member is left.
"""

from __future__ import annotations

from ..codegen.llvm.builder import INTEGER, POINTER, Function, Layout, Record, Value
from .events import GO_ON, begin_events, event_functions, note_events
from .limits import limit_functions, note_limits_functions
from .run_record import RUN, Reason

#: Arrays that each member may have rows of: the work array, efforts, inputs.
OWN = ("work", "tau", "inputs")
#: No member.
NONE = -1

MEMBERS = Layout(
    next=POINTER, end=INTEGER, starts=POINTER, states=POINTER, reasons=POINTER, steps=POINTER, evaluations=POINTER,
    most_steps=INTEGER, allowed=INTEGER, current=INTEGER, limits=POINTER, limits_noted=POINTER,
    pivots=POINTER, signs=POINTER, target_count=INTEGER, targets=POINTER, target_rows=POINTER, target_strides=POINTER,
    **{f"{name}_rows": POINTER for name in OWN},
    **{f"{name}_stride": INTEGER for name in OWN},
    **{f"{name}_index": INTEGER for name in OWN},
)  # fmt: skip


def run_functions(fused: bool) -> list[Function]:
    """What is the same for all methods: limits are noted, events are handled, members are run."""
    limits = [*limit_functions(RUN, fused=fused), *note_limits_functions(RUN, fused)]
    return [*limits, *event_functions(fused), members_function(fused)]


def members_function(fused: bool) -> Function:
    """Run members from t = 0 to run.t_end, as long as steps are allowed and there are members."""
    f = Function("ph_members", returns=INTEGER, fused=fused, run=POINTER, members=POINTER)
    own = f.arguments
    run, members = Record(RUN, own["run"]), Record(MEMBERS, own["members"])
    with f.repeat():
        with f.when(members.allowed <= 0):
            f.give(1)
        reason = f.variable(0)
        with f.when(members.current.equals(NONE)):
            members.current = next_member(f, members)
            with f.when(members.current.equals(NONE)):
                f.give(0)
            _start(f, run, members)
            reason.value = f.call("ph_begin", INTEGER, own["run"])
        with f.when(reason.value.equals(0)):
            done, allowed = run.steps, members.allowed
            left = members.most_steps - done
            run.budget = f.select(left < allowed, left, allowed)
            reason.value = f.call("ph_advance", INTEGER, own["run"])
            members.allowed = allowed - (run.steps - done)
        is_handled = f.variable(False, "i1")
        with f.when(reason.value.equals(Reason.CROSSING) & (run.handles_events > 0)):
            reason.value = f.call("ph_events", INTEGER, own["run"])
            is_handled.value = reason.value.equals(GO_ON)
        is_cut = reason.value.equals(Reason.BUDGET) & (run.steps < members.most_steps)
        with f.when(~(is_cut | is_handled.value)):
            note_events(f, run, members.current)
            note_end(members, run, members.current, reason.value)
            members.current = NONE
            # one that took no step has its cost too
            members.allowed = members.allowed - 1
    return f


def next_member(f: Function, members: Record) -> Value:
    """A member that nobody has taken yet; NONE where there is none."""
    member = members.next.take_next()
    return f.select(member < members.end, member, NONE)


def reset(f: Function, run: Record, members: Record, member: Value) -> None:
    """The record of a run that is about to begin as this member, but for its state and arrays of its own."""
    run.t = 0.0
    run.t_old = 0.0
    run.h = 0.0
    run.after_rejection = 0
    run.look = 0
    run.steps = 0
    run.rejected = 0
    run.evaluations = 0
    run.next_sample = 0
    run.budget = members.most_steps
    # the first state of each member is its start
    run.samples = members.states.at((member * (run.sample_count + 1) + 1) * run.size)
    with f.when(run.limit_count > 0):
        run.limits = members.limits.at(member * run.limit_count * 2)
        run.limits_noted = members.limits_noted.at(member * run.limit_count * 2)


def note_end(members: Record, run: Record, member: Value, reason: Value) -> None:
    """Why a member came to its end, and how many steps and evaluations it took."""
    members.reasons.store(member, reason, INTEGER)
    members.steps.store(member, run.steps, INTEGER)
    members.evaluations.store(member, run.evaluations, INTEGER)


def _start(f: Function, run: Record, members: Record) -> None:
    """Begin as the current member."""
    member = members.current
    for name in OWN:
        stride = getattr(members, f"{name}_stride")
        with f.when(stride > 0):
            row = getattr(members, f"{name}_rows").at(member * stride)
            run.arguments.store(getattr(members, f"{name}_index"), row, POINTER)
    with f.loop(members.target_count) as k:
        row = members.target_rows.load(k, POINTER).at(member * members.target_strides.load(k, INTEGER))
        members.targets.load(k, POINTER).store(0, row, POINTER)
    with f.loop(run.pivot_count) as i:
        run.largest_pivots[i] = members.pivots[member * run.pivot_count + i]
        run.pivot_signs[i] = members.signs[member * run.pivot_count + i]
    run.pose_known = 0
    begin_events(f, run, member)
    reset(f, run, members, member)
    start = members.starts.at(member * run.size)
    with f.loop(run.size) as i:
        run.x[i] = start[i]
