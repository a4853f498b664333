"""Steps by Taylor series in lanes: those of `taylor`, of several members at once (`lane_loop`)."""

from __future__ import annotations

from ...native.language import any_lane, are_set, blocks, inline, row, set_marks, smallest
from ..lane_loop import GOES_ON, LaneMethod, lane_rates
from ..loop import is_swallowed, note_accepted, reason_before_step
from ..record import Reason
from ..step_control import is_due, note_if_stiff
from .taylor import (
    allowed_step,
    defect_of,
    is_bounded_by_stability,
    make_coefficients,
    order_for,
    polynomial,
    take_step,
)  # fmt: skip


@inline
def _next_step(lanes, run, lane):
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    lanes.due[lane] = int(is_due(run))
    return GOES_ON


@inline
def _attempt(lanes, runs):
    order = order_for(runs.rtol)
    lanes.clock[0] = runs.t
    make_coefficients(runs, order)
    allowed = allowed_step(runs, order)
    h, room = smallest(allowed, runs.h_max), runs.t_end - runs.t
    is_last = not h * 1.0000001 < room
    step = room if is_last else h
    lanes.given[0] = allowed
    lanes.steps[0] = step
    set_marks(lanes.last, is_last)
    set_marks(lanes.finite, take_step(runs, order, step))
    if any_lane(are_set(lanes.due)):
        set_marks(lanes.stiff, is_bounded_by_stability(runs, order, step))


@inline
def _verdict(lanes, run, lane):
    run.evaluations += 1
    step = lanes.steps[lane]
    run.is_last = lanes.last[lane]
    run.h = lanes.given[lane]
    run.h_next = run.h
    if lanes.finite[lane] == 0:
        return Reason.NONFINITE
    if is_swallowed(run, step):
        return Reason.UNDERFLOW
    if lanes.due[lane] > 0:
        note_if_stiff(run, lanes.stiff[lane] > 0)
    note_accepted(run, step)
    lanes.taken[lane] = 1
    return GOES_ON


@inline
def _rates_at_end(runs):
    return runs.unit


@inline
def _start(lanes, runs):
    lanes.clock[0] = runs.t
    make_coefficients(runs, 1)
    return row(runs.k, runs, 1)


@inline
def _first_step(lanes, runs):
    return 0.0


@inline
def _make_dense(lanes, runs):
    pass


@inline
def _interpolate(lanes, runs, t, out):
    order, h = order_for(runs.rtol), t - runs.t_old
    for block in blocks(runs):
        value, _ = polynomial(runs, order, h, block)
        out[block] = value


@inline
def _defects(lanes, runs, t):
    order, h, slopes = order_for(runs.rtol), t - runs.t_old, row(runs.nodes, runs, 0)
    for block in blocks(runs):
        value, slope = polynomial(runs, order, h, block)
        runs.y[block] = value
        slopes[block] = slope
    lane_rates(runs, t, runs.y, runs.residual)
    return defect_of(runs, slopes)


def lane_method() -> LaneMethod:
    """Taylor series in lanes."""
    return LaneMethod(
        _next_step, _attempt, _verdict, _rates_at_end, _start, _first_step, _make_dense, _interpolate, _defects,
        evaluations_to_begin=1, evaluations_for_dense=0,
    )  # fmt: skip
