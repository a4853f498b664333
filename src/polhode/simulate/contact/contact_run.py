"""Contacts, stops and dry friction in a run: which touch at its start, what follows at an event, and notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...errors import listed
from ...native.arrays import scale_quaternions
from ...ode.event_location import KEPT
from ...ode.native_events import Effect
from ...ode.unilateral.cone_problem import SLIPPING
from ...ode.unilateral.memory import TOUCHING, UnilateralMemory, code
from ...ode.unilateral.transitions import Change, NoMode, Transitions
from ..guard import Stop
from ..initial_state import Floats
from .mode_forces import RANK, are_decisive, held_rows, slip_friction
from .results import ContactHistory

if TYPE_CHECKING:
    from ...dynamics.synopsis import Synopsis
    from ...ode.native_events import EventMemory
    from ...ode.native_run import NativeRun
    from ..rates import Rates


Result = TypeVar("Result")

#: Slips are slow where errors of their speeds are above this part; the least and the largest limit, in m/s or rad/s.
_DIRECTION, _SLOW = 1e-5, (1e-5, 1e-3)
#: Changes that a stepper keeps.
_REMEMBERED = 1000
#: Depths are alike within this part, or rounding.
_ALIKE = 1e-6
#: So many coordinates of a start are listed.
_LISTED = 24
#: In so many modes forces are examined; those that differ by more than this part of a unit are not unique.
_EXAMINED, _PART = 10, 1e-6
#: So many poses of a model are named.
_POSES = 3


def group_names(synopsis: Synopsis) -> list[str]:
    """The names of the groups of contacts, stops and dry friction."""
    return [f"{name} {part}" if part else name for name, part, *_ in synopsis.contacts]


class ContactRun:
    """The modes of the contacts of a run, whose speeds have errors of `atol`."""

    def __init__(self, rates: Rates, law: str = "moreau", atol: float = 0.0) -> None:
        self.rates, known = rates, rates.functions.derivation.synopsis
        self.names = group_names(known)
        groups = [(gap, tangents) for _, _, gap, tangents in known.contacts]
        size = len(known.coordinates) + len(known.speeds) + len(known.states)
        first = len(known.coordinates)
        self.memory = UnilateralMemory(groups, first, len(known.speeds), size, known.contact_layout)
        self.examined: set[bytes] = set()  # modes in which it is known whether forces are unique
        self._examined_last: Change | None = None
        self.shared: set[int] = set()  # groups whose forces were not unique
        self.decisive: set[int] = set()  # and on which the motion depends
        self.transitions = Transitions(self.memory, law, self._freedom(), float(np.clip(atol / _DIRECTION, *_SLOW)))

    def _freedom(self) -> float:
        """How many speeds are independent; infinite where something moves while all are zero."""
        known, chosen = self.rates.functions.derivation.synopsis, getattr(self.rates, "chosen", ())
        return len(known.speeds) - len(chosen) if known.is_scleronomic else np.inf

    def connect(self, run: NativeRun, outputs: Mapping[str, Floats]) -> None:
        """Let a run step in the modes."""
        self.memory.connect(run, outputs)

    @property
    def effects(self) -> list[Effect]:
        """The guards as events, as native code sees them; the last is a question of whether forces exist."""
        smooth = Effect(direction=-1.0, by_python=True)
        return [smooth] * self.memory.guard_count

    def guard(self, events: EventMemory) -> None:
        """Have events include the guards."""
        record = events.record
        record.guard_count, record.guard_at = self.memory.guard_count, code().address("guards")
        self._kept = np.empty(KEPT), np.empty(KEPT * record.count)
        record.kept_times, record.kept_values = (each.ctypes.data for each in self._kept)

    def begin(self, t: float, x: Floats) -> Floats:
        """The first state, with modes; one at which parts overlap is refused."""
        memory = self.memory
        memory.fill(t, x)
        depths = self._depths()
        if depths.max(initial=0.0) > TOUCHING:
            k = self._deepest(depths)
            raise Stop(
                "overlap",
                f"at t = {t:.6g} s '{self.names[k]}' overlaps by {depths[k]:.6g}.",
                self._nearest_start(t, x),
            )
        return self.decide(t, x)

    def _depths(self) -> Floats:
        """How deep each group is, at the state of the last evaluation; negative where it is apart."""
        memory = self.memory
        return np.asarray(np.where(memory.has_normal, np.minimum(-memory.gaps, memory.margins), -1.0))

    def _deepest(self, depths: Floats) -> int:
        """The deepest group; of several that are as deep, that with the largest gap."""
        return int(np.argmax(np.where(depths >= (1.0 - _ALIKE) * depths.max(), self.memory.gaps, -np.inf)))

    def _nearest_start(self, t: float, x: Floats) -> str:
        """The nearest state at which what overlaps touches, in words: one after the other, the deepest first."""
        memory, known = self.memory, self.rates.functions.derivation.synopsis
        closed, found = np.zeros(memory.count, dtype=np.bool_), x
        depths = self._depths()
        while depths.max() > 0.1 * TOUCHING and not closed[k := self._deepest(depths)]:
            closed[k] = True
            found = memory.closed(t, x, closed)
            scale_quaternions(found, self.rates.groups)
            memory.fill(t, found)
            depths = self._depths()
        moved = [
            f"{name!r}: {after if abs(after) > 1e-12 else 0.0:.12g}"
            for name, before, after in zip(known.coordinates, x, found, strict=False)
            if abs(after - before) > 1e-12
        ]
        poses = [f"start={name!r}" for name in self.rates.functions.derivation.model.poses][:_POSES]
        more = f" Poses of the model are {listed(poses)}." if poses else ""
        if np.isfinite(found).all() and depths.max() < TOUCHING and len(moved) <= _LISTED:
            there = f"{{{', '.join(moved)}}}"
            is_later = bool(self.transitions.changes)
            change = f"Change it to where it touches: {there}."
            return change if is_later else f"Start where it touches: start={there}.{more}"
        return f"Start, or go on after an event, with a gap that is not negative.{more}"

    def decide_anew(self, t: float, x: Floats) -> Floats:
        """The state where a mode does not hold; as at a start if an event has changed the state."""
        memory = self.memory
        if memory.record.is_undecided < 2:
            return self.decide(t, x)
        memory.modes[:] = 0
        memory.record.is_at_rest = 0
        return self.begin(t, x)

    def decide(self, t: float, x: Floats, guard: int = -1) -> Floats:
        """The state behind a guard's zero, with new modes."""
        return self._checked(t, lambda: self.transitions.decide(t, x, guard))

    def end(self, t: float, x: Floats) -> None:
        """Check the last state of a run."""
        self._checked(t, lambda: self.transitions.check_forces(t, x))

    def _checked(self, t: float, call: Callable[[], Result]) -> Result:
        """What a call returns; where there are no modes, the run stops."""
        try:
            return call()
        except NoMode as problem:
            names = f" ({listed([repr(self.names[k]) for k in problem.groups])})" if problem.groups else ""
            said = problem.message if problem.message.startswith("at t") else f"at t = {t:.6g} s {problem.message}"
            cure = "Look at the friction and the geometry there: rigid bodies with dry friction may have no solution."
            surfaces = self.rates.functions.derivation.model.surfaces.values()
            if any(each.kind in ("curve", "heights") for each in surfaces):
                cure += (
                    " A ball touches heights at one point: where they bend more sharply than it, that does not hold."
                )
            raise Stop(problem.status, f"{said.rstrip('.')}{names}.", problem.cure or cure) from None
        except np.linalg.LinAlgError as problem:
            said = f"at t = {t:.6g} s the forces of contacts are not found: {problem}."
            raise Stop("no_contact_forces", said, "Look at masses of zero and lengths of zero there.") from problem

    def locked(self, t: float, x: Floats) -> Stop | None:
        """Why no step was short enough, where friction makes normal forces grow without bound."""
        force, _ = self.memory.forces(t, x)
        self.memory.fill(t, x)
        loads = np.abs(self.memory.all.free) / np.maximum(np.diag(self.memory.all.matrix), 1e-300)
        loads = loads[(self.memory.modes != 0)[self.memory.group_of]]
        large = [
            k
            for k, rows in enumerate(self.memory.rows_of)
            if not np.abs(force[rows]).max() < 1e4 * loads.max(initial=0.0)
        ]
        if not large:
            return None
        names = listed([f"'{self.names[k]}'" for k in large])
        said = f"at t = {t:.6g} s the forces of {names} grow without bound: friction locks what slips (Painlevé)."
        return Stop("painleve", said, "Lower the friction, or make the contact compliant: stiffness=….")

    def forget(self) -> None:
        """Drop what happened long ago."""
        del self.transitions.changes[:-_REMEMBERED]

    def _find_shared_forces(self) -> None:
        """Find groups whose forces are not unique, in the modes since the last call; at most ten modes of a run."""
        memory, changes = self.memory, self.transitions.changes
        groups = self.rates.functions.derivation.synopsis.contacts
        new = list(takewhile(lambda change: change is not self._examined_last, reversed(changes)))
        self._examined_last = changes[-1] if changes else None
        for change in reversed(new):
            key = change.modes.tobytes()
            if key in self.examined or len(self.examined) == _EXAMINED:
                continue
            self.examined.add(key)
            active = held_rows(groups, change.modes)
            if len(active) < 2:
                continue
            memory.fill(change.t, change.after)
            G = memory.all.matrix[: memory.size, : memory.size]
            if not np.isfinite(G).all():
                continue
            _, singular, vt = np.linalg.svd(G[np.ix_(active, active)])
            free = vt[singular <= RANK * singular.max(initial=0.0)]
            shared = set(memory.group_of[np.array(active)[np.abs(free).max(axis=0, initial=0.0) > _PART]].tolist())
            across, *_ = slip_friction(groups, change, memory.velocities, memory.laws)
            is_decisive = (change.modes == SLIPPING).any() and are_decisive(groups, change.modes, G, across)
            (self.decisive if is_decisive else self.shared).update(shared)

    @property
    def history(self) -> ContactHistory:
        """Modes and impacts so far."""
        return ContactHistory(self.rates.functions.derivation.synopsis.contacts, tuple(self.transitions.changes))

    @property
    def notices(self) -> list[str]:
        """What a reader of the run should know."""
        made, found = [], self.transitions
        if found.gains:
            t, most = max(found.gains, key=lambda each: each[1])
            count = f"{len(found.gains)} impact{'s' * (len(found.gains) > 1)}"
            made.append(
                f"{count} gained energy, at most {most:.3g} J at t = {t:.6g} s: the law of impact "
                "does so with friction, or where coefficients of restitution differ."
            )
        if found.at_once:
            when = f"at t = {found.at_once[0]:.6g} s{' and later' * (len(found.at_once) > 1)}"
            made.append(
                f"{when} several contacts that act on each other met at one time: their impacts are solved together, "
                "and one after the other they may end otherwise."
            )
        if found.moved and max(found.moved.values()) > 1e-9:
            t, most = max(found.moved.items(), key=lambda each: each[1])
            made.append(
                f"at t = {t:.6g} s modes of contacts changed again and again: from there on the motion is "
                f"{most:.3g} s ahead of its time."
            )
        if found.ambiguous:
            groups, closed = found.ambiguous[0]
            names = listed([f"'{self.names[k]}'" for k in groups])
            modes = " or ".join(listed([f"'{self.names[k]}'" for k in each]) or "none" for each in closed)
            made.append(f"several motions fit the friction of {names} (Painlevé): those closed may be {modes}.")
        self._find_shared_forces()
        if self.shared:
            names = listed([f"'{self.names[k]}'" for k in sorted(self.shared)])
            made.append(f"the forces of {names} are not unique: the least within their friction cones are reported.")
        if self.decisive:
            names = listed([f"'{self.names[k]}'" for k in sorted(self.decisive)])
            made.append(
                f"the normal forces of {names} are not unique, and what slips moves otherwise by others: those of "
                "contacts that give way alike under a force are taken."
            )
        if found.preloaded:
            names = listed([f"'{self.names[k]}'" for k in sorted(found.preloaded)])
            made.append(f"{names} are held by preload alone, normal forces that no load causes: they may also move.")
        return made
