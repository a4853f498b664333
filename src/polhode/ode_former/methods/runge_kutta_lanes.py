"""Explicit Runge–Kutta pairs in lanes: the steps of `runge_kutta`, of several members at once (`lane_members`)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ...codegen.llvm.builder import INTEGER, Function, Record, Value, declared
from ..lane_members import LaneMethod, lane_functions, rates_in_lanes
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
from ..step_control import chosen_step, factor_of, first_step, longer_step, note_accepted, refuse
from ..stiffness import EDGES, is_looked_at, note_if_stiff
from ...ode.methods.tableaux import Pair


def lane_pair_module(pair: Pair, lanes: int, *, fused: bool = True) -> str:
    """The module of a pair in so many lanes."""
    method = LaneMethod(
        next_step=_next_step,
        attempt=partial(_attempt, pair),
        verdict=partial(_verdict, pair),
        rates=lambda runs: stage(runs, pair.stages - 1),
        start_rates=_start_rates,
        first_step=lambda f, all_lanes, runs: first_step(f, runs, pair.order, rates_in_lanes(f, all_lanes)),
        make_dense=lambda f, all_lanes, runs: make_dense(f, runs, pair, rates_in_lanes(f, all_lanes)),
        interpolate=lambda f, all_lanes, runs, t, out: interpolate(f, runs, pair, t, out),
        evaluations_to_begin=2,
        evaluations_for_dense=len(pair.more_c) + pair.may_be_rough,
    )
    if pair.may_be_rough:
        method = replace(
            method,
            is_rough=lambda f, all_lanes, runs: is_rough(f, runs, pair, rates_in_lanes(f, all_lanes)),
            retake=lambda f, all_lanes, runs, t, out: retake(f, runs, pair, t, out, rates_in_lanes(f, all_lanes)),
            evaluations_to_retake=pair.stages - 2,
        )
    functions = lane_functions(method, lanes, fused)
    return "\n".join([*declared(lanes), *(function.text for function in functions)])


def _start_rates(f: Function, all_lanes: Record, runs: Any) -> Value:
    rates_in_lanes(f, all_lanes)(runs.t, runs.x, runs.k)
    rates: Value = runs.k
    return rates


def _next_step(f: Function, all_lanes: Record, run: Record, lane: Value) -> None:
    step, is_last = chosen_step(f, run)
    run.step = step
    run.is_last = f.select(is_last, f.integer(1), 0)
    all_lanes.looked_at.store(lane, f.select(is_looked_at(f, run), f.integer(1), 0), INTEGER)


def _attempt(pair: Pair, f: Function, all_lanes: Record, runs: Any) -> None:
    step = runs.step
    take_stages(f, runs, pair, step, rates_in_lanes(f, all_lanes))
    error, finite = error_of(f, runs, pair, step)
    all_lanes.given.store(0, error, f.number)
    all_lanes.finite.store_marks(finite)
    if pair.order in EDGES:
        with f.when(all_lanes.looked_at.are_set().any()):
            all_lanes.stiff.store_marks(is_bounded_by_stability(f, runs, pair))


def _verdict(pair: Pair, f: Function, all_lanes: Record, run: Record, lane: Value) -> None:
    run.evaluations = run.evaluations + (pair.stages - 1)
    step, error, finite = run.step, all_lanes.given[lane], all_lanes.finite.load(lane, INTEGER) > 0
    factor = factor_of(f, run, error, pair.order)
    good = finite & (error <= 1.0)
    with f.when(good):
        if pair.order in EDGES:
            with f.when(all_lanes.looked_at.load(lane, INTEGER) > 0):
                note_if_stiff(f, run, all_lanes.stiff.load(lane, INTEGER) > 0)
        run.tenths = 0
        note_accepted(f, run, step, run.is_last > 0, longer_step(f, run, step, factor))
        all_lanes.taken.store(lane, 1, INTEGER)
    with f.when(~good):
        refuse(f, run, step, factor, finite, run.field("tenths"))
