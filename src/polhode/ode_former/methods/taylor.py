"""Steps by Taylor series, as native code, with the record and the protocol of all native integrators.

    ph_begin(run)              the rates at the start
    ph_advance(run)            steps, until one of the reasons of `run_record`
    ph_state_at(run, t, x)     the state at a time within the last step: the same polynomial

A step takes the coefficients x_0, …, x_p of the motion at its start into the rows of run.k (run.dense is scratch), and
is as long as the last ones allow: |x_j| h^j ≤ atol + rtol |x| in every entry for j = p − 2, p − 1, p. Nothing is
estimated twice, and no step is refused. What is left out is about h/ρ times the last term, ρ being the radius of
convergence. Three coefficients are asked, since those of a motion that starts at rest vanish at every other order.

The order follows the tolerance. A step is ρ rtol^(1/p) long and costs about b p + c p²: the best p lies between
−ln rtol / 2, where the second term is all (Jorba and Zou), and −ln rtol. Measured, from a double pendulum to a UR5, the
least time for an error is near 0.65 of it, and flat.
"""

from __future__ import annotations

from math import log

from ...codegen.llvm.block import declarations
from ...codegen.llvm.builder import DECLARATIONS, DOUBLE, INTEGER, POINTER, Function, Record, Value
from ...codegen.llvm.calls import functions_ir
from ...codegen.taylor.jets import jet_ir
from ...codegen.taylor.recurrences import SeriesProgram
from ..limits import begin_limits, note_limits
from ..members import run_functions
from ..run_record import (
    RUN,
    SAMPLES,
    Reason,
    copy,
    evaluate_events,
    keep_step,
    look_for_crossings,
    note_what_is_large,
    write_samples,
)
from ..stiffness import come_back_if_stiff, is_looked_at, note_if_stiff
from .taylor_arithmetic import (
    is_bounded_by_stability,
    longest_step,
    make_coefficients,
    polynomial,
    row_of,
    take_step,
)

#: No order is lower or higher.
LEAST_ORDER, MOST_ORDER = 8, 25
#: The order over −ln rtol.
ORDER_FACTOR = 0.65
#: A step shorter than this part of the time is swallowed by rounding.
_SWALLOWED = 2.0**-49
#: Smaller relative tolerances are not told from rounding.
_LEAST_TOLERANCE = 2.0**-52


def taylor_module(series: SeriesProgram, *, fused: bool = True) -> str:
    """The module for the motion x' = f(t, x) of a program."""
    functions = [
        order_function(fused),
        _coefficients(fused),
        _projection(),
        _begin(fused),
        _state_at(fused),
        _advance(fused),
        *run_functions(fused),
    ]
    text = [*declarations(1, fused), *DECLARATIONS, *functions_ir(series.program, 1)]
    text += jet_ir(series, fused=fused)
    return declared_once("\n".join([*text, *(function.text for function in functions)]))


def declared_once(text: str) -> str:
    """What several parts of the module declare is declared once."""
    kept, seen = [], set[str]()
    for line in text.split("\n"):
        name = line.partition("@")[2].partition("(")[0] if line.startswith("declare ") else ""
        if not name or name not in seen:
            kept.append(line)
            seen.add(name)
    return "\n".join(kept)


def order_for(rtol: float) -> int:
    """The order for a relative tolerance.

    >>> order_for(1e-9), order_for(1e-15)
    (15, 24)
    """
    return min(MOST_ORDER, max(LEAST_ORDER, int(2.0 - ORDER_FACTOR * log(max(rtol, _LEAST_TOLERANCE)))))


def order_function(fused: bool) -> Function:
    """ph_order(run): the same in native code."""
    f = Function("ph_order", returns=INTEGER, fused=fused, internal=True, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    tolerance = f.largest(run.rtol, _LEAST_TOLERANCE)
    wanted = f.call("log", DOUBLE, tolerance) * -ORDER_FACTOR
    whole = f.emit(INTEGER, f"fptosi double {(wanted + 2.0).name} to i64")
    low = f.select(whole < LEAST_ORDER, LEAST_ORDER, whole)
    f.give(f.select(low > MOST_ORDER, MOST_ORDER, low))
    return f


def _coefficients(fused: bool) -> Function:
    """ph_coefficients(run, order): rows of run.k at the state run.x and time run.t."""
    f = Function("ph_coefficients", fused=fused, internal=True, run=POINTER, order=INTEGER)
    run = Record(RUN, f.arguments["run"])
    run.clock = run.t
    run.evaluations = run.evaluations + 1
    make_coefficients(f, run, f.arguments["order"])
    return f


def _projection() -> Function:
    """ph_project(run, t, x), which samples are handed to: there are no constraints, and x stays as it is."""
    f = Function("ph_project", returns=INTEGER, internal=True, run=POINTER, t=DOUBLE, x=POINTER)
    f.give(0)
    return f


def _begin(fused: bool) -> Function:
    f = Function("ph_begin", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    run.pending = 0
    run.noted_steps = 0
    run.quiet_steps = 0
    f.call("ph_coefficients", "void", f.arguments["run"], f.integer(1))
    copy(f, run, row_of(run, f.integer(1)), run.f)
    begin_limits(f, run)
    with f.when(run.event_count > 0):
        evaluate_events(f, run, run.t, run.x)
    f.give(0)
    return f


def _advance(fused: bool) -> Function:
    f = Function("ph_advance", returns=INTEGER, fused=fused, run=POINTER)
    run = Record(RUN, f.arguments["run"])
    order = f.call("ph_order", INTEGER, f.arguments["run"])
    with f.repeat():
        with f.when(run.pending > 0):
            note_limits(f, run)
            write_samples(f, run)
            run.pending = 0
            with f.when(run.look > 0):
                f.give(Reason.LOOK)
        come_back_at_end(f, run)
        f.call("ph_coefficients", "void", f.arguments["run"], order)
        wanted, step, is_last = wanted_step(f, run, order)
        finite = take_step(f, run, order, step)
        come_back_if_bad(f, run, step, is_last, finite)
        with f.when(is_looked_at(f, run)):
            note_if_stiff(f, run, is_bounded_by_stability(f, run, order, step))
        note_taken(f, run, wanted, step, is_last)
        copy(f, run, run.x, run.x_old)
        keep_step(f, run)
        copy(f, run, run.y, run.x)
        copy(f, run, run.unit, run.f)
        note_what_is_large(f, run)
        look_for_crossings(f, run)
    return f


def come_back_at_end(f: Function, run: Record) -> None:
    """Come back where no step is to be taken."""
    with f.when(~(run.t < run.t_end)):
        f.give(Reason.DONE)
    come_back_if_stiff(f, run)
    with f.when(run.budget <= 0):
        f.give(Reason.BUDGET)


def wanted_step(f: Function, run: Record, order: Value) -> tuple[Value, Value, Value]:
    """The step that the coefficients allow, how much of it is taken, and whether that is the last."""
    free, most = longest_step(f, run, order), run.growth * run.h
    # no coefficient tells of a step that is much longer than the one before
    free = f.select((run.h > 0.0) & (free > most), most, free)
    h, room = f.smallest(free, run.h_max), run.t_end - run.t
    is_last = ~(h * 1.0000001 < room)
    return free, f.select(is_last, room, h), is_last


def come_back_if_bad(f: Function, run: Record, step: Value, is_last: Value, finite: Value) -> None:
    """Come back where a step ends nowhere, or is swallowed by rounding."""
    with f.when(~finite):
        f.give(Reason.NONFINITE)
    with f.when(~is_last & (step <= _SWALLOWED * f.absolute(run.t))):
        f.give(Reason.UNDERFLOW)


def note_taken(f: Function, run: Record, wanted: Value, step: Value, is_last: Value) -> None:
    """What the record has of a step that was taken, but for states."""
    run.h = wanted
    run.t_old = run.t
    run.t = f.select(is_last, run.t_end, run.t + step)
    run.taken = step
    run.steps = run.steps + 1
    run.budget = run.budget - 1
    run.pending = SAMPLES


def _state_at(fused: bool) -> Function:
    f = Function("ph_state_at", returns=INTEGER, fused=fused, run=POINTER, t=DOUBLE, out=POINTER)
    run = Record(RUN, f.arguments["run"])
    order = f.call("ph_order", INTEGER, f.arguments["run"])
    h = f.arguments["t"] - run.t_old
    with f.loop(run.blocks) as block:
        value, _ = polynomial(f, run, order, h, block)
        f.arguments["out"].store_block(block, value)
    f.give(0)
    return f
