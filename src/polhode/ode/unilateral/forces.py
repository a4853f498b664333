"""Problems about forces in native memory, and calls of their native solutions."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...native.arrays import Floats
from ..linear import Factors
from ..native_code import stored
from ..record import Memory, padded
from .any_rank import AnyRank
from .cone_problem import ConeProblem
from .feasibility import Holding
from .lemke import LinearComplementarity


@cache
def problem_code() -> Any:
    """The loaded solutions of problems."""
    return stored("forces", _text)


def _text(fused: bool) -> str:
    from ...native.language import Module
    from .any_rank import factor_any_rank, solve_any_rank
    from .cone_solution import solve_cones
    from .feasibility import hold

    module = Module(fused=fused)
    for function in (solve_cones, factor_any_rank, solve_any_rank, hold):
        module.add(function, name=f"ph_{function.__name__}")
    return module.text


@cache
def _solver(name: str, result: Any, arguments: int) -> Any:
    """A native function of so many pointers."""
    return ctypes.CFUNCTYPE(result, *[ctypes.c_void_p] * arguments)(problem_code().address(f"ph_{name}"))


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
        """Unknowns of Lemke's method for the groups: of friction two directions a tangent, and a speed."""
        return sum(normal + (2 * tangents + 1 if tangents else 0) for normal, tangents in groups)

    def solve(self) -> bool:
        """Solve from `force`; True where the solution is accurate."""
        return bool(_solver("solve_cones", ctypes.c_int64, 2)(*self._addresses) == 0)


#: Compliance of what sticks, relative to the mean diagonal of G; accelerations above this part of those without forces
#: are not its own.
_COMPLIANCE, _MOVES = 1e-7, 1e-4


def is_preloaded(problem: ConeMemory, matrix: Floats, free: Floats, friction: Floats) -> bool:
    """Whether rows that forces in their cones hold move with those forces that the loads cause.

    Where each force has a small compliance there is one solution, without forces that have no load: as the compliance
    falls it goes to a solution for rigid bodies.
    """
    problem.matrix[:] = matrix + _COMPLIANCE * np.trace(matrix) / len(matrix) * np.eye(len(matrix))
    problem.free[:], problem.friction[:], problem.force[:] = free, friction, 0.0
    least = _MOVES * float(np.abs(free).max(initial=0.0))
    return problem.solve() and float(np.abs(matrix @ problem.force + free).max()) > least


class AnyRankMemory:
    """A matrix of any rank up to a size, in native memory.

    >>> memory = AnyRankMemory(2)
    >>> memory.matrix[:] = 2.0
    >>> memory.solve(np.array([2.0, 2.0])).round(12).tolist()
    [0.5, 0.5]
    """

    def __init__(self, size: int) -> None:
        width = padded(size)
        work = {"matrix": size, "upper": 2 * size, "lower": 2 * size, "reciprocals": 2, "parts": 2}
        self.arrays: dict[str, Any] = dict(Memory(work, size).arrays)
        self.arrays["exchanged"] = np.zeros(size, dtype=np.int64)
        self.matrix = self.arrays["matrix"].reshape(size, width)[:, :size]
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        inside = {name: addresses.pop(name) for name in ("upper", "lower", "reciprocals", "exchanged")}
        self._factors = Factors.structure()(size=size, blocks=width // 4, **inside)
        self.record: Any = AnyRank.structure()(
            size=size, blocks=width // 4, factors=ctypes.addressof(self._factors), **addresses
        )

    def solve(self, b: Floats) -> Floats:
        """The solution."""
        x = Memory({"x": 1}, len(b)).arrays["x"]
        x[: len(b)] = b
        if _solver("factor_any_rank", ctypes.c_int64, 1)(ctypes.addressof(self.record)):
            raise np.linalg.LinAlgError("the matrix is not finite")
        _solver("solve_any_rank", ctypes.c_int64, 2)(ctypes.addressof(self.record), x.ctypes.data)
        return x[: len(b)].copy()


class HoldingMemory:
    """`Holding` of so many unknowns and cones at most, in native memory."""

    def __init__(self, size: int, count: int) -> None:
        size, width = max(1, size), padded(size + 1)
        work = {"matrix": size, "null": size, "slopes": 3 * count, "upper": size + 1, "lower": size + 1}
        one = ("free", "near", "start", "y", "gradient", "step", "reciprocals")
        self.arrays: dict[str, Any] = dict(Memory({**work, **dict.fromkeys(one, 1)}, size + 1).arrays)
        self.arrays |= {name: np.zeros(3 * count) for name in ("offset", "z", "there", "moved")}
        self.arrays["friction"] = np.zeros(count)
        whole = {"rows": size, "columns": size, "normals": count, "tangents": 2 * count, "exchanged": size + 1}
        self.arrays |= {name: np.zeros(length, dtype=np.int64) for name, length in whole.items()}
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        inside = {name: addresses.pop(name) for name in ("upper", "lower", "reciprocals", "exchanged")}
        self._factors = Factors.structure()(size=size, blocks=width // 4, **inside)
        self.record: Any = Holding.structure()(
            size=size, blocks=width // 4, count=count, factors=ctypes.addressof(self._factors), **addresses
        )
        self.matrix = self.arrays["matrix"].reshape(size, width)


class Cone(NamedTuple):
    """A group of unknown forces: its normal and its tangents among them, μ or the bound."""

    normal: int | None
    tangents: tuple[int, ...]
    friction: float


def holding_margin(matrix: Floats, free: Floats, cones: Sequence[Cone]) -> float:
    """The margin s, relative to the loads and at most 1e-4, of forces λ with matrix λ + free = 0; -1 without any."""
    memory, size = HoldingMemory(len(free), len(cones)), len(free)
    memory.matrix[:size, :size], memory.arrays["free"][:size] = matrix, free
    for k, (normal, tangents, friction) in enumerate(cones):
        memory.arrays["normals"][k] = -1 if normal is None else normal
        memory.arrays["tangents"][2 * k : 2 * k + 2] = [*tangents, -1, -1][:2]
        memory.arrays["friction"][k] = friction
    return float(_solver("hold", ctypes.c_double, 1)(ctypes.addressof(memory.record)))
