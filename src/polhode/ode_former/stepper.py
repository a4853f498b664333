"""Native integrators: the memory of a run, its right-hand side, and the code that steps it.

The code is compiled once for a machine and stored; it calls right-hand sides of any size behind a pointer, compiled
ones or, one evaluation at a time, Python's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError
from ..files.cache import default_cache
from ..files.version import key_of
from ..native.arrays import Floats
from ..native.compiled import Compiled
from ..native.stored_code import Code, CodeStore, Entry, count
from ..ode.memory import Memory, apart
from .run_record import RUN, Reason, padded

if TYPE_CHECKING:
    from ..ode.watched_limits import WatchedLimits

_STRUCTURE = RUN.structure()
_RIGHT_SIDE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
#: Bytes of steps that a run keeps at most.
MOST_KEPT = 64_000_000
_LEAST_TOLERANCE = 1e-15


class StepperCode:
    """The functions of one method, loaded, and how much memory they want."""

    def __init__(
        self,
        code: Code,
        stages: int,
        dense_rows: int,
        allowance: tuple[float, float] = (1.0, 0.0),
    ) -> None:
        self.code, self.stages, self.dense_rows = code, stages, dense_rows
        self._allowance = allowance
        run = ctypes.c_void_p
        self.begin = ctypes.CFUNCTYPE(ctypes.c_int64, run)(code.address("ph_begin"))
        self.advance = ctypes.CFUNCTYPE(ctypes.c_int64, run)(code.address("ph_advance"))
        self.break_limits = ctypes.CFUNCTYPE(ctypes.c_int64, run)(code.address("ph_break_limits"))
        self.state_at = ctypes.CFUNCTYPE(ctypes.c_int64, run, ctypes.c_double, ctypes.c_void_p)(
            code.address("ph_state_at")
        )

    def allowance(self, rtol: float, atol: float) -> float:
        """How many times these tolerances an estimate of the error may be, so that the error itself keeps to them."""
        factor, power = self._allowance
        return float(factor * max(rtol, atol, _LEAST_TOLERANCE) ** -power)

    @cached_property
    def members(self) -> Callable[[int, int], int]:
        """Many runs one after the other."""
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(self.code.address("ph_members"))


@cache
def stepper_code(method: str) -> StepperCode:
    """The code of a method, from the disk where it is known; raises OSError where LLVM does not work."""

    def make() -> Entry:
        from ..native import engine
        from .methods.registry import STEPPERS

        stepper = STEPPERS[method]
        facts = {
            "stages": stepper.stages,
            "rows": stepper.dense_rows,
            "allowance": stepper.allowance,
        }
        return Entry(facts).with_object_code(engine.object_code(stepper.module(fused=engine.host().fused)))

    store = CodeStore(default_cache(), key_of("stepper", method))
    return store.read_or_make("stepper", make, _stepper_in)


def _stepper_in(entry: Entry) -> StepperCode:
    """The code of a method as it was stored."""
    facts = entry.facts
    factor, power = map(float, facts["allowance"])
    return StepperCode(entry.load(), count(facts["stages"]), count(facts["rows"]), (factor, power))


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


def _array_at(address: int | None, size: int) -> Floats:
    """Numbers in memory that native code owns."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address or 0))


class NativeRun:
    """A run in native memory: state, rates, step, samples; `advance` takes steps until there is a reason to come back.

    `x` and `f` are views of the state and its rates as they are now.
    """

    def __init__(
        self,
        method: str | StepperCode,
        x: Floats,
        *,
        t: float = 0.0,
        rtol: float,
        atol: float,
        groups: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.code = stepper_code(method) if isinstance(method, str) else method
        self.size = size = len(x)
        self.record = apart(_STRUCTURE)
        self._address = ctypes.addressof(self.record)
        counts = {"x": 1, "x_old": 1, "f": 1, "y": 1, "unit": 1, "residual": 1, "nodes": 8, "state_on": 1, "pose": 1}
        counts |= {"k": self.code.stages, "dense": self.code.dense_rows}
        self._memory = Memory(counts, size)
        for name, array in self._memory.arrays.items():
            setattr(self.record, name, array.ctypes.data)
        self.x, self.f = self._memory.arrays["x"][:size], self._memory.arrays["f"][:size]
        self.x_old, self.y = self._memory.arrays["x_old"][:size], self._memory.arrays["y"][:size]
        self.x[:] = x
        self._groups = np.array([entry for group in groups for entry in group], dtype=np.int64)
        self._lengths = np.ones(max(1, len(groups)))
        self._kept: dict[str, Any] = {}
        record = self.record
        record.t = t
        record.allowance = times = self.code.allowance(rtol, atol)
        record.rtol, record.atol = times * rtol, times * atol
        record.h_max, record.growth, record.bound = np.inf, 6.0, 1e12
        record.size, record.blocks = size, padded(size) // 4
        record.groups, record.group_count = self._groups.ctypes.data, len(groups)
        record.lengths = self._lengths.ctypes.data
        self._state = np.zeros(padded(size))
        self._history = np.empty((0, size + 2))
        self.steps_before = 0  # steps that another run took before this one went on
        self.largest_pivots = self.pivot_signs = np.zeros(0)
        self.event_values = self.event_values_old = self.event_sides = np.zeros(0)

    # ---- what it steps -----------------------------------------------------------------------------------------

    def compiled(self, function: Compiled, given: Mapping[str, Floats], output: int = 0, state: str = "x") -> RightSide:
        """A compiled function of x (and t, and constant arrays) as right-hand side; its first output is ẋ."""
        native, work = function.native, function.work()
        alive: list[Any] = [function, work, native.code]
        pointers: list[int] = []
        for name, array in zip(function.arrays, function.outline.arrays, strict=True):
            if name == state:
                pointers.append(0)
            elif name == "t":
                pointers.append(self._address + _STRUCTURE.clock.offset)
            else:
                values = np.ascontiguousarray(given[name], dtype=np.float64)
                if values.shape != (array.size,):
                    raise PolhodeError(f"'{name}' has the shape {values.shape}, expected ({array.size},).")
                alive.append(values)
                pointers.append(values.ctypes.data)
        pointers.append(work.ctypes.data)
        outputs = [np.zeros(int(np.prod(shape))) for _, shape in function.outline.outputs]
        alive.append(outputs)
        out_index = len(pointers) + output
        pointers += [array.ctypes.data for array in outputs]
        table = apart(ctypes.c_void_p * len(pointers), *pointers)
        named = dict(zip(function.outputs, outputs, strict=True))
        places = {**{name: k for k, name in enumerate(function.arrays)}, "work": len(function.arrays)}
        x_index = places[state]
        return RightSide(native.code.address("ph_at"), table, x_index, out_index, named, alive, places)

    def python(self, function: Callable[[float, Floats], Floats]) -> RightSide:
        """A Python function of t and x as right-hand side; what it raises ends the step and is raised by `advance`."""
        table = (ctypes.c_void_p * 2)()
        record, size = self.record, self.size

        def at(_: int) -> None:
            try:
                _array_at(table[1], size)[:] = function(float(record.clock), _array_at(table[0], size).copy())
            except BaseException as problem:
                self._kept["raised"] = problem
                record.failed = 1

        callback = _RIGHT_SIDE(at)
        return RightSide(ctypes.cast(callback, ctypes.c_void_p).value or 0, table, 0, 1, {}, [callback])

    def use(self, side: RightSide) -> None:
        """Step this right-hand side from now on; one that puts out the way back to constraints keeps them."""
        self._kept["side"] = side
        record, outputs = self.record, side.outputs
        record.at, record.arguments = side.address, ctypes.addressof(side.table)
        record.x_index, record.out_index = side.x_index, side.out_index
        record.coordinate_count = record.speed_count = record.pivot_count = 0
        if "displacement" in outputs:
            for name in ("displacement", "change", "pivots"):
                setattr(record, name, outputs[name].ctypes.data)
            record.coordinate_count, record.speed_count = len(outputs["displacement"]), len(outputs["change"])
            record.pivot_count = len(outputs["pivots"])
            self.largest_pivots, self.pivot_signs = np.zeros(record.pivot_count), np.ones(record.pivot_count)
            record.largest_pivots = self.largest_pivots.ctypes.data
            record.pivot_signs = self.pivot_signs.ctypes.data

    def check(self, function: Compiled) -> None:
        """Look at all values of the constraints after each projection: a compiled function of q (and t)."""
        work = function.work()
        values = np.zeros(int(np.prod(function.outline.outputs[0][1])))
        times = [self._address + _STRUCTURE.clock.offset] * (len(function.arrays) - 1)
        table = (ctypes.c_void_p * (len(times) + 3))(0, *times, work.ctypes.data, values.ctypes.data)
        self._kept["check"] = function, work, values, table
        record = self.record
        record.check_at, record.check_arguments = function.native.code.address("ph_at"), ctypes.addressof(table)
        record.check_values, record.check_count = values.ctypes.data, len(values)

    def watch(self, function: Compiled, directions: Sequence[float]) -> None:
        """Come back where one of the values of a compiled function of x and t changes its sign in its direction."""
        work, count = function.work(), len(directions)
        values, old, sides = np.zeros(count), np.zeros(count), np.zeros(count)
        table = (ctypes.c_void_p * 4)(0, self._address + _STRUCTURE.clock.offset, work.ctypes.data, values.ctypes.data)
        along = np.array(directions, dtype=np.float64)
        self._kept["events"] = function, work, along, table
        self.event_values, self.event_values_old, self.event_sides = values, old, sides
        record = self.record
        record.events_at, record.event_arguments = function.native.code.address("ph_at"), ctypes.addressof(table)
        record.event_x_index, record.event_count = 0, count
        record.event_values, record.event_values_old = values.ctypes.data, old.ctypes.data
        record.event_directions, record.event_sides = along.ctypes.data, sides.ctypes.data

    def watch_limits(self, limits: WatchedLimits) -> None:
        """Note from now on which of these limits are passed."""
        before = np.zeros((len(limits.places), 2))
        self._kept["limits"] = limits, before
        record = self.record
        record.limit_count, record.limit_places = len(limits.places), limits.places.ctypes.data
        record.limits, record.limits_noted = limits.rows.ctypes.data, limits.noted.ctypes.data
        record.limits_before = before.ctypes.data

    def note_limits(self) -> None:
        """Look at the limits where the last step was broken off, at the time and state that are now set."""
        if self.record.limit_count:
            self._reason(self.code.break_limits(self._address))

    def pass_pose(self, q: Floats, reach: float) -> None:
        """There is a singular pose at q, from which singular values grow to one in the distance `reach`."""
        self._memory.arrays["pose"][: len(q)] = q
        self.record.pose_reach, self.record.pose_known = reach, 1

    def sample(self, times: Floats, states: Floats) -> None:
        """Write the states at these times, which increase, into the rows of `states`."""
        self._kept["samples"] = times, states
        record = self.record
        record.times, record.samples = times.ctypes.data, states.ctypes.data
        record.next_sample, record.sample_count = 0, len(times)

    # ---- steps that are kept -----------------------------------------------------------------------------------

    def keep_steps(self, count: int) -> None:
        """Have room for so many more steps to be kept; beyond `MOST_KEPT` bytes of them none are any more."""
        record, width = self.record, self.size + 2
        wanted = record.trace_count + count
        if 8 * width * wanted > MOST_KEPT:
            record.trace_room = 0
        elif wanted > len(self._history):
            grown = np.empty((max(wanted, 2 * len(self._history)), width))
            grown[: record.trace_count] = self._history[: record.trace_count]
            self._history, record.trace, record.trace_room = grown, grown.ctypes.data, len(grown)

    @property
    def kept_steps(self) -> Floats | None:
        """Rows of t, h and the state before, for each step that was taken; None where they became too many."""
        count = self.record.trace_count
        return self._history[:count].copy() if count == self.record.steps - self.steps_before else None

    def retake(self, row: Floats) -> Reason:
        """Take a step once more that was kept, so that `state_at` tells of it."""
        record = self.record
        record.trace_room = record.sample_count = record.event_count = record.each_step = record.limit_count = 0
        record.t, record.h, record.h_max = row[0], row[1], row[1]
        self.x[:] = row[2:]
        reason = self.begin(row[0] + 2.0 * row[1])
        record.after_rejection = record.pending = 0
        return reason or self.advance(row[0] + 2.0 * row[1], 1)

    # ---- stepping ----------------------------------------------------------------------------------------------

    def begin(self, t_end: float) -> Reason:
        """Rates at the start, and a first step on the way to t_end."""
        self.record.t_end = t_end
        return self._reason(self.code.begin(self._address))

    def restart(self, rate: Floats) -> None:
        """Go on from the state as it is with other rates: what earlier steps told of them is forgotten."""
        self.f[:] = rate

    def advance(self, t_end: float, budget: int) -> Reason:
        """Steps to t_end, or as many as the budget allows, or until something is to be looked at."""
        self.record.t_end, self.record.budget = t_end, budget
        return self._reason(self.code.advance(self._address))

    def enter(self, function: Callable[[int, int], int], record: int) -> Reason:
        """Call native code that steps this run as a record at an address says."""
        return self._reason(function(self._address, record))

    def state_at(self, t: float) -> Floats:
        """The state at a time within the last step."""
        self._reason(self.code.state_at(self._address, t, self._state.ctypes.data))
        return self._state[: self.size].copy()

    def _reason(self, code: int) -> Reason:
        if code == Reason.FAILED:
            self.record.failed = 0
            raise self._kept.pop("raised")
        return Reason(code)
