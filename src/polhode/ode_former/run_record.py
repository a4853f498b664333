"""The record of a run, which native code and Python share, and what all integrators do with it.

A run is resumable: `ph_advance(run)` takes steps until one of the reasons below, and is called again. What it computes
does not depend on where it was broken off.

    DONE       the run is at t_end
    BUDGET     the steps that were allowed are taken
    CROSSING   an event changed its sign in the last step, whose samples are still to be written
    LOOK       state or rates are so large that somebody should look; the step is finished
    NONFINITE  no step, however short, has finite rates at its end
    UNDERFLOW  the error would need a step that rounding swallows
    ILL_CONDITIONED  the pivots of the constraints are too small to divide by; no step was taken
    PROJECT    the state is to be brought to its constraints by other means; then pending = SAMPLES
    SAMPLE     so is the next sample, which is to be written
    STEP       a step was taken, and each is asked for
    FAILED     a right-hand side in Python raised
    STIFF      an explicit method's steps are bounded by stability, or an implicit one's no longer would be
    ENDED      an event ended the run of a member (`events`)

The right-hand side is a function of one table of pointers, as `ph_at` of every compiled program is: inputs, work array
and outputs, in order. Arrays of the state's length are padded with zeros to whole blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, WIDTH, Function, Layout, Record, Value
from .limits import LIMITS, note_limits


class Reason(IntEnum):
    """Why native code came back."""

    DONE = 0
    BUDGET = 1
    CROSSING = 2
    LOOK = 3
    NONFINITE = 4
    UNDERFLOW = 5
    ILL_CONDITIONED = 6
    FAILED = 7
    PROJECT = 8
    SAMPLE = 9
    STEP = 10
    STIFF = 11
    ENDED = 12


#: What is still to be done about the last step, in this order: projection, samples.
PROJECTION, SAMPLES = 1, 2


RUN = Layout(
    # time and step; rtol and atol are for estimates of the error, `allowance` times the tolerances that were asked for
    t=DOUBLE, t_old=DOUBLE, t_end=DOUBLE, h=DOUBLE, taken=DOUBLE, h_max=DOUBLE,
    rtol=DOUBLE, atol=DOUBLE, allowance=DOUBLE, growth=DOUBLE, bound=DOUBLE, clock=DOUBLE,
    # counts
    size=INTEGER, blocks=INTEGER, budget=INTEGER, steps=INTEGER, rejected=INTEGER, evaluations=INTEGER,
    # flags
    pending=INTEGER, dense_ready=INTEGER, after_rejection=INTEGER, look=INTEGER, failed=INTEGER,
    each_step=INTEGER,
    # arrays of the state's length, padded
    x=POINTER, x_old=POINTER, f=POINTER, y=POINTER, unit=POINTER, k=POINTER, dense=POINTER,
    # samples
    times=POINTER, samples=POINTER, next_sample=INTEGER, sample_count=INTEGER,
    # right-hand side
    at=POINTER, arguments=POINTER, x_index=INTEGER, out_index=INTEGER,
    groups=POINTER, group_count=INTEGER, lengths=POINTER,
    pivots=POINTER, pivot_signs=POINTER, largest_pivots=POINTER, pivot_count=INTEGER,
    # events
    events_at=POINTER, event_arguments=POINTER, event_x_index=INTEGER, event_count=INTEGER,
    event_values=POINTER, event_values_old=POINTER, event_directions=POINTER, event_sides=POINTER,
    # what handles them (`events.EVENTS`), for members of a batch
    events_handler=POINTER, handles_events=INTEGER,
    # constraints: the outputs of the right-hand side that lead back to them, and all of their values
    displacement=POINTER, coordinate_count=INTEGER, change=POINTER, speed_count=INTEGER, residual=POINTER,
    check_at=POINTER, check_arguments=POINTER, check_values=POINTER, check_count=INTEGER,
    # a singular pose that the run passes: its coordinates, and the distance in which singular values grow to one
    pose=POINTER, pose_reach=DOUBLE, pose_known=INTEGER, nodes=POINTER, state_on=POINTER,
    # steps that are kept: rows of t, h and the state before
    trace=POINTER, trace_count=INTEGER, trace_room=INTEGER,
    # what implicit methods have beside (`jacobian.IMPLICIT`)
    implicit=POINTER,
    # steps in a row that another kind of method should have taken, and how many are too many; 0 where nobody asks
    noted_steps=INTEGER, quiet_steps=INTEGER, patience=INTEGER,
    # limits of the state
    **LIMITS.kinds,
)  # fmt: skip

#: Rates this much larger than the state are looked into.
SUSPICIOUS = 1e6
#: Pivots below this part of the largest seen are ill conditioned.
SMALL_PIVOT = 6e-4


def plain_rates_function(fused: bool) -> Function:
    """ph_plain_rates(run, t, x, f): f = ẋ(t, x); a reason where there is none, else 0.

    Quaternions are used at unit length, and their rates multiplied by the lengths that they have.
    """
    f = Function(
        "ph_plain_rates", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER, out=POINTER
    )
    run, out = Record(RUN, f.arguments["run"]), f.arguments["out"]
    call_right_side(f, run, scale_to_unit)
    stretch(f, run, out)
    unsure = f.variable(0)
    with f.loop(run.pivot_count) as i:
        pivot = run.pivots[i] * run.pivot_signs[i]
        largest = f.largest(run.largest_pivots[i], pivot)
        run.largest_pivots[i] = largest
        with f.when(~(pivot > SMALL_PIVOT * largest)):
            unsure.value = 1
    with f.when(unsure.value > 0):
        f.give(Reason.ILL_CONDITIONED)
    f.give(0)
    return f


def call_right_side(f: Function, run: Record, scale: Callable[[Function, Record, Value], None]) -> None:
    """Call the right-hand side at t and x, into out; where there are quaternions, at a copy of x that is scaled."""
    x, table = f.arguments["x"], run.arguments
    run.clock = f.arguments["t"]
    run.evaluations = run.evaluations + 1
    table.store(run.x_index, x, POINTER)
    with f.when(run.group_count > 0):
        copy(f, run, x, run.unit)
        scale(f, run, run.unit)
        table.store(run.x_index, run.unit, POINTER)
    table.store(run.out_index, f.arguments["out"], POINTER)
    f.call_at(run.at, "void", table)
    with f.when(run.failed > 0):
        f.give(Reason.FAILED)


def group(run: Record, number: Value) -> tuple[Value, Value]:
    """Where a quaternion begins in the state, and how many components it has."""
    return run.groups.load(number * 2, INTEGER), run.groups.load(number * 2 + 1, INTEGER)


def scale_to_unit(f: Function, run: Record, x: Value) -> None:
    """Quaternions to unit length; run.lengths become the lengths that they had."""
    with f.loop(run.group_count) as number:
        first, count = group(run, number)
        square = f.variable(0.0)
        with f.loop(first + count, first) as i:
            square.value = f.fma(x[i], x[i], square.value)
        length = f.sqrt(square.value)
        run.lengths[number] = length
        with f.loop(first + count, first) as i:
            x[i] = x[i] / length


def stretch(f: Function, run: Record, out: Value) -> None:
    """The rates of quaternions, which were used at unit length, by the lengths that they have."""
    with f.loop(run.group_count) as number:
        length = run.lengths[number]
        first, count = group(run, number)
        with f.loop(first + count, first) as i:
            out[i] = out[i] * length


def copy(f: Function, run: Record, source: Value, target: Value) -> None:
    """The state's length of numbers from one array to another."""
    with f.loop(run.blocks) as block:
        target.store_block(block, source.block(block))


def keep_step(f: Function, run: Record) -> None:
    """Keep where the step just taken began, and how long it was, as long as there is room."""
    with f.when(run.trace_count < run.trace_room):
        row = run.trace.at(run.trace_count * (run.size + 2))
        row[0] = run.t_old
        row[1] = run.taken
        with f.loop(run.size) as i:
            row[i + 2] = run.x_old[i]
        run.trace_count = run.trace_count + 1


def rates(f: Function, run: Record, t: Value, x: Value, out: Value) -> None:
    """Call the right-hand side; come back where there is none."""
    reason = f.call("ph_rates", INTEGER, f.arguments["run"], t, x, out)
    with f.when(reason > 0):
        f.give(reason)


def rates_of(f: Function, run: Record) -> Callable[[Value, Value, Value], None]:
    """The same as a function of t, x and where the rates go."""
    return lambda t, x, out: rates(f, run, t, x, out)


def write_samples(f: Function, run: Record) -> None:
    """The states at the sample times up to run.t, by the dense output of the last step, on the constraints."""
    write_samples_until(f, run, run.t)


def write_samples_until(f: Function, run: Record, end: Value) -> None:
    """The same up to a time within the last step."""
    with f.repeat():
        f.leave_if(~(run.next_sample < run.sample_count))
        t = run.times[run.next_sample]
        f.leave_if(t > end)
        source = f.variable(run.x)
        with f.when(t < run.t):
            source.value = run.y
            reason = f.call("ph_state_at", INTEGER, f.arguments["run"], t, run.y)
            with f.when(reason > 0):
                f.give(reason)
            with f.when(run.coordinate_count > 0):
                off = f.call("ph_project", INTEGER, f.arguments["run"], t, run.y)
                with f.when(off > 0):
                    f.give(Reason.SAMPLE)
        row = run.samples.at(run.next_sample * run.size)
        with f.loop(run.size) as i:
            row[i] = source.value[i]
        run.next_sample = run.next_sample + 1


def finish_step(f: Function, run: Record) -> None:
    """What is pending about the last step: projection, limits, samples; come back where somebody should look."""
    with f.when(run.pending.equals(PROJECTION)):
        with f.when(run.coordinate_count > 0):
            off = f.call("ph_project", INTEGER, f.arguments["run"], run.t, run.x)
            with f.when(off > 0):
                f.give(Reason.PROJECT)
            reason = f.call("ph_rates", INTEGER, f.arguments["run"], run.t, run.x, run.f)
            with f.when(reason > 0):
                f.give(Reason.PROJECT)
        run.pending = SAMPLES
    with f.when(run.pending.equals(SAMPLES)):
        note_limits(f, run)
        write_samples(f, run)
        run.pending = 0
        with f.when(run.look > 0):
            f.give(Reason.LOOK)


def evaluate_events(f: Function, run: Record, t: Value, x: Value) -> None:
    """Values of the events, one after the other, in run.event_values."""
    run.clock = t
    run.event_arguments.store(run.event_x_index, x, POINTER)
    f.call_at(run.events_at, "void", run.event_arguments)


def look_for_crossings(f: Function, run: Record) -> None:
    """Come back where an event changed its sign over the last step, in the direction that is asked for, or is nan.

    One that began at its zero, where it changed the state, comes back to the side where the motion came from.
    """
    with f.when(run.event_count > 0):
        old, new = run.event_values_old, run.event_values
        with f.loop(run.event_count) as i:
            old[i] = new[i]
        evaluate_events(f, run, run.t, run.x)
        crossed = f.variable(0)
        with f.loop(run.event_count) as i:
            before, after, direction = old[i], new[i], run.event_directions[i]
            through = (before * after < 0.0) | (after.equals(0.0) & ~before.equals(0.0))
            along = ~(direction * (after - before) < 0.0)
            back = before.equals(0.0) & (run.event_sides[i] * after < 0.0)
            with f.when((through & along) | back | ~after.equals(after)):
                crossed.value = 1
        with f.when(crossed.value > 0):
            f.give(Reason.CROSSING)
    with f.when(run.each_step > 0):
        f.give(Reason.STEP)


def largest_of(f: Function, run: Record, array: Value) -> Value:
    """The largest size of an entry."""
    found = f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        found.value = f.largest(found.value, f.absolute(array.block(block)))
    largest: Value = found.value.largest()
    return largest


def largest_entry(f: Function, array: Value, first: Any, end: Value) -> Value:
    """The largest size of some entries; so large that nothing is larger where one is not a number."""
    found = f.variable(0.0)
    with f.loop(end, first) as i:
        size = f.absolute(array[i])
        found.value = f.select(size <= found.value, found.value, f.select(size.equals(size), size, 1e300))
    largest: Value = found.value
    return largest


def note_what_is_large(f: Function, run: Record) -> None:
    """Set run.look where the state or its rates are so large that somebody should look."""
    large = is_large(f, run)
    run.look = 0
    with f.when(large):
        run.look = 1


def is_large(f: Function, run: Record) -> Value:
    """Whether the state or its rates are so large that somebody should look."""
    size, speed = largest_of(f, run, run.x), largest_of(f, run, run.f)
    return ~(size <= run.bound) | (speed > SUSPICIOUS * (size + 1.0))


def padded(size: int) -> int:
    """The length of an array for so many numbers, in whole blocks."""
    return -(-max(1, size) // WIDTH) * WIDTH
