"""The pieces of a run between breaks, stepped one after the other in native code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from polhode.codegen.steppers.pieces import PIECES
from polhode.codegen.steppers.run_record import Reason
from polhode.compiled.native.arrays import Floats
from polhode.compiled.native.sampled_law import SampledLaw
from polhode.compiled.native.stepper import NativeRun
from polhode.compiled.native.stored_code import Code, CodeStore, Entry
from polhode.files.cache import default_cache
from polhode.files.version import key_of

_STRUCTURE = PIECES.structure()


@cache
def _function() -> tuple[Code, Callable[[int, int], int]]:
    """`ph_pieces` of `codegen.steppers.pieces`."""

    def make() -> Entry:
        from polhode.codegen.steppers.pieces import pieces_module
        from polhode.compiled.native import engine

        return Entry().with_object_code(engine.object_code(pieces_module(fused=engine.host().fused)))

    code = CodeStore(default_cache(), key_of("pieces")).code("pieces", make)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    return code, kind(code.address("ph_pieces"))


class Pieces:
    """Breaks of a run that ends at a time, and the states that it had at those that it has passed."""

    def __init__(self, times: Floats, before: Floats, end: float, size: int, sampled: SampledLaw | None = None) -> None:
        self._times, self._before = np.ascontiguousarray(times), np.ascontiguousarray(before)
        self.states = np.empty((len(times), size))
        self._sampled = sampled
        self._record = _STRUCTURE(
            times=self._times.ctypes.data, before=self._before.ctypes.data, states=self.states.ctypes.data,
            count=len(times), end=end, **({} if sampled is None else sampled.fields()),
        )  # fmt: skip
        self._code, self._advance = _function()

    @property
    def passed(self) -> int:
        """How many breaks were passed."""
        return int(self._record.next)

    def advance(self, run: NativeRun, passed: int, budget: int) -> Reason:
        """Steps of a run that has passed so many breaks, as many as the budget allows; for the rest see `NativeRun`."""
        record, code = self._record, run.code.code
        record.begin, record.advance, record.next = code.address("ph_begin"), code.address("ph_advance"), passed
        if self._sampled is not None:
            self._sampled.measure(run.x)
        run.record.budget = budget
        return run.enter(self._advance, ctypes.addressof(record))
