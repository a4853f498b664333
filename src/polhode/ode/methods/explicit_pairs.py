"""Explicit Runge–Kutta pairs with step-size control and dense output.

The error of a step is measured by the root of the mean square of its entries, each over atol + rtol max(|x|, |x⁺|); for
DOP853 the estimates of order 5 and 3 are combined (Hairer, Nørsett and Wanner, (10.17)).

Where stability bounds the steps, h |λ| ≈ 6, the dense output of a pair of order 8 is much less exact than its step: for
x' = λ x that of DOP853 is off by 80 times the estimate of its error. So its slope is compared with the rates at one
time of each step in which states are needed; where they differ by too much, every state inside is by a step of its own
from the same state, which is stable where the step was.

Written with numbers and blocks alone, the arithmetic is the same for one run and for runs in lanes.
"""

from __future__ import annotations

from functools import partial

from ...native.language import (
    Array,
    absolute,
    any_lane,
    are_set,
    blocks,
    fma,
    inline,
    largest,
    native,
    row,
    set_marks,
    sqrt,
    total,
    vector,
)  # fmt: skip
from ..lane_loop import LaneMethod, lane_rates, start_in_lanes
from ..loop import is_swallowed, note_accepted, note_refused, reason_before_step
from ..record import ACCEPTED, EDGES, GO_ON, REFUSED, Reason, Run
from ..right_side import copy, rates
from ..step_control import (
    begin_with,
    factor_of,
    first_step,
    is_due,
    longer_step,
    next_step,
    note_if_stiff,
    shorter_step,
)
from .tableaux import Pair

#: Where in a step the slope of the dense output is compared with the rates. There h |x' - f(x)| is some 2.5 to 9 times
#: the largest error of the dense output, of both pairs of order 8, for all rooted trees and for x' = λ x.
PROBE = 0.65
#: So many times the tolerance it may be: the dense output is then off by some 2 to 8 tolerances.
ROUGH = 20.0
#: Beyond that the defect counts by this part: where stability bounds the steps it is seldom more than 1,000 tolerances.
ROUGH_PART = 0.05
#: The dense output of the last step is made; it is made, and too inexact to be used.
_MADE, _TOO_ROUGH = 1, 2


@native
def begin(pair: Pair, run: Run) -> int:
    """The rates at the start, and the first step's length where none is given."""
    return begin_with(run, pair.order, rates)


@native
def attempt(pair: Pair, run: Run, step: float) -> int:
    """A step of this length, to run.y."""
    reason = take_stages(run, pair, step, rates)
    if reason > 0:
        return reason
    error, is_finite = error_of(run, pair, step)
    factor = factor_of(run, error, pair.order)
    if is_finite & (error <= 1.0):
        if pair.order in EDGES and is_due(run):
            note_if_stiff(run, is_bounded_by_stability(run, pair))
        run.rate = row(run.k, run, pair.stages - 1)
        run.h_next = longer_step(run, step, factor)
        return ACCEPTED
    run.is_finite = int(is_finite)
    run.h_next = shorter_step(step, factor)
    return REFUSED


@native
def defect(pair: Pair, run: Run, t: float) -> float:
    """h |p' - f(p)| of the dense output p at a time, over the tolerance; minus a reason where there are no rates."""
    reason = _prepare_dense(run, pair)
    if reason > 0:
        return -float(reason)
    off = defect_at(run, pair, t, slope_weights(pair.dense_rows, (t - run.t_old) / run.taken), rates)
    if pair.may_be_rough and run.dense_ready == _TOO_ROUGH and off >= 0.0:
        reason = sub_step(run, pair, t, run.y, rates)
        if reason > 0:
            return -float(reason)
        return ROUGH_PART * off
    return off


@native
def state_at(pair: Pair, run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    reason = _prepare_dense(run, pair)
    if reason > 0:
        return reason
    if pair.may_be_rough and run.dense_ready == _TOO_ROUGH and run.takes_rough == 0:
        return sub_step(run, pair, t, out, rates)
    interpolate(run, pair, t, out)
    return 0


@inline
def _prepare_dense(run, pair):
    """Make the dense output of the last step, once, and judge it; a reason where there are no rates, else 0."""
    if run.dense_ready == 0:
        reason = make_dense(run, pair, rates)
        if reason > 0:
            return reason
        run.dense_ready = _MADE
        if pair.may_be_rough:
            off = _probed(run, pair, rates)
            if off < 0.0:
                return -int(off)
            if not off <= ROUGH:
                run.dense_ready = _TOO_ROUGH
    return 0


# ---- arithmetic ----------------------------------------------------------------------------------------------------


@inline
def combine(run, weights, block):
    """Σ weight_j k_j, in one block."""
    terms = [(number, weight) for number, weight in enumerate(weights) if weight != 0.0]
    if not terms:
        return vector(0.0)
    made = row(run.k, run, terms[0][0])[block] * terms[0][1]
    for number, weight in terms[1:]:
        made = fma(weight, row(run.k, run, number)[block], made)
    return made


@inline
def take_stages(run, pair, step, rates):
    """All stages of a step; run.y is the state at its end."""
    copy(run, run.f, run.k)
    return _stages(run, pair, pair.stages, run.t, run.x, step, rates)


@inline
def _stages(run, pair, end, t, x, h, rates):
    """The stages before a number, of a step of length h whose first is known."""
    for number in range(1, end):
        _move(run, x, h, pair.a[number])
        reason = rates(run, fma(pair.c[number], h, t), run.y, row(run.k, run, number))
        if reason > 0:
            return reason
    return 0


@inline
def _move(run, x, h, weights):
    """y = x + h Σ weight_j k_j."""
    y = run.y
    for block in blocks(run):
        y[block] = fma(h, combine(run, weights, block), x[block])


@inline
def error_of(run, pair, h):
    """The error of a step relative to the tolerance, and whether it and the rates at the end are finite.

    With h |λ| → ∞ the state at the end grows faster than an estimate that leaves out the last stage, as that of a pair
    whose result is better than its estimate does: beside such a state it would be small. So there the state at the
    start is the measure.
    """
    first, second, zero = vector(0.0), vector(0.0), vector(0.0)
    for block in blocks(run):
        size = absolute(run.x[block])
        if not pair.ahead:
            size = largest(size, absolute(run.y[block]))
        weight = 1.0 / fma(run.rtol, size, run.atol)
        part = combine(run, pair.errors[0], block) * weight
        first = fma(part, part, first)
        if len(pair.errors) == 2:
            other = combine(run, pair.errors[1], block) * weight
            second = fma(other, other, second)
        zero = fma(0.0, row(run.k, run, pair.stages - 1)[block], zero)
    n, square = float(run.size), total(first)
    if len(pair.errors) == 1:
        error = h * sqrt(square / n)
    else:
        together = fma(0.01, total(second), square)
        error = h * square / sqrt(n * (together if together > 0.0 else 1.0))
    return error, (error == error) & (total(zero) == 0.0) & (error < 1e300)


@inline
def is_bounded_by_stability(run, pair):
    """Compare the end of a step with its last stage, for a pair that has that at the same time."""
    rate, state = vector(0.0), vector(0.0)
    between = [b - a for b, a in zip(pair.a[-1], (*pair.a[-2], 0.0), strict=True)]
    for block in blocks(run):
        weight = 1.0 / fma(run.rtol, absolute(run.y[block]), run.atol)
        last, before = row(run.k, run, pair.stages - 1)[block], row(run.k, run, pair.stages - 2)[block]
        part = (last - before) * weight
        rate = fma(part, part, rate)
        moved = combine(run, between, block) * weight
        state = fma(moved, moved, state)
    return total(rate) > EDGES[pair.order] ** 2 * total(state)


@inline
def make_dense(run, pair, rates):
    """The rows of run.dense for the last step: Δ, F_1, F_2, F_3, …"""
    h = run.taken
    for number, (c, weights) in enumerate(zip(pair.more_c, pair.more_a, strict=True), pair.stages):
        _move(run, run.x_old, h, weights)
        reason = rates(run, fma(c, h, run.t_old), run.y, row(run.k, run, number))
        if reason > 0:
            return reason
    for block in blocks(run):
        difference = h * combine(run, pair.a[-1], block)
        first, last = row(run.k, run, 0)[block], row(run.k, run, pair.stages - 1)[block]
        row(run.dense, run, 0)[block] = difference
        row(run.dense, run, 1)[block] = h * first - difference
        row(run.dense, run, 2)[block] = 2.0 * difference - h * (first + last)
        for number, weights in enumerate(pair.d, 3):
            row(run.dense, run, number)[block] = h * combine(run, weights, block)
    return 0


@inline
def interpolate(run, pair, t, out):
    """The state at a time within the last step, by the dense output."""
    theta = (t - run.t_old) / run.taken
    rest = 1.0 - theta
    last_row = pair.dense_rows - 1
    for block in blocks(run):
        value = row(run.dense, run, last_row)[block]
        for number in range(last_row - 1, -1, -1):
            value = fma(rest if number % 2 == 0 else theta, value, row(run.dense, run, number)[block])
        out[block] = fma(theta, value, run.x_old[block])


@inline
def defect_at(run, pair, t, weights, rates):
    """h |p' - f(p)| of the dense output p at a time, over the tolerance; minus a reason where f fails; run.y is p."""
    h, count = run.taken, float(run.size)
    interpolate(run, pair, t, run.y)
    reason = rates(run, t, run.y, row(run.k, run, 1))
    if reason > 0:
        return -float(reason)
    square = vector(0.0)
    for block in blocks(run):
        defect = -(h * row(run.k, run, 1)[block])
        for number, weight in enumerate(weights):
            defect = fma(weight, row(run.dense, run, number)[block], defect)
        part = defect / fma(run.rtol, absolute(run.x_old[block]), run.atol)
        square = fma(part, part, square)
    return run.error_scale * sqrt(total(square) / count)


@inline
def _probed(run, pair, rates):
    """The defect where the dense output is judged."""
    return defect_at(run, pair, fma(PROBE, run.taken, run.t_old), slope_weights(pair.dense_rows, PROBE), rates)


@inline
def sub_step(run, pair, t, out, rates):
    """The state at a time within the last step, by a shorter step from the same state."""
    h = t - run.t_old
    reason = _stages(run, pair, pair.stages - 1, run.t_old, run.x_old, h, rates)
    if reason > 0:
        return reason
    for block in blocks(run):
        out[block] = fma(h, combine(run, pair.a[-1], block), run.x_old[block])
    return 0


@inline
def slope_weights(rows, theta):
    """The weights of the rows of a dense output in its derivative by θ."""
    found, value, slope = [], theta, 1.0
    for number in range(rows):
        found.append(slope)
        factor = 1.0 - theta if number % 2 == 0 else theta
        slope = slope * factor + (-value if number % 2 == 0 else value)
        value = value * factor
    return found


# ---- in lanes ------------------------------------------------------------------------------------------------------


def lane_method(pair: Pair) -> LaneMethod:
    """A pair in lanes."""
    return LaneMethod(
        pair, lane_rates, _next_step, partial(_attempt_in_lanes, pair), partial(_verdict, pair),
        partial(start_in_lanes, lane_rates), partial(_first_step, pair), make_dense, interpolate,
        partial(_defects, pair), partial(_is_rough, pair) if pair.may_be_rough else None,
        sub_step if pair.may_be_rough else None, evaluations_to_begin=2,
        evaluations_for_dense=len(pair.more_c) + pair.may_be_rough, evaluations_of_sub_step=pair.stages - 2,
    )  # fmt: skip


@inline
def _next_step(lanes, run, lane):
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    run.step = next_step(run)
    if is_swallowed(run, run.step):
        return Reason.UNDERFLOW
    lanes.due[lane] = int(is_due(run))
    return GO_ON


@inline
def _attempt_in_lanes(pair, lanes, runs):
    step = runs.step
    take_stages(runs, pair, step, lane_rates)
    error, finite = error_of(runs, pair, step)
    lanes.given[0] = error
    set_marks(lanes.finite, finite)
    if pair.order in EDGES and any_lane(are_set(lanes.due)):
        set_marks(lanes.stiff, is_bounded_by_stability(runs, pair))
    return row(runs.k, runs, pair.stages - 1)


@inline
def _verdict(pair, lanes, run, lane):
    run.evaluations += pair.stages - 1
    step, error = run.step, lanes.given[lane]
    factor = factor_of(run, error, pair.order)
    if lanes.finite[lane] > 0 and error <= 1.0:
        if pair.order in EDGES and lanes.due[lane] > 0:
            note_if_stiff(run, lanes.stiff[lane] > 0)
        run.h_next = longer_step(run, step, factor)
        note_accepted(run, step)
        lanes.taken[lane] = 1
        return GO_ON
    run.is_finite = lanes.finite[lane]
    run.h_next = shorter_step(step, factor)
    return note_refused(run, step)


@inline
def _first_step(pair, runs):
    return first_step(runs, pair.order, lane_rates)


@inline
def _defects(pair, lanes, runs, t):
    weights = slope_weights(pair.dense_rows, (t - runs.t_old) / runs.taken)
    off = defect_at(runs, pair, t, weights, lane_rates)
    return off * (ROUGH_PART if are_set(lanes.rough) else 1.0) if pair.may_be_rough else off


@inline
def _is_rough(pair, runs):
    return not _probed(runs, pair, lane_rates) <= ROUGH
