"""What methods with fixed steps have in common: the grid of their times, and sums that keep what rounding leaves out.

Step k begins at origin + k h, not at a running sum. A run that begins between two such times first takes the rest of
that step.
"""

from __future__ import annotations

from ..native.language import Array, blocks, fma, inline, native, smallest
from .rates import scale_to_unit
from .record import SNAP, Run


@inline
def begin_on_grid(run):
    """Find the step in which the run stands."""
    number = int((run.t - run.origin) / run.h + SNAP)
    run.number = number
    run.is_inside = 1 if run.t - fma(float(number), run.h, run.origin) > SNAP * run.h else 0
    run.unprojected = 0


@inline
def time_in_step(run, step, part):
    """The time a part of the next step after its beginning; not behind a time event at which it ends."""
    is_whole = run.is_inside + run.is_last == 0
    t = fma(float(run.number) + part, run.h, run.origin) if is_whole else fma(part, step, run.t)
    return smallest(t, run.t_end) if run.has_schedule > 0 else t


@inline
def compensated_sum(x, more):
    """x + more, and what rounding leaves out of it (Knuth)."""
    total = x + more
    beyond = total - x
    return total, (x - (total - beyond)) + (more - beyond)


@native
def cubic_state_at(run: Run, t: float, out: Array) -> int:
    """The state at a time within the last step by Hermite's cubic, for which no rates are evaluated."""
    s = (t - run.t_old) / run.taken
    r = 1.0 - s
    begin, begin_slope = r * r * fma(2.0, s, 1.0), run.taken * (s * (r * r))
    end, end_slope = s * s * fma(2.0, r, 1.0), -run.taken * (r * (s * s))
    for block in blocks(run):
        at_begin = fma(begin_slope, run.f_old[block], begin * run.x_old[block])
        out[block] = fma(end_slope, run.f[block], fma(end, run.x[block], at_begin))
    scale_to_unit(run, out)
    return 0
