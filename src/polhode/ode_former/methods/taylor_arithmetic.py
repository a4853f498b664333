"""The arithmetic of a step by Taylor series, the same for one run and for runs in lanes (`llvm.builder`).

The rows of run.k are the coefficients x_0, …, x_p of the motion at the start of the step.
"""

from __future__ import annotations

from ...codegen.llvm.builder import POINTER, Function, Record, Value
from ..run_record import copy, group, scale_to_unit
from ..stiffness import SERIES_EDGE


def make_coefficients(f: Function, run: Record, order: Value) -> None:
    """Rows of run.k at the state run.x and the time that the table of arguments points to.

    Quaternions are used at unit length. Their rates are linear in them: all their coefficients grow with their length.
    """
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
            row = row_of(run, j)
            with f.loop(first + count, first) as i:
                row[i] = row[i] * length


def row_of(run: Record, number: Value) -> Value:
    """The coefficients of an order."""
    return run.k.at(run.blocks * number, number.function.block)


def longest_step(f: Function, run: Record, order: Value) -> Value:
    """The h for which the last terms are as large as they may be: exp of the least −ln |x_j| / j."""
    largest = [f.variable(0.0, f.block) for _ in range(3)]
    with f.loop(run.blocks) as block:
        weight = 1.0 / f.fma(run.rtol, f.absolute(run.x.block(block)), f.spread(run.atol))
        for back, most in enumerate(largest):
            row = row_of(run, order - back)
            most.value = f.largest(most.value, f.absolute(row.block(block)) * weight)
    steepest = f.variable(-1e300)
    for back, most in enumerate(largest):
        ratio = f.library("log", most.value.largest()) / (order - back).as_double()
        steepest.value = f.largest(steepest.value, ratio)
    return f.library("exp", -steepest.value)


def take_step(f: Function, run: Record, order: Value, h: Value) -> Value:
    """run.y and run.unit are the state and its rates a time h later; whether all of them are finite."""
    zero = f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        value, slope = polynomial(f, run, order, h, block)
        run.y.store_block(block, value)
        run.unit.store_block(block, slope)
        zero.value = f.fma(0.0, value, f.fma(0.0, slope, zero.value))
    total: Value = zero.value.sum()
    return total.equals(0.0)


def polynomial(f: Function, run: Record, order: Value, h: Value, block: Value) -> tuple[Value, Value]:
    """Σ x_j h^j and its slope in one block, by Horner's rule."""
    value, slope = f.variable(row_of(run, order).block(block), f.block), f.variable(0.0, f.block)
    down = f.variable(order)
    with f.repeat():
        down.value = down.value - 1
        f.leave_if(down.value < 0)
        slope.value = f.fma(h, slope.value, value.value)
        value.value = f.fma(h, value.value, row_of(run, down.value).block(block))
    return value.value, slope.value


def is_bounded_by_stability(f: Function, run: Record, order: Value, h: Value) -> Value:
    """Compare the last coefficient with the fourth before it: h |λ| ≈ h (p (p-1) (p-2) (p-3) |x_p| / |x_{p-4}|)^¼."""
    last, before = f.variable(0.0, f.block), f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        weight = 1.0 / f.fma(run.rtol, f.absolute(run.x.block(block)), f.spread(run.atol))
        for most, back in ((last, 0), (before, 4)):
            size = f.absolute(row_of(run, order - back).block(block)) * weight
            most.value = f.largest(most.value, size)
    p = order.as_double()
    scaled, edge = h / (SERIES_EDGE * p), p * (p - 1.0) * (p - 2.0) * (p - 3.0)
    fourth = scaled * scaled * scaled * scaled
    return fourth * edge * last.value.largest() > before.value.largest()
