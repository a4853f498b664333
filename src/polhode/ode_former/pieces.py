"""A run from break to break in native code: ph_pieces(run, pieces).

At a break what drives the run jumps, or its slope does. A step ends a few last bits before it, at `before`, so that
none sees what holds after; there the state is noted, time is set to the break, and the integrator begins anew with the
step that it wanted. All this is the same for every method: its functions are called behind pointers. Where a run cannot
begin natively at a break it is left before it, as done; whoever called goes on from there.

A sampled law is asked at breaks, and acts at breaks. `asks` has for each the row of the law's log that is filled there,
and `acts` the row whose controls hold from there on; none where it is negative. The law is a program behind a table of
pointers (`ph_at`), of which entry i points to `bases[i]`, `strides[i]` numbers further for each row: rows of its log
are its arguments and its results, so that a delay needs no queue, and to ask twice does no harm.
"""

from __future__ import annotations

from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, Function, Layout, Record, Value
from .run_record import RUN, Reason

PIECES = Layout(
    begin=POINTER, advance=POINTER, times=POINTER, before=POINTER, states=POINTER, next=INTEGER, count=INTEGER,
    end=DOUBLE,
    # a sampled law: 0 controls where there is none
    ask=POINTER, table=POINTER, bases=POINTER, strides=POINTER, entries=INTEGER, asks=POINTER, acts=POINTER,
    controls=POINTER, control_count=INTEGER, columns=POINTER, held=POINTER,
)  # fmt: skip

#: What an integrator forgets where it begins, and a run that goes on has to remember.
_REMEMBERED = ("event_count", "noted_steps", "quiet_steps")


def pieces_module(*, fused: bool = True) -> str:
    """The module."""
    f = Function("ph_pieces", returns=INTEGER, fused=fused, run=POINTER, pieces=POINTER)
    place = f.arguments["run"]
    run, pieces = Record(RUN, place), Record(PIECES, f.arguments["pieces"])
    with f.repeat():
        k = pieces.next
        goal = f.variable(pieces.end)
        with f.when(k < pieces.count):
            goal.value = pieces.before[k]
        run.t_end = goal.value
        reason = f.call_at(pieces.advance, INTEGER, place)
        with f.when(reason > 0):
            f.give(reason)
        with f.when(~(k < pieces.count)):
            f.give(Reason.DONE)
        t = pieces.times[k]
        _write_samples(f, run, t)
        with f.when(~(t < pieces.end)):
            run.t = t
            f.give(Reason.DONE)
        _begin(f, run, pieces, k)
        pieces.next = k + 1
    return f.text


def _write_samples(f: Function, run: Record, t: Value) -> None:
    """The state as it is, for all sample times up to t."""
    with f.repeat():
        f.leave_if(~(run.next_sample < run.sample_count))
        f.leave_if(run.times[run.next_sample] > t)
        row = run.samples.at(run.next_sample * run.size)
        with f.loop(run.size) as i:
            row[i] = run.x[i]
        run.next_sample = run.next_sample + 1


def _begin(f: Function, run: Record, pieces: Record, k: Value) -> None:
    """Note the state, and begin the next piece with it; stay before the break where that cannot be done."""
    row = pieces.states.at(k * run.size)
    with f.loop(run.size) as i:
        row[i] = run.x[i]
    with f.when(pieces.control_count > 0):
        _ask(f, pieces, k)
        _act(f, pieces, k)
    remembered = {name: getattr(run, name) for name in _REMEMBERED}
    run.event_count = 0
    run.t = pieces.times[k]
    reason = f.call_at(pieces.begin, INTEGER, f.arguments["run"])
    for name, value in remembered.items():
        setattr(run, name, value)
    with f.when(reason > 0):
        run.t = pieces.before[k]
        f.give(Reason.DONE)


def _ask(f: Function, pieces: Record, k: Value) -> None:
    """Fill a row of the log; stay before the break where a control is no finite number."""
    number = pieces.asks.load(k, INTEGER)
    with f.when(number >= 0):
        with f.loop(pieces.entries) as i:
            base, stride = pieces.bases.load(i, POINTER), pieces.strides.load(i, INTEGER)
            pieces.table.store(i, base.at(number * stride), POINTER)
        f.call_at(pieces.ask, "void", pieces.table)
        row = pieces.controls.at(number * pieces.control_count)
        with f.loop(pieces.control_count) as i, f.when(~(row[i] - row[i]).equals(0.0)):
            f.give(Reason.DONE)


def _act(f: Function, pieces: Record, k: Value) -> None:
    """Let the controls of a row of the log hold from here on."""
    number = pieces.acts.load(k, INTEGER)
    with f.when(number >= 0):
        row = pieces.controls.at(number * pieces.control_count)
        with f.loop(pieces.control_count) as i:
            pieces.held[pieces.columns.load(i, INTEGER)] = row[i]
