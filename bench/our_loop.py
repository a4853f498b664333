"""Our compiled functions in the very loop that times the peers."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from polhode.native.backends import lane_code
from polhode.native.stored_code import CodeStore

from .plain_tree import Floats


class OurLoop:
    """A compiled function with its states laid out, ready to be timed by the library that `native_build` makes."""

    def __init__(self, library: Path, compiled: Any, inputs: Sequence[Floats]) -> None:
        self._library = ctypes.CDLL(str(library))
        for name in ("least_single", "least_batch"):
            getattr(self._library, name).restype = ctypes.c_double
        program = compiled.program
        self._compiled = compiled
        self._inputs = [np.ascontiguousarray(array) for array in inputs]
        self._count = len(self._inputs[0])
        self._work = np.ascontiguousarray(compiled.work())
        self._outputs = [np.zeros((self._count, len(output.slots))) for output in program.outputs]

    @cached_property
    def _lanes(self) -> Any:
        """The function for several states at once, compiled when it is first asked for."""
        return lane_code(lambda: self._compiled.program, CodeStore())

    def single(self, seconds: float, *, keep: bool = False) -> float:
        """Seconds a call, one state at a time; each result overwrites the last, as in the peers, unless kept."""
        arrays = [*self._inputs, self._work, *self._outputs]
        widths = [array.shape[1] for array in self._inputs] + [0]
        widths += [output.shape[1] if keep else 0 for output in self._outputs]
        nanoseconds = self._library.least_single(
            ctypes.c_void_p(self._compiled.address),
            len(arrays),
            ctypes.c_size_t(self._count),
            ctypes.c_double(seconds),
            _pointers(arrays),
            (ctypes.c_size_t * len(arrays))(*widths),
        )
        return 1e-9 * float(nanoseconds)

    def in_lanes(self, seconds: float) -> float:
        """Seconds a state, all states in one call."""
        strides = [array.shape[1] for array in self._inputs]
        nanoseconds = self._library.least_batch(
            ctypes.c_void_p(self._lanes.address("ph_lanes")),
            ctypes.c_int64(self._count),
            ctypes.c_double(seconds),
            _pointers(self._inputs),
            (ctypes.c_int64 * len(strides))(*strides),
            ctypes.c_void_p(self._work.ctypes.data),
            _pointers(self._outputs),
        )
        return 1e-9 * float(nanoseconds)

    def values(self, *, lanes: bool = False) -> Floats:
        """What one round leaves in the outputs, a row for each state: it is the timed code itself that is checked."""
        for output in self._outputs:
            output[:] = np.nan
        if lanes:
            self.in_lanes(0.0)
        else:
            self.single(0.0, keep=True)
        return np.hstack(self._outputs)


def _pointers(arrays: Sequence[Floats]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
