"""The record of a run with fixed steps: that of every run, and what such steps need beside it.

`ph_begin(run)` evaluates the rates at the start. `ph_advance(run)` takes as many steps as the budget allows and writes
every `every`-th state to the samples; it comes back for

    BUDGET     the steps are taken
    NONFINITE  the next step would have a state that is not finite; it is not taken
    UNDERFLOW  the stages of the next step were not found: it is too long; it is not taken
    FAILED     a right-hand side in Python raised

Step k begins at origin + k h, not at a running sum.
"""

from __future__ import annotations

from ..codegen.llvm.builder import BLOCK, DOUBLE, INTEGER, POINTER, Function, Layout, Record, Value
from .run_record import RUN, call_right_side, group, scale_to_unit

STEPS = Layout(
    **RUN.kinds,
    origin=DOUBLE, number=INTEGER, every=INTEGER, history=INTEGER, iterations=INTEGER,
    # the part of the state that rounding left out; stages, their changes, and rates of the step before
    lost=POINTER, z=POINTER, least=POINTER, k_old=POINTER,
    # where the momentum of each quaternion begins, or -1
    partners=POINTER,
)  # fmt: skip


def rates_function(fused: bool) -> Function:
    """ph_rates(run, t, x, f): f = ẋ(t, x), with quaternions e at unit length.

    The rate of e is multiplied by the length |e|. A momentum P that belongs to e enters as |e| P, and its rate is
    divided by |e|: what is integrated is Hamilton's system of H(e/|e|, |e| P).
    """
    f = Function("ph_rates", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER, out=POINTER)
    run = Record(STEPS, f.arguments["run"])
    out = f.arguments["out"]
    call_right_side(f, run, _scale_to_unit)
    with f.loop(run.group_count) as number:
        first, count = group(run, number)
        length = run.lengths[number]
        _scale(f, out, first, count, length)
        partner = run.partners.load(number, INTEGER)
        with f.when(partner >= 0):
            _scale(f, out, partner, count, 1.0 / length)
    f.give(0)
    return f


def _scale_to_unit(f: Function, run: Record, x: Value) -> None:
    """Quaternions to unit length, and their momenta by the length that they had."""
    scale_to_unit(f, run, x)
    with f.loop(run.group_count) as number:
        partner = run.partners.load(number, INTEGER)
        with f.when(partner >= 0):
            _scale(f, x, partner, group(run, number)[1], run.lengths[number])


def _scale(f: Function, x: Value, first: Value, count: Value, factor: Value) -> None:
    with f.loop(first + count, first) as i:
        x[i] = x[i] * factor


def begin_function(fused: bool) -> Function:
    """ph_begin(run): the rates at the start; nothing is known of earlier steps."""
    f = Function("ph_begin", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(STEPS, f.arguments["run"])
    run.history = 0
    with f.loop(run.blocks) as block:
        run.lost.store_block(block, 0.0)
    reason = f.call("ph_rates", INTEGER, f.arguments["run"], time_of(f, run, 0.0), run.x, run.f)
    f.give(reason)
    return f


def time_of(f: Function, run: Record, part: float) -> Value:
    """The time a part of a step after the beginning of the next one."""
    return f.fma(run.number.as_double() + part, run.h, run.origin)


def is_finite(f: Function, run: Record, array: Value) -> Value:
    """Whether all numbers of an array are finite."""
    zero = f.variable(0.0, BLOCK)
    with f.loop(run.blocks) as block:
        zero.value = f.fma(0.0, array.block(block), zero.value)
    made: Value = zero.value.sum().equals(0.0)
    return made


def add_to_the_state(f: Function, run: Record, block: Value, more: Value) -> tuple[Value, Value]:
    """A block of x + more, where more holds what was lost before, and what rounding leaves out of it (Knuth's sum)."""
    x = run.x.block(block)
    total = x + more
    beyond = total - x
    return total, (x - (total - beyond)) + (more - beyond)


def finish(f: Function, run: Record) -> None:
    """Count a step that was taken, and write its state where it is a sample."""
    run.number = run.number + 1
    run.steps = run.steps + 1
    run.budget = run.budget - 1
    run.t = time_of(f, run, 0.0)
    run.pending = run.pending + 1
    with f.when(~(run.pending < run.every)):
        run.pending = 0
        with f.when(run.next_sample < run.sample_count):
            row = run.samples.at(run.next_sample * run.size)
            with f.loop(run.size) as i:
                row[i] = run.x[i]
            run.next_sample = run.next_sample + 1
