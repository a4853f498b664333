"""The memory of an implicit method: derivatives of the rates, and the factored matrices of a step."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .linear import FIELDS, Factors
from .memory import Memory
from .methods.jacobian import Implicit
from .record import padded

if TYPE_CHECKING:
    from .native_run import RightSide

_IMPLICIT, _FACTORS = Implicit.structure(), Factors.structure()


class ImplicitMemory:
    """What an implicit method has beside the record of a run, for matrices of some fields ("real", "complex")."""

    def __init__(self, size: int, fields: Sequence[str]) -> None:
        self.record = _IMPLICIT()
        self.side: RightSide | None = None  # the compiled derivatives
        counts = {"jacobian": size, "in_time": 1, "stretch": 1, "direction": 1, "image": 1}
        self.arrays = Memory(counts, size).arrays
        for name, array in self.arrays.items():
            setattr(self.record, name, array.ctypes.data)
        self.arrays["stretch"][:] = 1.0
        # a direction of unequal parts, so that it is across no symmetry
        self.arrays["direction"][:size] = np.cos(np.arange(size) ** 2)
        self._kept: list[Any] = []
        for name in fields:
            parts = FIELDS[name]
            counts = {"upper": size * parts, "lower": size * parts, "reciprocals": parts}
            arrays, exchanged = Memory(counts, size).arrays, np.zeros(size, dtype=np.int64)
            addresses = {key: array.ctypes.data for key, array in arrays.items()}
            factors = _FACTORS(size=size, blocks=padded(size) // 4, exchanged=exchanged.ctypes.data, **addresses)
            self._kept += [arrays, exchanged, factors]
            setattr(self.record, name, ctypes.addressof(factors))
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
        self.side = side
        by_state, by_time = side.outputs["xdot_d_x"], side.outputs["xdot_d_t"]
        record = self.record
        record.at, record.arguments, record.x_index = side.address, ctypes.addressof(side.table), side.x_index
        record.by_state, record.by_time = by_state.ctypes.data, by_time.ctypes.data
