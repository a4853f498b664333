"""Explicit Runge–Kutta pairs with step-size control and dense output, as native code.

    ph_begin(run)              the rates at the start, and the first step's length where none is given
    ph_advance(run)            steps, until one of the reasons of `run_record`
    ph_state_at(run, t, x)     the state at a time within the last step, by the dense output

The error of a step is measured by the root of the mean square of its entries, each over atol + rtol max(|x|, |x⁺|); for
DOP853 the estimates of order 5 and 3 are combined (Hairer, Nørsett and Wanner, (10.17)). The next step is
0.9 err^(-1/order) times as long, within bounds, and no longer than the last after a step that was refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..llvm.builder import BLOCK, DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value
from .members import members_function
from .right_side import right_side_functions
from .run_record import RUN, copy, rates
from .step_control import accept, begin_function, next_step, refuse
from .stiffness import EDGES, is_looked_at, note_if_stiff
from .tableaux import Pair

_SAFETY = 0.8


def runge_kutta_module(pair: Pair, *, fused: bool = True) -> str:
    """The module of a pair."""
    functions = [
        *right_side_functions(fused),
        begin_function(pair.order, fused),
        _state_at(pair, fused),
        _advance(pair, fused),
        members_function(fused),
    ]
    return "\n".join([*DECLARATIONS, *(function.text for function in functions)])


def _combine(f: Function, run: Record, weights: Sequence[float], block: Value) -> Value:
    """Σ weight_j k_j, in one block."""
    total: Value | None = None
    for stage, weight in enumerate(weights):
        if weight != 0.0:
            k = _stage(run, stage).block(block)
            total = k * weight if total is None else f.fma(weight, k, total)
    return f.of_kind(BLOCK, 0.0) if total is None else total


def _stage(run: Record, number: int) -> Value:
    """The rates of a stage."""
    return run.k.at(run.blocks * number, BLOCK)


def _moved(f: Function, run: Record, h: Value, weights: Sequence[float]) -> None:
    """y = x + h Σ weight_j k_j."""
    x, y = run.x, run.y
    with f.loop(run.blocks) as block:
        y.store_block(block, f.fma(h, _combine(f, run, weights, block), x.block(block)))


def _advance(pair: Pair, fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    tenths = f.variable(0)
    with f.repeat():
        step, is_last = next_step(f, run)
        copy(f, run, run.f, run.k)
        for stage in range(1, pair.stages):
            _moved(f, run, step, pair.a[stage])
            t = f.fma(pair.c[stage], step, run.t) if stage < pair.stages - 1 else run.t + step
            rates(f, run, t, run.y, _stage(run, stage))
        error, finite = _error(f, run, pair, step)
        factor = f.variable(_SAFETY * f.power(error, -1.0 / pair.order))
        with f.when(error <= 1e-14):
            factor.value = run.growth
        good = finite & (error <= 1.0)
        with f.when(good):
            _look_for_stiffness(f, run, pair)
            tenths.value = 0
            ceiling = f.select(run.after_rejection > 0, 1.0, run.growth)
            longer = step * f.smallest(factor.value, ceiling)
            accept(f, run, step, is_last, _stage(run, pair.stages - 1), longer)
        with f.when(~good):
            refuse(f, run, step, factor.value, finite, tenths)
    return f


def _error(f: Function, run: Record, pair: Pair, h: Value) -> tuple[Value, Value]:
    """The error of a step over what is allowed, and whether it and the rates at the end are finite."""
    sums = [f.variable(0.0, BLOCK) for _ in pair.errors]
    zero = f.variable(0.0, BLOCK)
    with f.loop(run.blocks) as block:
        size = f.largest(f.absolute(run.x.block(block)), f.absolute(run.y.block(block)))
        weight = 1.0 / f.fma(run.rtol, size, f.spread(run.atol))
        for total, weights in zip(sums, pair.errors, strict=True):
            part = _combine(f, run, weights, block) * weight
            total.value = f.fma(part, part, total.value)
        zero.value = f.fma(0.0, _stage(run, pair.stages - 1).block(block), zero.value)
    n = run.size.as_double()
    first = sums[0].value.sum()
    if len(sums) == 1:
        error = h * f.sqrt(first / n)
    else:
        together = f.fma(0.01, sums[1].value.sum(), first)
        error = h * first / f.sqrt(n * f.select(together > 0.0, together, 1.0))
    return error, error.equals(error) & zero.value.sum().equals(0.0) & (error < 1e300)


def _look_for_stiffness(f: Function, run: Record, pair: Pair) -> None:
    """Compare the end of a step with its last stage, where that is at the same time."""
    if pair.order not in EDGES:
        return
    with f.when(is_looked_at(f, run)):
        rate, state = f.variable(0.0, BLOCK), f.variable(0.0, BLOCK)
        between = [b - a for b, a in zip(pair.a[-1], (*pair.a[-2], 0.0), strict=True)]
        with f.loop(run.blocks) as block:
            weight = 1.0 / f.fma(run.rtol, f.absolute(run.y.block(block)), f.spread(run.atol))
            last, before = (_stage(run, pair.stages - k).block(block) for k in (1, 2))
            for total, value in ((rate, last - before), (state, _combine(f, run, between, block))):
                part = value * weight
                total.value = f.fma(part, part, total.value)
        note_if_stiff(f, run, rate.value.sum() > EDGES[pair.order] ** 2 * state.value.sum())


def _state_at(pair: Pair, fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    h = run.taken
    # the rows of `dense`: Δ, F_1, F_2, F_3, …
    with f.when(run.dense_ready.equals(0)):
        x = run.x_old
        for number, (c, row) in enumerate(zip(pair.more_c, pair.more_a, strict=True), pair.stages):
            with f.loop(run.blocks) as block:
                run.y.store_block(block, f.fma(h, _combine(f, run, row, block), x.block(block)))
            rates(f, run, f.fma(c, h, run.t_old), run.y, _stage(run, number))
        with f.loop(run.blocks) as block:
            difference = h * _combine(f, run, pair.a[-1], block)
            first, last = _stage(run, 0).block(block), _stage(run, pair.stages - 1).block(block)
            rows = [difference, h * first - difference, 2.0 * difference - h * (first + last)]
            rows += [h * _combine(f, run, weights, block) for weights in pair.d]
            for number, row_value in enumerate(rows):
                _row(run, number).store_block(block, row_value)
        run.dense_ready = 1
    theta = (f.arguments["t"] - run.t_old) / h
    rest = 1.0 - theta
    last_row = 2 + len(pair.d)
    out = f.arguments["out"]
    with f.loop(run.blocks) as block:
        value = _row(run, last_row).block(block)
        for number in range(last_row - 1, -1, -1):
            value = f.fma(rest if number % 2 == 0 else theta, value, _row(run, number).block(block))
        out.store_block(block, f.fma(theta, value, run.x_old.block(block)))
    f.give(0)
    return f


def _row(run: Record, number: int) -> Value:
    """A row of the dense output."""
    return run.dense.at(run.blocks * number, BLOCK)


def dense_rows(pair: Pair) -> int:
    """How many rows the dense output has."""
    return 3 + len(pair.d)
