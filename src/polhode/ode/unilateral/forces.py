"""Forces in friction cones, from arrays: the memory of a `ConeProblem` and a call of its native solution."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...native.arrays import Floats
from ..linear import Factors
from ..native_code import stored
from ..record import Memory, padded
from .cone_problem import ConeProblem
from .lemke import LINE, LinearComplementarity


def _text(fused: bool) -> str:
    from ...native.language import Module
    from .cone_solution import solve_cones

    module = Module(fused=fused)
    module.add(solve_cones, name="ph_solve_cones")
    return module.text


@cache
def cone_code() -> Any:
    """The loaded solver of cone problems."""
    return stored("cones", _text)


@cache
def _solver() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(cone_code().address("ph_solve_cones"))


class ConeMemory:
    """A cone problem in native memory: groups of rows, each (normal rows: 0 or 1, tangent rows: 0, 1 or 2).

    >>> import numpy as np
    >>> memory = ConeMemory([(1, 1)])
    >>> memory.matrix[:], memory.free[:], memory.friction[:] = np.eye(2), [-10.0, 3.0], [0.5]
    >>> memory.solve(), memory.force.round(9).tolist(), bool(abs(memory.velocity).max() < 1e-9)
    (True, [10.0, -3.0], True)
    """

    def __init__(self, groups: Sequence[tuple[int, int]]) -> None:
        size = sum(map(sum, groups))
        width = padded(size)
        work = {
            "matrix": size,
            "upper": size,
            "lower": size,
            "reciprocals": 1,
            "change": 1,
            "before": 1,
            "near": 1,
            "dual": 1,
        }
        arrays = Memory(work, size).arrays
        sums = np.cumsum([0, *map(sum, groups)])
        whole = {
            "first": sums[:-1], "normals": [normal for normal, _ in groups], "tangents": [each for _, each in groups],
            "modes": [0] * len(groups), "active": [0] * size, "exchanged": [0] * size,
        }  # fmt: skip
        integers = {name: np.array(values, dtype=np.int64) for name, values in whole.items()}
        vectors = {name: np.zeros(size) for name in ("free", "force", "velocity", "start")}
        vectors |= {name: np.zeros(len(groups)) for name in ("friction", "scales")}
        self.groups = tuple(groups)
        self.matrix: Floats = arrays["matrix"].reshape(size, width)[:, :size]
        self.free, self.force, self.velocity = vectors["free"], vectors["force"], vectors["velocity"]
        self.friction, self.modes = vectors["friction"], integers["modes"]
        unknowns = self.unknowns(groups)
        tableau = {
            "tableau": np.zeros((unknowns, 2 * unknowns + 2)), "solution": np.zeros(unknowns),
            "basis": np.zeros(unknowns, dtype=np.int64),
        }  # fmt: skip
        self.arrays: dict[str, Any] = {**arrays, **integers, **vectors, **tableau}
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        inside = {name: addresses.pop(name) for name in ("upper", "lower", "reciprocals", "exchanged")}
        beside = {name: addresses.pop(name) for name in tableau}
        self._factors = Factors.structure()(size=size, blocks=width // 4, **inside)
        self.record: Any = ConeProblem.structure()(
            size=size, blocks=width // 4, count=len(groups), factors=ctypes.addressof(self._factors), **addresses
        )
        self.linear: Any = LinearComplementarity.structure()(size=unknowns, width=2 * unknowns + 2, **beside)
        self._addresses = ctypes.addressof(self.record), ctypes.addressof(self.linear)

    @staticmethod
    def unknowns(groups: Sequence[tuple[int, int]]) -> int:
        """Unknowns of Lemke's method for the groups; none of circles, which it does not solve."""
        return sum(normal + (LINE if tangents == 1 else 0) for normal, tangents in groups)

    def solve(self) -> bool:
        """Solve from `force`; True where the solution is accurate."""
        return bool(_solver()(*self._addresses) == 0)
