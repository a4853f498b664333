"""The derivatives of the rates that implicit methods need, as native code: ∂ẋ/∂x and ∂ẋ/∂t.

They are a compiled function, behind a pointer as the right-hand side is, or differences of the rates. Rates are those
of quaternions at unit length, multiplied by the lengths ℓ that they have; for these f̃(x) = ℓ f(x / ℓ),

    ∂f̃_i/∂x_j = ℓ_i ∂f_i/∂x_j / ℓ_j,        ℓ = 1 for all that is no component of a quaternion,

where the derivatives of f are those of the quaternion's direction (`dynamics.variations`).
"""

from __future__ import annotations

from ..codegen.llvm.builder import BLOCK, DOUBLE, INTEGER, POINTER, WIDTH, Function, Layout, Record, Value
from .run_record import RUN, copy, group, rates, scale_to_unit

#: What implicit methods have beside the record of a run.
IMPLICIT = Layout(
    # compiled derivatives, n by n and n numbers; x_index = -1 where there are none
    at=POINTER, arguments=POINTER, x_index=INTEGER, by_state=POINTER, by_time=POINTER,
    # derivatives of the rates as they are stepped; whether they can be used, and are those of the state as it is now
    jacobian=POINTER, in_time=POINTER, stretch=POINTER, is_usable=INTEGER, is_current=INTEGER,
    # factors of the matrices of a step, and for which step they are
    real=POINTER, complex=POINTER, h_factored=DOUBLE,
    # the step before: its length and error, and whether its polynomial is known
    h_before=DOUBLE, error_before=DOUBLE, has_polynomial=INTEGER,
    # how far an explicit method could go: a direction along which J stretches most, and by how much
    direction=POINTER, image=POINTER, spectral_radius=DOUBLE,
    # counts
    jacobians=INTEGER, factorisations=INTEGER,
)  # fmt: skip

#: What is known of earlier steps, zero where nothing is.
FORGOTTEN = ("is_usable", "is_current", "h_factored", "h_before", "error_before", "has_polynomial")

#: Differences are over this part of a coordinate or of what it changes in a step; or over atol, within bounds.
_PART = 2.0**-26
_LEAST, _MOST = 1e-20, 1e-10
#: Differences in time are over this part of a step.
_PART_OF_STEP = 1e-6


def jacobian_function(fused: bool, *, with_time: bool) -> Function:
    """ph_jacobian(run, t, x, h): derivatives at a state whose rates are run.f; a reason where there are none, or 0."""
    f = Function("ph_jacobian", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER, h=DOUBLE)
    run = Record(RUN, f.arguments["run"])
    implicit = Record(IMPLICIT, run.implicit)
    implicit.jacobians = implicit.jacobians + 1
    implicit.is_usable = 1
    implicit.is_current = 1
    implicit.h_factored = 0.0
    is_compiled = implicit.x_index >= 0
    with f.when(is_compiled):
        _compiled(f, run, implicit)
        f.give(0)
    _by_differences(f, run, implicit)
    if with_time:
        _by_difference_in_time(f, run, implicit)
    f.give(0)
    return f


def _compiled(f: Function, run: Record, implicit: Record) -> None:
    n, stride, x = run.size, run.blocks * WIDTH, f.arguments["x"]
    stretch, jacobian, in_time = implicit.stretch, implicit.jacobian, implicit.in_time
    by_state, by_time = implicit.by_state, implicit.by_time
    run.clock = f.arguments["t"]
    implicit.arguments.store(implicit.x_index, x, POINTER)
    with f.when(run.group_count > 0):
        copy(f, run, x, run.unit)
        scale_to_unit(f, run, run.unit)
        implicit.arguments.store(implicit.x_index, run.unit, POINTER)
    f.call_at(implicit.at, "void", implicit.arguments)
    with f.loop(run.group_count) as number:
        first, count = group(run, number)
        with f.loop(first + count, first) as i:
            stretch[i] = run.lengths[number]
    with f.loop(n) as i:
        row, source, own = jacobian.at(i * stride), by_state.at(i * n), stretch[i]
        in_time[i] = by_time[i] * own
        with f.loop(n) as j:
            row[j] = source[j] * own / stretch[j]


def _by_differences(f: Function, run: Record, implicit: Record) -> None:
    n, stride, x, h = run.size, run.blocks * WIDTH, f.arguments["x"], f.arguments["h"]
    jacobian, y, rate, moved = implicit.jacobian, run.y, run.f, run.k
    least = f.largest(f.smallest(run.atol, _MOST), _LEAST)
    copy(f, run, x, y)
    with f.loop(n) as j:
        size = f.largest(_PART * f.largest(f.absolute(x[j]), f.absolute(h * rate[j])), least)
        along = f.select(rate[j] < 0.0, -size, size)
        y[j] = x[j] + along
        difference = y[j] - x[j]  # as it is rounded
        rates(f, run, f.arguments["t"], y, moved)
        y[j] = x[j]
        with f.loop(n) as i:
            jacobian[i * stride + j] = (moved[i] - rate[i]) / difference


def _by_difference_in_time(f: Function, run: Record, implicit: Record) -> None:
    t, rate, moved, in_time = f.arguments["t"], run.f, run.k, implicit.in_time
    later = t + _PART_OF_STEP * f.arguments["h"]
    difference = later - t
    with f.loop(run.size) as i:
        in_time[i] = 0.0
    with f.when(difference > 0.0):
        rates(f, run, later, f.arguments["x"], moved)
        with f.loop(run.size) as i:
            in_time[i] = (moved[i] - rate[i]) / difference


def forget(f: Function, run: Record) -> None:
    """Know nothing of earlier steps."""
    implicit = Record(IMPLICIT, run.implicit)
    for name in FORGOTTEN:
        setattr(implicit, name, 0)


def refresh(f: Function, run: Record, implicit: Record, h: Value) -> None:
    """Have derivatives that can be used."""
    with f.when(implicit.is_usable.equals(0)):
        reason = f.call("ph_jacobian", INTEGER, f.arguments["run"], run.t, run.x, h)
        with f.when(reason > 0):
            implicit.is_usable = 0
            f.give(reason)


def shifted(f: Function, run: Record, implicit: Record, matrix: Value, shift: tuple[Value, ...]) -> None:
    """A matrix becomes shift - J; of a complex one, the second half of each row has imaginary parts."""
    n, blocks, jacobian = run.size, run.blocks, implicit.jacobian
    parts = len(shift)
    zero = f.of_kind(BLOCK, 0.0)
    with f.loop(n) as i:
        row, source = matrix.at(i * (blocks * parts), BLOCK), jacobian.at(i * blocks, BLOCK)
        with f.loop(blocks) as block:
            row.store_block(block, -source.block(block))
            if parts == 2:
                row.store_block(block + blocks, zero)
        row[i] = row[i] + shift[0]
        if parts == 2:
            row[i + blocks * WIDTH] = shift[1]
