"""What all methods with step-size control do about a step: its length, its acceptance, its refusal."""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.llvm.builder import INTEGER, POINTER, Function, Record, Value, Variable
from .limits import begin_limits
from .run_record import (
    PROJECTION,
    RUN,
    Reason,
    copy,
    evaluate_events,
    finish_step,
    keep_step,
    look_for_crossings,
    note_what_is_large,
    rates,
    rates_of,
)
from .stiffness import come_back_if_stiff

_SAFETY, _LEAST_FACTOR = 0.8, 0.2
#: A step that has no finite rates is tried again a tenth as long, so many times.
_TENTHS = 12
#: A step shorter than this part of the time is swallowed by rounding.
_SWALLOWED = 2.0**-49


def begin_function(order: int, fused: bool, forget: Callable[[Function, Record], None] | None = None) -> Function:
    """ph_begin(run): the rates at the start, and a first step (Hairer, Nørsett and Wanner, II.4)."""
    f = Function("ph_begin", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    run.dense_ready = 0
    run.pending = 0
    run.noted_steps = 0
    run.quiet_steps = 0
    if forget is not None:
        forget(f, run)
    rates(f, run, run.t, run.x, run.f)
    begin_limits(f, run)
    with f.when(run.event_count > 0):
        evaluate_events(f, run, run.t, run.x)
    with f.when(run.h > 0.0):
        f.give(0)
    run.h = first_step(f, run, order, rates_of(f, run))
    f.give(0)
    return f


def first_step(f: Function, run: Record, order: int, rates: Callable[[Value, Value, Value], None]) -> Value:
    """The length of a first step, from the rates at the start and those a little later."""
    x, y, k = run.x, run.y, run.k
    size, speed = norm(f, run, run.x), norm(f, run, run.f)
    h = f.select((size >= 1e-5) & (speed >= 1e-5), 0.01 * size / speed, 1e-6)
    h = f.smallest(f.smallest(h, run.h_max), run.t_end - run.t)
    with f.loop(run.blocks) as block:
        y.store_block(block, f.fma(h, run.f.block(block), x.block(block)))
    rates(run.t + h, y, k)
    with f.loop(run.blocks) as block:
        y.store_block(block, k.block(block) - run.f.block(block))
    curve = norm(f, run, y) / h
    steepest = f.largest(speed, curve)
    other = f.select(steepest > 1e-15, f.power(0.01 / steepest, 1.0 / order), f.largest(1e-3 * h, 1e-6))
    return f.smallest(100.0 * h, other)


def norm(f: Function, run: Record, array: Value, new: Value | None = None) -> Value:
    """The root of the mean square of entries over atol + rtol |x|, where the new state is larger over that of it."""
    total, x, rtol, atol = f.variable(0.0, f.block), run.x, run.rtol, f.spread(run.atol)
    with f.loop(run.blocks) as block:
        size = f.absolute(x.block(block))
        if new is not None:
            size = f.largest(size, f.absolute(new.block(block)))
        part = array.block(block) / f.fma(rtol, size, atol)
        total.value = f.fma(part, part, total.value)
    return f.sqrt(total.value.sum() / run.size.as_double())


def is_finite(f: Function, run: Record, array: Value) -> Value:
    """Whether all entries are finite."""
    zero = f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        zero.value = f.fma(0.0, array.block(block), zero.value)
    total: Value = zero.value.sum()
    return total.equals(0.0)


def next_step(f: Function, run: Record) -> tuple[Value, Value]:
    """Finish the last step; the length of the next one, and whether it is the last; come back where there is none."""
    finish_step(f, run)
    return chosen_step(f, run)


def chosen_step(f: Function, run: Record) -> tuple[Value, Value]:
    """The length of the next step, and whether it is the last; come back where there is none."""
    with f.when(~(run.t < run.t_end)):
        f.give(Reason.DONE)
    come_back_if_stiff(f, run)
    with f.when(run.budget <= 0):
        f.give(Reason.BUDGET)
    h, room = f.variable(f.smallest(run.h, run.h_max)), run.t_end - run.t
    is_last = f.variable(0)
    with f.when(h.value * 1.0000001 >= room):
        h.value = room
        is_last.value = 1
    with f.when(is_last.value.equals(0) & (h.value <= _SWALLOWED * f.absolute(run.t))):
        f.give(Reason.UNDERFLOW)
    return h.value, is_last.value > 0


def factor_of(f: Function, run: Record, error: Value, order: int) -> Value:
    """By how much the next step may be longer."""
    return f.select(error <= 1e-14, run.growth, _SAFETY * f.power(error, -1.0 / order))


def longer_step(f: Function, run: Record, step: Value, factor: Value) -> Value:
    """The step that is wanted after one that was good."""
    ceiling = f.select(run.after_rejection > 0, 1.0, run.growth)
    return step * f.smallest(factor, ceiling)


def accept(f: Function, run: Record, step: Value, is_last: Value, rate: Value, longer: Value) -> None:
    """run.y is the next state, `rate` its rates, `longer` the step that is wanted next."""
    note_accepted(f, run, step, is_last, longer)
    copy(f, run, run.x, run.x_old)
    keep_step(f, run)
    copy(f, run, run.y, run.x)
    copy(f, run, rate, run.f)
    note_what_is_large(f, run)
    look_for_crossings(f, run)


def note_accepted(f: Function, run: Record, step: Value, is_last: Value, longer: Value) -> None:
    """What the record has of a step that was taken, but for states."""
    run.after_rejection = 0
    # a step that was cut to end at t_end says nothing against the one that was wanted
    run.h = f.select(is_last, f.largest(longer, run.h), longer)
    run.t_old = run.t
    run.t = f.select(is_last, run.t_end, run.t + step)
    run.taken = step
    run.dense_ready = 0
    run.steps = run.steps + 1
    run.budget = run.budget - 1
    run.pending = PROJECTION


def refuse(f: Function, run: Record, step: Value, factor: Value, finite: Value, tenths: Variable) -> None:
    """Try again with a shorter step; come back where no step has finite rates."""
    run.rejected = run.rejected + 1
    run.after_rejection = 1
    shorter = f.variable(step * f.largest(factor, _LEAST_FACTOR))
    with f.when(~finite):
        tenths.value = tenths.value + 1
        shorter.value = 0.1 * step
        with f.when(tenths.value > _TENTHS):
            f.give(Reason.NONFINITE)
    run.h = shorter.value
