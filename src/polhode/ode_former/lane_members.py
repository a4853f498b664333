"""Many runs side by side in the lanes of vectors: ph_lane_members(all_lanes).

Every lane has a member, with a record of its own (`LANE`): its time, its step, its counts. Each round all lanes try a
step, each as long as it wants it; a lane whose step was refused keeps its state. One that came to its end, or has
another reason to come back, takes the next member. So no lane waits for another, but for the last members of all.

States, rates and stages of all lanes lie beside each other: entry i of an array is a number of so many lanes. What is
decided for one lane is decided by the lines that decide it for a run alone, and what is computed for all of them is
written once for both (`pair_arithmetic`): a member has the bits that it has alone.

A lane for which there is no member any more is computed with the others, at the start of the first member, so that its
numbers are ordinary ones, and nobody looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..codegen.llvm.builder import DOUBLE, INTEGER, POINTER, Function, Layout, Record, Value
from .limits import limit_functions
from .members import MEMBERS, NONE, OWN, next_member, note_end, reset
from .run_record import RUN, Reason, copy, is_large, scale_to_unit, stretch

#: A run in a lane: what every run has, the step that it tries, refusals in a row, its member, where its sample is, and
#: whether a state is wanted to find where it passed a limit.
LANE = Layout(
    **RUN.kinds, step=DOUBLE, is_last=INTEGER, tenths=INTEGER, member=INTEGER, sample_is=INTEGER, limit_wanted=INTEGER
)
#: All lanes; the arrays of marks and numbers have one entry for each.
LANES = Layout(
    runs=POINTER, members=POINTER, allowed=INTEGER, is_dense=INTEGER,
    busy=POINTER, fresh=POINTER, looked_at=POINTER, taken=POINTER, stiff=POINTER, large=POINTER, finite=POINTER,
    last=POINTER, rough=POINTER, clock=POINTER, given=POINTER, steps=POINTER,
)  # fmt: skip
#: Which of its fields are such arrays.
MARKS = ("busy", "fresh", "looked_at", "taken", "stiff", "large", "finite", "last", "rough")
NUMBERS = ("clock", "given", "steps")
#: No reason to come back: a step is tried.
GOES_ON = -1
_SIZE = len(LANE.kinds)
#: Where the next sample of a lane is: none is due, at the end of its last step, or inside of it.
_NOT_DUE, _AT_END, _INSIDE = 0, 1, 2


class SideBySide:
    """The runs of all lanes as one: their times and steps are numbers, their arrays and settings the first one's."""

    def __init__(self, f: Function, all_lanes: Record) -> None:
        self._f, self._runs = f, all_lanes.runs

    def __getattr__(self, name: str) -> Any:
        if name in ("t", "t_old", "h", "taken", "step"):
            return self._f.joined([getattr(_run_of(self._runs, lane), name) for lane in range(self._f.lanes)])
        return getattr(_run_of(self._runs, 0), name)


def _run_of(runs: Value, lane: Any) -> Record:
    return Record(LANE, runs.at(lane * _SIZE))


@dataclass(frozen=True)
class LaneMethod:
    """What a method does in lanes: for one of them, with its run and its number, and for all.

    `next_step` and `verdict` give a reason to come back, or go on. `next_step` gets a lane ready; `attempt` computes a
    step of all lanes, which ends at run.y; `verdict` takes it, and marks that, or not; then `rates` are those at its
    end. `start_rates` tells where it puts the rates at the start, `first_step` a length. `make_dense` and `interpolate`
    (at times, to a place) are the dense output. Where `is_rough` says so of a lane, its states are by `retake` instead.
    """

    next_step: Callable[[Function, Record, Record, Value], None]
    attempt: Callable[[Function, Record, Any], None]
    verdict: Callable[[Function, Record, Record, Value], None]
    rates: Callable[[Any], Value]
    start_rates: Callable[[Function, Record, Any], Value]
    first_step: Callable[[Function, Record, Any], Value]
    make_dense: Callable[[Function, Record, Any], None]
    interpolate: Callable[[Function, Record, Any, Value, Value], None]
    evaluations_to_begin: int
    evaluations_for_dense: int
    is_rough: Callable[[Function, Record, Any], Value] | None = None
    retake: Callable[[Function, Record, Any, Value, Value], None] | None = None
    evaluations_to_retake: int = 0


def lane_functions(method: LaneMethod, lanes: int, fused: bool) -> list[Function]:
    """The functions of a method in so many lanes, for which `builder.declared` things are declared."""
    return [
        _rates(lanes, fused),
        _of_one_lane("ph_next_step", method.next_step, fused),
        _of_one_lane("ph_verdict", method.verdict, fused),
        _of_busy_lanes("ph_next_steps", "ph_next_step", lanes),
        _of_busy_lanes("ph_verdicts", "ph_verdict", lanes),
        _take_members(lanes),
        *limit_functions(LANE, lanes, fused=fused),
        _begun(method, lanes),
        _look_at_limits(method, lanes),
        _probed_limits(method, lanes),
        _due_samples(method, lanes),
        _write_samples(method, lanes),
        _end(lanes),
        _begin(method, lanes, fused),
        _step(method, lanes, fused),
        _limits(method, lanes, fused),
        _sample(method, lanes, fused),
        _members(lanes),
    ]


def rates_in_lanes(f: Function, all_lanes: Record) -> Callable[[Value, Value, Value], None]:
    """The rates of all lanes, as a function of their times and states, and where they go."""

    def rates(t: Value, x: Value, out: Value) -> None:
        all_lanes.clock.store(0, t, f.number)
        f.call("ph_lane_rates", "void", f.arguments["all_lanes"], x, out)

    return rates


def _rates(lanes: int, fused: bool) -> Function:
    """ph_lane_rates(all_lanes, x, f): f = ẋ(clock, x), with quaternions at unit length."""
    f = Function("ph_lane_rates", fused=fused, internal=True, lanes=lanes, all_lanes=POINTER, x=POINTER, out=POINTER)
    runs: Any = SideBySide(f, Record(LANES, f.arguments["all_lanes"]))
    x, out, table = f.arguments["x"], f.arguments["out"], runs.arguments
    table.store(runs.x_index, x, POINTER)
    with f.when(runs.group_count > 0):
        copy(f, runs, x, runs.unit)
        scale_to_unit(f, runs, runs.unit)
        table.store(runs.x_index, runs.unit, POINTER)
    table.store(runs.out_index, out, POINTER)
    f.call_at(runs.at, "void", table)
    stretch(f, runs, out)
    return f


# ---- one lane after the other -----------------------------------------------------------------------------------


def _of_one_lane(name: str, body: Callable[[Function, Record, Record, Value], None], fused: bool) -> Function:
    f = Function(name, returns=INTEGER, fused=fused, internal=True, all_lanes=POINTER, run=POINTER, lane=INTEGER)
    own = f.arguments
    body(f, Record(LANES, own["all_lanes"]), Record(LANE, own["run"]), own["lane"])
    f.give(GOES_ON)
    return f


def _of_busy_lanes(name: str, inner: str, lanes: int) -> Function:
    """Call a function of one lane for each that is busy; one with a reason to come back has done with its member."""
    f = Function(name, internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    with f.loop(lanes) as lane:
        all_lanes.taken.store(lane, 0, INTEGER)
        with f.when(all_lanes.busy.load(lane, INTEGER) > 0):
            run = _run_of(all_lanes.runs, lane)
            reason = f.call(inner, INTEGER, f.arguments["all_lanes"], run.where(), lane)
            with f.when(reason >= 0):
                _free(all_lanes, run, lane, reason)
    return f


def _free(all_lanes: Record, run: Record, lane: Value, reason: Any) -> None:
    """A member is at its end, for a reason: its lane may take another."""
    note_end(Record(MEMBERS, all_lanes.members), run, run.member, reason)
    all_lanes.busy.store(lane, 0, INTEGER)


def _take_members(lanes: int) -> Function:
    """ph_take_members(all_lanes): the next members for lanes that are free."""
    f = Function("ph_take_members", internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    members = Record(MEMBERS, all_lanes.members)
    with f.loop(lanes) as lane, f.when(all_lanes.busy.load(lane, INTEGER).equals(0)):
        run, member = _run_of(all_lanes.runs, lane), f.variable(NONE)
        with f.when(members.next.load(0, INTEGER) < members.end):
            member.value = next_member(f, members)
        is_one = member.value >= 0
        # a lane that is left over begins as the first member, once
        with f.when(is_one | (run.member >= 0)):
            _load(f, run, members, lane, f.select(is_one, member.value, 0), lanes)
            run.member = member.value
            run.step = 0.0
            all_lanes.fresh.store(lane, 1, INTEGER)
            all_lanes.busy.store(lane, f.select(is_one, f.integer(1), 0), INTEGER)
    return f


def _load(f: Function, run: Record, members: Record, lane: Value, member: Value, lanes: int) -> None:
    """A lane is about to begin as this member."""
    reset(f, run, members, member)
    for name in OWN:
        stride = getattr(members, f"{name}_stride")
        with f.when(stride > 0):
            row = getattr(members, f"{name}_rows").at(member * stride)
            target = run.arguments.load(getattr(members, f"{name}_index"), POINTER)
            with f.loop(stride) as i:
                target[i * lanes + lane] = row[i]
    x, start = run.x, members.starts.at(member * run.size)
    with f.loop(run.size) as i:
        x[i * lanes + lane] = start[i]


def _begun(method: LaneMethod, lanes: int) -> Function:
    """ph_begun(all_lanes): lanes that have just begun take the first steps that are given."""
    f = Function("ph_begun", internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    with f.loop(lanes) as lane, f.when(all_lanes.fresh.load(lane, INTEGER) > 0):
        run = _run_of(all_lanes.runs, lane)
        run.h = all_lanes.given[lane]
        run.evaluations = run.evaluations + method.evaluations_to_begin
        for name in ("noted_steps", "quiet_steps", "tenths"):
            setattr(run, name, 0)
        with f.when(run.limit_count > 0):
            f.call("ph_begin_limits", "void", run.where(), lane)
        all_lanes.fresh.store(lane, 0, INTEGER)
    return f


def _due_samples(method: LaneMethod, lanes: int) -> Function:
    """ph_due_samples(all_lanes): the next sample of each lane; whether one is due, at the end of a step or inside."""
    f = Function("ph_due_samples", returns=INTEGER, internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    found = f.variable(_NOT_DUE)
    with f.loop(lanes) as lane:
        run, is_taken = _run_of(all_lanes.runs, lane), all_lanes.taken.load(lane, INTEGER) > 0
        run.sample_is = _NOT_DUE
        all_lanes.given[lane] = run.t
        with f.when(is_taken & (run.next_sample < run.sample_count)):
            t = run.times[run.next_sample]
            with f.when(t <= run.t):
                run.sample_is = f.select(t < run.t, f.integer(_INSIDE), _AT_END)
                all_lanes.given[lane] = t
                found.value = f.select(found.value > run.sample_is, found.value, run.sample_is)
                with f.when(run.sample_is > _AT_END):
                    _count_dense(method, f, run)
    f.give(found.value)
    return f


def _count_dense(method: LaneMethod, f: Function, run: Record) -> None:
    """The dense output of a lane's last step is asked for: it is made once."""
    with f.when(run.dense_ready.equals(0)):
        run.dense_ready = 1
        run.evaluations = run.evaluations + method.evaluations_for_dense


def _count_retaken(method: LaneMethod, f: Function, all_lanes: Record, run: Record, lane: Value) -> None:
    """A state of a lane's last step was asked for: where its dense output is rough, by a step of its own."""
    if method.is_rough is not None:
        with f.when(all_lanes.rough.load(lane, INTEGER) > 0):
            run.evaluations = run.evaluations + method.evaluations_to_retake


def _look_at_limits(method: LaneMethod, lanes: int) -> Function:
    """ph_look_lanes(all_lanes): the limits of lanes that took a step; whether the state at some time is asked for."""
    f = Function("ph_look_lanes", returns=INTEGER, internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    found = f.variable(0)
    with f.loop(lanes) as lane:
        run = _run_of(all_lanes.runs, lane)
        run.limit_wanted = 0
        all_lanes.given[lane] = run.t
        with f.when(all_lanes.taken.load(lane, INTEGER) > 0):
            run.limit_wanted = f.call("ph_look_at_limits", INTEGER, run.where(), lane)
            _ask(method, f, all_lanes, run, lane, found)
    f.give(found.value)
    return f


def _probed_limits(method: LaneMethod, lanes: int) -> Function:
    """ph_probed_lanes(all_lanes): with the states that were asked for in run.y; whether more are."""
    f = Function("ph_probed_lanes", returns=INTEGER, internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    found = f.variable(0)
    with f.loop(lanes) as lane:
        run = _run_of(all_lanes.runs, lane)
        with f.when(run.limit_wanted > 0):
            _count_retaken(method, f, all_lanes, run, lane)
            run.limit_wanted = f.call("ph_probed_limit", INTEGER, run.where(), lane, run.y)
            _ask(method, f, all_lanes, run, lane, found)
    f.give(found.value)
    return f


def _ask(method: LaneMethod, f: Function, all_lanes: Record, run: Record, lane: Value, found: Any) -> None:
    """Ask for the state of a lane at the time that is wanted of it, if one is."""
    with f.when(run.limit_wanted > 0):
        all_lanes.given[lane] = run.limit_probe
        found.value = 1
        _count_dense(method, f, run)


def _write_samples(method: LaneMethod, lanes: int) -> Function:
    """ph_write_samples(all_lanes): those that are due, at the end of a step from run.x, inside of it from run.y."""
    f = Function("ph_write_samples", internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    with f.loop(lanes) as lane, f.when(all_lanes.taken.load(lane, INTEGER) > 0):
        run = _run_of(all_lanes.runs, lane)
        with f.when(run.sample_is > _NOT_DUE):
            source = f.select(run.sample_is > _AT_END, run.y, run.x)
            row = run.samples.at(run.next_sample * run.size)
            with f.loop(run.size) as i:
                row[i] = source[i * lanes + lane]
            run.next_sample = run.next_sample + 1
            with f.when(run.sample_is > _AT_END):
                _count_retaken(method, f, all_lanes, run, lane)
    return f


def _end(lanes: int) -> Function:
    """ph_end(all_lanes): lanes at their end, or where somebody should look, have done with their members."""
    f = Function("ph_end", internal=True, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    with f.loop(lanes) as lane, f.when(all_lanes.taken.load(lane, INTEGER) > 0):
        run, is_large_now = _run_of(all_lanes.runs, lane), all_lanes.large.load(lane, INTEGER) > 0
        with f.when(is_large_now | ~(run.t < run.t_end)):
            _free(all_lanes, run, lane, f.select(is_large_now, f.integer(Reason.LOOK), Reason.DONE))
    return f


# ---- all lanes at once ------------------------------------------------------------------------------------------


def _begin(method: LaneMethod, lanes: int, fused: bool) -> Function:
    """ph_begin_lanes(all_lanes): rates at the start, and first steps, of the lanes that are fresh."""
    f = Function("ph_begin_lanes", fused=fused, internal=True, lanes=lanes, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    runs: Any = SideBySide(f, all_lanes)
    fresh, rates = all_lanes.fresh.are_set(), method.start_rates(f, all_lanes, runs)
    with f.loop(runs.blocks) as block:
        runs.f.store_block(block, f.select(fresh, rates.block(block), runs.f.block(block)))
    all_lanes.given.store(0, method.first_step(f, all_lanes, runs), f.number)
    f.call("ph_begun", "void", f.arguments["all_lanes"])
    return f


def _step(method: LaneMethod, lanes: int, fused: bool) -> Function:
    """ph_step_lanes(all_lanes): a step of every lane, which each takes or not."""
    f = Function("ph_step_lanes", fused=fused, internal=True, lanes=lanes, all_lanes=POINTER)
    all_lanes = Record(LANES, f.arguments["all_lanes"])
    runs: Any = SideBySide(f, all_lanes)
    method.attempt(f, all_lanes, runs)
    f.call("ph_verdicts", "void", f.arguments["all_lanes"])
    all_lanes.is_dense = 0
    taken, rates = all_lanes.taken.are_set(), method.rates(runs)
    with f.loop(runs.blocks) as block:
        before = runs.x.block(block)
        runs.x_old.store_block(block, f.select(taken, before, runs.x_old.block(block)))
        runs.x.store_block(block, f.select(taken, runs.y.block(block), before))
        runs.f.store_block(block, f.select(taken, rates.block(block), runs.f.block(block)))
    all_lanes.large.store_marks(is_large(f, runs))
    return f


def _interpolated(method: LaneMethod, f: Function, all_lanes: Record, runs: Any) -> None:
    """run.y becomes the states of all lanes at the times that are given."""
    with f.when(all_lanes.is_dense.equals(0)):
        method.make_dense(f, all_lanes, runs)
        if method.is_rough is not None:
            all_lanes.rough.store_marks(method.is_rough(f, all_lanes, runs))
        all_lanes.is_dense = 1
    t = all_lanes.given.load(0, f.number)
    if method.retake is None:
        method.interpolate(f, all_lanes, runs, t, runs.y)
        return
    rough, smooth = all_lanes.rough.are_set(), runs.unit
    with f.when(rough.any()):
        method.retake(f, all_lanes, runs, t, runs.y)
    method.interpolate(f, all_lanes, runs, t, smooth)
    with f.loop(runs.blocks) as block:
        runs.y.store_block(block, f.select(rough, runs.y.block(block), smooth.block(block)))


def _limits(method: LaneMethod, lanes: int, fused: bool) -> Function:
    """ph_limit_lanes(all_lanes): the limits that lanes passed in the step that they took."""
    f = Function("ph_limit_lanes", fused=fused, internal=True, lanes=lanes, all_lanes=POINTER)
    place = f.arguments["all_lanes"]
    all_lanes = Record(LANES, place)
    runs: Any = SideBySide(f, all_lanes)
    wanted = f.variable(f.call("ph_look_lanes", INTEGER, place))
    with f.repeat():
        f.leave_if(wanted.value.equals(0))
        _interpolated(method, f, all_lanes, runs)
        wanted.value = f.call("ph_probed_lanes", INTEGER, place)
    return f


def _sample(method: LaneMethod, lanes: int, fused: bool) -> Function:
    """ph_sample_lanes(all_lanes): all samples up to the times of lanes that took a step."""
    f = Function("ph_sample_lanes", fused=fused, internal=True, lanes=lanes, all_lanes=POINTER)
    place = f.arguments["all_lanes"]
    all_lanes = Record(LANES, place)
    runs: Any = SideBySide(f, all_lanes)
    with f.repeat():
        due = f.call("ph_due_samples", INTEGER, place)
        f.leave_if(due.equals(_NOT_DUE))
        with f.when(due > _AT_END):
            _interpolated(method, f, all_lanes, runs)
        f.call("ph_write_samples", "void", place)
    return f


def _members(lanes: int) -> Function:
    """ph_lane_members(all_lanes): rounds, as long as some are allowed and there are members."""
    f = Function("ph_lane_members", returns=INTEGER, lanes=lanes, all_lanes=POINTER)
    place = f.arguments["all_lanes"]
    all_lanes = Record(LANES, place)
    members = Record(MEMBERS, all_lanes.members)
    with f.repeat():
        with f.when(all_lanes.allowed <= 0):
            f.give(1)
        all_lanes.allowed = all_lanes.allowed - 1
        f.call("ph_take_members", "void", place)
        with f.when(all_lanes.fresh.are_set().any()):
            f.call("ph_begin_lanes", "void", place)
        f.call("ph_next_steps", "void", place)
        is_busy = all_lanes.busy.are_set().any()
        with f.when(is_busy):
            f.call("ph_step_lanes", "void", place)
            with f.when(_run_of(all_lanes.runs, 0).limit_count > 0):
                f.call("ph_limit_lanes", "void", place)
            for name in ("ph_sample_lanes", "ph_end"):
                f.call(name, "void", place)
        with f.when(~is_busy & ~(members.next.load(0, INTEGER) < members.end)):
            f.give(0)
    return f
