"""What methods with fixed steps have in common: the grid of their times, and sums that keep what rounding leaves out.

Step k begins at origin + k h, not at a running sum. A run that begins between two such times first takes the rest of
that step.
"""

from __future__ import annotations

from ..native.language import fma, inline, smallest
from .record import SNAP


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
