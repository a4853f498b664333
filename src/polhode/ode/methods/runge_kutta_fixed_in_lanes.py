"""Explicit fixed steps in lanes: those of `runge_kutta_fixed`, of several members at once (`lane_loop`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...codegen.fixed_steps import Tableau
from ...native.language import Array, call, fma, in_lanes, inline, set_marks, side_by_side
from ..lane_loop import GOES_ON, Lane, LaneMethod, Lanes
from ..loop import next_step, note_accepted, reason_before_step
from ..rates import are_finite, copy
from ..record import Reason
from .runge_kutta_fixed import take_stages


def lane_method(tableau: Tableau) -> LaneMethod:
    """A method in lanes; a state inside of a step is by a shorter one."""
    bound = {name: partial(function, tableau) for name, function in _FUNCTIONS.items()}
    return LaneMethod(
        **bound,
        defects=None,
        evaluations_to_begin=1,
        evaluations_for_dense=0,
        evaluations_of_sub_step=len(tableau.b) - 1,
    )


@in_lanes
def _rates(lanes: Lanes, x: Array, out: Array) -> None:
    """out = ẋ(clock, x)."""
    runs = side_by_side(lanes, Lane)
    arguments = runs.arguments
    arguments[runs.x_index] = x
    arguments[runs.out_index] = out
    call(runs.at, arguments)


@inline
def lane_rates(runs, t, x, out):
    """The rates of all lanes, with quaternions as they are; 0, since no lane has a reason to return."""
    runs.lanes.clock[0] = t
    _rates(runs.lanes, x, out)
    return 0


@inline
def _next_step(tableau, lanes, run, lane):
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    if run.has_prepare > 0:
        run.t = fma(float(run.number), run.h, run.origin)
    run.step = next_step(run)
    lanes.given[lane] = float(run.number)
    return Reason.STEP if run.is_inside + run.is_last > 0 else GOES_ON


@inline
def _attempt(tableau, lanes, runs):
    number, h, origin = lanes.given[0], runs.h, runs.origin
    copy(runs, runs.f, runs.k)
    times = [fma(number + c, h, origin) for c in tableau.c]
    take_stages(runs, tableau, times, runs.x, h, runs.y, lane_rates)
    set_marks(lanes.finite, are_finite(runs, runs.y))
    lane_rates(runs, fma(number + 1.0, h, origin), runs.y, runs.k)


@inline
def _verdict(tableau, lanes, run, lane):
    run.evaluations += len(tableau.b)
    if lanes.finite[lane] == 0:
        return Reason.NONFINITE
    note_accepted(run, run.step)
    lanes.taken[lane] = 1
    return GOES_ON


@inline
def _rates_at_end(tableau, runs):
    return runs.k


@inline
def _start(tableau, lanes, runs):
    lane_rates(runs, runs.t, runs.x, runs.k)
    return runs.k


@inline
def _first_step(tableau, lanes, runs):
    return runs.h


@inline
def _nothing(tableau, lanes, runs, *more):
    pass


@inline
def _is_rough(tableau, lanes, runs):
    return runs.t == runs.t


@inline
def _sub_step(tableau, lanes, runs, t, out):
    t_old, h = runs.t_old, t - runs.t_old
    lane_rates(runs, t_old, runs.x_old, runs.k)
    take_stages(runs, tableau, [fma(c, h, t_old) for c in tableau.c], runs.x_old, h, out, lane_rates)


_FUNCTIONS: dict[str, Any] = {
    "next_step": _next_step, "attempt": _attempt, "verdict": _verdict, "rates_at_end": _rates_at_end, "start": _start,
    "first_step": _first_step, "make_dense": _nothing, "interpolate": _nothing,
    "is_rough": _is_rough, "sub_step": _sub_step,
}  # fmt: skip
