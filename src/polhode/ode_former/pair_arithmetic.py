"""The arithmetic of an explicit pair: stages, the error of a step, its dense output.

Written with numbers and blocks alone, it is the same for one run and for runs in lanes (`llvm.builder`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..codegen.llvm.builder import Function, Record, Value
from ..ode.methods.tableaux import Pair
from .run_record import copy
from .stiffness import EDGES

#: Evaluates the rates: a time, a state, and where they go.
Rates = Callable[[Value, Value, Value], None]
#: Where in a step the slope of the dense output is compared with the rates. There h |x' - f(x)| is some 2.5 to 9 times
#: the largest error of the dense output, of both pairs of order 8, for all rooted trees and for x' = λ x.
PROBE = 0.65
#: So many times the tolerance it may be: the dense output is then off by some 2 to 8 tolerances.
_ROUGH = 20.0


def combine(f: Function, run: Record, weights: Sequence[float], block: Value) -> Value:
    """Σ weight_j k_j, in one block."""
    total: Value | None = None
    for number, weight in enumerate(weights):
        if weight != 0.0:
            k = stage(run, number).block(block)
            total = k * weight if total is None else f.fma(weight, k, total)
    return f.of_kind(f.block, 0.0) if total is None else total


def stage(run: Record, number: int) -> Value:
    """The rates of a stage."""
    return _row(run.k, run, number)


def take_stages(f: Function, run: Record, pair: Pair, step: Value, rates: Rates) -> None:
    """All stages of a step; run.y is the state at its end."""
    copy(f, run, run.f, run.k)
    _take(f, run, pair, pair.stages, run.t, run.x, step, rates)


def _take(f: Function, run: Record, pair: Pair, end: int, t: Value, x: Value, h: Value, rates: Rates) -> None:
    """The stages before a number, of a step of length h whose first is known."""
    for number in range(1, end):
        _move(f, run, x, h, pair.a[number])
        rates(f.fma(pair.c[number], h, t), run.y, stage(run, number))


def _move(f: Function, run: Record, x: Value, h: Value, weights: Sequence[float]) -> None:
    """y = x + h Σ weight_j k_j."""
    y = run.y
    with f.loop(run.blocks) as block:
        y.store_block(block, f.fma(h, combine(f, run, weights, block), x.block(block)))


def error_of(f: Function, run: Record, pair: Pair, h: Value) -> tuple[Value, Value]:
    """The error of a step over what is allowed, and whether it and the rates at the end are finite.

    With h |λ| → ∞ the state at the end grows faster than an estimate that leaves out the last stage, as that of a pair
    which is ahead of it does: beside such a state it would be small. So there the state at the start is the measure.
    """
    sums = [f.variable(0.0, f.block) for _ in pair.errors]
    zero = f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        size = f.absolute(run.x.block(block))
        if not pair.ahead:
            size = f.largest(size, f.absolute(run.y.block(block)))
        weight = 1.0 / f.fma(run.rtol, size, f.spread(run.atol))
        for total, weights in zip(sums, pair.errors, strict=True):
            part = combine(f, run, weights, block) * weight
            total.value = f.fma(part, part, total.value)
        zero.value = f.fma(0.0, stage(run, pair.stages - 1).block(block), zero.value)
    n = run.size.as_double()
    first = sums[0].value.sum()
    if len(sums) == 1:
        error = h * f.sqrt(first / n)
    else:
        together = f.fma(0.01, sums[1].value.sum(), first)
        error = h * first / f.sqrt(n * f.select(together > 0.0, together, 1.0))
    return error, error.equals(error) & zero.value.sum().equals(0.0) & (error < 1e300)


def is_bounded_by_stability(f: Function, run: Record, pair: Pair) -> Value:
    """Compare the end of a step with its last stage, for a pair that has that at the same time."""
    rate, state = f.variable(0.0, f.block), f.variable(0.0, f.block)
    between = [b - a for b, a in zip(pair.a[-1], (*pair.a[-2], 0.0), strict=True)]
    with f.loop(run.blocks) as block:
        weight = 1.0 / f.fma(run.rtol, f.absolute(run.y.block(block)), f.spread(run.atol))
        last, before = (stage(run, pair.stages - k).block(block) for k in (1, 2))
        for total, value in ((rate, last - before), (state, combine(f, run, between, block))):
            part = value * weight
            total.value = f.fma(part, part, total.value)
    return rate.value.sum() > EDGES[pair.order] ** 2 * state.value.sum()


def make_dense(f: Function, run: Record, pair: Pair, rates: Rates) -> None:
    """The rows of run.dense for the last step: Δ, F_1, F_2, F_3, …"""
    h = run.taken
    for number, (c, row) in enumerate(zip(pair.more_c, pair.more_a, strict=True), pair.stages):
        _move(f, run, run.x_old, h, row)
        rates(f.fma(c, h, run.t_old), run.y, stage(run, number))
    with f.loop(run.blocks) as block:
        difference = h * combine(f, run, pair.a[-1], block)
        first, last = stage(run, 0).block(block), stage(run, pair.stages - 1).block(block)
        rows = [difference, h * first - difference, 2.0 * difference - h * (first + last)]
        rows += [h * combine(f, run, weights, block) for weights in pair.d]
        for number, row_value in enumerate(rows):
            _row(run.dense, run, number).store_block(block, row_value)


def interpolate(f: Function, run: Record, pair: Pair, t: Value, out: Value) -> None:
    """The state at a time within the last step."""
    theta = (t - run.t_old) / run.taken
    rest = 1.0 - theta
    last_row = 2 + len(pair.d)
    with f.loop(run.blocks) as block:
        value = _row(run.dense, run, last_row).block(block)
        for number in range(last_row - 1, -1, -1):
            value = f.fma(rest if number % 2 == 0 else theta, value, _row(run.dense, run, number).block(block))
        out.store_block(block, f.fma(theta, value, run.x_old.block(block)))


def is_rough(f: Function, run: Record, pair: Pair, rates: Rates) -> Value:
    """Whether the dense output is much less exact than the step: its slope at one time is not that of the motion."""
    h, count = run.taken, run.size.as_double()
    t = f.fma(PROBE, h, run.t_old)
    interpolate(f, run, pair, t, run.y)
    rates(t, run.y, stage(run, 1))
    total = f.variable(0.0, f.block)
    with f.loop(run.blocks) as block:
        defect = -(h * stage(run, 1).block(block))
        for number, weight in enumerate(slope_weights(dense_rows(pair), PROBE)):
            defect = f.fma(weight, _row(run.dense, run, number).block(block), defect)
        part = defect / f.fma(run.rtol, f.absolute(run.x_old.block(block)), f.spread(run.atol))
        total.value = f.fma(part, part, total.value)
    return ~(run.allowance * f.sqrt(total.value.sum() / count) <= _ROUGH)


def slope_weights(rows: int, theta: float) -> list[float]:
    """The weights of the rows of a dense output in its derivative by θ.

    >>> slope_weights(3, 0.5)
    [1.0, 0.0, 0.25]
    """
    found, value, slope = [], theta, 1.0
    for number in range(rows):
        found.append(slope)
        factor, turn = (1.0 - theta, -1.0) if number % 2 == 0 else (theta, 1.0)
        value, slope = value * factor, slope * factor + value * turn
    return found


def retake(f: Function, run: Record, pair: Pair, t: Value, out: Value, rates: Rates) -> None:
    """The state at a time within the last step, by a shorter step from the same state."""
    h = t - run.t_old
    _take(f, run, pair, pair.stages - 1, run.t_old, run.x_old, h, rates)
    with f.loop(run.blocks) as block:
        out.store_block(block, f.fma(h, combine(f, run, pair.a[-1], block), run.x_old.block(block)))


def _row(array: Value, run: Record, number: int) -> Value:
    """A row of an array of states."""
    return array.at(run.blocks * number, array.function.block)


def dense_rows(pair: Pair) -> int:
    """How many rows the dense output has."""
    return 3 + len(pair.d)
