"""Explicit fixed steps around the kernel of a program, which is inlined where it is short.

Before each ordinary step, `take_steps` takes as many as there are with nothing between two of them but samples at their
ends, with the state in registers. In lanes, while all stand at the same step and the same sample, as they do if none
took another member, they take steps together up to the last one, a sample inside of a step, or a step that some
lane cannot take. Those are the lane loop's.

`step_rows` takes steps of many states by one call. States, efforts and inputs are rows of arrays, which end with rows
that fill the lanes. As many rows as there are lanes are taken at once: their numbers are laid beside each other,
stepped, and written back. A row that does not stay finite keeps the state before and is marked.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import float_info
from typing import Any

from ...codegen.fixed_steps import UNPROJECTED, Tableau
from ...codegen.ir.program import Program
from ...codegen.llvm.block import declarations
from ...codegen.llvm.calls import functions_ir
from ...codegen.llvm.kernels import Kernel, kernel_ir
from ...native.language import (
    INFINITY,
    Array,
    Integers,
    Module,
    Pointers,
    Struct,
    absolute,
    any_lane,
    are_set,
    at,
    call_named,
    counted,
    entry,
    fma,
    in_lanes,
    inline,
    is_nan,
    largest,
    local,
    native,
    set_marks,
    side_by_side,
    smallest,
)  # fmt: skip  # fmt: skip  # fmt: skip
from ..lane_loop import Lane, Lanes, lane_rates_as_given
from ..record import SNAP, Run
from ..right_side import rates
from .runge_kutta_fixed import normalise_group, weighted

#: Kernels up to this many instructions are inlined into each stage; longer ones are called.
INLINE = 400
_NAME = "ph_rhs"


@dataclass(frozen=True)
class KernelSide:
    """The kernel of a program: sizes of its arrays, the numbers of state and time, and parts of unit length."""

    sizes: tuple[int, ...]
    state: int
    time: int
    groups: tuple[tuple[int, int], ...]


def inlined_module(
    program: Program,
    tableau: Tableau,
    groups: tuple[tuple[int, int], ...],
    *,
    fused: bool = True,
    lanes: int = 1,
    rows: bool = False,
) -> str:
    """Steps of a method around the kernel of a program, and the rates by it; or such steps in lanes, or of rows."""
    inlining = "alwaysinline" if len(program.run) <= INLINE else "noinline"
    kernel = Kernel(program, _NAME, lanes, fused=fused, attributes="internal", inlining=inlining)
    text = [*declarations(lanes, fused), *functions_ir(program, lanes), *kernel_ir(kernel, spills=False)]
    names = [array.name for array in program.arrays]
    side = KernelSide(
        tuple(array.size for array in program.arrays),
        names.index("x"),
        names.index("t") if "t" in names else -1,
        groups,
    )
    module = Module(fused=fused, lanes=lanes, beside=text)
    if rows:
        module.add(step_rows, tableau, side, lanes, len(program.saved), name="ph_rows")
    elif lanes > 1:
        module.add(take_steps_in_lanes, tableau, side, lanes, name="ph_prepare")
    else:
        module.add(kernel_rates, side, name="ph_rates")
        module.add(take_steps, tableau, side, name="ph_prepare")
    return module.text


@native
def kernel_rates(side: KernelSide, run: Run, t: float, x: Array, out: Array) -> int:
    """out = ẋ(t, x) by the kernel."""
    run.clock = t
    run.evaluations += 1
    given = [x if k == side.state else entry(run.kernel_arguments, k, Array) for k in range(len(side.sizes) + 1)]
    call_named(_NAME, *given, out)
    return 0


@native
def take_steps(tableau: Tableau, side: KernelSide, run: Run) -> int:
    """Steps before the next ordinary one; a reason where the rates there fail."""
    is_cut = run.is_inside + run.each_step + run.event_count + run.limit_count + run.trace_room > 0
    if is_cut:
        return 0
    return _take_steps(run, tableau, side, run.h)


@inline
def _take_steps(run, tableau, side, h):
    """Steps from run.x up to the one before a sample inside of a step, the last step, or one that cannot be taken."""
    size = side.sizes[side.state]
    x, stage, memory = _memory(tableau, side, run.kernel_arguments, True)
    for i in range(size):
        x[i] = run.x[i]
    number, next_sample, origin = run.number, run.next_sample, run.origin
    times, samples, count, snap = run.times, run.samples, run.sample_count, SNAP * h
    bound = smallest(run.bound, float_info.max)
    due = INFINITY
    if next_sample < count:
        due = times[next_sample]
    last = int((run.t_end - origin) / h + SNAP) - 1
    if number + run.budget - 1 < last:
        last = number + run.budget - 1
    margin = -snap
    if run.is_constrained > 0:
        # the step before a projection is an ordinary one
        margin = 2.0 * snap
        if number + UNPROJECTED - 1 - run.unprojected < last:
            last = number + UNPROJECTED - 1 - run.unprojected
    while number < last:
        end = fma(float(number + 1), h, origin)
        if due < end + margin:
            break
        _step_in_registers(tableau, side, float(number), h, origin, x, memory)
        if not _is_within(stage, size, bound):
            break
        for i in range(size):
            x[i] = stage[i]
        number += 1
        while due <= end + snap:
            sample = at(samples, next_sample * size)
            for i in range(size):
                sample[i] = x[i]
            next_sample += 1
            due = INFINITY
            if next_sample < count:
                due = times[next_sample]
    taken = number - run.number
    if taken > 0:
        for i in range(size):
            run.x[i] = x[i]
        run.number = number
        run.next_sample = next_sample
        run.steps += taken
        run.unprojected += taken
        run.budget -= taken
        # the rates at the end are those of the first stage of the next step
        run.evaluations += taken * len(tableau.b) - 1
        return rates(run, fma(float(number), h, origin), run.x, run.f)
    return 0


@inline
def _memory(tableau, side, table, is_copied):
    """Local arrays: a state, the next one, and all that a step reads or writes, copied where that does not change."""
    size = side.sizes[side.state]
    x, stage, clock = local(size), local(size), local(1)
    slopes = [local(size) for _ in tableau.b]
    arrays = [
        stage if k == side.state else clock if k == side.time else _given(entry(table, k, Array), length, is_copied)
        for k, length in enumerate(side.sizes)
    ]
    return x, stage, (stage, clock, slopes, [*arrays, entry(table, len(side.sizes), Array)])


@inline
def _given(source, count, is_copied):
    """An array that does not change, or a local copy of it."""
    made = local(max(1, count)) if is_copied else source
    for i in range(count if is_copied else 0):
        made[i] = source[i]
    return made


@inline
def _step_in_registers(tableau, side, number, h, origin, x, memory):
    """A step from x, whose end is the first array of `memory`."""
    size, (stage, clock, slopes, arguments) = side.sizes[side.state], memory
    for j, weights in enumerate(tableau.a):
        clock[0] = fma(number + tableau.c[j], h, origin)
        _move(size, weights, slopes, x, h, stage)
        call_named(_NAME, *arguments, slopes[j])
    _move(size, tableau.b, slopes, x, h, stage)
    for first, length in side.groups:
        normalise_group(stage, first, length)


@inline
def _is_within(x, size, bound):
    """True if no entry is larger, nor nan."""
    found = absolute(x[0]) <= bound
    for i in range(1, size):
        found = found & (absolute(x[i]) <= bound)
    return found


@inline
def _move(size, weights, slopes, x, h, out):
    """out = x + h Σ weight_j k_j."""
    for i in range(size):
        if any(weights):
            out[i] = fma(weighted(weights, [slopes[j][i] for j, _ in enumerate(weights)]), h, x[i])
        else:
            out[i] = x[i]


@in_lanes
def take_steps_in_lanes(tableau: Tableau, side: KernelSide, width: Any, lanes: Lanes) -> None:
    """Steps of all lanes before their next ordinary ones."""
    number = _first_number(width, lanes)
    last = _last_number(width, lanes, number)
    if number < last:
        runs, size = side_by_side(lanes, Lane), side.sizes[side.state]
        one = entry(lanes.runs, 0, Lane)
        busy, first = are_set(lanes.busy), number
        x, stage, memory = _memory(tableau, side, runs.arguments, True)
        for i in range(size):
            x[i] = runs.x[i]
        h, origin, snap = one.h, one.origin, SNAP * one.h
        bound = one.bound if one.bound < float_info.max else float_info.max
        due = _due(width, lanes)
        while number < last:
            end = fma(float(number + 1), h, origin)
            if due < end - snap:
                break
            _step_in_registers(tableau, side, float(number), h, origin, x, memory)
            if any_lane(busy & (not _is_within(stage, size, bound))):
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


class Rows(Struct):
    """Rows of states, times and marks (negative for one that failed), and rows of the kernel's arguments."""

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
    # limits c x[k] + d ≤ 0 of each row, and when each was first passed, and the largest value seen (`ode.limits`)
    limit_count: int
    limit_places: Integers
    limits: Array
    limits_noted: Array


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
    for lane in counted(width):
        for i in range(size):
            beside[i * width + lane] = row[lane * size + i]


@in_lanes
def _step(tableau: Tableau, side: KernelSide, rows: Rows) -> None:
    """Steps of all lanes; those that do not stay finite stop where they are."""
    size, state = side.sizes[side.state], entry(rows.beside, side.state, Array)
    x, stage, memory = _memory(tableau, side, rows.beside, False)
    for i in range(size):
        x[i] = state[i]
    number = 0
    while number < rows.steps:
        _step_in_registers(tableau, side, float(number), rows.h, rows.t, x, memory)
        goes_on = are_set(rows.alive) & _is_within(stage, size, float_info.max)
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
            if number < rows.count:
                _note_limits(rows, number, at(states, lane * size))
        else:
            rows.marks[number] = -1
            failed += 1 if number < rows.count else 0
    return failed


@inline
def _note_limits(rows, number, x):
    """Test the limits of a row at the end of its steps."""
    for i in range(rows.limit_count):
        place = (number * rows.limit_count + i) * 2
        beyond = fma(rows.limits[place], x[rows.limit_places[i]], rows.limits[place + 1])
        rows.limits_noted[place + 1] = largest(rows.limits_noted[place + 1], beyond)
        if beyond > 0.0 and is_nan(rows.limits_noted[place]):
            rows.limits_noted[place] = rows.times[number]
