"""Unilateral rows in native memory, and the calls that decide about their modes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...native.arrays import Floats
from ..native_code import stored
from ..record import Memory
from .cone_problem import OPEN, SLIPPING
from .forces import AnyRankMemory, ConeMemory, HoldingMemory
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
    from . import margins, modes

    module = Module(fused=fused)
    for name in ("guards", *_ARGUMENTS):
        module.add(getattr(margins if name == "find_margins" else modes, name), name=f"ph_{name}")
    return module.text


_POINTER, _REAL, _WHOLE = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
#: The native functions that Python calls, and what they take.
_ARGUMENTS = {
    "fill": (_POINTER, _POINTER, _REAL, _POINTER, _POINTER, _WHOLE), "solve_closed": (_POINTER,),
    "find_forces": (_POINTER,), "project_in_modes": (_POINTER, _REAL, _POINTER),
    "rates_in_modes": (_POINTER, _REAL, _POINTER, _POINTER), "find_margins": (_POINTER,),
}  # fmt: skip


@cache
def code() -> Any:
    """The native functions of unilateral rows by name, and the `address` of each."""
    loaded = stored("unilateral", _text)
    functions = {
        name: ctypes.CFUNCTYPE(_WHOLE, *kinds)(loaded.address(f"ph_{name}")) for name, kinds in _ARGUMENTS.items()
    }
    return SimpleNamespace(code=loaded, address=lambda name: loaded.address(f"ph_{name}"), **functions)


def copies_in(
    groups: Iterable[int], rows_of: Sequence[slice], responses: Floats, free: Floats, laws: Floats
) -> list[int]:
    """Those of groups with normals that are as one before: in their normal, its acceleration, and their friction."""
    copies: list[int] = []
    seen: list[tuple[Floats, float, Floats, Floats]] = []
    for k in groups:
        rows = responses[rows_of[k]]
        normal, friction = rows[0].copy(), rows[1:].T @ rows[1:]
        size, acceleration = float(np.abs(normal).max()), float(free[rows_of[k].start])
        for other, accelerated, rubbed, law in seen:
            scales = size, max(abs(acceleration), 1.0), max(float(friction.max(initial=0.0)), size**2)
            off = np.abs(normal - other).max(), abs(acceleration - accelerated), np.abs(friction - rubbed).max()
            if (np.array(off) <= _ALIKE * np.array(scales)).all() and (law == laws[k]).all():
                copies.append(k)
                break
        else:
            seen.append((normal, acceleration, friction, laws[k]))
    return copies


class UnilateralMemory:
    """The groups of a run, each (normal rows, tangent rows), in native memory."""

    def __init__(
        self, groups: Sequence[tuple[int, int]], first_speed: int, speeds: int, size: int, layout: Layout = ()
    ) -> None:
        self.groups = tuple(groups)
        count, rows = len(groups), sum(map(sum, groups))
        self.count, self.size, self.speeds, self.first_speed = count, rows, speeds, first_speed
        self.all, self.reduced = ConeMemory(groups), ConeMemory(groups)
        whole = {
            "closed": rows,
            "modes": count,
            "held": count,
            "shared": count,
            "sources": rows,
            "members": rows,
            "sets": count,
        }
        integers = {name: np.zeros(max(1, length), dtype=np.int64) for name, length in whole.items()}
        for name, places in zip(("twist_of", "axis_of", "arm_of"), places_of(groups, layout), strict=True):
            integers[name] = np.ascontiguousarray(places)
        integers["group_of"] = np.repeat(np.arange(count), [sum(group) for group in groups]).astype(np.int64)
        self.arrays: dict[str, NDArray[Any]] = {
            **integers, **{name: np.zeros(2 * count) for name in ("directions", "turned")},
            **{name: np.zeros(count) for name in ("offsets", "since", "lags", "set_margins")},
            "holding_forces": np.zeros(rows),
            **{name: np.zeros(rows * (speeds if name in OUTPUTS[:2] else 1)) for name in COMBINED if layout},
            **Memory({"displacement": 1, "rates_there": 1}, size).arrays,
        }  # fmt: skip
        self.modes, self.held, self.shared = (integers[name] for name in ("modes", "held", "shared"))
        self.sources, self.group_of = integers["sources"], integers["group_of"]
        self.directions, self.turned = (self.arrays[name].reshape(count, 2) for name in ("directions", "turned"))
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        self._problems: dict[str, Any] = {
            "problem": self.all, "reduced": self.reduced, "active": AnyRankMemory(rows),
            "holding": HoldingMemory(rows, count),
        }  # fmt: skip
        self.record: Any = Unilateral.structure()(
            count=count, size=rows, first_speed=first_speed, speeds=speeds, has_twists=int(bool(layout)),
            linear=ctypes.addressof(self.reduced.linear),
            **{name: ctypes.addressof(each.record) for name, each in self._problems.items()}, **addresses,
        )  # fmt: skip
        self._run = 0  # the address of the run
        self._x = Memory({"x": 1}, size).arrays["x"]
        self.first = np.cumsum([0, *map(sum, groups)])[:-1]
        self.rows_of = [slice(first, first + sum(group)) for first, group in zip(self.first, groups, strict=True)]
        self.has_normal = np.array([normal > 0 for normal, _ in groups], dtype=bool)
        self.tangents = np.array([each for _, each in groups], dtype=int)

    def connect(self, run: NativeRun, outputs: Mapping[str, Floats]) -> None:
        """Let a run, whose right-hand side puts these out, step in modes."""
        record, own = run.record, self.record
        rates, project = code().address("rates_in_modes"), code().address("project_in_modes")
        self._run = run.address
        given = dict(outputs)
        if own.has_twists:
            given |= {twists: outputs[name] for name, twists in COMBINED.items()}
            given |= {name: self.arrays[name] for name in COMBINED}
        for name in (*OUTPUTS, *(TWISTS if own.has_twists else ())):
            setattr(own, name, given[name].ctypes.data)
        self.gaps, self.margins, self.velocities = (given[name] for name in ("gaps", "margins", "velocities"))
        self.laws = given["laws"].reshape(-1, LAWS)
        self.responses = given["responses"].reshape(self.size, self.speeds)
        if record.rates != rates:
            own.free_rates, own.free_project, own.is_constrained = record.rates, record.project, record.is_constrained
        elif record.project != project:  # the right-hand side was connected once more
            own.free_project, own.is_constrained = record.project, record.is_constrained
        record.rates, record.project, record.is_constrained = rates, project, 1
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
        code().rates_in_modes(self._run, t, self._x.ctypes.data, out.ctypes.data)
        return self.all.force.copy(), out[: len(x)].copy()

    def projected(self, t: float, x: Floats) -> Floats:
        """The nearest state whose closed gaps, and rows without velocity, vanish."""
        self._x[: len(x)] = x
        code().project_in_modes(self._run, t, self._x.ctypes.data)
        return self._x[: len(x)].copy()

    def closed(self, t: float, x: Floats, groups: NDArray[np.bool_]) -> Floats:
        """The nearest state at which the gaps of these groups are zero to rounding, with the same speeds."""
        modes = self.modes.copy()
        self.modes[: self.count] = np.where(groups & self.has_normal, SLIPPING, OPEN)
        self.record.only_gaps = 1
        made = self.projected(t, x)
        self.record.only_gaps, self.modes[:] = 0, modes
        return made

    def holding_margins(self) -> list[tuple[list[int], float]]:
        """Sets of groups whose forces are not unique, and the margin with which forces in their cones hold each.

        What slips is in the sets as well. G, b and the friction of what slips are those of the last evaluation.
        """
        count = code().find_margins(ctypes.addressof(self.record))
        sets, margins = self.arrays["sets"], self.arrays["set_margins"]
        return [(np.flatnonzero(sets == k).tolist(), float(margins[k])) for k in range(count)]

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
        numbers = np.flatnonzero(touching & self.has_normal)
        order = numbers[np.lexsort((-self.margins[numbers], self.modes[numbers] == OPEN))].tolist()
        return copies_in(order, self.rows_of, self.responses, self.all.free, self.laws)

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
