"""Explicit Runge–Kutta methods of fixed step.

The increments of a step are summed first, so that the state is rounded once. Quaternions are brought back to unit
length at the end of each step. A step to a state that is not finite is not taken. The state at a time inside of a step
is that of a shorter step from the same state.
"""

from __future__ import annotations

from functools import partial

from ...codegen.fixed_steps import Tableau
from ...native.language import Array, blocks, fma, inline, native, row, set_marks, sqrt
from ..lane_loop import LaneMethod, lane_rates_as_given, start_in_lanes
from ..loop import note_accepted, reason_before_step
from ..record import ACCEPTED, GO_ON, Reason, Run
from ..right_side import are_finite, copy, rates
from ..step_control import begin_on_grid, next_step, time_in_step


@native
def begin(tableau: Tableau, run: Run) -> int:
    """The rates at the start."""
    return begin_steps(run)


@native
def attempt(tableau: Tableau, run: Run, step: float) -> int:
    """A step to run.y, with the rates at its end, which are those of the first stage of the next."""
    copy(run, run.f, run.k)
    times = [time_in_step(run, step, c) for c in tableau.c]
    reason = take_stages(run, tableau, times, run.x, step, run.y, rates)
    if reason > 0:
        return reason
    return finish_step(run, step)


@native
def state_at(tableau: Tableau, run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    h = t - run.t_old
    copy(run, run.f_old, run.k)
    return take_stages(run, tableau, [fma(c, h, run.t_old) for c in tableau.c], run.x_old, h, out, rates)


@inline
def take_stages(run, tableau, times, x, h, out, rates):
    """out is the state a step of length h from x, where the rates of the first stage are known."""
    for number, weights in enumerate(tableau.a[1:], 1):
        _move(run, weights, x, h, run.y)
        reason = rates(run, times[number], run.y, row(run.k, run, number))
        if reason > 0:
            return reason
    _move(run, tableau.b, x, h, out)
    normalise(run, out)
    return 0


@inline
def _move(run, weights, x, h, out):
    """out = x + h Σ weight_j k_j."""
    for block in blocks(run):
        rows = [row(run.k, run, number)[block] for number, _ in enumerate(weights)]
        out[block] = fma(weighted(weights, rows), h, x[block])


@inline
def weighted(weights, values):
    """Σ weight · value."""
    terms = [(weight, value) for weight, value in zip(weights, values, strict=True) if weight != 0.0]
    (weight, value), rest = terms[0], terms[1:]
    if len(rest) == 0:
        return product(weight, value)
    made = fma(value, weight, product(*rest[0])) if weight != 1.0 else value + product(*rest[0])
    for weight_j, value_j in rest[1:]:
        made = fma(value_j, weight_j, made)
    return made


@inline
def product(weight, value):
    """A product; that with one is the value itself."""
    return value if weight == 1.0 else value * weight


@inline
def normalise(run, x):
    """Scale quaternions to unit length."""
    for number in range(run.group_count):
        normalise_group(x, run.groups[number * 2], run.groups[number * 2 + 1])


@inline
def normalise_group(x, first, count):
    """Scale one quaternion to unit length."""
    square = fma(x[first], x[first], x[first + 1] * x[first + 1])
    for i in range(first + 2, first + count):
        square = fma(x[i], x[i], square)
    factor = 1.0 / sqrt(square)
    for i in range(first, first + count):
        x[i] = x[i] * factor


@inline
def begin_steps(run):
    """The rates at the start of the next step."""
    begin_on_grid(run)
    return rates(run, time_in_step(run, 0.0, 0.0), run.x, run.f)


@inline
def finish_step(run, step):
    """The rates at the end of a step, run.y; ACCEPTED, or the reason why it is not taken."""
    if not are_finite(run, run.y):
        return Reason.NONFINITE
    reason = rates(run, time_in_step(run, step, 1.0), run.y, run.k)
    run.rate = run.k
    return ACCEPTED if reason == 0 else reason


# ---- in lanes ------------------------------------------------------------------------------------------------------


def lane_method(tableau: Tableau) -> LaneMethod:
    """A method in lanes; a state inside of a step is by a shorter one."""
    return LaneMethod(
        tableau, lane_rates_as_given, _next_step, partial(_attempt_in_lanes, tableau), partial(_verdict, tableau),
        partial(start_in_lanes, lane_rates_as_given), _first_step, sub_step=_sub_step,
        evaluations_of_sub_step=len(tableau.b) - 1,
    )  # fmt: skip


@inline
def _next_step(lanes, run, lane):
    reason = reason_before_step(run)
    if reason >= 0:
        return reason
    if run.has_prepare > 0:
        run.t = fma(float(run.number), run.h, run.origin)
    run.step = next_step(run)
    lanes.given[lane] = float(run.number)
    return Reason.STEP if run.is_inside + run.is_last > 0 else GO_ON


@inline
def _attempt_in_lanes(tableau, lanes, runs):
    number, h, origin = lanes.given[0], runs.h, runs.origin
    copy(runs, runs.f, runs.k)
    times = [fma(number + c, h, origin) for c in tableau.c]
    take_stages(runs, tableau, times, runs.x, h, runs.y, lane_rates_as_given)
    set_marks(lanes.finite, are_finite(runs, runs.y))
    lane_rates_as_given(runs, fma(number + 1.0, h, origin), runs.y, runs.k)
    return runs.k


@inline
def _verdict(tableau, lanes, run, lane):
    run.evaluations += len(tableau.b)
    if lanes.finite[lane] == 0:
        return Reason.NONFINITE
    note_accepted(run, run.step)
    lanes.taken[lane] = 1
    return GO_ON


@inline
def _first_step(runs):
    return runs.h


@inline
def _sub_step(runs, tableau, t, out, rates):
    t_old, h = runs.t_old, t - runs.t_old
    rates(runs, t_old, runs.x_old, runs.k)
    take_stages(runs, tableau, [fma(c, h, t_old) for c in tableau.c], runs.x_old, h, out, rates)
