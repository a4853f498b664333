"""A run in native memory: its record, its right-hand side, its events, and the calls that step it; and its driver.

An interrupt (SIGINT) is raised by Python between two lines of Python: in a function that native code calls, or in one
that is called when an object is deleted, it may be raised where no handler is active. During a run the signal handler
therefore records it, and while native code runs raises it only inside the user's function; the native loop returns at
the end of the step, and the driver raises it there. A second one is raised at once.
"""

from __future__ import annotations

import ctypes
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError
from ..native.arrays import Floats, address_of
from ..native.compiled import Compiled
from ..native.kinds import fill
from .linear import FIELDS, Factors
from .native_code import MethodCode, loop_code, method_code
from .record import EVENTS, GROWTH, NOTHING, PROJECTION, Memory, Reason, Run, apart, padded

if TYPE_CHECKING:
    from .native_events import EventMemory
    from .native_members import MemberRows
    from .native_schedule import ScheduleMemory


class ImplicitMemory:
    """What an implicit method has beside the record of a run, for matrices of some fields ("real", "complex")."""

    def __init__(self, size: int, fields: Sequence[str]) -> None:
        from .methods.jacobian import Implicit

        self.side: RightSide | None = None  # the compiled derivatives
        counts = {"jacobian": size, "in_time": 1, "stretch": 1, "direction": 1, "image": 1}
        self.arrays = Memory(counts, size).arrays
        self.arrays["stretch"][:] = 1.0
        # a direction of unequal parts, so that it is across no symmetry
        self.arrays["direction"][:size] = np.cos(np.arange(size) ** 2)
        self.record: Any = Implicit.native(**self.arrays)
        for name in fields:
            parts, exchanged = FIELDS[name], np.zeros(size, dtype=np.int64)
            rows = Memory({"upper": size * parts, "lower": size * parts, "reciprocals": parts}, size).arrays
            factors = Factors.native(size=size, blocks=padded(size) // 4, exchanged=exchanged, **rows)
            fill(self.record, **{name: factors})
        self.by_differences()

    @property
    def address(self) -> int:
        return ctypes.addressof(self.record)

    def restart(self) -> None:
        """Reset what is known of earlier steps, as `begin` of each method does."""
        for name in ("is_usable", "is_current", "h_factored", "h_before", "error_before", "has_polynomial"):
            setattr(self.record, name, 0)

    def by_differences(self) -> None:
        """Take derivatives by differences of the rates."""
        self.record.x_index = -1
        self.side = None

    def compiled(self, side: RightSide) -> None:
        """Take these derivatives: a compiled function that puts out ∂ẋ/∂x and ∂ẋ/∂t."""
        self.side, outputs = side, {"by_state": side.outputs["xdot_d_x"], "by_time": side.outputs["xdot_d_t"]}
        fill(self.record, at=side.address, arguments=side.table, x_index=side.x_index, **outputs)


_STRUCTURE = Run.structure()
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_STATE_AT = _PROJECTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)
#: Bytes of steps that a run keeps at most.
MOST_KEPT = 64_000_000
_Result = TypeVar("_Result")
#: Native code runs about so many seconds before it returns.
_SLICE = 0.02
_FIRST_BUDGET, _MOST_BUDGET = 256, 65_536


@dataclass(frozen=True, eq=False)
class RightSide:
    """A right-hand side as native code calls it: an address, a table of pointers, and where x and ẋ stand in it."""

    address: int
    table: Any
    x_index: int
    out_index: int
    outputs: Mapping[str, Floats]  # what it puts out beside ẋ, as of its last call
    alive: Sequence[Any]  # what the pointers point to
    places: Mapping[str, int] = field(default_factory=dict)  # of arrays and the work array in the table

    def entries(self, name: str) -> dict[str, int]:
        """The addresses of the entries for arrays in the table, as "name.array"."""
        return {f"{name}.{array}": ctypes.addressof(self.table) + 8 * k for array, k in self.places.items()}


def array_at(address: int | None, size: int) -> Floats:
    """Numbers in memory that native code owns."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address or 0))


def compiled_side(
    function: Compiled, given: Mapping[str, Floats], clock: int, output: int = 0, state: str = "x"
) -> RightSide:
    """A compiled function of a state, the time at an address, and constant arrays, with memory for what it puts out."""
    native, work = function.native, function.work()
    alive: list[Any] = [function, work, native.code]
    pointers: list[int] = []
    for name, array in zip(function.arrays, function.outline.arrays, strict=True):
        if name == state:
            pointers.append(0)
        elif name == "t":
            pointers.append(clock)
        else:
            values = np.ascontiguousarray(given[name], dtype=np.float64)
            if values.shape != (array.size,):
                raise PolhodeError(f"'{name}' has the shape {values.shape}, expected ({array.size},).")
            alive.append(values)
            pointers.append(address_of(values))
    pointers.append(address_of(work))
    outputs = [np.zeros(math.prod(shape)) for _, shape in function.outline.outputs]
    alive.append(outputs)
    out_index = len(pointers) + output
    pointers += [address_of(array) for array in outputs]
    table = apart(ctypes.c_void_p * len(pointers), *pointers)
    named = dict(zip(function.outputs, outputs, strict=True))
    places = {**{name: k for k, name in enumerate(function.arrays)}, "work": len(function.arrays)}
    return RightSide(native.at, table, places[state], out_index, named, alive, places)


@dataclass(frozen=True, eq=False)
class WatchedLimits:
    """Limits c x[k] + d ≤ 0 of entries of the state, and what native code notes of them; for one run or a batch."""

    places: NDArray[np.int64]  # (L,), the k
    rows: Floats  # (…, L, 2), c and d
    noted: Floats  # (…, L, 2), when each was first passed (nan: never), and the largest c x[k] + d seen

    @classmethod
    def of(cls, places: Sequence[int] | NDArray[np.int64], rows: Floats) -> WatchedLimits:
        """Limits of which nothing is noted yet."""
        noted = np.empty(rows.shape)
        noted[..., 0], noted[..., 1] = np.nan, -np.inf
        return cls(np.asarray(places, dtype=np.int64), np.ascontiguousarray(rows), noted)


class NativeRun:
    """A run in native memory; `advance` takes steps until there is a reason to return."""

    def __init__(
        self,
        method: str | MethodCode,
        x: Floats,
        *,
        t: float = 0.0,
        rtol: float,
        atol: float,
        groups: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.code = method_code(method) if isinstance(method, str) else method
        self.loop = loop_code()
        self.size = size = len(x)
        self.record = record = apart(_STRUCTURE)
        self.address = ctypes.addressof(record)
        names = ("x", "x_old", "f", "f_old", "y", "unit", "residual", "state_on", "pose")
        counts = {**dict.fromkeys(names, 1), "nodes": 8, "k": self.code.method.stages, "dense": self.code.dense_rows}
        self._memory = Memory(counts, size)
        for name, address in self._memory.addresses.items():
            setattr(record, name, address)
        self.x, self.f, self.x_old, self.y = (self._memory.arrays[name][:size] for name in ("x", "f", "x_old", "y"))
        self.x[:] = x
        self._groups = np.array([entry for group in groups for entry in group], dtype=np.int64)
        self._lengths = np.ones(len(groups) + 4)  # and room for a rotation vector
        self._kept: dict[str, Any] = {}
        self.is_in_user_code, self.most_kept = False, float(MOST_KEPT)
        record.t, record.t_final = t, np.inf
        record.error_scale = scale = self.code.method.scaled(rtol, atol)
        record.rtol, record.atol = scale * rtol, scale * atol
        record.h_max, record.h_cap, record.growth, record.bound = np.inf, np.inf, GROWTH, 1e12
        record.size, record.blocks = size, padded(size) // 4
        record.groups, record.group_count = address_of(self._groups), len(groups)
        record.lengths = address_of(self._lengths)
        record.rates = self.loop.rates_as_given if self.code.method.keeps_length else self.loop.rates
        record.project = self.loop.project
        self.code.connect(record)
        self._state, self._rate = np.zeros((2, padded(size)))
        self._history = np.empty((0, size + 2))
        self.steps_before = 0  # steps that another run took before this one went on
        self.usual_pivots = self.pivot_signs = np.zeros(0)
        self.implicit: ImplicitMemory | None = None
        if self.code.method.fields:
            self.implicit = ImplicitMemory(size, self.code.method.fields)
            record.memory = self.implicit.address
        elif self.code.method.memory is not None:
            struct, rows = self.code.method.memory
            self._kept["memory"] = memory = struct.native(**Memory(rows, size).arrays)
            record.memory = ctypes.addressof(memory)

    #: The bounds between which the right-hand side reads tables; None where it reads them as they are.
    bounds: Floats | None = None
    message = "the step is swallowed by rounding"  # why no step was short enough

    def remember(self, memory: Any) -> None:
        """Let the method use this memory beside the record."""
        self._kept["memory"] = memory
        self.record.memory = memory.address

    # ---- what it steps -----------------------------------------------------------------------------------------

    @property
    def calls_python(self) -> bool:
        """True if native code calls Python functions."""
        by_events = "events" in self._kept and bool(self.events.record.calls_python)
        return bool(self.record.calls_python) or "projection" in self._kept or by_events

    @property
    def clock(self) -> int:
        """The address of the time at which functions are evaluated."""
        return self.address + _STRUCTURE.clock.offset

    def compiled(self, function: Compiled, given: Mapping[str, Floats], output: int = 0, state: str = "x") -> RightSide:
        """A compiled function of x (and t, and constant arrays) as right-hand side; its first output is ẋ."""
        return compiled_side(function, given, self.clock, output, state)

    def python(self, function: Callable[[float, Floats], Floats]) -> RightSide:
        """A Python function of t and x as right-hand side; what it raises ends the step and is raised by `advance`."""
        table = (ctypes.c_void_p * 2)()

        def evaluate(t: float) -> None:
            array_at(table[1], self.size)[:] = function(t, array_at(table[0], self.size).copy())

        callback = self.callback(evaluate)
        return RightSide(ctypes.cast(callback, ctypes.c_void_p).value or 0, table, 0, 1, {}, [callback])

    def prompted(self, side: RightSide, prompt: Callable[[float, Floats], object]) -> RightSide:
        """A compiled right-hand side before each evaluation of which a Python function of t and x is called."""
        compiled = _CALLBACK(side.address)
        table = ctypes.addressof(side.table)

        def evaluate(t: float) -> None:
            prompt(t, array_at(side.table[side.x_index], self.size).copy())
            compiled(table)

        callback = self.callback(evaluate)
        address = ctypes.cast(callback, ctypes.c_void_p).value or 0
        return replace(side, address=address, alive=[side, callback])

    def project_by(self, projected: Callable[[float, Floats], Floats]) -> None:
        """Project by a Python function of t and x."""

        def project(_: int, t: float, x: int) -> int:
            try:
                state = array_at(x, self.size)
                state[:] = projected(t, state.copy())
            except BaseException as problem:
                self._kept["raised"] = problem
                return int(Reason.FAILED)
            return 0

        callback = self._kept["projection"] = _PROJECTION(project)
        self.record.project, self.record.is_constrained = ctypes.cast(callback, ctypes.c_void_p).value, 1

    def callback(self, evaluate: Callable[[float], None]) -> Any:
        """A Python function of the time as native code calls it.

        The record says "failed" until the function has succeeded. So an interrupt before its first line, which ctypes
        drops, ends the run too.
        """
        record = self.record

        def at(_: int) -> None:
            try:
                self.is_in_user_code = True
                evaluate(float(record.clock))
                self.is_in_user_code = False
                record.failed = 0  # last: no signal is raised between here and the return
            except BaseException as problem:
                self.is_in_user_code = False
                self._kept["raised"] = problem
                record.failed = 1

        return _CALLBACK(at)

    def use(self, side: RightSide) -> None:
        """Step this right-hand side from now on; one that puts out the way back to constraints keeps them."""
        self._kept["side"] = side
        record, outputs = self.record, side.outputs
        record.at, record.arguments = side.address, ctypes.addressof(side.table)
        record.x_index, record.out_index = side.x_index, side.out_index
        record.coordinate_count = record.speed_count = record.pivot_count = record.is_constrained = 0
        record.kernel_arguments = record.arguments
        record.calls_python = int(any(isinstance(each, _CALLBACK) for each in side.alive))
        if "displacement" in outputs:
            record.is_constrained, record.project = 1, self.loop.project
            for name in ("displacement", "change", "pivots"):
                setattr(record, name, address_of(outputs[name]))
            record.coordinate_count, record.speed_count = len(outputs["displacement"]), len(outputs["change"])
            record.pivot_count = len(outputs["pivots"])
            self.usual_pivots, self.pivot_signs = np.zeros(record.pivot_count), np.ones(record.pivot_count)
            record.usual_pivots = address_of(self.usual_pivots)
            record.pivot_signs = address_of(self.pivot_signs)

    @property
    def side(self) -> RightSide:
        """The right-hand side that is stepped."""
        found: RightSide = self._kept["side"]
        return found

    def pair_quaternions(self, partners: Sequence[int]) -> None:
        """Say where in the state the momentum of each quaternion begins."""
        self._kept["partners"] = places = np.array(partners, dtype=np.int64)
        self.record.partners, self.record.has_partners = address_of(places), int(len(places) > 0)

    def step_on_grid(self, h: float) -> None:
        """Take steps of fixed length from t = 0 on; they are not kept."""
        self.record.h, self.record.origin, self.most_kept = h, 0.0, 0.0

    def check(self, function: Compiled) -> None:
        """Evaluate all values of the constraints after each projection: a compiled function of q (and t)."""
        record, (side, values) = self.record, self._of_coordinates("check", function)
        record.check_at, record.check_arguments = side.address, ctypes.addressof(side.table)
        record.check_values, record.check_count = address_of(values), len(values)

    def define(self, function: Compiled, first: int) -> None:
        """Move auxiliary coordinates from a first one on by these steps to their definitions, at each projection."""
        record, (side, steps) = self.record, self._of_coordinates("definition", function)
        record.definition_at, record.definition_arguments = side.address, ctypes.addressof(side.table)
        record.definition_steps, record.auxiliary_first, record.auxiliary_count = address_of(steps), first, len(steps)

    def _of_coordinates(self, name: str, function: Compiled) -> tuple[RightSide, Floats]:
        """A compiled function of q (and t), and its values."""
        side = self._kept[name] = self.compiled(function, {}, state=function.arrays[0])
        return side, next(iter(side.outputs.values()))

    def watch(self, events: EventMemory) -> None:
        """Locate these events, and do what happens at them."""
        self._kept["events"] = events
        self.record.events, self.record.event_count = ctypes.addressof(events.record), events.record.count

    @property
    def events(self) -> EventMemory:
        """The events that are located."""
        found: EventMemory = self._kept["events"]
        return found

    def watch_limits(self, limits: WatchedLimits) -> None:
        """Note from now on which of these limits are passed."""
        before = np.zeros((len(limits.places), 2))
        self._kept["limits"] = limits, before
        record = self.record
        record.limit_count, record.limit_places = len(limits.places), address_of(limits.places)
        record.limits, record.limits_noted = address_of(limits.rows), address_of(limits.noted)
        record.limits_before = address_of(before)

    def sample(self, times: Floats, states: Floats) -> None:
        """Write the states at these times, which increase, into the rows of `states`."""
        self._kept["samples"] = times, states
        record = self.record
        record.times, record.samples = address_of(times), address_of(states)
        record.next_sample, record.sample_count = 0, len(times)

    # ---- steps that are kept -----------------------------------------------------------------------------------

    def keep_steps(self, count: int) -> None:
        """Have room for so many more steps to be kept; beyond `most_kept` bytes of them none are any more."""
        record, width = self.record, self.size + 2
        wanted = record.trace_count + count
        if 8 * width * wanted > self.most_kept:
            record.trace_room = 0
        elif wanted > len(self._history):
            grown = np.empty((max(wanted, 2 * len(self._history)), width))
            grown[: record.trace_count] = self._history[: record.trace_count]
            self._history, record.trace, record.trace_room = grown, address_of(grown), len(grown)

    @property
    def kept_steps(self) -> Floats | None:
        """Rows of t, h and the state before, for each step that was taken; None where they became too many."""
        if not self.most_kept:
            return None
        count = self.record.trace_count
        return self._history[:count] if count == self.record.steps - self.steps_before else None

    def retake(self, row: Floats) -> Reason:
        """Take a step once more that was kept, so that `state_at` gives states of it."""
        record = self.record
        record.trace_room = record.sample_count = record.event_count = record.each_step = record.limit_count = 0
        record.has_schedule = record.has_defect = 0
        record.t, record.h, record.h_max = row[0], row[1], row[1]
        if record.has_corners:
            self.events.record.located_corners = 0
        self.x[:] = row[2:]
        reason = self.begin(row[0] + 2.0 * row[1])
        record.after_rejection = record.pending = 0
        return reason or self.advance(row[0] + 2.0 * row[1], 1)

    # ---- stepping ----------------------------------------------------------------------------------------------

    def begin_members(self, members: MemberRows) -> Any:
        """Run members from now on, one after the other; their record."""
        from .native_members import MembersRecord

        shared, targets = MembersRecord(members, self._kept["side"].places), self._targets()
        known = [(targets[name], rows) for name, rows in members.own.items() if name in targets]
        places = [(at, address_of(rows), rows.shape[1]) for at, rows in known]
        arrays = np.array(places, dtype=np.int64).reshape(-1, 3).T.copy()
        record = shared.record
        record.target_count = len(known)
        record.targets, record.target_rows, record.target_strides = (address_of(row) for row in arrays)
        self._kept["members"] = shared, record, arrays
        return record

    def _targets(self) -> dict[str, int]:
        """Where the tables of derivatives, checks and events point to arrays that may be a member's own."""
        found: dict[str, int] = {}
        if self.implicit is not None and self.implicit.side is not None:
            found |= self.implicit.side.entries("jacobian")
        for name in {"check", "definition"} & {*self._kept}:
            found |= self._kept[name].entries(name)
        if "events" in self._kept:
            found |= self.events.targets
        return found

    def advance_members(self, t_end: float, most_steps: int, allowed: int) -> bool:
        """Go on with members, for so many steps, without the interpreter's lock; whether some may be left."""
        _, record, _ = self._kept["members"]
        record.most_steps, record.allowed, self.record.t_end = most_steps, allowed, t_end
        self.record.t_final = t_end
        return bool(self.loop.members(self.address, ctypes.addressof(record)))

    def begin(self, t_end: float) -> Reason:
        """Rates at the start, and a first step on the way to t_end."""
        self.record.t_end = self.record.t_final = t_end
        return self._reason(self.loop.begin(self.address))

    def restart(self, rate: Floats) -> None:
        """Go on from the state as it is with other rates: what earlier steps showed of them is forgotten."""
        self.f[:] = rate
        if self.implicit is not None:
            self.implicit.restart()

    def advance(self, t_end: float, budget: int) -> Reason:
        """Steps to t_end, or as many as the budget allows, or until there is another reason to return."""
        self.record.t_end, self.record.budget = t_end, budget
        reason = self.loop.advance(self.address)
        self.record.interrupted = 0
        return self._reason(reason)

    def undo_unfinished_step(self) -> None:
        """Go back to the begin of a step whose end is not projected, or whose events are not located, yet."""
        record = self.record
        if record.pending in (PROJECTION, EVENTS):
            record.t, self.x[:], record.pending = record.t_old, self.x_old, NOTHING
            if record.event_count:
                self.events.forget_after(record.t)

    def write_samples(self, t: float) -> Reason:
        """The samples of the last step up to a time."""
        return self._reason(self.loop.write_samples(self.address, t))

    def begin_behind_event(self) -> Reason:
        """Begin anew where the run stands at an event."""
        return self._reason(self.loop.begin_behind_event(self.address))

    def continue_after_event(self) -> Reason | None:
        """Go on from the state as it is, which an event has changed; None where nothing hinders that."""
        found = int(self.loop.continue_after_event(self.address, self.events.record.number))
        return None if found < 0 else self._reason(found)

    def state_at(self, t: float) -> Floats:
        """The state at a time within the last step."""
        reason = self._reason(_STATE_AT(self.record.state_at)(self.address, t, address_of(self._state)))
        if reason:
            raise RuntimeError(f"no state at t = {t}: {reason.name}.")
        return self._state[: self.size].copy()

    # ---- its right-hand side -----------------------------------------------------------------------------------

    def rates_at(self, t: float, x: Floats) -> Floats:
        """ẋ(t, x); nan where constraints lock each other."""
        self._state[: self.size] = x
        self._reason(self.loop.rates_at(self.address, t, address_of(self._state), address_of(self._rate)))
        return self._rate[: self.size].copy()

    def projected(self, t: float, x: Floats) -> Floats | None:
        """The nearest state on the constraints; None where there is none."""
        return self._moved(self.loop.projection, t, x)

    def on_branch(self, t: float, x: Floats) -> Floats | None:
        """Near a singular pose the state of a motion through it; None elsewhere."""
        return self._moved(self.loop.move_to_branch, t, x)

    def _moved(self, function: Callable[[int, float, int], int], t: float, x: Floats) -> Floats | None:
        self._state[: self.size] = x
        reason = self._reason(function(self.address, t, address_of(self._state)))
        return None if reason else self._state[: self.size].copy()

    def _reason(self, code: int) -> Reason:
        if code == Reason.FAILED or self.record.failed:
            self.raise_problem()
            raise KeyboardInterrupt
        return Reason(code)

    def raise_problem(self) -> None:
        """Raise what a Python function has raised, if one has."""
        self.record.failed = 0
        problem = self._kept.pop("raised", None)
        if problem is not None:
            raise problem


@dataclass(frozen=True, eq=False)
class InitialValueProblem:
    """x' = f(t, x) from a state on, and how its steps are chosen.

    `right_side` connects f and the projection to a run, `derivatives` those of f where a method uses them, `events`
    makes the events of a run. `groups` are quaternions, (first entry, length) each; the first `positions` entries of
    the state are coordinates. `may_hide` says that f may have something in it that is short in time or space.
    """

    method: str | MethodCode
    x: Floats
    right_side: Callable[[NativeRun], None]
    t: float = 0.0
    rtol: float = 1e-9
    atol: float = 1e-9
    max_step: float = np.inf
    fixed_step: float = 0.0
    growth: float = GROWTH
    bound: float = np.inf
    groups: Sequence[tuple[int, int]] = ()
    positions: int = 0
    may_hide: bool = True
    each_step: bool = False
    samples: tuple[Floats, Floats] | None = None  # times, and rows for the states at them
    derivatives: Callable[[NativeRun], object] | None = None
    events: Callable[[NativeRun], EventMemory | None] | None = None
    limits: WatchedLimits | None = None
    schedule: ScheduleMemory | None = None

    def run(self) -> NativeRun:
        """A run in native memory that is about to begin."""
        run = NativeRun(self.method, self.x, t=self.t, rtol=self.rtol, atol=self.atol, groups=self.groups)
        record = run.record
        if self.fixed_step:
            run.step_on_grid(self.fixed_step)
        record.position_count, record.h_max, record.bound = self.positions, self.max_step, self.bound
        record.growth, record.each_step = self.growth, int(self.each_step)
        record.has_defect *= int(self.may_hide)
        if self.samples is not None:
            run.sample(*self.samples)
        events = None if self.events is None else self.events(run)
        if events is not None:
            run.watch(events)
        if self.limits is not None:
            run.watch_limits(self.limits)
        if self.schedule is not None:
            self.schedule.connect(run)
        self.right_side(run)
        if self.derivatives is not None:
            self.derivatives(run)
        return run


class Driver:
    """Steps a run to one goal after another, a while at a time: so progress moves, and an interrupt ends the run."""

    def __init__(self, most_steps: int) -> None:
        self.most_steps, self._budget = most_steps, _FIRST_BUDGET
        self._run: NativeRun | None = None  # while it advances
        self._is_interrupted = False

    def advance(self, run: NativeRun, goal: float) -> Reason:
        """Steps towards a time, for a while; what a Python function raised is raised."""
        self.raise_interrupt()
        began = time.perf_counter()
        allowed = min(self._budget, self.most_steps - run.record.steps)
        run.keep_steps(allowed)
        self._run = run
        reason = run.advance(goal, allowed)
        self._run = None
        if time.perf_counter() - began < _SLICE:
            self._budget = min(2 * self._budget, _MOST_BUDGET)
        return reason

    def interruptible(self, call: Callable[[], _Result]) -> _Result:
        """The result of a call that steps runs, which an interrupt ends with KeyboardInterrupt."""
        if threading.current_thread() is not threading.main_thread():
            return call()
        former = signal.getsignal(signal.SIGINT)
        if not callable(former):
            return call()
        own: FrameType | None = sys._getframe()

        def note(number: int, frame: FrameType | None) -> None:
            inside = frame
            while inside is not None and inside is not own:
                inside = inside.f_back
            if inside is None:  # an exception from elsewhere has left the handler behind
                signal.signal(signal.SIGINT, former)
                former(number, frame)
                return
            is_second, self._is_interrupted = self._is_interrupted, True
            if self._run is not None:
                self._run.record.interrupted = 1
            if is_second or self._run is None or self._run.is_in_user_code:
                former(number, frame)

        try:
            signal.signal(signal.SIGINT, note)
            result = call()
            self.raise_interrupt()
            return result
        finally:
            signal.signal(signal.SIGINT, former)
            own = None  # a frame that holds itself keeps the memory of the run
            if self._is_interrupted:
                self._is_interrupted = False
                former(signal.SIGINT, None)

    def raise_interrupt(self) -> None:
        """Raise what was noted."""
        if self._is_interrupted:
            raise KeyboardInterrupt
