"""Radau IIA of order 5 with step-size control and dense output, as native code: for stiff mechanisms.

The collocation polynomial through x has the rates of the right-hand side at three times of the step, the last of them
its end. With z_i = x_i - x and A⁻¹ = T Λ T⁻¹, Λ of one real eigenvalue and one pair (Hairer and Wanner, *Solving
ordinary differential equations II*, IV.8), Newton's iteration for w = T⁻¹ z is a real system and a complex one:

    (Λ/h - J) Δw = T⁻¹ f(x + z) - Λ w / h.

J need not be exact: it and its factors are kept as long as the iteration converges well. The error is estimated by

    err = (γ/h - J)⁻¹ (f(x) + (e_1 z_1 + e_2 z_2 + e_3 z_3) / h)

and the next step by that and the step before (Gustafsson). Between its ends the polynomial is the dense output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from ...codegen.llvm.builder import BLOCK, DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value, Variable
from ..jacobian import IMPLICIT, forget, jacobian_function, refresh, shifted
from ..linear import COMPLEX, FACTORS, REAL, factor, factor_function, solve, solve_function
from ..members import run_functions
from ..right_side import right_side_functions
from ..run_record import RUN, rates
from ..step_control import accept, begin_function, is_finite, next_step, norm, refuse
from ..stiffness import note_if_calm

_S6 = sqrt(6.0)
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

_ORDER = 4  # of the estimate
_MOST_ITERATIONS = 6
#: An iteration that converges faster than this keeps its Jacobian, and a step within this ratio keeps its factors.
_FAST, _KEPT = 1e-3, 1.2
_SAFETY = 0.9
#: At the ends of steps the error is like E^(3/2) for an estimate E, between them like E. An estimate may be ε^(-1/8)
#: times the tolerance ε: errors between ends are then some 2 to 7 ε, and at ends below ε.
ALLOWANCE = 1.0, 1 / 8
#: z, w and right-hand sides of three stages, the error, and the rates at the end.
STAGES, DENSE_ROWS = 11, 3
_ERROR, _RATE = 9, 10


@dataclass(frozen=True)
class _Arrays:
    """The arrays of a step."""

    z: list[Value]
    w: list[Value]
    right: list[Value]  # the last two of them are one complex array
    error: Value
    rate: Value
    dense: list[Value]

    @classmethod
    def of(cls, run: Record) -> _Arrays:
        k = [run.k.at(run.blocks * number, BLOCK) for number in range(STAGES)]
        dense = [run.dense.at(run.blocks * number, BLOCK) for number in range(DENSE_ROWS)]
        return cls(k[:3], k[3:6], k[6:9], k[_ERROR], k[_RATE], dense)


def radau_module(*, fused: bool = True) -> str:
    """The module of the method."""
    functions = [
        *right_side_functions(fused),
        jacobian_function(fused, with_time=False),
        *(make(field, fused) for field in (REAL, COMPLEX) for make in (factor_function, solve_function)),
        begin_function(_ORDER, fused, forget),
        _state_at(fused),
        _advance(fused),
        *run_functions(fused),
    ]
    return "\n".join([*DECLARATIONS, *(function.text for function in functions)])


def _combine(f: Function, values: Sequence[Value], weights: Sequence[float]) -> Value:
    """Σ weight_i value_i."""
    total = values[0] * weights[0]
    for value, weight in zip(values[1:], weights[1:], strict=True):
        total = f.fma(weight, value, total)
    return total


def _advance(fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    implicit = Record(IMPLICIT, run.implicit)
    tenths = f.variable(0)
    with f.repeat():
        step, is_last = next_step(f, run)
        refresh(f, run, implicit, step)
        arrays = _Arrays.of(run)
        singular = _factored(f, run, implicit, step)
        converged, iterations, rate = f.variable(False, "i1"), f.variable(0), f.variable(0.0)
        with f.when(~singular):
            _predict(f, run, implicit, arrays, step)
            _iterate(f, run, implicit, arrays, step, converged, iterations, rate)
        with f.when(~converged.value):
            _try_again(f, run, implicit, step, tenths)
        with f.when(converged.value):
            safety = _SAFETY * (2.0 * _MOST_ITERATIONS + 1.0) / (iterations.value.as_double() + 2.0 * _MOST_ITERATIONS)
            error = _error(f, run, implicit, arrays, step)
            ratio = safety * _predicted_ratio(f, implicit, step, error)
            finite, good = f.variable(error < 1e300), f.variable(error <= 1.0)
            with f.when(good.value):
                _end(f, run, arrays)
                rates(f, run, run.t + step, run.y, arrays.rate)
                with f.when(~is_finite(f, run, arrays.rate)):
                    finite.value = good.value = False
            with f.when(good.value):
                tenths.value = 0
                implicit.is_current = 0
                renewed = (iterations.value > 2) & (rate.value > _FAST)
                with f.when(renewed):
                    implicit.is_usable = 0
                ceiling = f.select(run.after_rejection > 0, 1.0, run.growth)
                bounded = f.smallest(ratio, ceiling)
                kept = ~renewed & (bounded < _KEPT)
                longer = step * f.select(kept & (bounded >= 1.0), 1.0, bounded)
                implicit.h_before = step
                implicit.error_before = f.largest(error, 1e-2)
                _keep_polynomial(f, run, arrays)
                implicit.has_polynomial = 1
                note_if_calm(f, run, implicit, step)
                accept(f, run, step, is_last, arrays.rate, longer)
            with f.when(~good.value):
                refuse(f, run, step, ratio, finite.value, tenths)
    return f


def _factored(f: Function, run: Record, implicit: Record, step: Value) -> Value:
    """Have the factors of both matrices for this step; whether one is singular."""
    singular = f.variable(False, "i1")
    with f.when(~step.equals(implicit.h_factored)):
        implicit.h_factored = step
        implicit.factorisations = implicit.factorisations + 1
        shifted(f, run, implicit, Record(FACTORS, implicit.real).upper, (GAMMA / step,))
        shifted(f, run, implicit, Record(FACTORS, implicit.complex).upper, (ALPHA / step, BETA / step))
        real, pair = factor(f, REAL, run, implicit.real), factor(f, COMPLEX, run, implicit.complex)
        with f.when(real | pair):
            implicit.h_factored = 0.0
            singular.value = True
    found: Value = singular.value
    return found


def _predict(f: Function, run: Record, implicit: Record, arrays: _Arrays, step: Value) -> None:
    """A first z and w, on the polynomial of the step before."""
    known, taken = implicit.has_polynomial > 0, run.taken
    s = f.select(known, step / taken, 0.0)
    # θ^k - 1 at θ = 1 + c s
    powers = []
    for c in C:
        theta = f.fma(c, s, f.of_kind(DOUBLE, 1.0))
        powers.append([f.select(known, power - 1.0, 0.0) for power in (theta, theta * theta, theta * theta * theta)])
    with f.loop(run.blocks) as block:
        rows = [row.block(block) for row in arrays.dense]
        z = [f.fma(two, rows[1], f.fma(three, rows[2], rows[0] * one)) for one, two, three in powers]
        for target, value in zip(arrays.z, z, strict=True):
            target.store_block(block, value)
        for target, weights in zip(arrays.w, T_INVERSE, strict=True):
            target.store_block(block, _combine(f, z, weights))


def _iterate(
    f: Function, run: Record, implicit: Record, arrays: _Arrays, step: Value,
    converged: Variable, iterations: Variable, rate: Variable,
) -> None:  # fmt: skip
    """Newton's iteration for z."""
    wanted = f.largest(10.0 * 2.0**-52 / run.rtol, f.smallest(f.sqrt(run.rtol), 0.03))
    before = f.variable(0.0)
    x, y, t, blocks = run.x, run.y, run.t, run.blocks
    with f.repeat():
        f.leave_if(iterations.value >= _MOST_ITERATIONS)
        for c, z, right in zip(C, arrays.z, arrays.right, strict=True):
            with f.loop(blocks) as block:
                y.store_block(block, x.block(block) + z.block(block))
            rates(f, run, t + step if c == 1.0 else f.fma(c, step, t), y, right)
        gamma, alpha, beta = GAMMA / step, ALPHA / step, BETA / step
        with f.loop(blocks) as block:
            w = [array.block(block) for array in arrays.w]
            values = [array.block(block) for array in arrays.right]
            turned = [_combine(f, values, weights) for weights in T_INVERSE]
            new = (
                f.fma(-gamma, w[0], turned[0]),
                f.fma(beta, w[2], f.fma(-alpha, w[1], turned[1])),
                f.fma(-beta, w[1], f.fma(-alpha, w[2], turned[2])),
            )
            for target, value in zip(arrays.right, new, strict=True):
                target.store_block(block, value)
        solve(f, REAL, run, implicit.real, arrays.right[0])
        solve(f, COMPLEX, run, implicit.complex, arrays.right[1])
        length = _length(f, run, arrays.right)
        iterations.value = iterations.value + 1
        is_later = iterations.value > 1
        with f.when(is_later):
            rate.value = length / before.value
            left = f.integer(_MOST_ITERATIONS) - iterations.value
            hopeless = f.power(rate.value, left.as_double()) / (1.0 - rate.value) * length
            f_leave = ~(rate.value < 1.0) | ~(hopeless <= wanted)
            with f.when(f_leave):
                iterations.value = _MOST_ITERATIONS + 1
        f.leave_if((iterations.value > _MOST_ITERATIONS) | ~(length < 1e300))
        with f.loop(blocks) as block:
            w = [a.block(block) + b.block(block) for a, b in zip(arrays.w, arrays.right, strict=True)]
            for target, value in zip(arrays.w, w, strict=True):
                target.store_block(block, value)
            for target, weights in zip(arrays.z, T, strict=True):
                target.store_block(block, _combine(f, w, weights))
        small = is_later & (rate.value / (1.0 - rate.value) * length < wanted)
        with f.when(small | length.equals(0.0)):
            converged.value = True
        f.leave_if(converged.value)
        before.value = length


def _length(f: Function, run: Record, arrays: Sequence[Value]) -> Value:
    """The root of the mean square of the entries of several arrays over atol + rtol |x|."""
    total, x, rtol, atol = f.variable(0.0, BLOCK), run.x, run.rtol, f.spread(run.atol)
    with f.loop(run.blocks) as block:
        weight = 1.0 / f.fma(rtol, f.absolute(x.block(block)), atol)
        for array in arrays:
            part = array.block(block) * weight
            total.value = f.fma(part, part, total.value)
    return f.sqrt(total.value.sum() / (float(len(arrays)) * run.size.as_double()))


def _try_again(f: Function, run: Record, implicit: Record, step: Value, tenths: Variable) -> None:
    """Where Newton's iteration does not converge: with another Jacobian, or a step half as long."""
    was_current = implicit.is_current > 0
    with f.when(~was_current):
        implicit.is_usable = 0
    with f.when(was_current):
        half = f.of_kind(DOUBLE, 0.5)
        refuse(f, run, step, half, f.of_kind("i1", True), tenths)


def _end(f: Function, run: Record, arrays: _Arrays) -> None:
    """run.y becomes the state at the end of the step."""
    x, y = run.x, run.y
    with f.loop(run.blocks) as block:
        y.store_block(block, x.block(block) + arrays.z[2].block(block))


def _error(f: Function, run: Record, implicit: Record, arrays: _Arrays, step: Value) -> Value:
    """The error of a step over what is allowed; looked at twice where it is large after a refusal or at the start."""
    x, y, blocks, e = run.x, run.y, run.blocks, arrays.error
    over = 1.0 / step

    def estimate(source: Value) -> Value:
        with f.loop(blocks) as block:
            weighted = _combine(f, [z.block(block) for z in arrays.z], E)
            e.store_block(block, f.fma(over, weighted, source.block(block)))
        solve(f, REAL, run, implicit.real, e)
        _end(f, run, arrays)
        return norm(f, run, e, y)

    error = f.variable(estimate(run.f))
    with f.when((error.value > 1.0) & ((run.after_rejection > 0) | ~(implicit.has_polynomial > 0))):
        with f.loop(blocks) as block:
            y.store_block(block, x.block(block) + e.block(block))
        rates(f, run, run.t, y, e)
        error.value = estimate(e)
    found: Value = error.value
    return found


def _predicted_ratio(f: Function, implicit: Record, step: Value, error: Value) -> Value:
    """How much longer the next step may be, by this error and the one before."""
    plain = f.power(f.largest(error, 1e-10), -1.0 / _ORDER)
    ratio = f.variable(plain)
    with f.when((implicit.h_before > 0.0) & (error > 1e-10)):
        trend = step / implicit.h_before * f.power(implicit.error_before / error, 1.0 / _ORDER)
        ratio.value = f.smallest(trend, 1.0) * plain
    found: Value = ratio.value
    return found


def _keep_polynomial(f: Function, run: Record, arrays: _Arrays) -> None:
    with f.loop(run.blocks) as block:
        z = [array.block(block) for array in arrays.z]
        for number, row in enumerate(arrays.dense):
            row.store_block(block, _combine(f, z, [weights[number] for weights in P]))


def _state_at(fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    theta = (f.arguments["t"] - run.t_old) / run.taken
    x, out, rows = run.x_old, f.arguments["out"], _Arrays.of(run).dense
    with f.loop(run.blocks) as block:
        first, second, third = (row.block(block) for row in rows)
        value = f.fma(theta, f.fma(theta, third, second), first)
        out.store_block(block, f.fma(theta, value, x.block(block)))
    f.give(0)
    return f
