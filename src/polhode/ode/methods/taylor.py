"""Steps by Taylor series.

A step takes the coefficients x_0, …, x_p of the motion at its start into the rows of run.k (run.dense is scratch), and
is as long as the last ones allow: |x_j| h^j ≤ atol + rtol |x| in every entry for j = p − 2, p − 1, p. Nothing is
estimated twice, and no step is refused. What is left out is about h/ρ times the last term, ρ being the radius of
convergence. Three coefficients are used, since those of a motion that starts at rest vanish at every other order.

The coefficients are computed by the recurrences of one right-hand side, a function behind the pointer run.jet
(`codegen.taylor`). The order follows the tolerance. A step is ρ rtol^(1/p) long and costs about b p + c p²: the best p
lies between −ln rtol / 2, where the second term is all (Jorba and Zou), and −ln rtol. Measured, from a double pendulum
to a UR5, the least time for an error is near 0.65 of it, and flat.
"""

from __future__ import annotations

from ...native.language import (
    Array,
    absolute,
    any_lane,
    are_set,
    blocks,
    call,
    exp,
    fma,
    greatest,
    inline,
    largest,
    log,
    native,
    row,
    set_marks,
    smallest,
    sqrt,
    total,
    vector,
)  # fmt: skip
from ..lane_loop import LaneMethod, lane_rates
from ..loop import is_swallowed, note_accepted, reason_before_step
from ..record import ACCEPTED, GO_ON, Reason, Run
from ..right_side import copy, rates, scale_to_unit
from ..step_control import SERIES_EDGE, is_due, note_if_stiff
from .registry import MOST_ORDER

#: No order is lower, and none higher than `registry.MOST_ORDER`.
LEAST_ORDER = 8
#: The order over −ln rtol.
ORDER_FACTOR = 0.65
#: Smaller relative tolerances are not distinct from rounding.
_LEAST_TOLERANCE = 2.0**-52


@inline
def order_for(rtol):
    """The order for a relative tolerance."""
    wanted = int(log(largest(rtol, _LEAST_TOLERANCE)) * -ORDER_FACTOR + 2.0)
    at_least = wanted if wanted >= LEAST_ORDER else LEAST_ORDER
    return at_least if at_least <= MOST_ORDER else MOST_ORDER


@native
def begin(run: Run) -> int:
    """The rates at the start, and the order."""
    run.order = order_for(run.rtol)
    run.clock = run.t
    run.evaluations += 1
    make_coefficients(run, 1)
    copy(run, row(run.k, run, 1), run.f)
    return 0


@native
def prepare(run: Run) -> int:
    """The coefficients at the state, and the step that they allow."""
    run.clock = run.t
    run.evaluations += 1
    make_coefficients(run, run.order)
    run.h = allowed_step(run, run.order)
    return 0


@native
def attempt(run: Run, step: float) -> int:
    """A step of this length, to run.y."""
    if not take_step(run, run.order, step):
        return Reason.NONFINITE
    if is_due(run):
        note_if_stiff(run, is_bounded_by_stability(run, run.order, step))
    run.rate = run.unit
    run.h_next = run.h
    return ACCEPTED


@native
def state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step: the same polynomial."""
    interpolate(run, run.order, t, out)
    return 0


@native
def defect(run: Run, t: float) -> float:
    """h |p' - f(p)| of the polynomial at a time, over the tolerance; minus a reason where there are no rates."""
    return defect_at(run, run.order, t, rates)


# ---- arithmetic, the same for one run and for runs in lanes ---------------------------------------------------------


@inline
def interpolate(run, order, t, out):
    """The state at a time within the last step."""
    h = t - run.t_old
    for block in blocks(run):
        value, _ = polynomial(run, order, h, block)
        out[block] = value


@inline
def defect_at(run, order, t, rates):
    """h |p' - f(p)| of the polynomial p at a time, over the tolerance; minus a reason where f fails; run.y is p."""
    h, slopes = t - run.t_old, row(run.nodes, run, 0)
    for block in blocks(run):
        value, slope = polynomial(run, order, h, block)
        run.y[block] = value
        slopes[block] = slope
    reason = rates(run, t, run.y, run.residual)
    if reason > 0:
        return -float(reason)
    square = vector(0.0)
    for block in blocks(run):
        off = run.taken * (slopes[block] - run.residual[block])
        part = off / fma(run.rtol, absolute(run.x_old[block]), run.atol)
        square = fma(part, part, square)
    return sqrt(total(square) / float(run.size))


@inline
def make_coefficients(run, order):
    """Rows of run.k at the state run.x and the time run.clock."""
    arguments = run.arguments
    arguments[run.x_index] = run.x
    if run.group_count > 0:
        copy(run, run.x, run.unit)
        scale_to_unit(run, run.unit)
        arguments[run.x_index] = run.unit
    call(run.jet, arguments, run.k, run.dense, order)
    for number in range(run.group_count):
        first, count = run.groups[number * 2], run.groups[number * 2 + 1]
        length = run.lengths[number]
        for j in range(order + 1):
            coefficients = row(run.k, run, j)
            for i in range(first, first + count):
                coefficients[i] = coefficients[i] * length


@inline
def allowed_step(run, order):
    """The step that the coefficients allow, not much longer than the one before: none of them shows more."""
    free, most = longest_step(run, order), run.growth * run.h
    return most if (run.h > 0.0) & (free > most) else free


@inline
def longest_step(run, order):
    """The h for which the last terms are as large as they may be: exp of the least −ln |x_j| / j."""
    last, second, third = vector(0.0), vector(0.0), vector(0.0)
    for block in blocks(run):
        weight = 1.0 / fma(run.rtol, absolute(run.x[block]), run.atol)
        last = largest(last, absolute(row(run.k, run, order)[block]) * weight)
        second = largest(second, absolute(row(run.k, run, order - 1)[block]) * weight)
        third = largest(third, absolute(row(run.k, run, order - 2)[block]) * weight)
    steepest = largest(-1e300, log(greatest(last)) / float(order))
    steepest = largest(steepest, log(greatest(second)) / float(order - 1))
    steepest = largest(steepest, log(greatest(third)) / float(order - 2))
    return exp(-steepest)


@inline
def take_step(run, order, h):
    """run.y and run.unit are the state and its rates a time h later; True if all of them are finite."""
    zero = vector(0.0)
    for block in blocks(run):
        value, slope = polynomial(run, order, h, block)
        run.y[block] = value
        run.unit[block] = slope
        zero = fma(0.0, value, fma(0.0, slope, zero))
    return total(zero) == 0.0


@inline
def polynomial(run, order, h, block):
    """Σ x_j h^j and its slope in one block, by Horner's rule."""
    value, slope, down = row(run.k, run, order)[block], vector(0.0), order - 1
    while down >= 0:
        slope = fma(h, slope, value)
        value = fma(h, value, row(run.k, run, down)[block])
        down -= 1
    return value, slope


@inline
def is_bounded_by_stability(run, order, h):
    """Compare the last coefficient with the fourth before it: h |λ| ≈ h (p (p-1) (p-2) (p-3) |x_p| / |x_{p-4}|)^¼."""
    last, before = vector(0.0), vector(0.0)
    for block in blocks(run):
        weight = 1.0 / fma(run.rtol, absolute(run.x[block]), run.atol)
        last = largest(last, absolute(row(run.k, run, order)[block]) * weight)
        before = largest(before, absolute(row(run.k, run, order - 4)[block]) * weight)
    p = float(order)
    scaled, edge = h / (SERIES_EDGE * p), p * (p - 1.0) * (p - 2.0) * (p - 3.0)
    fourth = scaled * scaled * scaled * scaled
    return fourth * edge * greatest(last) > greatest(before)


# ---- in lanes ------------------------------------------------------------------------------------------------------


def lane_method() -> LaneMethod:
    """Taylor series in lanes."""
    return LaneMethod(
        None, lane_rates, _next_step, _attempt_in_lanes, _verdict, _start, _first_step,
        interpolate=_interpolate, defects=_defects,
    )  # fmt: skip


@inline
def _next_step(lanes, run, lane):
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    lanes.due[lane] = int(is_due(run))
    return GO_ON


@inline
def _attempt_in_lanes(lanes, runs):
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
    return runs.unit


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
    return GO_ON


@inline
def _start(lanes, runs):
    lanes.clock[0] = runs.t
    make_coefficients(runs, 1)
    return row(runs.k, runs, 1)


@inline
def _first_step(runs):
    return 0.0


@inline
def _interpolate(runs, form, t, out):
    interpolate(runs, order_for(runs.rtol), t, out)


@inline
def _defects(lanes, runs, t):
    return defect_at(runs, order_for(runs.rtol), t, lane_rates)
