"""Projection onto the constraints, as native code: Newton's method with what the right-hand side puts out beside ẋ.

    q ← q + Γ(q) δ,    A δ = -φ,    then    u ← u + δu,    A (u + δu) + a = 0

δ and δu are the least in the metric of the masses. The right-hand side gives Γ δ (`displacement`) and δu (`change`).
"""

from __future__ import annotations

from ..codegen.fixed_steps import MOST_STEPS, NEAR, OFF
from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, Function, Record
from .run_record import RUN, Reason, largest_entry, scale_to_unit


def plain_projection_function(fused: bool) -> Function:
    """ph_plain_projection(run, t, x): x becomes the nearest state on the constraints; a reason where it does not."""
    f = Function("ph_plain_projection", returns=INTEGER, fused=fused, internal=True, run=POINTER, t=DOUBLE, x=POINTER)
    run = Record(RUN, f.arguments["run"])
    t, x = f.arguments["t"], f.arguments["x"]
    scale_to_unit(f, run, x)
    left, steps = f.variable(1e300), f.variable(0)
    with f.repeat():
        reason = f.call("ph_plain_rates", INTEGER, f.arguments["run"], t, x, run.residual)
        with f.when(reason > 0):
            f.give(reason)
        size = largest_entry(f, run.displacement, 0, run.coordinate_count)
        f.leave_if(size <= NEAR)
        with f.when(~(size < left.value) | (steps.value >= MOST_STEPS)):
            # rounding keeps it from coming nearer
            with f.when(size <= 1e2 * NEAR):
                f.leave()
            f.give(Reason.ILL_CONDITIONED)
        left.value = size
        steps.value = steps.value + 1
        with f.loop(run.coordinate_count) as i:
            x[i] = x[i] + run.displacement[i]
        scale_to_unit(f, run, x)
    with f.loop(run.speed_count) as i:
        place = run.coordinate_count + i
        x[place] = x[place] + run.change[i]
    with f.when(run.check_count > 0):
        run.check_arguments.store(0, x, POINTER)
        f.call_at(run.check_at, "void", run.check_arguments)
        with f.when(~(largest_entry(f, run.check_values, 0, run.check_count) <= OFF)):
            f.give(Reason.ILL_CONDITIONED)
    f.give(0)
    return f
