"""What comes after a mode of unilateral rows: impacts, and the modes that follow, by complementarity problems.

At a state, groups whose gaps are closed touch. Where some of them approach, impulses Λ change the speeds, u⁺ = u⁻ +
R Λ, by a law of impact with the kinetic friction; all groups that touch take part. Then the modes of groups that touch
and do not leave are those of the solution for accelerations: resting groups with cones of the static friction, those
that slip with friction along their slip. Impacts that follow each other in shorter and shorter times, in a ratio r, are
over after Δt r/(1 - r): when that is below `ACCUMULATED` the groups close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...native.arrays import Floats
from .cone_problem import OPEN, SLIPPING, STICKING
from .forces import ConeMemory, is_preloaded
from .memory import TOUCHING, UnilateralMemory
from .record import AT_REST, BEHIND, GUARDS

#: Speeds below this, in m/s or rad/s, relative to the largest or to one, are zero. A slip that begins is slow as if
#: since this time, in s, before.
RESTING, _BEFORE = 1e-9, 1.0
#: Impacts that go on for less than this, in s, are summed; a bounce of less than this height, in m or rad, which
#: rounding of a gap would hide, is none.
ACCUMULATED, _HEIGHT = 1e-7, 1e-13
#: Times between impacts that are longer, in s, are known well enough for their ratio.
_MEASURED = 1e-5
#: Both times are at least this part of the time; the height, a gap that touches and one that is made zero at least
#: these parts of the largest coordinate.
_LATE, _FAR_HEIGHT, _FAR_TOUCHING, _FAR_ROUNDED = 1e-11, 1e-14, 1e-13, 1e-14
#: So often modes may change at one time, and so many solutions follow each other where static friction breaks.
MOST_AT_ONCE, _MOST_BREAKS = 50, 30
#: From so many changes at one time on the state is moved ahead by this time, in s or relative to the time. It doubles
#: with each change up to the last: what follows the tie decides.
_TIED, _FIRST, _AHEAD = 6, 1e-14, 1e-7
#: Singular values of G below this part of the largest are those of rows that depend on each other, whose accelerations
#: may differ by this part of the largest.
_DEPENDENT, _DRIFTED = 1e-11, 1e-6
#: Modes of so many slipping groups are counted.
_MOST_COUNTED = 6
#: The part of a step that is left to the next one at each further decision at one time: it went past a short flight;
#: the least part that is left.
_SHORTER, _SHORTEST = 0.125, 1e-5
#: What is added to the diagonal of G, relative to its mean, where a law of impact has no solution otherwise.
_SHIFTS = (0.0, 1e-11, 1e-9, 1e-7)
#: So many changes within so many seconds are no motion; from so many on, dry friction stops what it stops at once.
_CHATTER, _OFTEN = (1000, 1e-4), (20, 1e-5)
#: Rounds in which friction of the expansion follows its normal impulses.
_MOST_ROUNDS = 100
#: Slip that is left of a group, relative to the largest or to one, where others that it moves with have come to rest.
_GONE = 1e-12
#: Speeds that are changed by more than this, relative to the largest or to one, do not come to rest.
_BROUGHT = 1e-3
#: Speeds along normals that are left where a row of impacts is summed, relative to the largest or to one.
_CLOSING = 1e-6
#: Speeds of approach, in m/s or rad/s, whose restitution is summed with the row.
_SUMMED = 1e-3
#: Rounding of a gap, relative to the coordinates or to one; gaps that are smaller are made zero, in m or rad.
_ROUNDING, _ROUNDED = 1e-15, 1e-12
#: A group that leaves with this speed, in m/s or rad/s, is back where its gap is what it was.
_LEAVING = 1e-7
#: Energy gained by an impact, relative to that of the approaching parts, that is worth a word.
_GAIN = 1e-9
#: A closed gap, in m or rad, is off by less than this; so is its acceleration, relative to the largest without forces.
_OFF, _RESIDUAL = 1e-5, 1e-7
#: An acceleration below this part of the largest without forces is none.
_UNMOVED = 1e-9
#: Of the loads, what a normal force may be below zero by rounding.
_SLACK = 1e-12
#: The margin, relative to the loads, with which forces that are not unique hold for certain.
_HELD = 1e-11
#: What static friction is less by where it is used up.
_LESS = 1e-7
#: A force beyond its cone by this part of the largest is there by rounding.
_OUTSIDE = 1e-9


class Change(NamedTuple):
    """Modes from a time on, with directions of slip, and since when it is slow; and impulses of an impact, or None.

    `guard` is the one that fell through zero, or -1; `before` and `after` are the states.
    """

    t: float
    modes: NDArray[np.int64]
    held: NDArray[np.int64]
    shared: NDArray[np.int64]
    directions: Floats
    since: Floats
    impulses: Floats | None = None
    ends: float | None = None  # the time at which impacts that were summed are over
    guard: int = -1
    before: Floats = np.zeros(0)
    after: Floats = np.zeros(0)


def _subsets(count: int) -> list[list[int]]:
    return [[i for i in range(count) if number >> i & 1] for number in range(1 << count)]


class NoMode(Exception):
    """No modes follow: a word for the status of the run, and what is so and helps, in words."""

    def __init__(self, status: str, message: str, groups: Sequence[int], cure: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.groups, self.cure = status, message, tuple(groups), cure


@dataclass(eq=False)
class Transitions:
    """The modes of a run's unilateral rows, from the start on.

    `law` of impacts is "moreau", "newton" or "poisson"; `freedom` is how many speeds are independent,
    infinite where something moves while all speeds are zero; slips below `slow`, in m/s or rad/s, are slow (`modes`).
    """

    memory: UnilateralMemory
    law: str = "moreau"
    freedom: float = 0
    slow: float = 1e-5
    changes: list[Change] = field(default_factory=list)
    gains: list[tuple[float, float]] = field(default_factory=list)  # times of impacts, and energy that they gained
    at_once: list[float] = field(default_factory=list)  # times of impacts of several groups that act on each other
    ambiguous: list[tuple[list[int], list[list[int]]]] = field(default_factory=list)  # groups, and sets that may close
    moved: dict[float, float] = field(default_factory=dict)  # times at which ties were passed by steps, and their sums
    preloaded: set[int] = field(default_factory=set)  # groups that only forces without a load held
    longest_step: float = np.inf  # of the next one
    _problems: dict[tuple[tuple[int, int], ...], ConeMemory] = field(default_factory=dict)
    _limits: dict[int, float] = field(default_factory=dict)  # when rows of impacts are over, by group
    _broken: tuple[Sequence[int], Sequence[int]] = (
        (),
        (),
    )  # groups that began to slip, and to open, in the last decision
    _size: float = 0.0  # of the largest coordinate at the last decision
    _flown: float = 0.0  # between impacts of a row that is over, in s
    _struck: float = -np.inf  # the time of the last impact
    _impacts: list[list[float]] = field(default_factory=list)
    _at_once: tuple[float, int] = (-np.inf, 0)

    def __post_init__(self) -> None:
        self._impacts = [[] for _ in self.memory.groups]
        self.memory.record.slow = self.slow

    # ---- decisions ---------------------------------------------------------------------------------------------

    def decide(self, t: float, x: Floats, guard: int = -1) -> Floats:
        """The state behind a time at which a guard has fallen through zero, or at which modes are not known yet."""
        memory, first = self.memory, x.copy()
        self._size = float(np.abs(x[: memory.first_speed]).max(initial=0.0))
        memory.record.is_undecided = 0
        x = self._note_time(t, x)
        self.check_forces(t, x)
        memory.forces(t, x)
        is_slow = (memory.modes == SLIPPING) & (memory.held == 1)
        memory.directions[is_slow] = memory.turned[is_slow]
        before, breaking = memory.modes.copy(), self._breaking(t, x, guard)
        if self._at_once[1] > 1:  # what slips, and what opens, at one time does so together
            breaking = sorted({*breaking[0], *self._broken[0]}), sorted({*breaking[1], *self._broken[1]})
        self._broken = breaking
        touching = self._touching(t, x, guard)
        near = (before != OPEN) & memory.has_normal & (memory.gaps <= self._rounded)
        if near.any():
            x = memory.closed(t, x, near)
            memory.fill(t, x)
        impulses, ends = None, None
        if self._approaching(touching).any():
            x, impulses, ends = self._impact(t, x, touching)
            memory.fill(t, x)
        resting = touching & (np.abs(self._normal_velocity) <= RESTING * self._speed_scale)
        still = np.full(memory.count, RESTING * self._speed_scale)  # slips below are none
        if ends is not None:  # what rises, or slips, no further than rounding hides is at rest
            squares = 2.0 * self._height * np.maximum(-memory.all.free[memory.first], 0.0)
            flown = self._flown * np.maximum(-memory.all.free[memory.first], 0.0)
            least = np.maximum(_CLOSING * self._speed_scale, np.maximum(np.sqrt(squares), flown))
            resting |= touching & (self._normal_velocity <= least)
            still = np.maximum(still, np.sqrt(np.where(memory.has_normal, memory.laws[:, 0] * squares, 0.0)))
        if impulses is None:
            still[before == SLIPPING] = -1.0
        at_rest = (self._slips * memory.directions).sum(axis=1) <= 0.0
        if guard % GUARDS == 1 and guard < GUARDS * memory.count:
            at_rest[guard // GUARDS] = True  # where others are brought to their modes its slip may be above zero again
        still[(before == SLIPPING) & (memory.held == 1) & at_rest] = 4.0 * self.slow
        if len(self.changes) > _OFTEN[0] and t - self.changes[-_OFTEN[0]].t < _OFTEN[1]:
            stops = ACCUMULATED * np.diag(memory.all.matrix)[memory.first] * memory.laws[:, 0]
            still = np.where(memory.has_normal, still, np.maximum(still, np.minimum(stops, self.slow)))
        x = self._set_modes(t, x, resting, still, breaking)
        shorter = max(_SHORTER ** (self._at_once[1] - 1), _SHORTEST)
        self.longest_step = max(self._step_limit(t, x, touching) * shorter, _LATE * max(1.0, abs(t)))
        self.changes.append(
            Change(t, memory.modes.copy(), memory.held.copy(), memory.shared.copy(), memory.directions.copy(),
                   memory.arrays["since"].copy(), impulses, ends, guard, first, x.copy())
        )  # fmt: skip
        return x

    def check_forces(self, t: float, x: Floats) -> None:
        """Refuse a state at which forces leave closed gaps accelerations, or have not kept them closed."""
        memory = self.memory
        memory.forces(t, x)
        closed = (memory.modes != OPEN) & memory.has_normal & memory.inside
        left = np.abs(memory.all.velocity[memory.first]) / max(float(np.abs(memory.all.free).max(initial=0.0)), 1e-300)
        wrong = closed & ((np.abs(memory.gaps) > _OFF) | (left > _RESIDUAL))
        if wrong.any():
            most = float(left[wrong].max())
            message = (
                f"at t = {t:.6g} s contact forces leave {most:.1e} of the accelerations that closed gaps must not have."
            )
            cure = "Give masses and inertias that differ by less than a factor of 1e7, or weld light parts to others."
            raise NoMode("no_contact_forces", message, np.flatnonzero(wrong).tolist(), cure)

    def _breaking(self, t: float, x: Floats, guard: int) -> tuple[list[int], list[int]]:
        """The groups whose static friction, and those whose normal force, is used up in the modes as they are."""
        memory = self.memory
        shared = np.flatnonzero(memory.shared).tolist()
        if guard == GUARDS * memory.count:
            return shared, shared
        if guard >= 0:
            k, which = divmod(guard, GUARDS)
            slips = [k] if which == 1 and memory.modes[k] == STICKING else []
            if which > 0 or memory.modes[k] == OPEN:
                return slips, []
            force, closed = memory.forces(t, x)[0], (memory.modes != OPEN) & memory.has_normal & (memory.shared == 0)
            least = _OUTSIDE * float(np.abs(force).max(initial=0.0))  # what is lifted at one time opens together
            return slips, sorted({k, *np.flatnonzero(closed & (force[memory.first] <= least)).tolist()})
        force, _ = memory.forces(t, x)
        slips, opens = list(shared), list(shared)
        for k, rows in enumerate(memory.rows_of):
            normal, bound = memory.groups[k][0], memory.laws[k, 1]
            tangent = float(np.linalg.norm(force[rows.start + normal : rows.stop]))
            bound = bound * force[rows.start] if normal else bound
            if memory.modes[k] == STICKING and tangent > bound and not memory.shared[k]:
                slips.append(k)
            if memory.modes[k] != OPEN and normal and force[rows.start] < 0.0 and not memory.shared[k]:
                opens.append(k)
        return slips, opens

    def _note_time(self, t: float, x: Floats) -> Floats:
        """The state, moved ahead in the modes as they are where many changes followed at one time."""
        if len(self.changes) > _CHATTER[0] and t - self.changes[-_CHATTER[0]].t < _CHATTER[1]:
            message = f"at t = {t:.6g} s contacts chatter: {_CHATTER[0]} changes within {_CHATTER[1]:g} s."
            raise NoMode("contact_stuck", message, [])
        (since, count), scale = self._at_once, max(1.0, abs(t))
        ahead = min(_FIRST * 2.0 ** (count - _TIED), _AHEAD) * scale if count >= _TIED else 0.0
        if t - since > max(1e-12 * scale, 2.0 * ahead):
            self._at_once = t, 1
            return x
        self._at_once = t if ahead else since, count + 1
        if count > MOST_AT_ONCE:
            message = f"at t = {t:.6g} s modes of contacts change without end."
            raise NoMode("contact_stuck", message, [])
        if ahead:
            self.memory.fill(t, x)
            x = x + ahead * self.memory.forces(t, x)[1]
            self.moved[t] = self.moved.get(t, 0.0) + ahead
        return x

    def _touching(self, t: float, x: Floats, guard: int) -> NDArray[np.bool_]:
        """The groups that touch; those without a gap do always."""
        memory = self.memory
        memory.record.is_at_rest = 0
        memory.fill(t, x)
        reach = max(TOUCHING, _FAR_TOUCHING * self._size)
        speed, near = -self._normal_velocity, np.full(memory.count, reach)
        is_closing = speed > RESTING * self._speed_scale  # what is farther away touches later, at another speed
        near[is_closing] = reach * np.minimum(speed, 1.0)[is_closing] + memory.record.near
        touching = ~memory.has_normal | (memory.gaps <= near)
        touching |= memory.modes != OPEN
        k, which = divmod(guard, GUARDS)
        if 0 <= guard < GUARDS * memory.count and which == 0 and memory.modes[k] == OPEN:
            touching[k] = True
        touching &= memory.inside | (np.arange(memory.count) == k) & ~memory.behind & (memory.gaps >= -reach)
        if 0 <= guard < GUARDS * memory.count and which == GUARDS - 1:
            touching[k] = False  # it is at the edge of its surface
        touching[memory.copies(touching)] = False
        return np.asarray(touching)

    @property
    def _height(self) -> float:
        """The height, in m or rad, of the lowest bounce."""
        return max(_HEIGHT, _FAR_HEIGHT * self._size)

    @property
    def _rounded(self) -> float:
        """A gap, in m or rad, that is made zero."""
        return max(_ROUNDED, _FAR_ROUNDED * self._size)

    @property
    def _speed_scale(self) -> float:
        memory = self.memory
        inside = (memory.inside | (memory.modes != OPEN))[memory.group_of]
        return max(1.0, float(np.abs(memory.velocities[inside]).max(initial=0.0)))

    @property
    def _normal_velocity(self) -> Floats:
        """The normal velocity of each group, 0 for one without a normal."""
        memory = self.memory
        return np.asarray(np.where(memory.has_normal, memory.velocities[memory.first], 0.0))

    def _approaching(self, touching: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(touching & (self._normal_velocity < -RESTING * self._speed_scale))

    @property
    def _slips(self) -> Floats:
        """The velocities of the tangents of each group, two numbers."""
        return self._tangential(self.memory.velocities)

    def _tangential(self, rows: Floats) -> Floats:
        """Of numbers of all rows those of the tangents of each group, two numbers."""
        memory, across = self.memory, np.arange(2)
        places = np.minimum((memory.first + memory.has_normal)[:, None] + across, memory.size - 1)
        return np.where(across < memory.tangents[:, None], rows[places], 0.0)

    # ---- impacts -----------------------------------------------------------------------------------------------

    def _impact(self, t: float, x: Floats, touching: NDArray[np.bool_]) -> tuple[Floats, Floats, float | None]:
        """The state after an impact, its impulses by rows, and the time at which a row of them is over."""
        memory = self.memory
        taking = [k for k in range(memory.count) if touching[k] and memory.has_normal[k]]
        rows = np.concatenate([np.arange(memory.size)[memory.rows_of[k]] for k in taking])
        G, v = memory.all.matrix[np.ix_(rows, rows)].copy(), memory.velocities[rows].copy()
        responses = memory.responses[rows].copy()
        e, mu = memory.laws[taking, 3].copy(), memory.laws[taking, 0].copy()
        normals = np.cumsum([0, *(sum(memory.groups[k]) for k in taking)])[:-1]
        ends = self._end_of_row(t, taking)
        if ends is not None:
            e[np.abs(v[normals]) <= _SUMMED] = 0.0
        impulses = self._impulses(taking, G, v, e, mu)
        after = v + G @ impulses
        fall = np.maximum(-memory.all.free[rows][normals], 1e-300)
        low = (v[normals] < 0.0) & (e > 0.0) & (after[normals] ** 2 <= 2.0 * self._height * fall)
        if low.any():
            bounces = 2.0 * after[normals][low] / (fall[low] * np.maximum(1.0 - e[low], 1e-3))
            ends = t + float(bounces.max()) if ends is None else ends
            e[low] = 0.0
            impulses = self._impulses(taking, G, v, e, mu)
            after = v + G @ impulses
        pressed = np.flatnonzero((v[normals] <= 0.0) & (after[normals] < -_CLOSING * self._speed_scale))
        if len(pressed):
            message, cure = "what moves as prescribed closes gaps, and no impulse stops it.", "Leave it room to move."
            raise NoMode("no_impact", message, [taking[k] for k in pressed], cure)
        energy = 0.5 * float(impulses @ (after + v))
        size = 0.5 * float(np.abs(impulses) @ np.abs(v))
        if energy > _GAIN * max(size, 1e-300):
            self.gains.append((t, energy))
        new = x.copy()
        speeds = slice(memory.first_speed, memory.first_speed + memory.speeds)
        new[speeds] += impulses @ responses
        whole = np.zeros(memory.size)
        whole[rows] = impulses
        struck = normals[impulses[normals] > 1e-9 * np.abs(impulses).max()]
        coupled = np.abs(G[np.ix_(struck, struck)]) > 1e-9 * np.abs(np.diag(G)).max(initial=0.0)
        if len(struck) > 1 and np.triu(coupled, 1).any() and ends is None:
            self.at_once.append(t)
        for k in taking:
            if whole[memory.first[k]] > 0.0:
                self._impacts[k] = [*self._impacts[k][-3:], t]
        self._struck = t
        return new, whole, ends

    def _end_of_row(self, t: float, taking: Sequence[int]) -> float | None:
        """When the impacts of groups that approach are over: soon, or at a time that is past; or rounding hides them.

        The time is predicted while bounces are long enough to be measured. Where each takes little energy, as where a
        robot rocks on its feet, rounding gives as much before bounces are short.
        """
        memory, soon = self.memory, max(ACCUMULATED, _LATE * abs(t))
        measured = max(_MEASURED, _LATE * abs(t))
        found, self._flown = None, 0.0
        for k in taking:
            times = [*self._impacts[k], t]
            if self._normal_velocity[k] >= 0.0 or len(times) < 3:
                continue
            last, before = times[-1] - times[-2], times[-2] - times[-3]
            ratio = last / before if before > 0.0 else 1.0
            limit = t + last * ratio / (1.0 - ratio) if ratio < 1.0 else np.inf
            if last > measured and np.isfinite(limit):
                self._limits[k] = limit
            fall, time = max(-float(memory.all.free[memory.first[k]]), 0.0), t - self._struck
            is_hidden = max(0.5 * fall * time, -self._normal_velocity[k]) * time <= 4.0 * self._height
            is_past = last <= measured and self._limits.get(k, np.inf) < t
            if (len(times) > 3 and limit - t <= soon) or is_hidden or is_past:
                self._flown = last if is_past else 0.0
                known = self._limits.get(k, limit)
                found = max(found or t, known if t <= known <= t + 10.0 * measured else t)
        return found

    def _impulses(self, taking: Sequence[int], G: Floats, v: Floats, e: Floats, mu: Floats) -> Floats:
        groups = [self.memory.groups[k] for k in taking]
        normals = np.cumsum([0, *map(sum, groups)])[:-1]
        if self.law == "poisson":
            compression = self._solve(groups, G, v, mu)
            given = np.zeros(len(G))
            given[normals] = e * compression[normals]
            return compression + given + self._expansion(groups, G, v + G @ (compression + given), mu, given[normals])
        factors = np.repeat(1.0 + e, [sum(group) for group in groups])
        if self.law == "newton":
            factors = np.ones(len(G))
            factors[normals] = 1.0 + e
        return self._solve(groups, G, factors * v, mu)

    def _expansion(
        self, groups: Sequence[tuple[int, int]], G: Floats, free: Floats, mu: Floats, given: Floats
    ) -> Floats:
        """Impulses after compression beside normal ones that are given, of which friction may use all."""
        parted = [part for normal, tangents in groups for part in ((normal, 0), (0, tangents)) if sum(part)]
        bounds, made = mu * given, np.zeros(len(G))
        normals = np.cumsum([0, *map(sum, groups)])[:-1]
        for _ in range(_MOST_ROUNDS):
            limits = [
                limit for k, (_, tangents) in enumerate(groups) for limit in ([0.0, bounds[k]] if tangents else [0.0])
            ]
            new = self._solve(parted, G, free, np.array(limits))
            bounds = mu * (given + new[normals])
            if np.abs(new - made).max() <= 1e-13 * max(1e-300, np.abs(new).max()):
                break
            made = new
        return new

    def _problem(self, groups: tuple[tuple[int, int], ...]) -> ConeMemory:
        if groups not in self._problems:
            self._problems[groups] = ConeMemory(groups)
        return self._problems[groups]

    def _solve(self, groups: Sequence[tuple[int, int]], G: Floats, free: Floats, mu: Floats) -> Floats:
        """Impulses by the cone law."""
        made = self._problem(tuple(groups))
        made.free[:], made.friction[:] = free, mu
        for part in _SHIFTS:  # rows that are nearly the same may need a little on the diagonal
            made.matrix[:], made.force[:] = G + part * np.trace(G) / len(G) * np.eye(len(G)), 0.0
            if made.solve():
                return made.force.copy()
        raise NoMode("no_impact", "the law of impact has no solution that is found.", [])

    # ---- modes -------------------------------------------------------------------------------------------------

    def _step_limit(self, t: float, x: Floats, touching: NDArray[np.bool_]) -> float:
        """Twice the time after which a group that has left touches again, or friction has stopped a slip.

        Accelerations are those of the modes at this time.
        """
        memory = self.memory
        leaving = touching & (memory.modes == OPEN) & memory.has_normal
        slipping = memory.modes == SLIPPING
        if not (leaving.any() or slipping.any()):
            return np.inf
        memory.forces(t, x)
        memory.fill(t, x)
        accelerations = memory.all.free + memory.all.matrix @ memory.all.force
        speed, acceleration = memory.velocities[memory.first], accelerations[memory.first]
        returning = leaving & (speed > RESTING) & (acceleration < 0.0)
        v, a, gap = speed[returning], -acceleration[returning], np.maximum(memory.gaps[returning], 0.0)
        flights = 2.0 * (v + np.sqrt(v * v + 2.0 * a * gap)) / a
        slips = self._slips
        squares, falls = (slips * slips).sum(axis=1), -(slips * self._tangential(accelerations)).sum(axis=1)
        stopping = slipping & (falls > 0.0) & (squares > RESTING**2)
        stops = 2.0 * squares[stopping] / falls[stopping]
        return float(min(flights.min(initial=np.inf), stops.min(initial=np.inf)))

    def _set_modes(
        self, t: float, x: Floats, resting: NDArray[np.bool_], still: Floats,
        breaking: tuple[list[int], list[int]],
    ) -> Floats:  # fmt: skip
        """Modes of the groups that touch and rest along their normals; the state brought to them."""
        memory = self.memory
        laws = memory.laws.copy()
        for _ in range(memory.count + 1):
            moving = self._classify(t, resting, still)
            at_rest = memory.projected(t, x)  # what is at rest is so exactly, and others with it
            if np.abs(at_rest - x).max() > _BROUGHT * max(1.0, float(np.abs(x[memory.first_speed :]).max(initial=0.0))):
                break  # at a dead centre a row at rest stops nothing
            x = at_rest
            memory.fill(t, x)
            slips, gone = np.linalg.norm(self._slips, axis=1), _GONE * self._speed_scale
            stopped = [k for k in moving if slips[k] <= gone]
            if not stopped:
                break
            still[stopped] = np.inf
        friction = laws[:, 1].copy()
        friction[breaking[0]] *= 1.0 - _LESS
        memory.record.is_shared = 0
        memory.shared[:] = 0
        held = self._held(t, x, breaking)
        resting = resting & ~np.isin(np.arange(memory.count), held)
        chosen = self._solution(t, resting, moving, friction, breaking)
        for _ in range(_MOST_BREAKS):
            broken = [
                k for k, mode in chosen.items()
                if mode == SLIPPING and laws[k, 2] == 0.0 and friction[k] > laws[k, 0]
            ]  # fmt: skip
            if not broken:
                break
            friction[broken] = laws[broken, 0]
            chosen = self._solution(t, resting, moving, friction, breaking)
        self._open(chosen, breaking[1])
        self._store(chosen, resting, moving)
        memory.modes[held] = [SLIPPING if k in moving else STICKING for k in held]
        closed = (memory.modes != OPEN)[memory.group_of]
        loads = np.abs(memory.all.free[closed]) / np.maximum(np.diag(memory.all.matrix)[closed], 1e-300)
        memory.record.force_slack = _SLACK * max(1e-3, float(loads.max(initial=0.0)))
        x = memory.projected(t, x)
        self._share(t, x, moving, held, breaking)
        memory.fill(t, x)
        slack = memory.record.near = _ROUNDING * max(1.0, float(np.abs(x[: memory.first_speed]).max(initial=0.0)))
        is_leaving = self._normal_velocity > _LEAVING
        depths = np.where(memory.inside, np.minimum(memory.gaps, 0.0), 0.0)
        along = np.clip(
            (self._slips * memory.directions).sum(axis=1), -4.0 * self.slow, 0.0
        )  # of what dependent rows leave
        is_slipping = memory.modes[: memory.count] == SLIPPING
        memory.arrays["offsets"][:] = np.where(is_slipping, along, depths - np.where(is_leaving, 0.0, slack))
        is_open = memory.modes[: memory.count] == OPEN
        rests = np.where(~is_leaving & (memory.gaps <= self._rounded), AT_REST, 0)
        memory.held[is_open] = np.where(memory.behind, BEHIND, rests)[is_open]
        return self._rest(t, x)

    def _classify(self, t: float, resting: NDArray[np.bool_], still: Floats) -> list[int]:
        """Modes of groups by their velocities alone: open, slipping, or at rest; those that slip."""
        memory, slips = self.memory, self._slips
        slip = np.linalg.norm(slips, axis=1)
        was_slow = (memory.modes[: memory.count] == SLIPPING) & (memory.held[: memory.count] == 1) & (still < 0.0)
        moving = resting & (memory.tangents > 0) & (slip > still)
        memory.modes[: memory.count] = np.where(moving, SLIPPING, np.where(resting, STICKING, OPEN))
        memory.held[: memory.count][moving] = ((memory.tangents == 1) | (slip < 1.5 * self.slow))[moving]
        is_new = moving & ~(was_slow & (memory.held[: memory.count] == 1))
        memory.directions[is_new] = slips[is_new] / slip[is_new, None]
        memory.arrays["since"][is_new] = t
        return np.flatnonzero(moving).tolist()

    def _held(self, t: float, x: Floats, breaking: tuple[list[int], list[int]]) -> list[int]:
        """Groups whose forces are not unique and that forces in their cones hold, with those that slip on them."""
        memory = self.memory
        sticking = [k for k in range(memory.count) if memory.modes[k] == STICKING]
        if len(sticking) < 2:
            return []
        memory.forces(t, x)  # and the friction of what slips
        memory.fill(t, x)
        held = []
        for groups, margin in memory.holding_margins():
            if margin > (_HELD if {*groups} & {*breaking[0], *breaking[1]} else -_HELD):
                held += groups
                if {*groups} <= {*sticking} and self._is_preloaded(groups):
                    self.preloaded |= {*groups}
        return held

    def _is_preloaded(self, held: Sequence[int]) -> bool:
        """Whether sticking groups are held by forces alone that no load causes, at the state of the last evaluation."""
        memory, groups = self.memory, tuple(self.memory.groups[k] for k in held)
        rows = np.concatenate([np.arange(memory.size)[memory.rows_of[k]] for k in held])
        G, free = memory.all.matrix[np.ix_(rows, rows)], memory.all.free[rows]
        return is_preloaded(self._problem(groups), G, free, memory.laws[held, 1])

    def _open(self, chosen: dict[int, int], opening: Sequence[int]) -> None:
        """Open groups whose normal force has fallen to zero, if the solution leaves it there."""
        reduced, record = self.memory.reduced, self.memory.reduced.record
        largest = float(np.abs(reduced.force[: record.size]).max(initial=0.0))
        for place, k in enumerate(chosen):
            first = int(reduced.arrays["first"][place])
            if k in opening and self.memory.groups[k][0] and reduced.force[first] <= 1e-8 * max(largest, 1e-300):
                chosen[k] = OPEN

    def _reduce(self, resting: NDArray[np.bool_], moving: Sequence[int], friction: Floats) -> list[int]:
        """The reduced problem of groups that touch; the groups in it, in order."""
        memory = self.memory
        groups, coefficients, numbers = [], [], []
        sources: list[int] = []
        for k, (normal, tangents) in enumerate(memory.groups):
            if not resting[k] or (k in moving and not normal):
                continue
            count = 0 if k in moving else tangents
            groups.append((normal, count))
            sources += range(memory.first[k], memory.first[k] + normal + count)
            coefficients.append(friction[k])
            numbers.append(k)
        memory.reduce(groups, sources, coefficients)
        return numbers

    def _solution(
        self, t: float, resting: NDArray[np.bool_], moving: Sequence[int], friction: Floats,
        breaking: tuple[list[int], list[int]],
    ) -> dict[int, int]:  # fmt: skip
        """The mode of each group that touches, by the solution for accelerations; directions of slip are stored.

        Forces may be at the edge of their cones without need where they are not unique: what is not accelerated sticks.
        """
        memory = self.memory
        numbers = self._reduce(resting, moving, friction)
        if not numbers:
            return {}
        reduced, size = memory.reduced, len(memory.reduced.force)
        reduced.force[:size] = 0.0
        is_solved = memory.solve_closed() or self._solve_dependent()
        if moving:
            self._check_unique(numbers, moving, is_solved)
        if not is_solved:
            names = [k for k in numbers if k in moving] or numbers
            raise NoMode("no_contact_forces", "no contact forces fit the accelerations.", names)
        modes = {}
        unmoved = _UNMOVED * float(np.abs(reduced.free[: reduced.record.size]).max(initial=0.0))
        for place, k in enumerate(numbers):
            modes[k] = int(reduced.modes[place])
            first = int(reduced.arrays["first"][place]) + memory.groups[k][0]
            least = 0.01 * unmoved if k in breaking[1] else unmoved
            is_opening = k in breaking[1] and k not in breaking[0]  # its own normal force is used up
            if modes[k] == OPEN and abs(reduced.velocity[first - 1]) <= least and not is_opening:
                modes[k] = STICKING
            rows = slice(first, first + (0 if k in moving else int(memory.tangents[k])))
            is_slipping = modes[k] == SLIPPING or modes[k] == STICKING
            least = 0.01 * unmoved if k in breaking[0] else unmoved
            if is_slipping and np.linalg.norm(reduced.velocity[rows]) <= least:
                modes[k] = STICKING
            if k in moving:
                modes[k] = SLIPPING if modes[k] != OPEN else OPEN
            elif modes[k] == SLIPPING:
                is_pushed = friction[k] > 0.0 and reduced.force[rows].any()  # not where the row moves nothing
                along = -reduced.force[rows] if is_pushed else reduced.velocity[rows]
                memory.directions[k, : memory.tangents[k]] = along / max(float(np.linalg.norm(along)), 1e-300)
                memory.held[k], memory.arrays["since"][k] = 1, t - _BEFORE
        return modes

    def _solve_dependent(self) -> bool:
        """Solve where rows depend on each other and their accelerations differ by rounding: they are made to agree.

        A little on the diagonal of G then tells their forces apart; modes alone are taken from them.
        """
        reduced = self.memory.reduced
        size = reduced.record.size
        free, matrix = reduced.free[:size], reduced.matrix[:size, :size]
        solved, _, rank, _ = np.linalg.lstsq(matrix, free, rcond=_DEPENDENT)
        agreed, given = matrix @ solved, matrix.copy()
        if rank == size or np.abs(agreed - free).max() > _DRIFTED * np.abs(free).max():
            return False
        free[:] = agreed
        for part in _SHIFTS[2:]:
            matrix[:], reduced.force[:size] = given + part * np.trace(given) / size * np.eye(size), 0.0
            if reduced.solve():
                return True
        return False

    def _check_unique(self, numbers: Sequence[int], moving: Sequence[int], is_solved: bool) -> None:
        """Count the modes of slipping groups, open or closed, that fit: with friction there may be none, or several.

        A unit of normal force and the friction that goes with it may accelerate a contact into the surface (P.
        Painlevé, 1895). The others are eliminated with the modes that they have.
        """
        reduced, memory = self.memory.reduced, self.memory
        first = {k: int(reduced.arrays["first"][place]) for place, k in enumerate(numbers)}
        own = [k for k in moving if k in first and memory.tangents[k]]
        size = reduced.record.size
        G, b = reduced.matrix[:size, :size], reduced.free[:size]
        rows = [first[k] for k in own]
        held = [
            i for place, k in enumerate(numbers) if k not in own and reduced.modes[place] == STICKING
            for i in range(first[k], first[k] + sum(memory.groups[k]))
        ] if is_solved else []  # fmt: skip
        A, a = G[np.ix_(rows, rows)], b[rows]
        if not own:
            return
        if held:
            back = G[np.ix_(rows, held)] @ np.linalg.pinv(G[np.ix_(held, held)], rcond=1e-10)
            A, a = A - back @ G[np.ix_(held, rows)], a - back @ b[held]
        size = np.abs(np.diag(A)).max(initial=0.0)
        minors = ((len(c), np.linalg.det(A[np.ix_(c, c)])) for c in _subsets(len(own)) if c)
        if len(own) > _MOST_COUNTED or all(minor > -1e-9 * size**order for order, minor in minors):
            return
        found = []
        for closed in _subsets(len(own)):
            force = np.zeros(len(own))
            if closed:
                force[closed] = np.linalg.lstsq(A[np.ix_(closed, closed)], -a[closed], rcond=None)[0]
            if (force >= 0.0).all() and (A @ force + a >= -1e-12 * max(1e-300, np.abs(a).max())).all():
                found.append([own[i] for i in closed])
        if len(found) > 1:
            self.ambiguous.append((own, found))
        elif not found:
            message = (
                "no contact forces fit the accelerations: friction presses what slips into the surface (Painlevé)."
            )
            raise NoMode("painleve", message, own)

    def _store(self, chosen: dict[int, int], resting: NDArray[np.bool_], moving: Sequence[int]) -> None:
        for k in range(self.memory.count):
            is_sliding = k in moving and not self.memory.has_normal[k]
            self.memory.modes[k] = SLIPPING if is_sliding else chosen.get(k, OPEN) if resting[k] else OPEN

    def _share(
        self, t: float, x: Floats, moving: Sequence[int], held: Sequence[int], breaking: tuple[list[int], list[int]]
    ) -> None:
        """Where the least forces that hold what sticks are outside of their cones, others inside of them do."""
        memory, (slips, opens) = self.memory, breaking
        force, _ = memory.forces(t, x)
        used_up = {k for k in opens if memory.modes[k] != OPEN and memory.groups[k][0]}  # and closed all the same
        used_up |= {k for k in slips if memory.modes[k] == STICKING}
        if used_up:  # others take over
            used_up &= {k for groups, _ in memory.holding_margins() for k in groups}
        largest = float(np.abs(force).max(initial=0.0))
        outside, sticking = [], [k for k in range(memory.count) if memory.modes[k] == STICKING]
        for k in range(memory.count):
            if memory.modes[k] == OPEN:
                continue
            rows, normal = memory.rows_of[k], memory.groups[k][0]
            bound = memory.laws[k, 1] * (force[rows.start] if normal else 1.0)
            tangent = float(np.linalg.norm(force[rows.start + normal : rows.stop]))
            is_outside = bool(normal) and force[rows.start] < -_OUTSIDE * largest
            is_outside |= memory.modes[k] == STICKING and tangent > bound + _OUTSIDE * largest
            if is_outside or k in used_up:
                outside.append(k)
        if not outside:
            return
        closed = [k for k in range(memory.count) if memory.modes[k] != OPEN and k not in moving]
        memory.shared[[*(sticking or closed), *held]] = 1
        memory.record.is_shared = 1

    def _rest(self, t: float, x: Floats) -> Floats:
        """Where rows without velocity leave no speed, and it is zero, all speeds are set to zero and stay so."""
        memory = self.memory
        stuck = memory.modes[memory.group_of] == STICKING
        rows = np.flatnonzero(stuck[: memory.size])
        speeds = slice(memory.first_speed, memory.first_speed + memory.speeds)
        if not len(rows) or np.abs(x[speeds]).max(initial=0.0) > 1e-6 or (memory.modes == SLIPPING).any():
            return x
        scaled = memory.responses[rows]
        scaled = scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-300)  # some may be zero
        if np.linalg.matrix_rank(scaled, tol=1e-9) < self.freedom:
            return x
        still = x.copy()
        still[speeds] = 0.0
        memory.fill(t, still)
        if np.abs(memory.velocities[rows]).max() > RESTING:
            return x
        memory.record.is_at_rest = 1
        return still
