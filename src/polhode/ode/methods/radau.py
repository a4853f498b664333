"""Radau IIA of order 5 with step-size control and dense output, for stiff problems.

The collocation polynomial through x has the rates of the right-hand side at three times of the step, the last of them
its end. With z_i = x_i - x and A⁻¹ = T Λ T⁻¹, Λ of one real eigenvalue and one pair (Hairer and Wanner, *Solving
ordinary differential equations II*, IV.8), Newton's iteration for w = T⁻¹ z is a real system and a complex one:

    (Λ/h - J) Δw = T⁻¹ f(x + z) - Λ w / h.

J need not be exact: it and its factors are kept as long as the iteration converges well. The error is estimated by

    err = (γ/h - J)⁻¹ (f(x) + (e_1 z_1 + e_2 z_2 + e_3 z_3) / h)

and the next step by that and the step before (Gustafsson). Between its ends the polynomial is the dense output.
"""

from __future__ import annotations

import math

from ...native.language import (
    WIDTH,
    Array,
    absolute,
    at,
    blocks,
    fma,
    inline,
    largest,
    native,
    power,
    row,
    smallest,
    sqrt,
    total,
    vector,
)
from ..linear import COMPLEX, REAL, factor, solve
from ..record import ACCEPTED, AGAIN, REFUSED, Run
from ..right_side import are_finite, norm, rates
from ..step_control import begin_with, shorter_step
from .jacobian import filtered_norm, forget, memory_of, note_if_calm, refresh, shift

_S6 = math.sqrt(6.0)
#: Times of the stages, as parts of a step.
C = ((4.0 - _S6) / 10.0, (4.0 + _S6) / 10.0, 1.0)
#: The eigenvalues of A⁻¹: a real one, and α ± i β.
GAMMA = 3.0 + 3.0 ** (2 / 3) - 3.0 ** (1 / 3)
ALPHA = 3.0 + (3.0 ** (1 / 3) - 3.0 ** (2 / 3)) / 2.0
BETA = (3.0 ** (5 / 6) + 3.0 ** (7 / 6)) / 2.0
#: A⁻¹ = T Λ T⁻¹ with Λ = [γ, 0, 0; 0, α, -β; 0, β, α].
T = (
    (0.0944387624889752415, -0.141255295020954208, -0.0300291941051474245),
    (0.250213122965333311, 0.204129352293799932, 0.382942112757261938),
    (1.0, 1.0, 0.0),
)
T_INVERSE = (
    (4.17871859155190473, 0.327682820761062387, 0.523376445499449548),
    (-4.17871859155190473, -0.327682820761062387, 0.476623554500550452),
    (-0.502872634945786876, 2.57192694985560543, -0.596039204828224925),
)
#: Weights of the estimate of the error.
E = ((-13.0 - 7.0 * _S6) / 3.0, (-13.0 + 7.0 * _S6) / 3.0, -1.0 / 3.0)
#: The polynomial x + Σ_k θ^k Σ_i P_ik z_i.
P = (
    (13.0 / 3.0 + 7.0 * _S6 / 3.0, -23.0 / 3.0 - 22.0 * _S6 / 3.0, 10.0 / 3.0 + 5.0 * _S6),
    (13.0 / 3.0 - 7.0 * _S6 / 3.0, -23.0 / 3.0 + 22.0 * _S6 / 3.0, 10.0 / 3.0 - 5.0 * _S6),
    (1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0),
)

#: The order of the estimate.
ORDER = 4
_MOST_ITERATIONS = 6
#: An iteration that converges faster than this keeps its Jacobian, and a step within this ratio keeps its factors.
_FAST, _KEPT = 1e-3, 1.2
_SAFETY = 0.9
#: At the ends of steps the error is like E^(3/2) for an estimate E, between them like E. An estimate may be ε^(-1/8)
#: times the tolerance ε: errors between ends are then some 2 to 7 ε, and at ends below ε.
ERROR_SCALE = 1.0, 1 / 8
#: z, w and right-hand sides of three stages, the error, and the rates at the end.
STAGES, DENSE_ROWS = 11, 3
_Z, _W, _RIGHT, _ERROR, _RATE = (0, 1, 2), (3, 4, 5), (6, 7, 8), 9, 10


@native
def begin(run: Run) -> int:
    """The rates at the start, and the first step's length where none is given."""
    forget(memory_of(run))
    return begin_with(run, ORDER, rates)


@native
def attempt(run: Run, step: float) -> int:
    """A step of this length, to run.y; AGAIN where Newton's iteration needs another Jacobian for it."""
    implicit = memory_of(run)
    if not run.t > run.t_old:  # the step before was undone
        implicit.has_polynomial = 0
        implicit.h_before = 0.0
    reason = refresh(False, run, implicit, step)
    if reason > 0:
        return reason
    has_converged = 0
    if _factor(run, implicit, step) == 0:
        _predict(run, implicit, step)
        has_converged = _iterate(run, step)
        if has_converged > 0:
            return has_converged
    if has_converged == 0:
        if implicit.is_current == 0:
            implicit.is_usable = 0
            return AGAIN
        run.is_finite = 1
        run.h_next = 0.5 * step
        return REFUSED
    error = _error(run, step)
    if error < 0.0:
        return -int(error)
    safety = _SAFETY * (2.0 * _MOST_ITERATIONS + 1.0) / (float(implicit.iterations) + 2.0 * _MOST_ITERATIONS)
    ratio = safety * _predicted_ratio(implicit, step, error)
    is_finite, is_good, rate = error < 1e300, error <= 1.0, row(run.k, run, _RATE)
    if is_good:
        _end(run)
        reason = rates(run, run.t + step, run.y, rate)
        if reason > 0:
            return reason
        if not are_finite(run, rate):
            is_finite, is_good = False, False
    if not is_good:
        run.is_finite = int(is_finite)
        run.h_next = shorter_step(step, ratio)
        return REFUSED
    implicit.is_current = 0
    is_slow = (implicit.iterations > 2) & (implicit.contraction > _FAST)
    if is_slow:
        implicit.is_usable = 0
    bounded = smallest(ratio, 1.0 if run.after_rejection > 0 else run.growth)
    is_kept = (not is_slow) & (bounded < _KEPT) & (bounded >= 1.0)
    run.h_next = step * (1.0 if is_kept else bounded)
    run.rate = rate
    implicit.h_before = step
    implicit.error_before = largest(error, 1e-2)
    _keep_polynomial(run)
    implicit.has_polynomial = 1
    note_if_calm(run, implicit, step)
    return ACCEPTED


@native
def state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step."""
    theta = (t - run.t_old) / run.taken
    for block in blocks(run):
        first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        value = fma(theta, fma(theta, third, second), first)
        out[block] = fma(theta, value, run.x_old[block])
    return 0


@native
def defect(run: Run, t: float) -> float:
    """h |(1 - h J / γ)⁻¹ (p' - f(p))| of the polynomial p at a time, over the tolerance; minus a reason without f."""
    state_at(run, t, run.y)
    slope = row(run.k, run, _ERROR)
    reason = rates(run, t, run.y, slope)
    if reason > 0:
        return -float(reason)
    theta = (t - run.t_old) / run.taken
    over = 1.0 / run.taken
    for block in blocks(run):
        first, second, third = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        rise = fma(theta, fma(3.0 * theta, third, 2.0 * second), first)
        slope[block] = fma(over, rise, -slope[block])
    return filtered_norm(run, memory_of(run), slope, 1.0 / GAMMA)


# ---- arithmetic ----------------------------------------------------------------------------------------------------


@inline
def combined(values, weights):
    """Σ weight_i value_i."""
    made = values[0] * weights[0]
    for value, weight in zip(values[1:], weights[1:], strict=True):
        made = fma(weight, value, made)
    return made


@inline
def _load(run, numbers, block):
    """Blocks of rows of run.k."""
    return [row(run.k, run, number)[block] for number in numbers]


@inline
def _store(run, numbers, block, values):
    """Write blocks of rows of run.k."""
    for number, value in zip(numbers, values, strict=True):
        row(run.k, run, number)[block] = value


@inline
def _factor(run, implicit, step):
    """Factor both matrices for this step where they are those of another; 1 where one is singular, else 0."""
    is_singular = 0
    if step != implicit.h_factored:
        implicit.h_factored = step
        implicit.factorisations += 1
        shift(run, implicit, implicit.real.upper, (GAMMA / step,))
        shift(run, implicit, implicit.complex.upper, (ALPHA / step, BETA / step))
        real = factor(REAL, implicit.real)
        if factor(COMPLEX, implicit.complex) + real > 0:
            implicit.h_factored = 0.0
            is_singular = 1
    return is_singular


@inline
def _predict(run, implicit, step):
    """A first z and w, on the polynomial of the step before."""
    is_known = implicit.has_polynomial > 0
    s = step / (run.taken if is_known else 1.0)
    s = s if is_known else 0.0
    powers = []  # θ^k - 1 at θ = 1 + c s
    for c in C:
        theta = fma(c, s, 1.0)
        powers.append([each - 1.0 if is_known else 0.0 for each in (theta, theta * theta, theta * theta * theta)])
    for block in blocks(run):
        one, two, three = (row(run.dense, run, number)[block] for number in range(DENSE_ROWS))
        z = [fma(b, two, fma(c, three, one * a)) for a, b, c in powers]
        _store(run, _Z, block, z)
        _store(run, _W, block, [combined(z, weights) for weights in T_INVERSE])


@native
def _iterate(run: Run, step: float) -> int:
    """Newton's iteration for z: -1 where it has converged, 0 where it does not, or a reason."""
    implicit = memory_of(run)
    wanted = largest(10.0 * 2.0**-52 / run.rtol, smallest(sqrt(run.rtol), 0.03))
    gamma, alpha, beta = GAMMA / step, ALPHA / step, BETA / step
    iterations, rate, before = 0, 0.0, 0.0
    while iterations < _MOST_ITERATIONS:
        for c, z, right in zip(C, _Z, _RIGHT, strict=True):
            for block in blocks(run):
                run.y[block] = run.x[block] + row(run.k, run, z)[block]
            time = run.t + step if c == 1.0 else fma(c, step, run.t)
            reason = rates(run, time, run.y, row(run.k, run, right))
            if reason > 0:
                return reason
        for block in blocks(run):
            w, values = _load(run, _W, block), _load(run, _RIGHT, block)
            turned = [combined(values, weights) for weights in T_INVERSE]
            real = fma(-gamma, w[0], turned[0])
            first = fma(beta, w[2], fma(-alpha, w[1], turned[1]))
            second = fma(-beta, w[1], fma(-alpha, w[2], turned[2]))
            _store(run, _RIGHT, block, (real, first, second))
        solve(REAL, implicit.real, row(run.k, run, _RIGHT[0]))
        solve(COMPLEX, implicit.complex, at(run.k, _RIGHT[1] * WIDTH * run.blocks))
        length = _length(run, _RIGHT)
        iterations += 1
        if iterations > 1:
            rate = length / before
            hopeless = power(rate, float(_MOST_ITERATIONS - iterations)) / (1.0 - rate) * length
            if not rate < 1.0 or not hopeless <= wanted:
                return 0
        if not length < 1e300:
            return 0
        for block in blocks(run):
            w = [a + b for a, b in zip(_load(run, _W, block), _load(run, _RIGHT, block), strict=True)]
            _store(run, _W, block, w)
            _store(run, _Z, block, [combined(w, weights) for weights in T])
        implicit.iterations = iterations
        implicit.contraction = rate
        if (iterations > 1) & (rate / (1.0 - rate) * length < wanted) | (length == 0.0):
            return -1
        before = length
    return 0


@inline
def _length(run, numbers):
    """The root of the mean square of the entries of several rows over atol + rtol |x|."""
    square = vector(0.0)
    for block in blocks(run):
        weight = 1.0 / fma(run.rtol, absolute(run.x[block]), run.atol)
        for values in _load(run, numbers, block):
            part = values * weight
            square = fma(part, part, square)
    return sqrt(total(square) / (float(len(numbers)) * float(run.size)))


@inline
def _end(run):
    """run.y becomes the state at the end of the step."""
    for block in blocks(run):
        run.y[block] = run.x[block] + row(run.k, run, _Z[2])[block]


@native
def _error(run: Run, step: float) -> float:
    """The error of a step over the tolerance, estimated twice where it is large after a refusal or at the start."""
    implicit, e = memory_of(run), row(run.k, run, _ERROR)
    error = _estimate(run, implicit, step, run.f)
    if error > 1.0 and (run.after_rejection > 0 or implicit.has_polynomial == 0):
        for block in blocks(run):
            run.y[block] = run.x[block] + e[block]
        reason = rates(run, run.t, run.y, e)
        if reason > 0:
            return -float(reason)
        error = _estimate(run, implicit, step, e)
    return error


@inline
def _estimate(run, implicit, step, source):
    e, over = row(run.k, run, _ERROR), 1.0 / step
    for block in blocks(run):
        e[block] = fma(over, combined(_load(run, _Z, block), E), source[block])
    solve(REAL, implicit.real, e)
    _end(run)
    return norm(run, e, run.y)


@inline
def _predicted_ratio(implicit, step, error):
    """The ratio by which the next step may be longer, by this error and the one before."""
    plain = power(largest(error, 1e-10), -1.0 / ORDER)
    if (implicit.h_before > 0.0) & (error > 1e-10):
        trend = step / implicit.h_before * power(implicit.error_before / error, 1.0 / ORDER)
        return smallest(trend, 1.0) * plain
    return plain


@inline
def _keep_polynomial(run):
    for block in blocks(run):
        z = _load(run, _Z, block)
        for number in range(DENSE_ROWS):
            row(run.dense, run, number)[block] = combined(z, [weights[number] for weights in P])
