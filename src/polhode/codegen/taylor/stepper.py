"""Steps by Taylor series, as native code, with the record and the protocol of all native integrators.

    ph_begin(run)              the rates at the start
    ph_advance(run)            steps, until one of the reasons of `run_record`
    ph_state_at(run, t, x)     the state at a time within the last step: the same polynomial

A step takes the coefficients x_0, …, x_p of the motion at its start into the rows of run.k (run.dense is scratch), and
is as long as the last ones allow: |x_j| h^j ≤ atol + rtol |x| in every entry for j = p − 2, p − 1, p. Nothing is
estimated twice, and no step is refused. What is left out is about h/ρ times the last term, ρ being the radius of
convergence. Three coefficients are asked, since those of a motion that starts at rest vanish at every other order.

The order follows the tolerance. A step is ρ rtol^(1/p) long and costs about b p + c p²: the best p lies between
−ln rtol / 2, where the second term is all (Jorba and Zou), and −ln rtol. Measured, from a double pendulum to a UR5, the
least time for an error is near 0.65 of it, and flat.
"""

from __future__ import annotations

from math import log

from ..llvm.block import declarations
from ..llvm.builder import BLOCK, DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value
from ..llvm.calls import functions_ir
from ..steppers.members import members_function
from ..steppers.run_record import (
    RUN,
    SAMPLES,
    Reason,
    copy,
    evaluate_events,
    group,
    keep_step,
    look_for_crossings,
    note_what_is_large,
    scale_to_unit,
    write_samples,
)
from ..steppers.stiffness import SERIES_EDGE, come_back_if_stiff, is_looked_at, note_if_stiff
from .jets import jet_ir
from .recurrences import SeriesProgram

#: No order is lower or higher.
LEAST_ORDER, MOST_ORDER = 8, 25
#: The order over −ln rtol.
ORDER_FACTOR = 0.65
#: A step shorter than this part of the time is swallowed by rounding.
_SWALLOWED = 2.0**-49
#: Smaller relative tolerances are not told from rounding.
_LEAST_TOLERANCE = 2.0**-52


def taylor_module(series: SeriesProgram, *, fused: bool = True, width: int = 1) -> str:
    """The module for the motion x' = f(t, x) of a program."""
    functions = [_order(fused), _coefficients(fused), _projection(), _begin(fused), _state_at(fused), _advance(fused)]
    functions.append(members_function(fused))
    text = [*declarations(1, fused), *DECLARATIONS, *functions_ir(series.program, 1)]
    text += jet_ir(series, fused=fused, width=width)
    return _declared_once("\n".join([*text, *(function.text for function in functions)]))


def _declared_once(text: str) -> str:
    """What several parts of the module declare is declared once."""
    kept, seen = [], set[str]()
    for line in text.split("\n"):
        name = line.partition("@")[2].partition("(")[0] if line.startswith("declare ") else ""
        if not name or name not in seen:
            kept.append(line)
            seen.add(name)
    return "\n".join(kept)


def order_for(rtol: float) -> int:
    """The order for a relative tolerance.

    >>> order_for(1e-9), order_for(1e-15)
    (15, 24)
    """
    return min(MOST_ORDER, max(LEAST_ORDER, int(2.0 - ORDER_FACTOR * log(max(rtol, _LEAST_TOLERANCE)))))


def _order(fused: bool) -> Function:
    """ph_order(run): the same in native code."""
    f = Function("ph_order", returns=INTEGER, fused=fused, internal=True, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    tolerance = f.largest(run.rtol, _LEAST_TOLERANCE)
    wanted = f.call("log", DOUBLE, tolerance) * -ORDER_FACTOR
    whole = f.emit(INTEGER, f"fptosi double {(wanted + 2.0).name} to i64")
    low = f.select(whole < LEAST_ORDER, LEAST_ORDER, whole)
    f.give(f.select(low > MOST_ORDER, MOST_ORDER, low))
    return f


def _coefficients(fused: bool) -> Function:
    """ph_coefficients(run, order): rows of run.k at the state run.x and time run.t.

    Quaternions are used at unit length. Their rates are linear in them: all their coefficients grow with their length.
    """
    f = Function("ph_coefficients", fused=fused, internal=True, run=POINTER, order=INTEGER)
    run, order = Record(RUN, f.arguments["run"]), f.arguments["order"]
    run.clock = run.t
    run.evaluations = run.evaluations + 1
    table = run.arguments
    table.store(run.x_index, run.x, POINTER)
    with f.when(run.group_count > 0):
        copy(f, run, run.x, run.unit)
        scale_to_unit(f, run, run.unit)
        table.store(run.x_index, run.unit, POINTER)
    f.call("ph_jet", "void", table, run.k, run.dense, order)
    with f.loop(run.group_count) as number:
        first, count = group(run, number)
        length = run.lengths[number]
        with f.loop(order + 1) as j:
            row = _row(run, j)
            with f.loop(first + count, first) as i:
                row[i] = row[i] * length
    return f


def _projection() -> Function:
    """ph_project(run, t, x), which samples are handed to: there are no constraints, and x stays as it is."""
    f = Function("ph_project", returns=INTEGER, internal=True, run=POINTER, t=DOUBLE, x=POINTER)
    f.give(0)
    return f


def _row(run: Record, number: Value) -> Value:
    """The coefficients of an order."""
    return run.k.at(run.blocks * number, BLOCK)


def _begin(fused: bool) -> Function:
    f = Function("ph_begin", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    run.pending = 0
    run.noted_steps = 0
    run.quiet_steps = 0
    f.call("ph_coefficients", "void", f.arguments["run"], f.integer(1))
    copy(f, run, _row(run, f.integer(1)), run.f)
    with f.when(run.event_count > 0):
        evaluate_events(f, run, run.t, run.x)
    f.give(0)
    return f


def _advance(fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    order = f.call("ph_order", INTEGER, f.arguments["run"])
    with f.repeat():
        with f.when(run.pending > 0):
            write_samples(f, run)
            run.pending = 0
            with f.when(run.look > 0):
                f.give(Reason.LOOK)
        with f.when(~(run.t < run.t_end)):
            f.give(Reason.DONE)
        come_back_if_stiff(f, run)
        with f.when(run.budget <= 0):
            f.give(Reason.BUDGET)
        f.call("ph_coefficients", "void", f.arguments["run"], order)
        free = f.variable(_longest_step(f, run, order))
        # no coefficient tells of a step that is much longer than the one before
        with f.when((run.h > 0.0) & (free.value > run.growth * run.h)):
            free.value = run.growth * run.h
        h, room = f.variable(f.smallest(free.value, run.h_max)), run.t_end - run.t
        is_last = f.variable(0)
        with f.when(~(h.value * 1.0000001 < room)):
            h.value = room
            is_last.value = 1
        step = h.value
        zero = f.variable(0.0, BLOCK)
        with f.loop(run.blocks) as block:
            value, slope = _polynomial(f, run, order, step, block)
            run.y.store_block(block, value)
            run.unit.store_block(block, slope)
            zero.value = f.fma(0.0, value, f.fma(0.0, slope, zero.value))
        with f.when(~zero.value.sum().equals(0.0)):
            f.give(Reason.NONFINITE)
        with f.when(is_last.value.equals(0) & (h.value <= _SWALLOWED * f.absolute(run.t))):
            f.give(Reason.UNDERFLOW)
        _look_for_stiffness(f, run, order, step)
        run.h = free.value
        run.t_old = run.t
        run.t = f.select(is_last.value > 0, run.t_end, run.t + step)
        run.taken = step
        copy(f, run, run.x, run.x_old)
        keep_step(f, run)
        copy(f, run, run.y, run.x)
        copy(f, run, run.unit, run.f)
        run.steps = run.steps + 1
        run.budget = run.budget - 1
        run.pending = SAMPLES
        note_what_is_large(f, run)
        look_for_crossings(f, run)
    return f


def _look_for_stiffness(f: Function, run: Record, order: Value, h: Value) -> None:
    """Compare the last coefficient with the fourth before it: h |λ| ≈ h (p (p-1) (p-2) (p-3) |x_p| / |x_{p-4}|)^¼."""
    with f.when(is_looked_at(f, run)):
        last, before = f.variable(0.0, BLOCK), f.variable(0.0, BLOCK)
        with f.loop(run.blocks) as block:
            weight = 1.0 / f.fma(run.rtol, f.absolute(run.x.block(block)), f.spread(run.atol))
            for most, back in ((last, 0), (before, 4)):
                size = f.absolute(_row(run, order - back).block(block)) * weight
                most.value = f.largest(most.value, size)
        p = order.as_double()
        scaled, edge = h / (SERIES_EDGE * p), p * (p - 1.0) * (p - 2.0) * (p - 3.0)
        fourth = scaled * scaled * scaled * scaled
        note_if_stiff(f, run, fourth * edge * last.value.largest() > before.value.largest())


def _longest_step(f: Function, run: Record, order: Value) -> Value:
    """The h for which the last terms are as large as they may be: exp of the least −ln |x_j| / j."""
    largest = [f.variable(0.0, BLOCK) for _ in range(3)]
    with f.loop(run.blocks) as block:
        weight = 1.0 / f.fma(run.rtol, f.absolute(run.x.block(block)), f.spread(run.atol))
        for back, most in enumerate(largest):
            row = _row(run, order - back)
            most.value = f.largest(most.value, f.absolute(row.block(block)) * weight)
    steepest = f.variable(-1e300)
    for back, most in enumerate(largest):
        ratio = f.call("log", DOUBLE, most.value.largest()) / (order - back).as_double()
        steepest.value = f.largest(steepest.value, ratio)
    return f.call("exp", DOUBLE, -steepest.value)


def _polynomial(f: Function, run: Record, order: Value, h: Value, block: Value) -> tuple[Value, Value]:
    """Σ x_j h^j and its slope in one block, by Horner's rule."""
    value, slope = f.variable(_row(run, order).block(block), BLOCK), f.variable(0.0, BLOCK)
    down = f.variable(order)
    with f.repeat():
        down.value = down.value - 1
        f.leave_if(down.value < 0)
        slope.value = f.fma(h, slope.value, value.value)
        value.value = f.fma(h, value.value, _row(run, down.value).block(block))
    return value.value, slope.value


def _state_at(fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    order = f.call("ph_order", INTEGER, f.arguments["run"])
    h = f.arguments["t"] - run.t_old
    with f.loop(run.blocks) as block:
        value, _ = _polynomial(f, run, order, h, block)
        f.arguments["out"].store_block(block, value)
    f.give(0)
    return f
