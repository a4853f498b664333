"""Members of a batch side by side in lanes: the memory that they share, and the code that steps them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from polhode.codegen.steppers.lane_members import LANE, LANES, MARKS, NUMBERS
from polhode.codegen.steppers.run_record import padded
from polhode.compiled.native.arrays import Floats
from polhode.compiled.native.compiled import Compiled
from polhode.compiled.native.members import Members, members_record
from polhode.compiled.native.memory import Memory, apart
from polhode.compiled.native.stepper import NativeRun
from polhode.compiled.native.stored_code import Code, CodeStore, Entry
from polhode.files.cache import default_cache
from polhode.files.version import key_of

_LANE, _LANES = LANE.structure(), LANES.structure()


@dataclass(frozen=True, eq=False)
class LaneCode:
    """The steps of a method in lanes, loaded, and how many rows of states they want."""

    code: Code
    lanes: int
    stages: int
    dense_rows: int
    calls_right_side: bool = True  # behind a pointer; else it is part of the code

    @property
    def members(self) -> Callable[[int], int]:
        """Rounds of steps of all lanes."""
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(self.code.address("ph_lane_members"))


@cache
def lane_code(method: str, lanes: int) -> LaneCode | None:
    """The code of a method, from the disk where it is known; None where it has none in lanes.

    Raises OSError where LLVM does not work.
    """
    from polhode.codegen.steppers.methods import STEPPERS

    stepper = STEPPERS.get(method)
    if stepper is None or stepper.lane_module is None:
        return None
    module = stepper.lane_module

    def make() -> Entry:
        from polhode.compiled.native import engine

        return Entry().with_object_code(engine.object_code(module(lanes, fused=engine.host().fused)))

    store = CodeStore(default_cache(), key_of("stepper", method, str(lanes)))
    return LaneCode(store.code("stepper in lanes", make), lanes, stepper.stages, stepper.dense_rows)


class LaneRuns:
    """Runs in the lanes of vectors, of one right-hand side that rounds in lanes as it does for one state.

    All that is set of a run `like` them, its samples included, holds for each of them.
    """

    def __init__(
        self, code: LaneCode, like: NativeRun, function: Compiled, given: Mapping[str, Floats], members: Members
    ) -> None:
        lanes, size, record = code.lanes, like.size, like.record
        self._call, self._lanes = code.members, lanes
        self._runs, self._all = apart(_LANE * lanes), apart(_LANES)
        counts = {"x": 1, "x_old": 1, "f": 1, "y": 1, "unit": 1, "k": code.stages, "dense": code.dense_rows}
        states = Memory(counts, padded(size) * lanes)
        numbers = Memory({"lengths": max(1, record.group_count), **dict.fromkeys((*NUMBERS, *MARKS), 1)}, lanes)
        side = _RightSide(function, given, numbers.arrays["clock"], code)
        own: dict[str, int] = {name: array.ctypes.data for name, array in states.arrays.items()}
        own |= {"lengths": numbers.arrays["lengths"].ctypes.data, "at": side.address}
        own |= {"arguments": ctypes.addressof(side.table), "x_index": side.places["x"], "out_index": len(side.places)}
        before = [np.zeros((record.limit_count, 2)) for _ in range(lanes)]
        for run, limits_before in zip(self._runs, before, strict=True):
            ctypes.memmove(ctypes.byref(run), ctypes.byref(record), ctypes.sizeof(record))
            run.limits_before = limits_before.ctypes.data
            for name, value in own.items():
                setattr(run, name, value)
        for name in (*NUMBERS, *MARKS):
            setattr(self._all, name, numbers.arrays[name].ctypes.data)
        self._record = members_record(members, side.places)
        self._all.runs, self._all.members = ctypes.addressof(self._runs), ctypes.addressof(self._record)
        self._kept = code, like, states, numbers, side, members, before

    def advance_members(self, t_end: float, most_steps: int, allowed: int) -> bool:
        """Go on with members, for about so many steps, without the interpreter's lock; whether some may be left."""
        self._record.most_steps = most_steps
        for run in self._runs:
            run.t_end = t_end
        self._all.allowed = -(-allowed // self._lanes)
        return bool(self._call(ctypes.addressof(self._all)))


class _RightSide:
    """A compiled function of x as native code calls it in lanes; all arrays hold what is given, in every lane."""

    def __init__(self, function: Compiled, given: Mapping[str, Floats], clock: Floats, stepper: LaneCode) -> None:
        lanes = stepper.lanes
        code = function.native.code_in_lanes() if stepper.calls_right_side else None
        self.address = code.address("ph_at_lanes") if code else 0
        names = (*function.arrays, "work")
        self.places = {name: place for place, name in enumerate(names)}
        values = {**given, "x": np.zeros(0), "t": np.zeros(0), "work": function.work()}
        arrays = [_in_lanes(values[name], lanes) for name in names]
        arrays += [_in_lanes(np.zeros(shape).ravel(), lanes) for _, shape in function.outline.outputs]
        pointers = [array.ctypes.data for array in arrays]
        if "t" in self.places:
            pointers[self.places["t"]] = clock.ctypes.data
        self.table = apart(ctypes.c_void_p * len(pointers), *pointers)
        self._kept = code, function, arrays


def _in_lanes(values: Floats, lanes: int) -> Floats:
    """Each value in all lanes."""
    made = Memory({"values": 1}, max(1, len(values)) * lanes).arrays["values"]
    made[: len(values) * lanes] = np.repeat(values, lanes)
    return made
