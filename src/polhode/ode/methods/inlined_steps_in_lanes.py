"""Explicit fixed steps in lanes around the kernel of a program (`inlined_steps`).

As long as all lanes stand at the same step and the same sample, as they do unless one took another member, they take
steps together up to the last one, a sample inside of a step, or a step that some lane cannot take. Those are the lane
loop's.
"""

from __future__ import annotations

from sys import float_info
from typing import Any

from ...codegen.fixed_steps import Tableau
from ...native.language import (
    INFINITY,
    Array,
    absolute,
    any_lane,
    are_set,
    at,
    counted,
    entry,
    fma,
    in_lanes,
    local,
    native,
    side_by_side,
)  # fmt: skip
from ..lane_loop import Lane, Lanes, lane_rates_as_given
from ..record import SNAP
from .inlined_steps import KernelSide, copied, step_in_registers


@in_lanes
def take_steps_in_lanes(tableau: Tableau, side: KernelSide, width: Any, lanes: Lanes) -> None:
    """Steps of all lanes before their next ordinary ones."""
    number = _first_number(width, lanes)
    last = _last_number(width, lanes, number)
    if number < last:
        runs, size = side_by_side(lanes, Lane), side.sizes[side.state]
        one = entry(lanes.runs, 0, Lane)
        table, busy, first = runs.arguments, are_set(lanes.busy), number
        x, stage, clock = local(size), local(size), local(1)
        slopes = [local(size) for _ in tableau.b]
        arrays = [
            stage if k == side.state else clock if k == side.time else copied(entry(table, k, Array), length)
            for k, length in enumerate(side.sizes)
        ]
        work = entry(table, len(side.sizes), Array)
        for i in range(size):
            x[i] = runs.x[i]
        h, origin, snap = one.h, one.origin, SNAP * one.h
        bound = one.bound if one.bound < float_info.max else float_info.max
        due = _due(width, lanes)
        while number < last:
            end = fma(float(number + 1), h, origin)
            if due < end - snap:
                break
            step_in_registers(tableau, side, float(number), h, origin, x, stage, clock, slopes, arrays, work)
            is_small = absolute(stage[0]) <= bound
            for i in range(1, size):
                is_small = is_small & (absolute(stage[i]) <= bound)
            if any_lane(busy & (not is_small)):
                break
            for i in range(size):
                x[i] = stage[i] if busy else x[i]
            number += 1
            if due <= end + snap:
                for i in range(size):
                    runs.x[i] = x[i]
                due = _write_samples(size, width, lanes, end + snap)
        if number > first:
            for i in range(size):
                runs.x[i] = x[i]
            _note_steps(len(tableau.b), width, lanes, number - first)
            lane_rates_as_given(runs, fma(float(number), h, origin), runs.x, runs.f)


@native
def _first_number(width: Any, lanes: Lanes) -> int:
    """The number of the step that the first busy lane takes next; -1 for none."""
    found = -1
    for lane in counted(width):
        if found < 0 and lanes.busy[lane] > 0:
            found = entry(lanes.runs, lane, Lane).number
    return found


@native
def _last_number(width: Any, lanes: Lanes, number: int) -> int:
    """The step that must be an ordinary one; the next where lanes differ, or are not to be stepped together."""
    last, sample = -1, -1
    for lane in counted(width):
        if lanes.busy[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            end = int((run.t_end - run.origin) / run.h + SNAP) - 1
            if number + run.budget - 1 < end:
                end = number + run.budget - 1
            if number + lanes.allowed < end:
                end = number + lanes.allowed
            if sample < 0 or end < last:
                last = end
            is_other = sample >= 0 and run.next_sample != sample
            if run.number != number or run.is_inside + run.limit_count > 0 or is_other:
                last = number
            sample = run.next_sample
    return last


@native
def _due(width: Any, lanes: Lanes) -> float:
    """The time of the next sample of all lanes."""
    found = INFINITY
    for lane in counted(width):
        run = entry(lanes.runs, lane, Lane)
        if lanes.busy[lane] > 0 and run.next_sample < run.sample_count:
            found = run.times[run.next_sample]
    return found


@native
def _write_samples(size: Any, width: Any, lanes: Lanes, end: float) -> float:
    """All lanes are at a sample; the time of the next."""
    for lane in counted(width):
        if lanes.busy[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            while run.next_sample < run.sample_count and run.times[run.next_sample] <= end:
                sample = at(run.samples, run.next_sample * size)
                for i in range(size):
                    sample[i] = run.x[i * width + lane]
                run.next_sample += 1
    return _due(width, lanes)


@native
def _note_steps(stages: Any, width: Any, lanes: Lanes, count: int) -> None:
    """All busy lanes took so many steps."""
    lanes.allowed -= count
    for lane in counted(width):
        if lanes.busy[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            run.number += count
            run.steps += count
            run.budget -= count
            run.evaluations += count * stages
