"""Unilateral rows in native memory, and the calls that decide about their modes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...native.arrays import Floats
from ..linear import Factors
from ..native_code import stored
from ..record import Memory, padded
from .any_rank import AnyRank
from .cone_problem import OPEN, SLIPPING, STICKING
from .feasibility import CLEAR, Cone, holding_margin
from .forces import ConeMemory
from .record import GUARDS, LAWS, Unilateral
from .twists import COMBINED, TWISTS, Layout, places_of

if TYPE_CHECKING:
    from ..native_run import NativeRun
    from .transitions import Change

#: What the right-hand side puts out beside ẋ, for each row or group.
OUTPUTS = ("rows", "responses", "velocities", "drift", "gaps", "margins", "laws")
#: A gap below this, in m or rad, is closed; so is one at a start that is not deeper.
TOUCHING = 1e-9
#: Groups whose rows differ by less than this part are alike.
_ALIKE = 1e-9


def _text(fused: bool) -> str:
    from ...native.language import Module
    from .any_rank import factor_any_rank, solve_any_rank
    from .modes import fill, find_forces, guards, project_in_modes, rates_in_modes, solve_closed

    module = Module(fused=fused)
    every = fill, find_forces, guards, project_in_modes, rates_in_modes, solve_closed, factor_any_rank, solve_any_rank
    for function in every:
        module.add(function, name=f"ph_{function.__name__}")
    return module.text


class _Code:
    """The native functions of unilateral rows, loaded."""

    def __init__(self) -> None:
        code, pointer, real, whole = stored("unilateral", _text), ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
        self.code = code
        self.guards, self.project, self.rates = (
            code.address(f"ph_{name}") for name in ("guards", "project_in_modes", "rates_in_modes")
        )
        kinds = {
            "fill": (pointer, pointer, real, pointer, pointer, whole), "solve_closed": (pointer,),
            "find_forces": (pointer,), "project_in_modes": (pointer, real, pointer),
            "rates_in_modes": (pointer, real, pointer, pointer), "factor_any_rank": (pointer,),
            "solve_any_rank": (pointer, pointer),
        }  # fmt: skip
        (self.fill, self.solve_closed, self.find_forces, self.project_state, self.rates_at, self.factor, self.solve) = (
            ctypes.CFUNCTYPE(whole, *each)(code.address(f"ph_{name}")) for name, each in kinds.items()
        )


@cache
def code() -> _Code:
    """The native functions of unilateral rows."""
    return _Code()


class AnyRankMemory:
    """A matrix of any rank up to a size, in native memory.

    >>> memory = AnyRankMemory(2)
    >>> memory.matrix[:] = 2.0
    >>> memory.solve(np.array([1.0, 3.0])).round(12).tolist()
    [0.5, 0.5]
    """

    def __init__(self, size: int) -> None:
        width = padded(size)
        work = {"matrix": size, "upper": size, "lower": size, "reciprocals": 1, "product": 1}
        self.arrays: dict[str, NDArray[Any]] = dict(Memory(work, size).arrays)
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
        if code().factor(ctypes.addressof(self.record)):
            raise np.linalg.LinAlgError("the matrix is not finite")
        code().solve(ctypes.addressof(self.record), x.ctypes.data)
        return x[: len(b)].copy()


class UnilateralMemory:
    """The groups of a run, each (normal rows, tangent rows), in native memory."""

    def __init__(
        self, groups: Sequence[tuple[int, int]], first_speed: int, speeds: int, size: int, layout: Layout = ()
    ) -> None:
        self.groups = tuple(groups)
        count, rows = len(groups), sum(map(sum, groups))
        self.count, self.size, self.speeds, self.first_speed = count, rows, speeds, first_speed
        self.all, self.reduced = ConeMemory(groups), ConeMemory(groups)
        whole = {"closed": rows, "modes": count, "held": count, "shared": count, "sources": rows}
        integers = {name: np.zeros(max(1, length), dtype=np.int64) for name, length in whole.items()}
        for name, places in zip(("twist_of", "axis_of", "arm_of"), places_of(groups, layout), strict=True):
            integers[name] = np.ascontiguousarray(places)
        integers["group_of"] = np.repeat(np.arange(count), [sum(group) for group in groups]).astype(np.int64)
        self.arrays: dict[str, NDArray[Any]] = {
            **integers, **{name: np.zeros(2 * count) for name in ("directions", "turned")},
            **{name: np.zeros(count) for name in ("offsets", "since")},
            **{name: np.zeros(rows * (speeds if name in OUTPUTS[:2] else 1)) for name in COMBINED if layout},
            **Memory({"displacement": 1, "rates_there": 1}, size).arrays,
        }  # fmt: skip
        self.modes, self.held, self.shared = (integers[name] for name in ("modes", "held", "shared"))
        self.sources, self.group_of = integers["sources"], integers["group_of"]
        self.directions, self.turned = (self.arrays[name].reshape(count, 2) for name in ("directions", "turned"))
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        self._active = AnyRankMemory(rows)
        self.record: Any = Unilateral.structure()(
            count=count, size=rows, first_speed=first_speed, speeds=speeds, has_twists=int(bool(layout)),
            problem=ctypes.addressof(self.all.record), reduced=ctypes.addressof(self.reduced.record),
            active=ctypes.addressof(self._active.record), linear=ctypes.addressof(self.reduced.linear), **addresses,
        )  # fmt: skip
        self._run = 0  # the address of the run
        self._near: dict[tuple[int, ...], Floats] = {}  # forces that held rows
        self._x = Memory({"x": 1}, size).arrays["x"]
        self.first = np.cumsum([0, *map(sum, groups)])[:-1]
        self.rows_of = [slice(first, first + sum(group)) for first, group in zip(self.first, groups, strict=True)]
        self.has_normal = np.array([normal > 0 for normal, _ in groups], dtype=bool)
        self.tangents = np.array([each for _, each in groups], dtype=int)

    def connect(self, run: NativeRun, outputs: Mapping[str, Floats]) -> None:
        """Let a run, whose right-hand side puts these out, step in modes."""
        record, own, loaded = run.record, self.record, code()
        self._run = run.address
        self._margin_at = run.callback(self._set_margin)  # what it raises ends the run
        own.margin_at = ctypes.cast(self._margin_at, ctypes.c_void_p).value
        given = dict(outputs)
        if own.has_twists:
            given |= {twists: outputs[name] for name, twists in COMBINED.items()}
            given |= {name: self.arrays[name] for name in COMBINED}
        for name in (*OUTPUTS, *(TWISTS if own.has_twists else ())):
            setattr(own, name, given[name].ctypes.data)
        self.gaps, self.margins, self.velocities = (given[name] for name in ("gaps", "margins", "velocities"))
        self.laws = given["laws"].reshape(-1, LAWS)
        self.responses = given["responses"].reshape(self.size, self.speeds)
        if record.rates != loaded.rates:
            own.free_rates, own.free_project, own.is_constrained = record.rates, record.project, record.is_constrained
        elif record.project != loaded.project:  # the right-hand side was connected once more
            own.free_project, own.is_constrained = record.project, record.is_constrained
        record.rates, record.project, record.is_constrained = loaded.rates, loaded.project, 1
        record.unilateral, record.has_unilateral = ctypes.addressof(own), 1

    @property
    def guard_count(self) -> int:
        """Guards of all groups, and one of those that share forces."""
        return GUARDS * self.count + 1

    def fill(self, t: float, x: Floats) -> Floats:
        """Gaps, velocities, accelerations without forces, G and responses at a state; the rates without forces."""
        self._x[: len(x)] = x
        out = self.arrays["rates_there"]
        code().fill(self._run, ctypes.addressof(self.record), t, self._x.ctypes.data, out.ctypes.data, 1)
        return out[: len(x)]

    def forces_at(self, t: float, change: Change, G: Floats, free: Floats, velocities: Floats, laws: Floats) -> Floats:
        """λ in the modes of a change, row by row, from G, b and velocities of all rows and the laws of all groups."""
        for name in ("modes", "held"):
            self.arrays[name][: self.count] = getattr(change, name)
        self.directions[:], self.arrays["since"][:], self.record.time = change.directions, change.since, t
        self.all.matrix[:], self.all.free[:], self.all.force[:] = G, free, 0.0
        given = [np.ascontiguousarray(each, dtype=np.float64) for each in (velocities, laws)]
        self.record.velocities, self.record.laws = (each.ctypes.data for each in given)
        if code().find_forces(ctypes.addressof(self.record)):
            return np.full(self.size, np.nan)
        return self.all.force.copy()

    def forces(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """λ in the modes as they are, row by row, and the rates."""
        self._x[: len(x)] = x
        out = self.arrays["rates_there"]
        self.all.force[:] = 0.0
        code().rates_at(self._run, t, self._x.ctypes.data, out.ctypes.data)
        return self.all.force.copy(), out[: len(x)].copy()

    def projected(self, t: float, x: Floats) -> Floats:
        """The nearest state whose closed gaps, and rows without velocity, vanish."""
        self._x[: len(x)] = x
        code().project_state(self._run, t, self._x.ctypes.data)
        return self._x[: len(x)].copy()

    def closed(self, t: float, x: Floats, groups: NDArray[np.bool_]) -> Floats:
        """The nearest state at which the gaps of these groups are zero to rounding, with the same speeds."""
        modes = self.modes.copy()
        self.modes[: self.count] = np.where(groups & self.has_normal, SLIPPING, OPEN)
        self.record.only_gaps = 1
        made = self.projected(t, x)
        self.record.only_gaps, self.modes[:] = 0, modes
        return made

    def _set_margin(self, _: float) -> None:
        """Set the margin with which groups that share forces are held, cut off, at the state of the last evaluation."""
        self.record.margin = np.nan
        sticking = [k for k in range(self.count) if self.modes[k] == STICKING]
        self.record.margin = min([CLEAR, *(margin for _, margin in self.holding_margins(sticking))])

    def holding_margins(self, sticking: Sequence[int]) -> list[tuple[list[int], float]]:
        """Sets of groups that act on each other, and the margin with which forces in their cones hold each set.

        Sets whose forces are unique are left out. Groups that slip are in the sets, with their friction.
        """
        slipping = [k for k in range(self.count) if self.modes[k] == SLIPPING]
        given, matrix = np.zeros(self.size), self.all.matrix
        columns: dict[int, Floats] = {}
        for k in slipping:
            rows, friction = self.rows_of[k], self.all.arrays["dual"]
            if self.has_normal[k]:
                column = matrix[:, rows.start].copy()
                for i in range(rows.start + 1, rows.stop):
                    column += matrix[:, i] * friction[i]
                columns[k] = column
            else:
                given[rows] = friction[rows]
        free = self.all.free + matrix @ given
        made = []
        for island in self._islands([*sticking, *columns]):
            unknowns: list[Floats] = []
            cones, active = [], []
            for k in island:
                rows, normal = self.rows_of[k], self.groups[k][0]
                first = len(unknowns)
                if k in columns:
                    unknowns.append(columns[k])
                    active.append(rows.start)
                    cones.append(Cone(first, (), 0.0))
                else:
                    unknowns += [matrix[:, i] for i in range(rows.start, rows.stop)]
                    active += range(rows.start, rows.stop)
                    across = tuple(range(first + normal, len(unknowns)))
                    cones.append(Cone(first if normal else None, across, float(self.laws[k, 1])))
            square = np.array(unknowns).T[active]
            if np.linalg.matrix_rank(square, tol=1e-9 * np.abs(square).max()) < len(active):
                near = self._near.setdefault(tuple(active), np.zeros(len(active)))
                made.append((island, holding_margin(square, free[active], cones, near)))
        return made

    @property
    def behind(self) -> NDArray[np.bool_]:
        """Whether each group is deep behind another that touches, at the edge of its surface."""
        return np.asarray((self.gaps < -TOUCHING) & (self.margins > 0.0) & (self.margins <= TOUCHING))

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether each group is inside of the edge of its surface, and not behind it."""
        return np.asarray((self.margins > 0.0) & ~(self.behind & (self.modes[: self.count] == OPEN)))

    def copies(self, touching: NDArray[np.bool_]) -> list[int]:
        """Groups that touch as another does: with the same speed and acceleration along normals, and the same friction.

        Of such groups the first that is closed, or else the innermost, is no copy.
        """
        copies: list[int] = []
        seen: list[tuple[Floats, float, Floats, Floats]] = []
        numbers = np.flatnonzero(touching & self.has_normal)
        for k in numbers[np.lexsort((-self.margins[numbers], self.modes[numbers] == OPEN))].tolist():
            rows = self.responses[self.rows_of[k]]
            normal, friction = rows[0].copy(), rows[1:].T @ rows[1:]
            size, free = float(np.abs(normal).max()), float(self.all.free[self.first[k]])
            for other, accelerated, rubbed, laws in seen:
                most = _ALIKE * np.array([size, max(abs(free), 1.0), max(float(friction.max(initial=0.0)), size**2)])
                off = np.abs(normal - other).max(), abs(free - accelerated), np.abs(friction - rubbed).max()
                if (off <= most).all() and (laws == self.laws[k]).all():
                    copies.append(k)
                    break
            else:
                seen.append((normal, free, friction, self.laws[k]))
        return copies

    def _islands(self, groups: Sequence[int]) -> list[list[int]]:
        """Groups that act on each other, together."""
        left, made, size = list(groups), [], np.abs(self.all.matrix)
        while left:
            island = [left.pop()]
            for k in island:
                rows = size[self.rows_of[k]]
                near = [j for j in left if rows[:, self.rows_of[j]].max() > 1e-12 * rows.max()]
                island += near
                left = [j for j in left if j not in near]
            made.append(sorted(island))
        return made

    def reduce(self, groups: Sequence[tuple[int, int]], sources: Sequence[int], friction: Sequence[float]) -> None:
        """The groups of the reduced problem, with the rows of each and its coefficient or bound."""
        reduced, record = self.reduced, self.reduced.record
        size = len(sources)
        record.size, record.count = size, len(groups)
        first = np.cumsum([0, *map(sum, groups)])[:-1]
        for name, values in (
            ("first", first),
            ("normals", [a for a, _ in groups]),
            ("tangents", [b for _, b in groups]),
        ):
            reduced.arrays[name][: len(groups)] = values
        reduced.friction[: len(groups)] = friction
        self.sources[:size] = sources
        unknowns = reduced.unknowns(groups)
        reduced.linear.size, reduced.linear.width = unknowns, 2 * unknowns + 2

    def solve_closed(self) -> bool:
        """Solve the reduced problem for accelerations, with the modes of slipping groups as they are."""
        return bool(code().solve_closed(ctypes.addressof(self.record)) == 0)
