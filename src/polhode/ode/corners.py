"""Corners of the tables that a run reads: in each step a table is read within the segment that its argument lies in.

The corners that bound it are events, so that steps end at them. Where a step would pass many of them tables are read as
they are.
"""

from __future__ import annotations

from ..native.language import absolute, at, blocks, fma, inline, largest, native
from .event_location import evaluate_switches
from .record import FAR, Run
from .step_control import next_step

#: The time, in seconds, over which it is tested where a switch or an argument goes.
LITTLE = 1e-6
#: Tables are read as they are in steps in which an argument passes more segments than this. Where such steps are
#: refused, more and more corners are located before the next one, up to so many, in steps of at most so many segments.
_DENSE, _MOST_LOCATED, _SEGMENTS = 3.0, 64, 2.0


@native
def hold_segments(run: Run) -> int:
    """Read tables in the segments between corners that their arguments lie in; nothing to return for, 0."""
    events = run.events
    evaluate_switches(run, run.t, run.x)
    for k in range(events.corner_count):
        low, high = events.corner_first[k], events.corner_end[k]
        while low < high:
            middle = (low + high) // 2
            if events.corners[middle] <= events.table_arguments[k]:
                low = middle + 1
            else:
                high = middle
        _set_bounds(run, k, events.corners[low - 1], events.corners[low])
    events.are_held = 1
    return 0


@inline
def _set_bounds(run, k, low, high):
    """Read a table between two corners; beyond the first ends of the bounds its argument has left them."""
    bounds, width = at(run.events.bounds, 4 * k), run.events.corner_widths[k]
    bounds[0] = low + 0.5 * width
    bounds[1] = high - 0.5 * width
    bounds[2] = low - width
    bounds[3] = high + width


@inline
def note_refused_corners(run):
    """A step over corners that were not located was refused: locate twice as many as the last time."""
    events = run.events
    if events.are_held == 0:
        events.refused_corners = 2 * events.refused_corners + 2
        if events.refused_corners > _MOST_LOCATED:
            events.refused_corners = _MOST_LOCATED
        events.located_corners = events.refused_corners


@native
def step_between_corners(run: Run) -> float:
    """The length of the next step, for which tables are read in segments, or as they are where it would pass many."""
    events, most = run.events, 0.0
    hold_segments(run)
    for k in range(events.corner_count):
        events.slopes[k] = events.table_arguments[k]
    for block in blocks(run):
        run.y[block] = fma(LITTLE, run.f[block], run.x[block])
    evaluate_switches(run, run.t + LITTLE, run.y)
    for k in range(events.corner_count):
        bounds = at(events.bounds, 4 * k)
        events.slopes[k] = absolute(events.table_arguments[k] - events.slopes[k]) / (LITTLE * (bounds[3] - bounds[2]))
        most = largest(most, events.slopes[k])
    if events.located_corners > 0 and run.h_cap * most > _SEGMENTS:
        run.h_cap = _SEGMENTS / most
    step = next_step(run)
    if step * most > _DENSE:
        events.are_held = 0
        for k in range(events.corner_count):
            if step * events.slopes[k] > _DENSE:
                _set_bounds(run, k, -FAR, FAR)
            else:
                events.are_held = 1
    return step


@inline
def argument_slope(run, k):
    """How much the argument of a table changes a little later."""
    evaluate_switches(run, run.t, run.x)
    now = run.events.table_arguments[k]
    for block in blocks(run):
        run.y[block] = fma(LITTLE, run.f[block], run.x[block])
    evaluate_switches(run, run.t + LITTLE, run.y)
    return run.events.table_arguments[k] - now
