"""Explicit fixed steps of many states by one call, in lanes around the kernel of a program (`inlined_steps`).

States, efforts and inputs are rows of arrays, which end with rows that fill the lanes. So many rows as there are lanes
are taken at once: their numbers are laid beside each other, stepped, and written back. A row that does not stay finite
keeps the state before and is marked.
"""

from __future__ import annotations

from sys import float_info
from typing import Any

from ...codegen.fixed_steps import Tableau
from ...native.language import (
    Array,
    Integers,
    Pointers,
    Struct,
    absolute,
    any_lane,
    are_set,
    at,
    counted,
    entry,
    in_lanes,
    inline,
    local,
    native,
    set_marks,
)  # fmt: skip
from .inlined_steps import KernelSide, step_in_registers


class Rows(Struct):
    """Rows of states, times and marks (negative for one that failed), and rows of the kernel's arguments.

    `arguments` has for each argument whether there are rows of it, and where they begin; where there are none, its
    lanes are filled for good.
    """

    count: int
    first: int
    steps: int
    h: float
    t: float
    times: Array
    marks: Integers
    arguments: Pointers
    beside: Pointers  # arguments in lanes
    alive: Integers


@native
def step_rows(tableau: Tableau, side: KernelSide, width: Any, saved: Any, rows: Rows, dt: float) -> int:
    """Take rows a time dt further; how many have failed."""
    rows.h = dt / float(rows.steps)
    rows.first = 0
    failed = 0
    while rows.first < rows.count:
        rows.t = rows.times[rows.first]
        _load(side, width, saved, rows)
        _step(tableau, side, rows)
        failed += _store(side, width, rows, dt)
        rows.first += width
    return failed


@native
def _load(side: KernelSide, width: Any, saved: Any, rows: Rows) -> None:
    """The next rows, in lanes."""
    for lane in counted(width):
        rows.alive[lane] = 1 if rows.marks[rows.first + lane] >= 0 else 0
    for k, size in enumerate((*side.sizes, saved)):
        if k != side.time and entry(rows.arguments, k + k, int) > 0:
            _spread(entry(rows.arguments, k + k + 1, Array), entry(rows.beside, k, Array), size, width, rows.first)


@inline
def _spread(source, beside, size, width, first):
    """Rows of an array into lanes."""
    row = at(source, first * size)
    for i in range(size):
        for lane in counted(width):
            beside[i * width + lane] = row[lane * size + i]


@in_lanes
def _step(tableau: Tableau, side: KernelSide, rows: Rows) -> None:
    """Steps of all lanes; those that do not stay finite stop where they are."""
    size = side.sizes[side.state]
    state, stage, clock, x = entry(rows.beside, side.state, Array), local(size), local(1), local(size)
    slopes = [local(size) for _ in tableau.b]
    arrays = [
        stage if k == side.state else clock if k == side.time else entry(rows.beside, k, Array)
        for k in range(len(side.sizes))
    ]
    work = entry(rows.beside, len(side.sizes), Array)
    for i in range(size):
        x[i] = state[i]
    number = 0
    while number < rows.steps:
        step_in_registers(tableau, side, float(number), rows.h, rows.t, x, stage, clock, slopes, arrays, work)
        is_finite = absolute(stage[0]) <= float_info.max
        for i in range(1, size):
            is_finite = is_finite & (absolute(stage[i]) <= float_info.max)
        goes_on = are_set(rows.alive) & is_finite
        for i in range(size):
            x[i] = stage[i] if goes_on else x[i]
        set_marks(rows.alive, goes_on)
        number += 1
        if not any_lane(goes_on):
            break
    for i in range(size):
        state[i] = x[i]


@native
def _store(side: KernelSide, width: Any, rows: Rows, dt: float) -> int:
    """States and times of the rows that got there; how many have failed."""
    size, failed = side.sizes[side.state], 0
    states = at(entry(rows.arguments, 2 * side.state + 1, Array), rows.first * size)
    beside = entry(rows.beside, side.state, Array)
    for lane in counted(width):
        number = rows.first + lane
        if rows.alive[lane] > 0:
            rows.times[number] = rows.times[number] + dt
            for i in range(size):
                states[lane * size + i] = beside[i * width + lane]
        else:
            rows.marks[number] = -1
            failed += 1 if number < rows.count else 0
    return failed


__all__ = ["Rows", "step_rows"]
