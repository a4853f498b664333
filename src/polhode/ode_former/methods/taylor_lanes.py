"""Steps by Taylor series in lanes: those of `taylor`, of several members at once (`lane_members`)."""

from __future__ import annotations

from typing import Any

from ...codegen.llvm.block import declarations
from ...codegen.llvm.builder import INTEGER, Function, Record, Value, declared
from ...codegen.llvm.calls import functions_ir
from ...codegen.passes.function_splitting import WHOLE
from ...codegen.taylor.jets import jet_ir
from ...codegen.taylor.recurrences import SeriesProgram
from ..lane_members import LaneMethod, lane_functions
from ..stiffness import is_looked_at, note_if_stiff
from .taylor import come_back_at_end, come_back_if_bad, declared_once, note_taken, order_function, wanted_step
from .taylor_arithmetic import is_bounded_by_stability, make_coefficients, polynomial, row_of, take_step


def taylor_lane_module(series: SeriesProgram, lanes: int, *, fused: bool = True) -> str | None:
    """The module for the motion x' = f(t, x) of a program; None for one so long that it would round otherwise."""
    if len(series.program.run) > WHOLE:
        return None
    functions = [order_function(fused), *lane_functions(_METHOD, lanes, fused)]
    text = [*declarations(lanes, fused), *declared(lanes), *functions_ir(series.program, lanes)]
    text += jet_ir(series, fused=fused, lanes=lanes)
    return declared_once("\n".join([*text, *(function.text for function in functions)]))


def _next_step(f: Function, all_lanes: Record, run: Record, lane: Value) -> None:
    come_back_at_end(f, run)
    all_lanes.looked_at.store(lane, f.select(is_looked_at(f, run), f.integer(1), 0), INTEGER)


def _coefficients(f: Function, all_lanes: Record, runs: Any, order: Value) -> None:
    all_lanes.clock.store(0, runs.t, f.number)
    make_coefficients(f, runs, order)


def _order(f: Function, all_lanes: Record) -> Value:
    return f.call("ph_order", INTEGER, all_lanes.runs)


def _attempt(f: Function, all_lanes: Record, runs: Any) -> None:
    order = _order(f, all_lanes)
    _coefficients(f, all_lanes, runs, order)
    wanted, step, is_last = wanted_step(f, runs, order)
    all_lanes.finite.store_marks(take_step(f, runs, order, step))
    all_lanes.given.store(0, wanted, f.number)
    all_lanes.steps.store(0, step, f.number)
    all_lanes.last.store_marks(is_last)
    with f.when(all_lanes.looked_at.are_set().any()):
        all_lanes.stiff.store_marks(is_bounded_by_stability(f, runs, order, step))


def _verdict(f: Function, all_lanes: Record, run: Record, lane: Value) -> None:
    run.evaluations = run.evaluations + 1
    step, is_last = all_lanes.steps[lane], all_lanes.last.load(lane, INTEGER) > 0
    come_back_if_bad(f, run, step, is_last, all_lanes.finite.load(lane, INTEGER) > 0)
    with f.when(all_lanes.looked_at.load(lane, INTEGER) > 0):
        note_if_stiff(f, run, all_lanes.stiff.load(lane, INTEGER) > 0)
    note_taken(f, run, all_lanes.given[lane], step, is_last)
    all_lanes.taken.store(lane, 1, INTEGER)


def _start_rates(f: Function, all_lanes: Record, runs: Any) -> Value:
    one = f.integer(1)
    _coefficients(f, all_lanes, runs, one)
    return row_of(runs, one)


def _interpolate(f: Function, all_lanes: Record, runs: Any, t: Value, out: Value) -> None:
    order, h = _order(f, all_lanes), t - runs.t_old
    with f.loop(runs.blocks) as block:
        value, _ = polynomial(f, runs, order, h, block)
        out.store_block(block, value)


_METHOD = LaneMethod(
    next_step=_next_step,
    attempt=_attempt,
    verdict=_verdict,
    rates=lambda runs: runs.unit,
    start_rates=_start_rates,
    first_step=lambda f, all_lanes, runs: f.of_kind(f.number, 0.0),
    make_dense=lambda f, all_lanes, runs: None,
    interpolate=_interpolate,
    evaluations_to_begin=1,
    evaluations_for_dense=0,
)
