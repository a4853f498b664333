"""Explicit Runge–Kutta pairs with step-size control and dense output, as native code.

    ph_begin(run)              the rates at the start, and the first step's length where none is given
    ph_advance(run)            steps, until one of the reasons of `run_record`
    ph_state_at(run, t, x)     the state at a time within the last step, by the dense output or a shorter step

The error of a step is measured by the root of the mean square of its entries, each over atol + rtol max(|x|, |x⁺|); for
DOP853 the estimates of order 5 and 3 are combined (Hairer, Nørsett and Wanner, (10.17)). The next step is
0.9 err^(-1/order) times as long, within bounds, and no longer than the last after a step that was refused.

Where stability bounds the steps, h |λ| ≈ 6, the dense output of a pair of order 8 is much less exact than its step: for
x' = λ x that of DOP853 is off by 80 times the estimate of its error. So its slope is compared with the rates at one
time of each step that is asked; where they differ by too much, every state inside is by a step of its own, from the
same state, which is stable where the step was.
"""

from __future__ import annotations

from ...codegen.llvm.builder import DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record
from ...ode.methods.tableaux import Pair
from ..members import run_functions
from ..pair_arithmetic import (
    error_of,
    interpolate,
    is_bounded_by_stability,
    is_rough,
    make_dense,
    retake,
    stage,
    take_stages,
)
from ..right_side import right_side_functions
from ..run_record import RUN, rates_of
from ..step_control import accept, begin_function, factor_of, longer_step, next_step, refuse
from ..stiffness import EDGES, is_looked_at, note_if_stiff

#: The dense output of the last step is made; it is made, and too rough to be asked.
_MADE, _TOO_ROUGH = 1, 2


def runge_kutta_module(pair: Pair, *, fused: bool = True) -> str:
    """The module of a pair."""
    functions = [
        *right_side_functions(fused),
        begin_function(pair.order, fused),
        _state_at(pair, fused),
        _advance(pair, fused),
        *run_functions(fused),
    ]
    return "\n".join([*DECLARATIONS, *(function.text for function in functions)])


def _advance(pair: Pair, fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    tenths = f.variable(0)
    with f.repeat():
        step, is_last = next_step(f, run)
        take_stages(f, run, pair, step, rates_of(f, run))
        error, finite = error_of(f, run, pair, step)
        factor = factor_of(f, run, error, pair.order)
        good = finite & (error <= 1.0)
        with f.when(good):
            _look_for_stiffness(f, run, pair)
            tenths.value = 0
            accept(f, run, step, is_last, stage(run, pair.stages - 1), longer_step(f, run, step, factor))
        with f.when(~good):
            refuse(f, run, step, factor, finite, tenths)
    return f


def _look_for_stiffness(f: Function, run: Record, pair: Pair) -> None:
    if pair.order in EDGES:
        with f.when(is_looked_at(f, run)):
            note_if_stiff(f, run, is_bounded_by_stability(f, run, pair))


def _state_at(pair: Pair, fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    with f.when(run.dense_ready.equals(0)):
        make_dense(f, run, pair, rates_of(f, run))
        if pair.may_be_rough:
            run.dense_ready = f.select(is_rough(f, run, pair, rates_of(f, run)), f.integer(_TOO_ROUGH), _MADE)
        else:
            run.dense_ready = _MADE
    if pair.may_be_rough:
        with f.when(run.dense_ready.equals(_TOO_ROUGH)):
            retake(f, run, pair, f.arguments["t"], f.arguments["out"], rates_of(f, run))
            f.give(0)
    interpolate(f, run, pair, f.arguments["t"], f.arguments["out"])
    f.give(0)
    return f
