"""The record of a run, which native code and Python share, and the constants of every run.

A run is resumable: `advance(run)` takes steps until one of the reasons below and is called again. What it computes does
not depend on where it was interrupted.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from ..codegen.llvm.function import WIDTH
from ..native.arrays import Floats, address_of
from ..native.kinds import Array, Code, Integers, Pointers, Struct
from .unilateral.record import Unilateral


class Reason(IntEnum):
    """Why native code returned."""

    DONE = 0  # the run is at t_end
    BUDGET = 1  # the steps that were allowed are taken
    EVENT = 2  # an event that ends the run, or changes it by Python, or whose log is full; the run stands at it
    LOOK = 3  # state or rates exceed the warning thresholds; the step is finished
    NONFINITE = 4  # no step, however short, has finite rates at its end
    UNDERFLOW = 5  # the error would need a step that rounding swallows
    ILL_CONDITIONED = 6  # the pivots of the constraints are too small to divide by; no step was taken
    FAILED = 7  # a right-hand side in Python raised
    PROJECT = 8  # the state could not be projected; then pending = EVENTS
    SAMPLE = 9  # nor the next sample, which is still to be written
    STEP = 10  # a step was taken, and Python looks at each
    STIFF = 11  # another kind of method should go on
    ENDED = 12  # an event ended the run of a member
    NAN_EVENT = 13  # an event function is nan
    NOT_FOUND = 14  # the stages of a fixed step were not found: it is too long
    INTERRUPTED = 15  # between two steps
    SWITCH = 16  # a sign in the right-hand side changes, and Python chooses the signs behind
    CONTACT = 17  # the mode of a unilateral row does not hold where a step begins


#: What `attempt` returns where there is no reason to return from the run.
ACCEPTED, REFUSED, AGAIN = -1, -2, -3
#: What other functions return where the run goes on.
GO_ON = -1
#: What is still to be done about the last step, in this order.
NOTHING, PROJECTION, EVENTS, SAMPLES = 0, 1, 2, 3

#: What happens at an event: the run goes on; it ends; the state changes by expressions, or by Python; a sign in the
#: right-hand side changes; its slope changes, and the step ends there; a table is read in its next segment.
GOES_ON, ENDS, CHANGES, CHANGES_BY_PYTHON, SWITCHES, KINKS, CORNERS = 0, 1, 2, 3, 4, 5, 6
#: What stands for the end of a segment of a table that has none.
FAR = 1e100
#: Numbers of a row of the log before its states.
HEAD = 4
#: Numbers for each event that the search for zeros needs: its sign, and its values inside of a step.
SEARCH_ROOM = 10

#: Where h |λ| of an explicit pair of this order is beyond this, stability bounds its steps: step control keeps them a
#: little inside of the domain of stability, which ends at 6.4, 5.9 and 3.3 on the real axis.
EDGES = {8: 4.0, 7: 4.0, 5: 2.4}

#: Rates this many times larger than the state are looked into.
SUSPICIOUS = 1e6
#: Under constraints a step is at most so many times longer than the one before it. An estimate of the error that
#: happens to vanish, as it may where all coordinates move as one, would allow more.
CONSTRAINED_GROWTH = 1.5
#: Otherwise at most so many times.
GROWTH = 6.0
#: A step shorter than this part of the time is swallowed by rounding.
SWALLOWED = 2.0**-49
#: Two changes of the state within this time, relative to t or 1 s, never end.
ZENO = 1e-12
#: A sample or a time event within this part of a fixed step of its end is at its end.
SNAP = 1e-9


class Events(Struct):
    """Event functions g(t, x), what happens at their zeros, and a log of it.

    `kinds` are those above. A row of the log has the time, the event, its kind, the samples before it,
    and the states before and after; of an event at which the run goes on, the state by the dense output.
    """

    at: Code
    arguments: Pointers
    count: int
    values: Array
    kinds: Integers
    directions: Array
    before: Array  # values at the begin of the step
    sides: Array  # the side of zero from which an event came that changed the state; 0 once it has left its zero
    near: Array  # values this small count as zero in the first step behind an event that was interrupted there
    times: Array  # of the zeros in the last step, nan for none
    change_at: Pointers
    change_arguments: Pointers
    change_counts: Integers
    change_places: Pointers
    change_values: Pointers
    log: Array
    log_room: int
    log_count: int
    changed_at: float
    first_change: int  # the row of the log with the first change where the run stands, and the same of the last time
    last_changes: int
    work: Array  # of the search for zeros
    nodes: Array
    smooth: Integers  # 1 for events that are expressions
    # the last of the events are switches, of which the right-hand side has the signs, held still, as an array
    switch_at: Code
    switch_arguments: Pointers
    switch_x_index: int
    switch_count: int
    signs: Array
    # behind them come those at which the argument of a table leaves the segment in which it is read: the right-hand
    # side has its `bounds`; the corners of each table lie between -FAR and FAR, from `corner_first` up to `corner_end`
    corner_count: int
    corner_first: Integers
    corner_end: Integers
    corners: Array
    corner_widths: Array  # an argument leaves a segment this far behind its corner
    corner_jumps: Integers  # 1 if a value jumps at some
    bounds: Array
    table_arguments: Array
    slopes: Array  # segments a second that each argument passes
    are_held: int  # 1 if some table is read in one segment
    located_corners: int  # so many are located before a step over several is tried again
    refused_corners: int  # the same after the last step over several that was refused; 0 after one that was not
    # the last of these are kinks, which are located in steps that followed a refusal
    kink_count: int
    kinks_passed: int
    # behind those of a user, before the switches: guards of the modes of unilateral rows
    guard_count: int
    guard_at: Code
    # values inside of the last step that were evaluated for one guard, and serve for the others
    kept_times: Array
    kept_values: Array
    kept_count: int
    limit: float  # the time behind which zeros are not looked for: at one before it the step ends
    active: int  # the events that are located in the last step
    calls_python: int
    number: int  # the event at which the run stands


class Schedule(Struct):
    """Times at which what drives the run jumps, or its slope does, and a sampled law that acts there.

    A step ends a few last bits before such a time, at `before`, so that none sees what holds after. `samples` has for
    each the row of the law's log that is filled there, and `acts` the row whose controls hold from there on; negative
    for none. The law is a program behind a table of pointers, of which entry i points to `bases[i]`, `strides[i]`
    numbers further for each row: rows of its log are its arguments and its results, so that a delay needs no queue, and
    to evaluate a row twice does no harm.
    """

    times: Array
    before: Array
    states: Array
    next: int
    count: int
    end: float
    law: Code
    table: Pointers
    bases: Pointers
    strides: Integers
    entries: int
    samples: Integers
    acts: Integers
    controls: Array
    control_count: int
    columns: Integers
    held: Array


class Run(Struct):
    """A run."""

    # time and step; rtol and atol are for estimates of the error, `error_scale` times the tolerances that were given
    t: float
    t_old: float
    t_end: float
    t_final: float  # the end of the whole run
    h: float
    taken: float
    h_max: float
    h_cap: float  # of the next step alone
    rtol: float
    atol: float
    error_scale: float
    growth: float
    bound: float
    clock: float
    # an attempt: the step that is wanted next, and whether all is finite at its end
    h_next: float
    is_finite: int
    is_last: int
    # fixed steps: step k begins at origin + k h; where the run stands inside of one, the rest of it comes next
    is_fixed: int
    origin: float
    number: int
    is_inside: int
    unprojected: int  # steps since the last projection
    position_count: int  # of the state, the entries whose rates are those of the other entries' new values
    # counts
    size: int
    blocks: int
    budget: int
    steps: int
    rejected: int
    evaluations: int
    # flags
    pending: int
    dense_ready: int
    takes_rough: int  # 1 where the dense output serves even if it is less accurate than the step
    after_rejection: int
    retries: int  # after attempts that were not finite
    was_refused: int  # an attempt from where the last step began
    look: int
    failed: int
    calls_python: int
    interrupted: int
    each_step: int
    # arrays of the state's length, padded
    x: Array
    x_old: Array
    f: Array
    f_old: Array
    y: Array
    unit: Array
    k: Array
    rate: Array  # the rates at the end of an attempt
    dense: Array
    # samples
    times: Array
    samples: Array
    next_sample: int
    sample_count: int
    samples_ready: int  # rows up to this have states by the dense output of the last step
    # the method
    begin_method: Code
    prepare: Code
    attempt: Code
    state_at: Code
    has_prepare: int
    defect: Code
    has_defect: int
    jet: Code  # (arguments, coefficients, scratch, order): the Taylor coefficients of the motion
    order: int
    memory: Array  # what a method has beside
    # right-hand side
    rates: Code  # (run, t, x, out) -> reason
    project: Code  # (run, t, x) -> reason
    is_constrained: int
    at: Code
    arguments: Pointers
    x_index: int
    out_index: int
    kernel_arguments: Pointers  # of a kernel that is inlined in fixed steps
    groups: Integers  # (first, count) of each quaternion
    group_count: int
    lengths: Array
    partners: Integers  # where the momentum of each quaternion begins, or -1
    has_partners: int
    pivots: Array
    pivot_signs: Array
    usual_pivots: Array
    pivot_count: int
    weakness: float  # the least pivot of the last evaluation by its usual size, and its row
    weak_row: int
    # constraints: outputs of the right-hand side that lead back to them, and all of their values
    displacement: Array
    coordinate_count: int
    change: Array
    speed_count: int
    residual: Array
    is_curved: int  # 1 where conditions on the speeds are not linear in them
    check_at: Code
    check_arguments: Pointers
    check_values: Array
    check_count: int
    # auxiliary coordinates, and what moves them to their definitions
    definition_at: Code
    definition_arguments: Pointers
    definition_steps: Array
    auxiliary_first: int
    auxiliary_count: int
    # a singular pose that the run passes: its coordinates, and the distance in which singular values grow to one, or 0
    pose: Array
    pose_reach: float
    passes_poses: int  # 1 if it may pass some
    is_searching: int
    nodes: Array
    state_on: Array
    # steps that are kept: rows of t, h and the state before
    trace: Array
    trace_count: int
    trace_room: int
    # time events
    schedule: Schedule
    has_schedule: int
    # events
    events: Events
    event_count: int
    has_corners: int  # of tables
    # contacts, stops and dry friction
    unilateral: Unilateral
    has_unilateral: int
    # steps in a row that another kind of method should have taken, and how many are too many; 0 for no limit
    noted_steps: int
    quiet_steps: int
    stiffness_limit: int
    # limits of the state: c x[k] + d <= 0, first passage and largest value, and those at the end of the last step
    limit_count: int
    limit_places: Integers
    limits: Array
    limits_noted: Array
    limits_before: Array
    limits_seen: float
    limit_next: int
    limit_sought: int
    limit_probe: float
    limit_low: float
    limit_high: float
    limit_halvings: int
    limit_top: float  # where the largest value is so far, that value, and how often a larger one was sought
    limit_largest: float
    limit_trials: int


def padded(size: int) -> int:
    """The length of an array for so many numbers, in whole blocks."""
    return -(-max(1, size) // WIDTH) * WIDTH


_ALIGNMENT = 64


class Memory:
    """Arrays in one aligned piece of memory: so many rows each, of so many numbers, padded to whole blocks.

    Its lines of the cache are its own, so that threads do not wait for each other's.
    """

    def __init__(self, counts: Mapping[str, int], size: int) -> None:
        width = padded(size)
        whole = np.zeros(width * sum(counts.values()) + 2 * _ALIGNMENT // 8)
        base = address_of(whole)
        first = (-base % _ALIGNMENT) // 8
        self.arrays: dict[str, Floats] = {}
        self.addresses: dict[str, int] = {}
        for name, rows in counts.items():
            self.arrays[name] = whole[first : first + rows * width]
            self.addresses[name] = base + 8 * first
            first += rows * width


def apart(kind: Any, *entries: Any) -> Any:
    """A ctypes record, or an array of entries, in lines of the cache that hold nothing else.

    What native code writes at every evaluation would otherwise lie beside what another thread writes.
    """
    made = kind.from_buffer(Memory({"all": 1}, -(-ctypes.sizeof(kind) // 8)).arrays["all"])
    for place, entry in enumerate(entries):
        made[place] = entry
    return made
