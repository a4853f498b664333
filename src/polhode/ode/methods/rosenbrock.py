"""Rosenbrock methods with step-size control and dense output, for stiff problems.

A step is as many linear systems of one matrix W = 1/(h γ) - J as there are stages (`rosenbrock_tableaux`), with the
Jacobian J at its start. The order is that of the method only where J is exact, as the compiled one is; with differences
for J the error that this makes is part of the estimate, and steps are shorter for it.
"""

from __future__ import annotations

from ...native.language import INFINITY, Array, blocks, fma, inline, native, power, row
from ..linear import REAL, factor, solve
from ..rates import are_finite, norm
from ..record import ACCEPTED, REFUSED, Run
from ..right_side import rates
from ..step_control import first_step, longer_step, shorter_step
from .jacobian import filtered_norm, forget, memory_of, note_if_calm, refresh, shift
from .rosenbrock_tableaux import Rosenbrock

_SAFETY = 0.9
DENSE_ROWS = 4


@native
def begin(method: Rosenbrock, run: Run) -> int:
    """The rates at the start, and the first step's length where none is given."""
    forget(memory_of(run))
    reason = rates(run, run.t, run.x, run.f)
    if reason > 0:
        return reason
    if not run.h > 0.0:
        run.h = first_step(run, method.order, rates)
    return 0


@native
def attempt(method: Rosenbrock, run: Run, step: float) -> int:
    """A step of this length, to run.y."""
    implicit = memory_of(run)
    reason = refresh(True, run, implicit, step)
    if reason > 0:
        return reason
    shift(run, implicit, implicit.real.upper, (1.0 / (step * method.gamma),))
    implicit.factorisations += 1
    error = INFINITY
    if factor(REAL, implicit.real) == 0:
        reason = _stages(method, run, implicit, step)
        if reason > 0:
            return reason
        error = norm(run, row(run.k, run, method.stages - 1), run.y)
    is_finite, is_good, rate = error < 1e300, error <= 1.0, row(run.k, run, method.stages)
    if is_good:
        reason = rates(run, run.t + step, run.y, rate)
        if reason > 0:
            return reason
        if not are_finite(run, rate):
            is_finite, is_good = False, False
    factor_of_step = run.growth if error <= 1e-14 else _SAFETY * power(error, -1.0 / method.order)
    if is_good:
        implicit.is_usable = 0
        note_if_calm(run, implicit, step)
        run.rate = rate
        run.h_next = longer_step(run, step, factor_of_step)
        return ACCEPTED
    run.is_finite = int(is_finite)
    run.h_next = shorter_step(step, factor_of_step)
    return REFUSED


@native
def state_at(method: Rosenbrock, run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    _make_dense(method, run)
    theta = (t - run.t_old) / run.taken
    rest = 1.0 - theta
    for block in blocks(run):
        difference, first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        value = fma(theta, fma(theta, third, second), first)
        out[block] = fma(theta, fma(rest, value, difference), run.x_old[block])
    return 0


@native
def defect(method: Rosenbrock, run: Run, t: float) -> float:
    """h |(1 - h γ J)⁻¹ (p' - f(p))| of the dense output p at a time, over the tolerance; minus a reason without f."""
    reason = state_at(method, run, t, run.y)
    if reason > 0:
        return -float(reason)
    slope = row(run.k, run, method.stages)
    reason = rates(run, t, run.y, slope)
    if reason > 0:
        return -float(reason)
    theta = (t - run.t_old) / run.taken
    turn, over = 1.0 - 2.0 * theta, 1.0 / run.taken
    for block in blocks(run):
        difference, first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        value = fma(theta, fma(theta, third, second), first)
        change = fma(2.0 * theta, third, second) * (theta * (1.0 - theta))
        slope[block] = fma(over, fma(turn, value, difference) + change, -slope[block])
    return filtered_norm(run, memory_of(run), slope, method.gamma)


# ---- arithmetic ----------------------------------------------------------------------------------------------------


@inline
def _combine(run, weights, block):
    """Σ weight_j U_j, in one block."""
    made = row(run.k, run, 0)[block] * weights[0]
    for number, weight in enumerate(weights[1:], 1):
        made = fma(weight, row(run.k, run, number)[block], made)
    return made


@inline
def _stages(method, run, implicit, step):
    """All U, and the new state in run.y."""
    x, y, over = run.x, run.y, 1.0 / step
    for stage in range(method.stages):
        own, source = row(run.k, run, stage), run.f if stage == 0 else row(run.k, run, stage)
        if stage > 0:
            weights = method.a[stage]
            is_next = weights[:-1] == method.a[stage - 1] and weights[-1] == 1.0
            for block in blocks(run):
                if is_next:
                    y[block] = y[block] + row(run.k, run, stage - 1)[block]
                else:
                    y[block] = x[block] + _combine(run, weights, block)
            time = run.t + step if method.c[stage] == 1.0 else fma(method.c[stage], step, run.t)
            reason = rates(run, time, y, own)
            if reason > 0:
                return reason
        for block in blocks(run):
            right = source[block]
            if method.d[stage] != 0.0:
                right = fma(method.d[stage] * step, implicit.in_time[block], right)
            if stage > 0:
                right = fma(over, _combine(run, method.C[stage], block), right)
            own[block] = right
        solve(REAL, implicit.real, own)
    for block in blocks(run):
        y[block] = y[block] + row(run.k, run, method.stages - 1)[block]
    return 0


@inline
def _make_dense(method, run):
    """The rows of run.dense for the last step, once."""
    if run.dense_ready == 0:
        for block in blocks(run):
            for number, weights in enumerate(((*method.a[-1], 1.0), *method.dense)):
                row(run.dense, run, number)[block] = _combine(run, weights, block)
        run.dense_ready = 1
