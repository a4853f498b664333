"""Explicit pairs in lanes: the steps of `explicit_pairs`, of several members at once (`lane_loop`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...native.language import any_lane, are_set, fma, inline, row, set_marks
from ..lane_loop import GOES_ON, LaneMethod, lane_rates
from ..loop import is_swallowed, next_step, note_accepted, note_refused, reason_before_step
from ..record import EDGES, Reason
from ..step_control import factor_of, first_step, is_due, longer_step, note_if_stiff, shorter_step
from .explicit_pairs import (
    PROBE,
    ROUGH,
    ROUGH_PART,
    defect_at,
    error_of,
    interpolate,
    is_bounded_by_stability,
    make_dense,
    slope_weights,
    sub_step,
    take_stages,
)  # fmt: skip
from .tableaux import Pair


def lane_method(pair: Pair) -> LaneMethod:
    """A pair in lanes."""
    bound: dict[str, Any] = {name: partial(function, pair) for name, function in _FUNCTIONS.items()}
    if not pair.may_be_rough:
        bound["is_rough"] = bound["sub_step"] = None
    return LaneMethod(
        **bound,
        evaluations_to_begin=2,
        evaluations_for_dense=len(pair.more_c) + pair.may_be_rough,
        evaluations_of_sub_step=pair.stages - 2,
    )


@inline
def lane_step(lanes, run, lane):
    """Get a lane ready for its next step; a reason, or GOES_ON."""
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    run.step = next_step(run)
    if is_swallowed(run, run.step):
        return Reason.UNDERFLOW
    lanes.due[lane] = int(is_due(run))
    return GOES_ON


@inline
def _next_step(pair, lanes, run, lane):
    return lane_step(lanes, run, lane)


@inline
def _attempt(pair, lanes, runs):
    step = runs.step
    take_stages(runs, pair, step, lane_rates)
    error, finite = error_of(runs, pair, step)
    lanes.given[0] = error
    set_marks(lanes.finite, finite)
    if pair.order in EDGES and any_lane(are_set(lanes.due)):
        set_marks(lanes.stiff, is_bounded_by_stability(runs, pair))


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
        return GOES_ON
    run.is_finite = lanes.finite[lane]
    run.h_next = shorter_step(step, factor)
    return note_refused(run, step)


@inline
def _rates_at_end(pair, runs):
    return row(runs.k, runs, pair.stages - 1)


@inline
def _start(pair, lanes, runs):
    lane_rates(runs, runs.t, runs.x, runs.k)
    return runs.k


@inline
def _first_step(pair, lanes, runs):
    return first_step(runs, pair.order, lane_rates)


@inline
def _make_dense(pair, lanes, runs):
    make_dense(runs, pair, lane_rates)


@inline
def _interpolate(pair, lanes, runs, t, out):
    interpolate(runs, pair, t, out)


@inline
def _defects(pair, lanes, runs, t):
    weights = slope_weights(pair.dense_rows, (t - runs.t_old) / runs.taken)
    off = defect_at(runs, pair, t, weights, lane_rates)
    return off * (ROUGH_PART if are_set(lanes.rough) else 1.0) if pair.may_be_rough else off


@inline
def _is_rough(pair, lanes, runs):
    weights = slope_weights(pair.dense_rows, PROBE)
    return not defect_at(runs, pair, fma(PROBE, runs.taken, runs.t_old), weights, lane_rates) <= ROUGH


@inline
def _sub_step(pair, lanes, runs, t, out):
    sub_step(runs, pair, t, out, lane_rates)


_FUNCTIONS: dict[str, Any] = {
    "next_step": _next_step, "attempt": _attempt, "verdict": _verdict, "rates_at_end": _rates_at_end, "start": _start,
    "first_step": _first_step, "make_dense": _make_dense, "interpolate": _interpolate, "defects": _defects,
    "is_rough": _is_rough, "sub_step": _sub_step,
}  # fmt: skip
