"""Runs of fixed steps by methods that are native code around any right-hand side: Gauss' and those on Lie groups."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from polhode.codegen.steppers.run_record import Reason, padded
from polhode.codegen.steppers.step_record import STEPS
from polhode.compiled.native.arrays import Floats
from polhode.compiled.native.memory import Memory
from polhode.compiled.native.stepper import NativeRun
from polhode.compiled.native.stored_code import Code, CodeStore, Entry
from polhode.files.cache import default_cache
from polhode.files.version import key_of

_STRUCTURE = STEPS.structure()
#: A piece of a run takes about this long, so that an interrupt is heard.
_PIECE_SECONDS = 0.05
_FIRST_BUDGET = 1000


def _gauss(stages: int) -> Callable[[bool], str]:
    def module(fused: bool) -> str:
        from polhode.codegen.steppers.gauss import gauss, gauss_module

        return gauss_module(gauss(stages), fused=fused)

    return module


def _lie(fused: bool) -> str:
    from polhode.codegen.steppers.lie import lie_module

    return lie_module(fused=fused)


#: For each method the number of its stages and how its module is written.
MODULES: dict[str, tuple[int, Callable[[bool], str]]] = {
    "gauss4": (2, _gauss(2)),
    "gauss6": (3, _gauss(3)),
    "lie4": (4, _lie),
}


class StepCode:
    """The functions of one method, loaded."""

    def __init__(self, code: Code, stages: int) -> None:
        self.code, self.stages = code, stages
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
        self.begin, self.advance = kind(code.address("ph_begin")), kind(code.address("ph_advance"))


@cache
def step_code(method: str) -> StepCode:
    """The code of a method, from the disk where it is known; raises OSError where LLVM does not work."""
    stages, module = MODULES[method]

    def make() -> Entry:
        from polhode.compiled.native import engine

        return Entry().with_object_code(engine.object_code(module(engine.host().fused)))

    store = CodeStore(default_cache(), key_of("steps", method))
    return StepCode(store.code("steps", make), stages)


class StepRun(NativeRun):
    """A run of fixed steps in native memory; `x` is a view of the state as it is now.

    `groups` are the quaternions, `partners` say where the momentum of each begins in the state, or -1.
    """

    def __init__(
        self, method: str, x: Floats, *, h: float, groups: Sequence[tuple[int, int]] = (), partners: Sequence[int] = ()
    ) -> None:
        self.steps_code = step_code(method)
        stages = self.steps_code.stages
        self.size = size = len(x)
        self.record = _STRUCTURE()
        self._address = ctypes.addressof(self.record)
        rows = {"x": 1, "f": 1, "y": 1, "unit": 1, "lost": 1}
        self._memory = Memory(rows | dict.fromkeys(("k", "k_old", "z", "least"), stages), size)
        for name, array in self._memory.arrays.items():
            setattr(self.record, name, array.ctypes.data)
        self.x, self.f = self._memory.arrays["x"][:size], self._memory.arrays["f"][:size]
        self._groups = np.array([entry for group in groups for entry in group], dtype=np.int64)
        self._partners = np.array(partners or [-1] * len(groups), dtype=np.int64)
        self._lengths = np.ones(len(groups) + 4)  # and room for a rotation vector
        self._kept = {}
        record = self.record
        record.h, record.size, record.blocks = h, size, padded(size) // 4
        record.groups, record.group_count = self._groups.ctypes.data, len(groups)
        record.partners, record.lengths = self._partners.ctypes.data, self._lengths.ctypes.data
        self.x[:] = x

    def start(self, x: Floats, number: int, origin: float = 0.0) -> None:
        """Begin anew at a state, from which the next step is the given one, counted from a time on."""
        self.x[:] = x
        self.record.number, self.record.origin = number, origin
        self._reason(self.steps_code.begin(self._address))

    def take(self, records: int, every: int) -> tuple[int, Floats, Reason]:
        """Up to `records` times `every` steps: those taken, the states after each `every` of them, and why it ended."""
        states = np.full((records, self.size), np.nan)
        record = self.record
        record.samples, record.next_sample, record.sample_count = states.ctypes.data, 0, records
        record.every, record.pending, record.steps = every, 0, 0
        whole, budget, reason = records * every, _FIRST_BUDGET, Reason.BUDGET
        while reason == Reason.BUDGET and record.steps < whole:
            began = time.perf_counter()
            record.budget = min(budget, whole - record.steps)
            reason = self._reason(self.steps_code.advance(self._address))
            if time.perf_counter() - began < _PIECE_SECONDS:
                budget *= 2
        return int(record.steps), states, reason
