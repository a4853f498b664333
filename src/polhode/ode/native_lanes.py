"""Members of a batch side by side in lanes: the memory that they share, and the code that steps them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..native.arrays import Floats
from ..native.compiled import Compiled
from ..native.language import Module
from ..native.stored_code import Code, Entry
from .lane_loop import MARKS, NUMBERS, Lane, Lanes, run_lanes
from .methods.registry import method_named
from .native_code import MethodCode, inlined_steps, method_code, stored, taylor_code
from .native_members import MemberRows, MembersRecord
from .native_run import NativeRun
from .record import Memory, apart, padded

_LANE, _LANES = Lane.structure(), Lanes.structure()


class LaneCode:
    """The steps of a method in lanes, loaded."""

    def __init__(
        self, code: Code, lanes: int, like: MethodCode, jet: Code | None = None, inlined: Code | None = None
    ) -> None:
        self.code, self.lanes, self.like, self.jet, self.inlined = code, lanes, like, jet, inlined
        self.run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address("ph_lanes"))


@cache
def _code_in_lanes(name: str, lanes: int) -> Code:
    """The code of a method in so many lanes, for every right-hand side."""

    def write(fused: bool) -> str:
        method, made = method_named(name), Module(fused=fused, lanes=lanes)
        form = import_module(f".methods.{method.module}", __package__).lane_method(*method.static)
        made.add(run_lanes, form, lanes, name="ph_lanes")
        return made.text

    return stored(f"method {name} in {lanes} lanes", write)


def lane_code(name: str, function: Compiled, groups: tuple[tuple[int, int], ...] = ()) -> LaneCode | None:
    """The code of a method for a function; None where it has none in lanes, or members would not have the same bits."""
    lanes = function.native.lanes
    if lanes == 1 or not method_named(name).has_lanes:
        return None
    if method_named(name).is_fixed:
        if not function.native.rounds_alike:
            return None
        inlined = inlined_steps(function, name, groups, lanes)
        return LaneCode(_code_in_lanes(name, lanes), lanes, method_code(name), inlined=inlined)
    if name != "taylor":
        return LaneCode(_code_in_lanes(name, lanes), lanes, method_code(name)) if function.native.rounds_alike else None

    def make() -> Entry:
        from ..codegen.passes.function_splitting import WHOLE
        from ..codegen.taylor.jets import jet_module
        from ..codegen.taylor.recurrences import series_program
        from ..native import engine

        series = series_program(function.program)
        is_alike = len(series.program.run) <= WHOLE  # a longer one would round otherwise
        text = jet_module(series, fused=engine.host().fused, lanes=lanes) if is_alike else ""
        return Entry({"alike": is_alike}).with_object_code(engine.object_code(text))

    like = taylor_code(function)
    jet = function.store.read_or_make(
        f"jet in {lanes} lanes", make, lambda entry: entry.load() if entry.facts["alike"] is True else None
    )
    return None if jet is None else LaneCode(_code_in_lanes(name, lanes), lanes, like, jet)


class LaneRuns:
    """Runs in the lanes of vectors, of one right-hand side that rounds in lanes as it does for one state."""

    def __init__(
        self, code: LaneCode, like: NativeRun, function: Compiled, given: Mapping[str, Floats], members: MemberRows
    ) -> None:
        lanes, size, record = code.lanes, like.size, like.record
        self._call, self._lanes = code.run, lanes
        self._runs, self._all = [apart(_LANE) for _ in range(lanes)], apart(_LANES)
        counts = dict.fromkeys(("x", "x_old", "f", "y", "unit", "residual", "nodes"), 1)
        counts |= {"k": code.like.method.stages, "dense": code.like.dense_rows}
        states = Memory(counts, padded(size) * lanes)
        numbers = Memory({"lengths": max(1, record.group_count), **dict.fromkeys((*NUMBERS, *MARKS), 1)}, lanes)
        side = _RightSide(function, given, numbers.arrays["clock"], lanes)
        own: dict[str, int] = {name: array.ctypes.data for name, array in states.arrays.items()}
        own |= {"lengths": numbers.arrays["lengths"].ctypes.data, "at": side.address}
        own |= {"arguments": ctypes.addressof(side.table), "x_index": side.places["x"], "out_index": len(side.places)}
        if code.jet is not None:
            own["jet"] = code.jet.address("ph_jet")
        own["has_prepare"] = int(code.inlined is not None)
        if code.inlined is not None:
            own["prepare"] = code.inlined.address("ph_prepare")
        before = [np.zeros((record.limit_count, 2)) for _ in range(lanes)]
        for run, limits_before in zip(self._runs, before, strict=True):
            ctypes.memmove(ctypes.byref(run), ctypes.byref(record), ctypes.sizeof(record))
            run.limits_before = limits_before.ctypes.data
            for name, value in own.items():
                setattr(run, name, value)
        for name in (*NUMBERS, *MARKS):
            setattr(self._all, name, numbers.arrays[name].ctypes.data)
        table = (ctypes.c_void_p * lanes)(*(ctypes.addressof(run) for run in self._runs))
        shared = MembersRecord(members, side.places)
        self._record = shared.record
        self._all.runs, self._all.members = ctypes.addressof(table), ctypes.addressof(shared.record)
        self._kept: Any = code, like, states, numbers, side, shared, before, table

    def advance_members(self, t_end: float, most_steps: int, allowed: int) -> bool:
        """Go on with members, for about so many steps, without the interpreter's lock; whether some may be left."""
        self._record.most_steps = most_steps
        for run in self._runs:
            run.t_end = t_end
        self._all.allowed = -(-allowed // self._lanes)
        return bool(self._call(ctypes.addressof(self._all)))


class _RightSide:
    """A compiled function of x as native code calls it in lanes; all arrays hold what is given, in every lane."""

    def __init__(self, function: Compiled, given: Mapping[str, Floats], clock: Floats, lanes: int) -> None:
        code = function.native.code_in_lanes()
        self.address = code.address("ph_at_lanes")
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
