"""Explicit fixed steps around the kernel of a program, which is inlined where it is short.

Before each ordinary step, `take_steps` takes as many as there are with nothing between two of them but samples at their
ends, with the state in registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from sys import float_info

from ...codegen.fixed_steps import UNPROJECTED, Tableau
from ...codegen.ir.program import Program
from ...codegen.llvm.block import declarations
from ...codegen.llvm.calls import functions_ir
from ...codegen.llvm.kernels import Kernel, kernel_ir
from ...native.language import (
    INFINITY,
    Array,
    Module,
    absolute,
    at,
    call_named,
    entry,
    fma,
    inline,
    local,
    native,
    smallest,
    sqrt,
)  # fmt: skip
from ..record import SNAP, Run
from ..right_side import rates
from .runge_kutta_fixed import weighted

#: Kernels up to this many instructions are inlined into each stage; longer ones are called.
INLINE = 400
_NAME = "ph_rhs"
_LARGEST = float_info.max


@dataclass(frozen=True)
class KernelSide:
    """The kernel of a program: sizes of its arrays, the numbers of state and time among them, and parts of unit length.

    Its arguments are in the table run.kernel_arguments: the arrays, and what was computed from the parameters.
    """

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
        from .steps_of_rows import step_rows

        module.add(step_rows, tableau, side, lanes, len(program.saved), name="ph_rows")
    elif lanes > 1:
        from .inlined_steps_in_lanes import take_steps_in_lanes

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
    size, table = side.sizes[side.state], run.kernel_arguments
    x, stage, clock = local(size), local(size), local(1)
    slopes = [local(size) for _ in tableau.b]
    arrays = [
        stage if number == side.state else clock if number == side.time else copied(entry(table, number, Array), length)
        for number, length in enumerate(side.sizes)
    ]
    work = entry(table, len(side.sizes), Array)
    for i in range(size):
        x[i] = run.x[i]
    number, next_sample, origin = run.number, run.next_sample, run.origin
    times, samples, count, snap = run.times, run.samples, run.sample_count, SNAP * h
    bound = smallest(run.bound, _LARGEST)
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
        step_in_registers(tableau, side, float(number), h, origin, x, stage, clock, slopes, arrays, work)
        is_small = absolute(stage[0]) <= bound
        for i in range(1, size):
            is_small = is_small & (absolute(stage[i]) <= bound)
        if not is_small:
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
def step_in_registers(tableau, side, number, h, origin, x, stage, clock, slopes, arrays, work):
    """A step from x, whose end is in `stage`."""
    size = side.sizes[side.state]
    for j, weights in enumerate(tableau.a):
        clock[0] = fma(number + tableau.c[j], h, origin)
        _move(size, weights, slopes, x, h, stage)
        call_named(_NAME, *arrays, work, slopes[j])
    _move(size, tableau.b, slopes, x, h, stage)
    for first, length in side.groups:
        _normalise(stage, first, length)


@inline
def copied(source, count):
    """A local copy of an array that does not change."""
    made = local(max(1, count))
    for i in range(count):
        made[i] = source[i]
    return made


@inline
def _move(size, weights, slopes, x, h, out):
    """out = x + h Σ weight_j k_j."""
    for i in range(size):
        if any(weights):
            out[i] = fma(weighted(weights, [slopes[j][i] for j, _ in enumerate(weights)]), h, x[i])
        else:
            out[i] = x[i]


@inline
def _normalise(x, first, count):
    """Scale a quaternion to unit length."""
    square = fma(x[first], x[first], x[first + 1] * x[first + 1])
    for i in range(first + 2, first + count):
        square = fma(x[i], x[i], square)
    factor = 1.0 / sqrt(square)
    for i in range(first, first + count):
        x[i] = x[i] * factor
