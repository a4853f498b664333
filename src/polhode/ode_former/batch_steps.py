"""A step of many states by one call, for a loop of one's own; what it needs lies in a record, and nothing is allocated.

    ph_each(batch, dt)     members that are runs of an integrator with step-size control, taken a time dt further
    ph_fixed(batch, dt)    the same by `every` fixed steps, through `ph_steps` of `step_loop`

A member that has failed, its mark being negative, is left alone. One that fails now is marked and keeps its time. How
many have failed is returned. Members of `ph_each` begin anew at their state, since what acts on them may have changed.
"""

from __future__ import annotations

from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, Function, Layout, Record, Value, Variable
from .run_record import RUN, Reason

BATCH = Layout(
    count=INTEGER, marks=POINTER,
    # runs, so many numbers apart, and the integrator's functions
    runs=POINTER, run_size=INTEGER, begin=POINTER, advance=POINTER, budget=INTEGER,
    # arguments of ph_steps
    steps=POINTER, rows=INTEGER, every=INTEGER, times=POINTER, x=POINTER, arrays=POINTER, strides=POINTER,
    work=POINTER, work_stride=INTEGER, record=POINTER, record_stride=INTEGER,
)  # fmt: skip


def batch_steps_module(*, fused: bool = True) -> str:
    """The module with both functions."""
    return "\n".join([_each(fused).text, _fixed(fused).text])


def _each(fused: bool) -> Function:
    f = Function("ph_each", returns=INTEGER, fused=fused, batch=POINTER, dt=DOUBLE)
    batch = Record(BATCH, f.arguments["batch"])
    marks, failed = batch.marks, f.variable(0)
    with f.loop(batch.count) as i:
        with f.when(marks.load(i, INTEGER) >= 0):
            place = batch.runs.at(i * batch.run_size)
            run = Record(RUN, place)
            run.t_end = run.t + f.arguments["dt"]
            run.budget = batch.budget
            reason = f.variable(f.call_at(batch.begin, INTEGER, place))
            with f.when(reason.value.equals(0)), f.repeat():
                reason.value = f.call_at(batch.advance, INTEGER, place)
                f.leave_if(~reason.value.equals(Reason.LOOK))
            marks.store(i, -reason.value, INTEGER)
        _count(f, failed, marks.load(i, INTEGER))
    f.give(failed.value)
    return f


def _count(f: Function, failed: Variable, mark: Value) -> None:
    with f.when(mark < 0):
        failed.value = failed.value + 1


def _fixed(fused: bool) -> Function:
    f = Function("ph_fixed", returns=INTEGER, fused=fused, batch=POINTER, dt=DOUBLE)
    batch = Record(BATCH, f.arguments["batch"])
    every, dt, times, marks = batch.every, f.arguments["dt"], batch.times, batch.marks
    f.call_at(
        batch.steps, "void", batch.rows, f.integer(1), every, f.integer(0), times[0], dt / every.as_double(), batch.x,
        batch.arrays, batch.strides, batch.work, batch.work_stride, batch.record, batch.record_stride, marks,
    )  # fmt: skip
    failed = f.variable(0)
    with f.loop(batch.count) as i:
        # a mark counts the steps that were taken
        mark = marks.load(i, INTEGER) - every
        marks.store(i, mark, INTEGER)
        with f.when(mark.equals(0)):
            times[i] = times[i] + dt
        _count(f, failed, mark)
    f.give(failed.value)
    return f
