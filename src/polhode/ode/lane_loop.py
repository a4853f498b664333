"""The stepping loop of lanes: many runs side by side in the lanes of vectors.

Every lane has a member, with a record of its own (`Lane`): its time, its step, its counts. Each round all lanes try a
step, each as long as it wants it; a lane whose step was refused keeps its state. One that came to its end, or has
another reason to return, takes the next member. So no lane waits for another, but for the last members of all.

States, rates and stages of all lanes lie beside each other: entry i of an array is a number of so many lanes. What is
decided for one lane is decided by the lines that decide it for a run alone, and what is computed for all of them is
written once for both (`methods.explicit_pairs`, `methods.taylor`): a member has the bits that it has alone. A lane that
meets something rare hands its member back.

A lane for which there is no member any more is computed with the others, at the start of the first member, so that its
numbers are ordinary ones, and is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..native.language import (
    Array,
    Integers,
    Pointers,
    Struct,
    any_lane,
    are_set,
    at,
    blocks,
    call,
    counted,
    entry,
    in_lanes,
    inline,
    native,
    set_marks,
    side_by_side,
)  # fmt: skip
from .limits import begin_limits, probed_limit, test_limits
from .loop import DEFECT
from .members import NONE, OWN, Members, next_member, note_end, reset
from .record import SNAP, SUSPICIOUS, Reason, Run
from .right_side import copy, largest_of, scale_to_unit, stretch

#: The next sample of a lane: none is due, at the end of its last step, or inside of it.
_NOT_DUE, _AT_END, _INSIDE = 0, 1, 2


class Lane(Run):
    """A run in a lane: the step it tries, its member, where its next sample is, and whether a limit needs a state."""

    step: float
    member: int
    sample_is: int
    limit_needs: int


class Lanes(Struct):
    """All lanes; arrays of marks and numbers have one entry for each."""

    runs: Pointers
    members: Members
    allowed: int
    is_dense: int
    busy: Integers
    fresh: Integers
    due: Integers  # to be tested for stiffness
    taken: Integers
    stiff: Integers
    large: Integers
    finite: Integers
    last: Integers
    rough: Integers
    clock: Array
    given: Array
    steps: Array


#: The fields that are such arrays.
MARKS = ("busy", "fresh", "due", "taken", "stiff", "large", "finite", "last", "rough")
NUMBERS = ("clock", "given", "steps")


@dataclass(frozen=True)
class LaneMethod:
    """What a method does in lanes: functions of one lane, and of all lanes with their runs side by side.

    `next_step(lanes, run, lane)` and `verdict(lanes, run, lane)` return a reason, or GO_ON. `attempt(lanes, runs)`
    computes a step of all lanes, to run.y, and returns the rates at its end; `verdict` marks it as taken, or not.
    `start(lanes, runs)` returns the rates at the start, `first_step(runs)` lengths. `make_dense`, `interpolate` and
    `defects(lanes, runs, t)` are the dense output; where `is_rough(runs)` holds for a lane, and in all lanes of a
    method without dense output, states inside of a step are by `sub_step`. `form` is what its functions are made for,
    and `rates` evaluates the right-hand side.
    """

    form: Any
    rates: Any
    next_step: Any
    attempt: Any
    verdict: Any
    start: Any
    first_step: Any
    make_dense: Any = None
    interpolate: Any = None
    defects: Any = None
    is_rough: Any = None
    sub_step: Any = None
    evaluations_to_begin: int = 1
    evaluations_for_dense: int = 0
    evaluations_of_sub_step: int = 0


@native
def run_lanes(method: LaneMethod, width: Any, lanes: Lanes) -> int:
    """Rounds of steps, as long as some are allowed and there are members; 1, or 0 where none is left."""
    members = lanes.members
    while True:
        if lanes.allowed <= 0:
            return 1
        lanes.allowed -= 1
        _take_members(width, lanes)
        if _is_any(width, lanes.fresh):
            _begin(method, width, lanes)
        if entry(lanes.runs, 0, Lane).has_prepare > 0:
            call(entry(lanes.runs, 0, Lane).prepare, lanes)
        _of_busy_lanes(method.next_step, width, lanes)
        if _is_any(width, lanes.busy):
            _step(method, width, lanes)
            if entry(lanes.runs, 0, Lane).limit_count > 0:
                _test_limits(method, width, lanes)
            _write_samples(method, width, lanes)
            _end(width, lanes)
        elif not members.next[0] < members.end:
            return 0


@inline
def _is_any(width, marks):
    """True if a mark is set."""
    found = False
    for lane in counted(width):
        if marks[lane] > 0:
            found = True
    return found


@in_lanes
def _rates(keeps_length: Any, lanes: Lanes, x: Array, out: Array) -> None:
    """out = ẋ(clock, x), with quaternions at unit length unless their lengths are kept."""
    runs = side_by_side(lanes, Lane)
    arguments = runs.arguments
    arguments[runs.x_index] = x
    if not keeps_length and runs.group_count > 0:
        copy(runs, x, runs.unit)
        scale_to_unit(runs, runs.unit)
        arguments[runs.x_index] = runs.unit
    arguments[runs.out_index] = out
    call(runs.at, arguments)
    if not keeps_length:
        stretch(runs, out)


@inline
def _rates_of_lanes(keeps_length, runs, t, x, out):
    """The rates of all lanes at their times and states; 0, since no lane has a reason to return."""
    runs.lanes.clock[0] = t
    _rates(keeps_length, runs.lanes, x, out)
    return 0


#: With quaternions at unit length, or as they are.
lane_rates, lane_rates_as_given = partial(_rates_of_lanes, False), partial(_rates_of_lanes, True)


@inline
def start_in_lanes(rates, lanes, runs):
    """The rates of all lanes at their starts."""
    rates(runs, runs.t, runs.x, runs.k)
    return runs.k


# ---- one lane after the other --------------------------------------------------------------------------------------


@native
def _of_one_lane(act: Any, lanes: Lanes, run: Lane, lane: int) -> int:
    return act(lanes, run, lane)


@native
def _of_busy_lanes(act: Any, width: Any, lanes: Lanes) -> None:
    """Call a function of one lane for every busy lane; one with a reason to return has done with its member."""
    for lane in counted(width):
        lanes.taken[lane] = 0
        if lanes.busy[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            reason = _of_one_lane(act, lanes, run, lane)
            if reason >= 0:
                _free(lanes, run, lane, reason)


@inline
def _free(lanes, run, lane, reason):
    """A member is at its end, for a reason: its lane may take another."""
    note_end(lanes.members, run, run.member, reason)
    lanes.busy[lane] = 0


@native
def _take_members(width: Any, lanes: Lanes) -> None:
    """The next members for lanes that are free."""
    members = lanes.members
    for lane in counted(width):
        if lanes.busy[lane] == 0:
            run = entry(lanes.runs, lane, Lane)
            member = NONE
            if members.next[0] < members.end:
                member = next_member(members)
            # a lane that is left over begins as the first member, once
            if member >= 0 or run.member >= 0:
                _load(run, members, lane, member if member >= 0 else 0, width)
                run.member = member
                run.step = 0.0
                lanes.fresh[lane] = 1
                lanes.busy[lane] = 1 if member >= 0 else 0


@native
def _load(run: Lane, members: Members, lane: int, member: int, width: Any) -> None:
    """A lane is about to begin as this member."""
    reset(run, members, member)
    for k in range(len(OWN)):
        stride = members.own_strides[k]
        if stride > 0:
            own = at(entry(members.own_rows, k, Array), member * stride)
            target = run.arguments[members.own_places[k]]
            for i in range(stride):
                target[i * width + lane] = own[i]
    start = at(members.starts, member * run.size)
    for i in range(run.size):
        run.x[i * width + lane] = start[i]


@native
def _begun(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """Lanes that have just begun take the first steps that are given."""
    for lane in counted(width):
        if lanes.fresh[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            run.h = lanes.given[lane]
            run.evaluations += method.evaluations_to_begin
            run.noted_steps = 0
            run.quiet_steps = 0
            run.retries = 0
            if run.limit_count > 0:
                begin_limits(run, lane, width)
            lanes.fresh[lane] = 0


@native
def _due_samples(method: LaneMethod, width: Any, lanes: Lanes) -> int:
    """The next sample of each lane; whether one is due, at the end of a step or inside."""
    found = _NOT_DUE
    for lane in counted(width):
        run = entry(lanes.runs, lane, Lane)
        snap = SNAP * run.h if run.is_fixed > 0 else 0.0
        run.sample_is = _NOT_DUE
        lanes.given[lane] = run.t
        if lanes.taken[lane] > 0 and run.next_sample < run.sample_count:
            t = run.times[run.next_sample]
            if t <= run.t + snap:
                run.sample_is = _INSIDE if t < run.t - snap else _AT_END
                lanes.given[lane] = t
                if run.sample_is > found:
                    found = run.sample_is
                if run.sample_is == _INSIDE:
                    _count_dense(method, run)
    return found


@inline
def _count_dense(method, run):
    """The dense output of a lane's last step is needed: it is made once."""
    if run.dense_ready == 0:
        run.dense_ready = 1
        run.evaluations += method.evaluations_for_dense


@inline
def _count_sub_step(method, lanes, run, lane):
    """A state of a lane's last step is used: where its dense output is rough, by a step of its own."""
    if method.sub_step is not None and (method.is_rough is None or lanes.rough[lane] > 0):
        run.evaluations += method.evaluations_of_sub_step


@native
def _test_each(method: LaneMethod, width: Any, is_probed: Any, lanes: Lanes) -> int:
    """Test the limits of lanes that took a step, or go on with the states in run.y; 1 where another is needed."""
    found = 0
    for lane in counted(width):
        run = entry(lanes.runs, lane, Lane)
        if not is_probed:
            run.limit_needs = lanes.taken[lane]
            lanes.given[lane] = run.t
        if run.limit_needs > 0:
            if is_probed:
                _count_sub_step(method, lanes, run, lane)
                run.limit_needs = probed_limit(run, lane, run.y, width)
            else:
                run.limit_needs = test_limits(run, lane, width)
            if run.limit_needs > 0:
                lanes.given[lane] = run.limit_probe
                found = 1
                _count_dense(method, run)
    return found


@native
def _write_due(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """Samples that are due, at the end of a step from run.x, inside of it from run.y."""
    for lane in counted(width):
        if lanes.taken[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            if run.sample_is > _NOT_DUE:
                is_inside = run.sample_is == _INSIDE
                source = run.y if is_inside else run.x
                sample = at(run.samples, run.next_sample * run.size)
                for i in range(run.size):
                    sample[i] = source[i * width + lane]
                run.next_sample += 1
                if is_inside:
                    _count_sub_step(method, lanes, run, lane)
                    if method.defects is not None and run.has_defect > 0:
                        run.evaluations += 1
                        if lanes.steps[lane] > DEFECT:
                            _free(lanes, run, lane, Reason.STEP)
                            lanes.taken[lane] = 0


@native
def _end(width: Any, lanes: Lanes) -> None:
    """Lanes at their end, or with state or rates beyond the warning thresholds, have done with their members."""
    for lane in counted(width):
        if lanes.taken[lane] > 0:
            run = entry(lanes.runs, lane, Lane)
            is_large = lanes.large[lane] > 0
            if is_large or not run.t < run.t_end:
                _free(lanes, run, lane, Reason.LOOK if is_large else Reason.DONE)


# ---- all lanes at once ---------------------------------------------------------------------------------------------


@in_lanes
def _begin(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """Rates at the start, and first steps, of the lanes that are fresh."""
    runs = side_by_side(lanes, Lane)
    fresh, rates = are_set(lanes.fresh), method.start(lanes, runs)
    for block in blocks(runs):
        runs.f[block] = rates[block] if fresh else runs.f[block]
    lanes.given[0] = method.first_step(runs)
    _begun(method, width, lanes)


@in_lanes
def _step(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """A step of every lane, which each takes or not."""
    runs = side_by_side(lanes, Lane)
    rates = method.attempt(lanes, runs)
    _of_busy_lanes(method.verdict, width, lanes)
    lanes.is_dense = 0
    taken = are_set(lanes.taken)
    for block in blocks(runs):
        before = runs.x[block]
        runs.x_old[block] = before if taken else runs.x_old[block]
        runs.x[block] = runs.y[block] if taken else before
        runs.f[block] = rates[block] if taken else runs.f[block]
    size, speed = largest_of(runs, runs.x), largest_of(runs, runs.f)
    set_marks(lanes.large, (not size <= runs.bound) | (speed > SUSPICIOUS * (size + 1.0)))


@inline
def _interpolated(method, lanes, runs, with_defects):
    """run.y becomes the states of all lanes at the times that are given."""
    if method.make_dense is not None and lanes.is_dense == 0:
        method.make_dense(runs, method.form, method.rates)
        if method.is_rough is not None:
            set_marks(lanes.rough, method.is_rough(runs))
        lanes.is_dense = 1
    t = lanes.given[0]
    if with_defects and method.defects is not None and runs.has_defect > 0:
        lanes.steps[0] = method.defects(lanes, runs, t)
    if method.sub_step is None:
        method.interpolate(runs, method.form, t, runs.y)
    elif method.interpolate is None:
        method.sub_step(runs, method.form, t, runs.y, method.rates)
    else:
        rough, smooth = are_set(lanes.rough), runs.unit
        if any_lane(rough):
            method.sub_step(runs, method.form, t, runs.y, method.rates)
        method.interpolate(runs, method.form, t, smooth)
        for block in blocks(runs):
            runs.y[block] = runs.y[block] if rough else smooth[block]


@in_lanes
def _test_limits(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """The limits that lanes passed in the step that they took."""
    runs = side_by_side(lanes, Lane)
    is_needed = _test_each(method, width, False, lanes)
    while is_needed > 0:
        _interpolated(method, lanes, runs, False)
        is_needed = _test_each(method, width, True, lanes)


@in_lanes
def _write_samples(method: LaneMethod, width: Any, lanes: Lanes) -> None:
    """All samples up to the times of lanes that took a step."""
    runs = side_by_side(lanes, Lane)
    while True:
        due = _due_samples(method, width, lanes)
        if due == _NOT_DUE:
            break
        if due == _INSIDE:
            _interpolated(method, lanes, runs, True)
        _write_due(method, width, lanes)
