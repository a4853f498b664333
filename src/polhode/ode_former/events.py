"""Events of a member of a batch, handled by native code: where they are zero, what they change, and a log of them.

What `simulate.events` and `simulate.roots` do for a run alone is done here by the same operations in the same order, so
that a member has the same bits. Where something is to be told (an event is nan, or follows itself without end), or the
log is full, the member is left to Python.

    ph_value(run, number, t)            the value of an event on the interpolant of the last step
    ph_root(run, number, before, after) where it is zero; nan where it has no value
    ph_events(run)                      after a step in which some changed their signs: GO_ON, ENDED or CROSSING
"""

from __future__ import annotations

from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, Function, Layout, Record, Value
from .run_record import RUN, Reason, evaluate_events, write_samples_until

#: What handles the events of a run. For each event: whether the run goes on (0), ends (1) or goes on from another state
#: (2); the function of its new values, their number, where they go, and from where; when it happened in the last step,
#: and on which side it came. `sides` are those that events left when they changed the state. A row of the log has the
#: time, the number of the event, its kind, the samples before it, and the states before and after.
EVENTS = Layout(
    kinds=POINTER, change_at=POINTER, change_arguments=POINTER, change_counts=POINTER, change_places=POINTER,
    change_values=POINTER, when=POINTER, came_from=POINTER, after=POINTER, sides=POINTER,
    log=POINTER, log_room=INTEGER, log_counts=POINTER, logs=POINTER, log_count=INTEGER, changed_at=DOUBLE,
)  # fmt: skip
GOES_ON, ENDS, CHANGES = 0, 1, 2
#: What `ph_events` gives where the run goes on.
GO_ON = -1
#: Numbers of a row of the log before its states.
HEAD = 4
#: A zero is known to this, in seconds, and to this part of the time.
CLOSE, PART = 1e-15, 1e-14
#: So often a step is halved to find where an event has left the zero at its begin.
HALVINGS = 40
#: Changes of the state that follow each other so soon never end.
ZENO = 1e-12
_NAN = float("nan")


def event_functions(fused: bool) -> list[Function]:
    """What `ph_members` calls."""
    return [_value(fused), _root(fused), _once_more(fused), _events(fused)]


def begin_events(f: Function, run: Record, member: Value) -> None:
    """A member is about to begin: nothing has happened to it."""
    with f.when(run.handles_events > 0):
        handler = Record(EVENTS, run.events_handler)
        handler.log = handler.logs.at(member * handler.log_room * (run.size * 2 + HEAD))
        handler.log_count = 0
        handler.changed_at = -1e300
        with f.loop(run.event_count) as i:
            handler.sides[i] = 0.0
            run.event_sides[i] = 0.0


def note_events(f: Function, run: Record, member: Value) -> None:
    """How much there is in the log of a member that is at its end."""
    with f.when(run.handles_events > 0):
        handler = Record(EVENTS, run.events_handler)
        handler.log_counts.store(member, handler.log_count, INTEGER)


def _value(fused: bool) -> Function:
    f = Function("ph_value", returns=DOUBLE, fused=fused, internal=True, run=POINTER, number=INTEGER, t=DOUBLE)
    run, t = Record(RUN, f.arguments["run"]), f.arguments["t"]
    reason = f.call("ph_state_at", INTEGER, f.arguments["run"], t, run.y)
    with f.when(reason > 0):
        f.give(f.of_kind(DOUBLE, _NAN))
    evaluate_events(f, run, t, run.y)
    f.give(run.event_values[f.arguments["number"]])
    return f


def _root(fused: bool) -> Function:
    """Chandrupatla's method, as `simulate.roots.find_root` has it."""
    f = Function(
        "ph_root", returns=DOUBLE, fused=fused, internal=True, run=POINTER, number=INTEGER, before=DOUBLE, after=DOUBLE
    )
    own = f.arguments

    def value(t: Value) -> Value:
        found = f.call("ph_value", DOUBLE, own["run"], own["number"], t)
        with f.when(~found.equals(found)):
            f.give(found)
        return found

    a, b = f.variable(own["after"]), f.variable(own["before"])
    fa, fb = f.variable(value(a.value)), f.variable(value(b.value))
    opposite = ((fa.value < 0.0) & (fb.value > 0.0)) | ((fb.value < 0.0) & (fa.value > 0.0))
    with f.when(~opposite):
        f.give(own["before"])
    part, c, fc = f.variable(0.5), f.variable(0.0), f.variable(0.0)
    with f.repeat():
        t = f.variable(a.value + part.value * (b.value - a.value))
        ft = f.variable(value(t.value))
        same = ((ft.value > 0.0) & (fa.value > 0.0)) | (~(ft.value > 0.0) & ~(fa.value > 0.0))
        with f.when(~same):
            c.value, fc.value = b.value, fb.value
            b.value, fb.value = a.value, fa.value
        with f.when(same):
            c.value, fc.value = a.value, fa.value
        a.value, fa.value = t.value, ft.value
        best = f.select(f.absolute(fa.value) < f.absolute(fb.value), a.value, b.value)
        gap = f.absolute(b.value - a.value)
        close = f.select(b.value.equals(a.value), 1.0, (CLOSE + PART * f.absolute(best)) / gap)
        with f.when(fa.value.equals(0.0) | (close >= 0.5)):
            f.give(best)
        xi = (a.value - b.value) / (c.value - b.value)
        phi = f.select(fc.value.equals(fb.value), 2.0, (fa.value - fb.value) / (fc.value - fb.value))
        part.value = 0.5
        with f.when((phi * phi < xi) & ((1.0 - phi) * (1.0 - phi) < 1.0 - xi)):
            first = fa.value / (fb.value - fa.value) * fc.value / (fb.value - fc.value)
            across = (c.value - a.value) / (b.value - a.value) * fa.value / (fc.value - fa.value)
            part.value = first + across * fb.value / (fc.value - fb.value)
        part.value = f.select(part.value > close, part.value, close)
        part.value = f.select(part.value < 1.0 - close, part.value, 1.0 - close)
    return f


def _once_more(fused: bool) -> Function:
    """ph_once_more(run, number): the next zero of an event that had one at the step's begin; nan for none."""
    f = Function("ph_once_more", returns=DOUBLE, fused=fused, internal=True, run=POINTER, number=INTEGER)
    own = f.arguments
    run = Record(RUN, own["run"])
    side = Record(EVENTS, run.events_handler).sides[own["number"]]
    s, left = f.variable(run.t), f.variable(HALVINGS)
    with f.repeat():
        f.leave_if(left.value.equals(0))
        left.value = left.value - 1
        s.value = 0.5 * (run.t_old + s.value)
        value = f.call("ph_value", DOUBLE, own["run"], own["number"], s.value)
        with f.when(~value.equals(value)):
            f.give(value)
        with f.when(side * value > 0.0):
            f.give(f.call("ph_root", DOUBLE, own["run"], own["number"], s.value, run.t))
    f.give(f.of_kind(DOUBLE, _NAN))
    return f


def _events(fused: bool) -> Function:
    f = Function("ph_events", returns=INTEGER, fused=fused, internal=True, run=POINTER)
    place = f.arguments["run"]
    run = Record(RUN, place)
    handler = Record(EVENTS, run.events_handler)
    count = run.event_count
    with f.loop(count) as i:
        handler.after[i] = run.event_values[i]
    _find_all(f, run, handler)
    with f.repeat():
        first = _first(f, run, handler)
        f.leave_if(first < 0)
        when, kind = handler.when[first], handler.kinds.load(first, INTEGER)
        handler.when[first] = _NAN
        with f.when(~(handler.log_count < handler.log_room)):
            f.give(Reason.CROSSING)
        row = handler.log.at(handler.log_count * (run.size * 2 + HEAD))
        row[0] = when
        row[1] = first.as_double()
        row[2] = kind.as_double()
        with f.when(kind.equals(GOES_ON)):
            handler.log_count = handler.log_count + 1
        with f.when(kind > GOES_ON):
            _interrupt(f, run, handler, when, first, kind, row)
    with f.loop(count) as i:
        run.event_values[i] = handler.after[i]
    f.give(GO_ON)
    return f


def _find_all(f: Function, run: Record, handler: Record) -> None:
    """When each event happened in the last step."""
    place = f.arguments["run"]
    with f.loop(run.event_count) as i:
        before, after, side = run.event_values_old[i], handler.after[i], handler.sides[i]
        when = f.variable(_NAN)
        with f.when(~after.equals(after)):
            f.give(Reason.CROSSING)
        is_back = before.equals(0.0) & (side * after < 0.0)
        through = (before * after < 0.0) | (after.equals(0.0) & ~before.equals(0.0))
        along = run.event_directions[i] * (after - before) >= 0.0
        is_through = ~is_back & through & along
        with f.when(is_back):
            when.value = f.call("ph_once_more", DOUBLE, place, i)
        with f.when(is_through & after.equals(0.0)):
            when.value = run.t
        with f.when(is_through & ~after.equals(0.0)):
            when.value = f.call("ph_root", DOUBLE, place, i, run.t_old, run.t)
        with f.when((is_back | is_through) & ~when.value.equals(when.value)):
            f.give(Reason.CROSSING)
        handler.when[i] = when.value
        sign = f.select(before > 0.0, f.of_kind(DOUBLE, 1.0), f.select(before < 0.0, f.of_kind(DOUBLE, -1.0), side))
        handler.came_from[i] = sign
        handler.sides[i] = f.select(after.equals(0.0), side, 0.0)


def _first(f: Function, run: Record, handler: Record) -> Value:
    """The event that happened first, of those that were not dealt with; -1 where there is none."""
    found, earliest = f.variable(-1), f.variable(0.0)
    with f.loop(run.event_count) as i:
        when = handler.when[i]
        with f.when(when.equals(when) & ((found.value < 0) | (when < earliest.value))):
            found.value = i
            earliest.value = when
    first: Value = found.value
    return first


def _interrupt(f: Function, run: Record, handler: Record, when: Value, number: Value, kind: Value, row: Value) -> None:
    """The run ends at an event, or goes on from another state."""
    place, size = f.arguments["run"], run.size
    before, after = row.at(HEAD), row.at(size + HEAD)
    with f.when(when < run.t):
        reason = f.call("ph_state_at", INTEGER, place, when, run.y)
        with f.when(reason > 0):
            f.give(Reason.CROSSING)
        with f.loop(size) as i:
            before[i] = run.y[i]
    with f.when(~(when < run.t)), f.loop(size) as i:
        before[i] = run.x[i]
    write_samples_until(f, run, when)
    row[3] = run.next_sample.as_double()
    run.t = when
    run.pending = 0
    with f.loop(size) as i:
        run.x[i] = before[i]
    with f.when(run.limit_count > 0):
        f.call("ph_break_limits", INTEGER, place)
    with f.when(kind.equals(ENDS)):
        handler.log_count = handler.log_count + 1
        f.give(Reason.ENDED)
    soon = ZENO * f.largest(f.absolute(when), 1.0)
    with f.when(when - handler.changed_at <= soon):
        f.give(Reason.CROSSING)
    handler.changed_at = when
    _change(f, run, handler, number)
    with f.loop(size) as i:
        after[i] = run.x[i]
    handler.log_count = handler.log_count + 1
    reason = f.call("ph_begin", INTEGER, place)
    with f.when(reason > 0):
        f.give(Reason.CROSSING)
    handler.sides[number] = handler.came_from[number]
    run.event_values[number] = 0.0
    with f.loop(run.event_count) as i:
        run.event_sides[i] = handler.sides[i]
        with f.when(~run.event_values[i].equals(run.event_values[i])):
            f.give(Reason.CROSSING)
    f.give(GO_ON)


def _change(f: Function, run: Record, handler: Record, number: Value) -> None:
    """New values of some entries of the state, all from the state as it is."""
    table = handler.change_arguments.load(number, POINTER)
    run.clock = run.t
    table.store(0, run.x, POINTER)
    f.call_at(handler.change_at.load(number, POINTER), "void", table)
    places, values = handler.change_places.load(number, POINTER), handler.change_values.load(number, POINTER)
    with f.loop(handler.change_counts.load(number, INTEGER)) as i:
        run.x[places.load(i, INTEGER)] = values[i]
