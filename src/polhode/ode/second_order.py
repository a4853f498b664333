"""Second-order systems with constraints by compiled functions, and the memory of the method that steps them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..native.arrays import Floats
from ..native.compiled import Compiled
from .linear import Factors
from .methods.generalised_alpha import GeneralisedAlpha, coefficients
from .record import Memory, padded


@dataclass(frozen=True, eq=False)
class SecondOrderSystem:
    """The functions of a second-order system: see `methods.generalised_alpha`.

    `names` has, for each array that they take or put out, the field of `GeneralisedAlpha` that holds it; `given` are
    arrays beside, which stay as they are. `position_rows` are the rows of the matrix that belong to values.
    """

    rates: Compiled
    residual: Compiled
    constraint_matrix: Compiled | None
    names: Mapping[str, str]
    given: Mapping[str, Floats]
    position_rows: Sequence[int] = ()


class SecondOrderMemory:
    """What the method has beside the record of a run; `record` is that of native code.

    `arrays` and `numbers` are its fields, `square` and `sizes` those of its factored matrix.
    """

    def __init__(self, system: SecondOrderSystem, radius: float) -> None:
        self.system = system
        n, m, p = _sizes(system.residual)
        (q,), size = _sizes(system.rates), n + m + p
        moving = 0 if system.constraint_matrix is None else _sizes(system.constraint_matrix)[0] // m
        lengths = {
            "clock": 1, "pose": q, "turn": n, "pose_rate": q, "matrix": m * moving, "state": q + n, "accelerations": n,
            "multipliers": m, "balance": n, "row_rates": m, "row_values": p, "a": n, "a_next": n, "unknowns": size,
            "gap": size, "base": size,
        }  # fmt: skip
        self.arrays = {name: Memory({name: 1}, length).arrays[name] for name, length in lengths.items()}
        self.arrays["position_rows"] = np.array(system.position_rows, dtype=np.int64)
        self.square = Memory({"upper": size, "lower": size, "reciprocals": 1}, size).arrays
        self.square["exchanged"] = np.zeros(size, dtype=np.int64)
        self.numbers: dict[str, float] = coefficients(radius) | {
            "coordinates": q, "speeds": n, "moving": moving, "rows": m, "positions": p, "taken": 1.0,
        }  # fmt: skip
        self.sizes = {"size": size, "blocks": padded(size) // 4}
        self._factors = Factors.structure()(**_addresses(self.square), **self.sizes)
        self.record = GeneralisedAlpha.structure()(**_addresses(self.arrays), **self.numbers)
        self.record.factors = ctypes.addressof(self._factors)
        self._kept: list[Any] = []
        for name, table in _TABLES.items():
            function: Compiled | None = getattr(system, name)
            if function is not None:
                setattr(self.record, name, function.native.code.address("ph_at"))
                setattr(self.record, table, ctypes.addressof(self._table(function)))

    @property
    def address(self) -> int:
        return ctypes.addressof(self.record)

    def arrays_of(self, function: Compiled) -> tuple[list[Floats], list[Floats]]:
        """The arrays that a function takes, and those that it fills."""
        names, given = self.system.names, self.system.given
        taken = [
            given[array.name] if array.name in given else self.arrays[names[array.name]][: array.size]
            for array in function.outline.arrays
        ]
        outputs = zip(function.outputs, _sizes(function), strict=True)
        return taken, [self.arrays[names[name]][:size] for name, size in outputs]

    def _table(self, function: Compiled) -> Any:
        (taken, filled), work = self.arrays_of(function), function.work()
        pointers = [array.ctypes.data for array in (*taken, work, *filled)]
        table = (ctypes.c_void_p * len(pointers))(*pointers)
        self._kept += [function, taken, work, filled, table]
        return table


#: The functions, and the fields that hold their tables of pointers.
_TABLES = {"rates": "rates_arguments", "residual": "residual_arguments", "constraint_matrix": "matrix_arguments"}


def _sizes(function: Compiled) -> list[int]:
    return [int(np.prod(shape)) for _, shape in function.outline.outputs]


def _addresses(arrays: Mapping[str, Any]) -> dict[str, int]:
    return {name: array.ctypes.data for name, array in arrays.items()}
