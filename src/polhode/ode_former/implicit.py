"""The memory of an implicit integrator: derivatives of the rates, and the factored matrices of a step."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .jacobian import FORGOTTEN, IMPLICIT
from .linear import FACTORS, Field
from ..ode.memory import Memory

if TYPE_CHECKING:
    from .stepper import RightSide

_IMPLICIT, _FACTORS = IMPLICIT.structure(), FACTORS.structure()


class ImplicitPart:
    """What an implicit method has beside the record of a run."""

    def __init__(self, size: int, fields: Sequence[Field]) -> None:
        self.record = _IMPLICIT()
        self._kept: list[Any] = []
        self.side: RightSide | None = None  # the compiled derivatives
        counts = {"jacobian": size, "in_time": 1, "stretch": 1, "direction": 1, "image": 1}
        arrays = Memory(counts, size).arrays
        for name, array in arrays.items():
            setattr(self.record, name, array.ctypes.data)
        arrays["stretch"][:] = 1.0
        # any vector that is in no one's way: of unequal parts, so that it is across no symmetry
        arrays["direction"][:size] = np.cos(np.arange(size) ** 2)
        for field in fields:
            counts = {"upper": size * field.parts, "lower": size * field.parts, "reciprocals": field.parts}
            parts = Memory(counts, size).arrays
            exchanged = np.zeros(size, dtype=np.int64)
            addresses = {name: array.ctypes.data for name, array in parts.items()}
            factors = _FACTORS(**addresses, exchanged=exchanged.ctypes.data)
            self._kept += [parts, exchanged, factors]
            setattr(self.record, field.name, ctypes.addressof(factors))
        self._kept.append(arrays)
        self.arrays = arrays
        self.by_differences()

    @property
    def address(self) -> int:
        return ctypes.addressof(self.record)

    def restart(self) -> None:
        """Forget all about earlier steps, as ph_begin does."""
        for name in FORGOTTEN:
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
