"""Rosenbrock methods with step-size control and dense output, as native code: for stiff mechanisms.

A step is as many linear systems of one matrix W = 1/(h γ) - J as there are stages (`rosenbrock_tableaux`), with the
Jacobian J at its start. The order is that of the method only where J is exact, as the compiled one is; with differences
for J the error that this makes is part of the estimate, and steps are shorter for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...codegen.llvm.builder import BLOCK, DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value
from ..jacobian import IMPLICIT, forget, jacobian_function, refresh, shifted
from ..linear import FACTORS, REAL, factor, factor_function, solve, solve_function
from ..members import run_functions
from ..right_side import right_side_functions
from ..run_record import RUN, rates
from ..step_control import accept, begin_function, is_finite, next_step, norm, refuse
from ..stiffness import note_if_calm
from ...ode.methods.rosenbrock_tableaux import Rosenbrock

_SAFETY = 0.9
DENSE_ROWS = 4


def rosenbrock_module(method: Rosenbrock, *, fused: bool = True) -> str:
    """The module of a method."""
    functions = [
        *right_side_functions(fused),
        jacobian_function(fused, with_time=True),
        factor_function(REAL, fused),
        solve_function(REAL, fused),
        begin_function(method.order, fused, forget),
        _state_at(method, fused),
        _advance(method, fused),
        *run_functions(fused),
    ]
    return "\n".join([*DECLARATIONS, *(function.text for function in functions)])


def _u(run: Record, number: int) -> Value:
    """U of a stage; after the last one, the rates at the end of the step."""
    return run.k.at(run.blocks * number, BLOCK)


def _combine(f: Function, arrays: Sequence[Value], weights: Sequence[float], block: Value) -> Value:
    """Σ weight_j U_j, in one block."""
    total = arrays[0].block(block) * weights[0]
    for array, weight in zip(arrays[1:], weights[1:], strict=False):
        total = f.fma(weight, array.block(block), total)
    return total


def _advance(method: Rosenbrock, fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    implicit = Record(IMPLICIT, run.implicit)
    tenths = f.variable(0)
    with f.repeat():
        step, is_last = next_step(f, run)
        refresh(f, run, implicit, step)
        shift = 1.0 / (step * method.gamma)
        shifted(f, run, implicit, Record(FACTORS, implicit.real).upper, (shift,))
        implicit.factorisations = implicit.factorisations + 1
        singular = factor(f, REAL, run, implicit.real)
        error = f.variable(float("inf"))
        with f.when(~singular):
            _stages(f, run, implicit, method, step)
            error.value = norm(f, run, _u(run, method.stages - 1), run.y)
        finite, good = f.variable(error.value < 1e300), f.variable(error.value <= 1.0)
        rate = _u(run, method.stages)
        with f.when(good.value):
            rates(f, run, run.t + step, run.y, rate)
            with f.when(~is_finite(f, run, rate)):
                finite.value = good.value = False
        ratio = f.variable(_SAFETY * f.power(error.value, -1.0 / method.order))
        with f.when(error.value <= 1e-14):
            ratio.value = run.growth
        with f.when(good.value):
            tenths.value = 0
            ceiling = f.select(run.after_rejection > 0, 1.0, run.growth)
            implicit.is_usable = 0
            note_if_calm(f, run, implicit, step)
            accept(f, run, step, is_last, rate, step * f.smallest(ratio.value, ceiling))
        with f.when(~good.value):
            refuse(f, run, step, ratio.value, finite.value, tenths)
    return f


def _stages(f: Function, run: Record, implicit: Record, method: Rosenbrock, step: Value) -> None:
    """All U, and the new state in run.y."""
    x, y, in_time, blocks, t = run.x, run.y, implicit.in_time, run.blocks, run.t
    inverse = 1.0 / step
    us = [_u(run, number) for number in range(method.stages)]
    for stage, own in enumerate(us):
        before = us[:stage]
        source = run.f
        if stage:
            weights = method.a[stage]
            is_next = weights[:-1] == method.a[stage - 1] and weights[-1] == 1.0
            with f.loop(blocks) as block:
                moved = before[-1].block(block) if is_next else _combine(f, before, weights, block)
                y.store_block(block, (y if is_next else x).block(block) + moved)
            at = t + step if method.c[stage] == 1.0 else f.fma(method.c[stage], step, t)
            rates(f, run, at, y, own)
            source = own
        with f.loop(blocks) as block:
            right = source.block(block)
            if method.d[stage]:
                right = f.fma(method.d[stage] * step, in_time.block(block), right)
            if stage:
                right = f.fma(inverse, _combine(f, before, method.C[stage], block), right)
            own.store_block(block, right)
        solve(f, REAL, run, implicit.real, own)
    with f.loop(blocks) as block:
        y.store_block(block, y.block(block) + us[-1].block(block))


def _state_at(method: Rosenbrock, fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    rows = [run.dense.at(run.blocks * number, BLOCK) for number in range(DENSE_ROWS)]
    us = [_u(run, number) for number in range(method.stages)]
    with f.when(run.dense_ready.equals(0)):
        with f.loop(run.blocks) as block:
            for row, weights in zip(rows, ((*method.a[-1], 1.0), *method.dense), strict=True):
                row.store_block(block, _combine(f, us, weights, block))
        run.dense_ready = 1
    theta = (f.arguments["t"] - run.t_old) / run.taken
    rest, x, out = 1.0 - theta, run.x_old, f.arguments["out"]
    with f.loop(run.blocks) as block:
        difference, *others = (row.block(block) for row in rows)
        value = f.fma(theta, f.fma(theta, others[2], others[1]), others[0])
        out.store_block(block, f.fma(theta, f.fma(rest, value, difference), x.block(block)))
    f.give(0)
    return f
