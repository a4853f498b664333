"""Derivatives of runs with contacts, stops and dry friction: variations in each mode, and their jumps in between.

The run is made first, as any other. Then the state x and its variations S are integrated from event to event. In a mode
ẋ = f(x, λ), where rows without motion determine λ, and the tangent forces of what slips follow its velocity; S obeys

    Ṡ = ∂f/∂x S + ∂f/∂p + ∂f/∂λ λ′,    A λ′ + … = 0 by the same rows

At an event that is the zero of h (a gap, a normal force, a slip, what is left of static friction) the state becomes
R(x), by the impulses of an impact or as it is, and S becomes

    S⁺ = R_x S + R_p + (R_x f⁻ + R_t - f⁺) t′,    t′ = -(h_x S + h_p) / ḣ

(P. C. Müller, 1995; the factor of S is the saltation matrix). With an integrand, its integral is one more entry of x.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...compiled.variations import ContactVariations
from ...errors import PolhodeError, listed
from ...expr import Expr
from ...expr.spelling import spelled
from ...ode.native_run import Driver, NativeRun
from ...ode.record import Reason
from ...ode.unilateral.memory import TOUCHING
from ...ode.unilateral.record import GUARDS, LAWS
from ...ode.unilateral.transitions import Change
from ..contact.contact_run import group_names
from ..contact.mode_forces import (
    all_rows,
    are_decisive,
    forces_in_modes,
    held_rows,
    normal_rows,
    rows_of,
    slip_friction,
)
from ..initial_state import Floats
from ..settings import too_many, underflow
from ..trajectory.trajectory import Trajectory
from .smooth_run import FollowedRates, Occurrence, SmoothRun, start_variations

#: A guard is zero below this, relative to speeds or forces; it passes through zero too slowly below the other, in 1/s.
_ZERO, _GRAZING = 1e-7, 1e-8
#: Variations of times, and jumps in another order, are the same within this part of the largest.
_ALIKE = 1e-6
#: Rates on both sides of an event are the same within this part of the largest; forces below it are none.
_SAME = 1e-10
#: Times, in s or relative to the time, that are one by rounding; the least first step, relative to a piece.
_AT_ONCE, _FIRST = 1e-14, 1e-6
#: For so long, in s, a slip may be so slow that its direction is not that of the velocity.
_SLOW = 1e-2
OPEN, STICKING, SLIPPING = range(3)


class Variation(NamedTuple):
    """Along columns of S, and along the motion in the last row: rates, forces, and what guards are functions of."""

    rates: Floats
    forces: Floats
    velocities: Floats
    gaps: Floats
    margins: Floats
    laws: Floats

    def moved(self, time: Floats) -> Variation:
        """The same at a time that varies, without the last row."""
        return Variation(*(each[:-1] + np.tensordot(time, each[-1], axes=0) for each in self))


@dataclass(frozen=True, eq=False)
class Moment:
    """A state in given modes: its rates, with those of the integral, forces in rows, and what these follow from."""

    t: float
    x: Floats
    mode: Change
    rates: Floats
    force: Floats
    G: Floats
    responses: Floats
    velocities: Floats
    gaps: Floats
    margins: Floats
    laws: Floats


class SwitchingRun:
    """The variations of a run with contacts, in the order of its symbols."""

    def __init__(self, run: SmoothRun, integrand: Expr | None = None) -> None:
        known = run.functions.derivation.synopsis
        if run.problem.impacts == "poisson":
            message, cure = "impacts by Poisson's law have no derivatives here.", 'Take impacts="moreau" or "newton".'
            raise PolhodeError(message, "impacts", cure, "E-SENSITIVITY-UNSUPPORTED")
        self.run, self.size, self.groups, self.names = run, len(run.x), known.contacts, group_names(known)
        self.speeds = slice(len(known.coordinates), len(known.coordinates) + len(known.speeds))
        equations = run.functions.equations
        state = {*equations.q, *equations.u, *equations.z}
        self.is_start = np.array([each in state for each in run.symbols])
        self.first = np.argsort(self.is_start, kind="stable")  # what rates depend on comes first in compiled code
        by = tuple(spelled(run.symbols[k]) for k in self.first if not self.is_start[k])
        self.base = FollowedRates(run, "kept_contact_motion" if known.is_constrained else "contact_motion")
        self.varied = FollowedRates(run, ContactVariations(by, len(run.symbols) + 1, integrand))
        self.extra = int(integrand is not None)
        self.rows, self.normals = rows_of(self.groups), normal_rows(self.groups)
        self.group_of = np.repeat(np.arange(len(self.groups)), [r.stop - r.start for r in self.rows])
        self.event_times: list[list[Floats]] = [[] for _ in run.jumps]
        self.end_time = np.zeros(len(run.symbols))
        self.changes: tuple[Change, ...] = ()
        self.last: tuple[float, Floats] | None = None  # the last event, and the variation of its time

    # ---- along the run -----------------------------------------------------------------------------------------

    def follow(self, inside: bool = True) -> tuple[Trajectory, Floats, Floats, Floats]:
        """The motion, S at its samples, if `inside`, and at its end, which may move, and the state there."""
        made = self.run.follow(self.run.rates, np.zeros(0))
        trajectory, columns = made.trajectory, len(self.run.symbols)
        S = np.vstack([start_variations(self.run), np.zeros((self.extra, columns))])
        times = trajectory.t if inside else trajectory.t[-1:]
        samples = np.repeat(S[None], len(times), axis=0)
        x, t = np.append(self.run.x, np.zeros(self.extra)), 0.0
        history = trajectory.info.get("contacts")
        if history is None:
            return trajectory, samples, S, x
        mode, *changes = self.changes = history.changes
        S, x[: self.size] = self._begun(mode, S), mode.after
        samples[0] = S
        with self.run.ending(trajectory):
            for until, to, event in self._pieces(trajectory, changes, made.events):
                slow = [
                    k for k, g in enumerate(self.groups) if g[3] == 2 and mode.modes[k] == SLIPPING and mode.held[k]
                ]
                if slow and until - t > _SLOW:
                    words = "slides so slowly that the direction of its friction varies on its own"
                    raise self._refusal(t, slow, words, "a start from which it slides faster or sticks")
                x, S = self._along(mode, t, until, x, S, times, samples)
                t = to
                if isinstance(event, Change):
                    S = self._changed(mode, event, S)
                    mode, x[: self.size] = event, event.after
                elif isinstance(event, Occurrence):
                    if any(each.impulses is not None and each.t == event.t for each in changes):
                        words = "changes its sign by an impact, not along the motion"
                        raise self._refusal(event.t, [], words, "the gap of that contact as the event", "an event")
                    S = self._passed(mode, event, S)
                    x[: self.size] = event.before if event.after is None else event.after
        if trajectory.status == "event":
            S = S + np.outer(self.at(t, x, mode).rates, self.end_time)
        return trajectory, samples, S, x

    def _pieces(
        self, trajectory: Trajectory, changes: Iterable[Change], events: Iterable[Occurrence]
    ) -> list[tuple[float, float, Change | Occurrence | None]]:
        """Ends of smooth pieces, begins of the next ones, and what happens in between."""
        acted, end = trajectory.acted, float(trajectory.t[-1])
        made: list[tuple[float, float, Change | Occurrence | None]]
        made = [*((each.t, each.t, each) for each in events), *((each.t, each.t, each) for each in changes)]
        if acted is not None:
            made += [(before, t, None) for before, t in zip(acted.before[1:], acted.times[1:], strict=True) if t < end]
        return [*sorted(made, key=lambda piece: piece[1]), (end, end, None)]

    def _along(
        self, mode: Change, t: float, end: float, x: Floats, S: Floats, times: Floats, samples: Floats
    ) -> tuple[Floats, Floats]:
        """State and variations at the end of a piece, and in `samples` those inside of it."""
        control, width = self.run.problem.control, len(x)

        def rates(t: float, y: Floats) -> Floats:
            there = self.at(t, y[:width], mode)
            varied = self.variation(there, y[width:].reshape(-1, width).T)
            return np.concatenate([there.rates, varied.rates[:-1].ravel()])

        inside = [int(k) for k in np.flatnonzero((times >= t) & (times < end))]
        run = NativeRun(control.method, np.concatenate([x, S.T.ravel()]), t=t, rtol=control.rtol, atol=control.atol)
        run.record.h_max, run.record.bound, run.most_kept = control.largest_step, np.inf, 0.0
        run.use(run.python(rates))
        driver, goals = Driver(control.most_steps), [*times[inside].tolist(), end]
        run.begin(end)
        run.record.h = max(run.record.h, _FIRST * (end - t))
        for goal, sample in zip(goals, [*inside, -1], strict=True):
            while (
                goal - run.record.t > _AT_ONCE * max(1.0, goal) and (reason := driver.advance(run, goal)) != Reason.DONE
            ):
                if reason in (Reason.UNDERFLOW, Reason.NONFINITE):
                    raise underflow(float(run.record.t), control, "the step is swallowed by rounding")
                if reason == Reason.BUDGET and run.record.steps >= control.most_steps:
                    raise too_many(float(run.record.t), control)
                if reason == Reason.INTERRUPTED:
                    raise KeyboardInterrupt
            S = run.x[width:].reshape(-1, width).T.copy()
            if sample >= 0 or end == times[-1]:
                samples[sample] = S
        return run.x[:width].copy(), S

    # ---- a moment ----------------------------------------------------------------------------------------------

    def at(self, t: float, x: Floats, mode: Change) -> Moment:
        """A state in modes."""
        found = all_rows(self.base.outputs(t, x[: self.size]), self.run.functions.derivation.synopsis)
        rows, responses = (found[name].reshape(len(self.normals), -1) for name in ("rows", "responses"))
        rates, laws = found["xdot"].copy(), found["laws"].reshape(-1, LAWS)
        G, force = rows @ responses.T, np.zeros(len(rows))
        if np.any(mode.modes):
            across, *_ = slip_friction(self.groups, mode, found["velocities"], laws)
            free, given = rows @ rates[self.speeds] + found["drift"], np.where(self.normals < 0, across, 0.0)
            force = forces_in_modes(self.groups, mode.modes, G, free, across, given)
            rates[self.speeds] += force @ responses
        if self.extra:
            whole = np.concatenate([x[: self.size], np.zeros(self.size * (len(self.first) + 1)), force])
            rates = np.append(rates, self.varied.outputs(t, whole)["integrand"][0])
        velocities, gaps, margins = (found[name] for name in ("velocities", "gaps", "margins"))
        return Moment(t, x[: self.size], mode, rates, force, G, responses, velocities, gaps, margins, laws)

    def _outputs(self, moment: Moment, S: Floats, force: Floats) -> dict[str, Floats]:
        """Variations at constant forces, a row for each column of S and for the motion."""
        columns = np.vstack([S[: self.size].T[self.first], moment.rates[: self.size]])
        found = self.varied.outputs(moment.t, np.concatenate([moment.x, columns.ravel(), force]))
        order = [*np.argsort(self.first).tolist(), len(self.first)]
        if self.extra:
            found["integrand"] = found["integrand"][1:]
        return {name: entries.reshape(len(columns), -1)[order] for name, entries in found.items()}

    def variation(self, moment: Moment, S: Floats) -> Variation:
        """How a state in modes varies."""
        found = self._outputs(moment, S, moment.force)
        forces, rates, laws = np.zeros_like(found["velocities"]), found["rates"].copy(), found["laws"]
        laws = laws.reshape(len(laws), -1, LAWS)
        if np.any(moment.mode.modes):
            across, by_velocity, by_laws = slip_friction(self.groups, moment.mode, moment.velocities, moment.laws)
            turned = found["velocities"] @ by_velocity.T + (by_laws * laws[:, self.group_of]).sum(axis=2)
            given = np.where(self.normals < 0, 1.0, moment.force[self.normals]) * turned
            free = found["accelerations"].T
            forces = forces_in_modes(self.groups, moment.mode.modes, moment.G, free, across, given.T).T
            rates[:, self.speeds] += forces @ moment.responses
        if self.extra:
            rates = np.hstack([rates, found["integrand"]])
        return Variation(rates, forces, found["velocities"], found["gaps"], found["margins"], laws)

    # ---- events ------------------------------------------------------------------------------------------------

    def _begun(self, first: Change, S: Floats) -> Floats:
        """Variations behind the first decision: what touches goes on to touch."""
        nothing = np.zeros(S.shape[1])
        if first.impulses is not None:
            before = self.at(first.t, first.before, first._replace(modes=np.zeros_like(first.modes)))
            S = self._jumped(before, None, S, nothing, first.impulses)
        there = self.at(first.t, first.after, first)
        varied = self.variation(there, S)
        for k, (_, _, gap, _) in enumerate(self.groups):
            lifted = np.abs([varied.gaps[:-1, k], varied.velocities[:-1, self.rows[k].start]]).max()
            if gap and first.modes[k] != OPEN and lifted > _ZERO:
                words = "touches at the start, and with other values would be lifted off or pressed in"
                raise self._refusal(first.t, [k], words, "a start with a gap, or derivatives by other values")
            if self._begins_to_slide(there, varied, k):
                words = "begins to slide from rest, and with other speeds slides otherwise"
                raise self._refusal(first.t, [k], words, "a start at which it slides, or derivatives by other values")
        return self._kept(there, S)

    def _begins_to_slide(self, there: Moment, varied: Variation, k: int) -> bool:
        """Whether a group has no slip, would have one with other values, and friction in motion does not hold it."""
        _, _, gap, tangents = self.groups[k]
        rows, mode = self.rows[k], there.mode.modes[k]
        across, (kinetic, static, stribeck, _) = slice(rows.stop - tangents, rows.stop), there.laws[k]
        slips = np.abs(varied.velocities[:-1, across]).max(initial=0.0)
        if mode == OPEN or np.abs(there.velocities[across]).max(initial=0.0) > _ZERO or not slips > _ZERO:
            return False
        bound = (static if stribeck else kinetic) * (there.force[rows.start] if gap else 1.0)
        if mode == SLIPPING:
            return bool(bound > 0.0)
        return bool(np.linalg.norm(there.force[across]) > (1.0 + _ZERO) * bound)

    def _passed(self, mode: Change, event: Occurrence, S: Floats) -> Floats:
        """Variations behind an event of the user's."""
        known, before = self.run.known(event.t, event.before), self.at(event.t, event.before, mode)
        by_x, by_p = event.jump.time_slopes(known, before.rates[: self.size])
        time = by_x @ S[: self.size] + np.where(self.is_start, 0.0, by_p)
        self.event_times[event.number].append(time)
        self.last = event.t, time
        if event.after is None:
            self.end_time = time
            return S
        g_x, g_t, g_p = event.jump.after_slopes(known)
        S = S + np.outer(before.rates, time)
        S[: self.size] = g_x @ S[: self.size] + np.where(self.is_start, 0.0, g_p) + np.outer(g_t, time)
        return S - np.outer(self.at(event.t, event.after, mode).rates, time)

    def _changed(self, old: Change, new: Change, S: Floats) -> Floats:
        """Variations behind a change of modes; of groups that do not act on each other, one after the other."""
        if new.ends is not None:
            struck = [k for k, r in enumerate(self.rows) if new.impulses is not None and new.impulses[r].any()]
            raise self._refusal_of_row(new.t, struck)
        islands, ways = self._islands(old, new), []
        for order in (islands, islands[::-1])[: len(islands)]:
            state, made = self.at(new.t, new.before, old), S
            for island in order:
                part = self._part(state, new, island) if len(order) > 1 else new
                after = self.at(new.t, part.after, part)
                made = self._jumped_between(state, after, part, made)
                state = after
            ways.append(self._kept(state, made))
        if not _alike(np.array(ways)):
            raise self._in_order(new.t, sorted(k for island in islands for k in island))
        return ways[0]

    def _islands(self, old: Change, new: Change) -> list[list[int]]:
        """Groups that change or are struck; those that act on each other together."""
        G = self.at(new.t, new.before, old).G
        near = np.abs(G) > _SAME * np.abs(G).max(initial=0.0)
        struck = np.zeros(len(G)) if new.impulses is None else new.impulses
        left = [k for k, r in enumerate(self.rows) if new.modes[k] != old.modes[k] or struck[r].any()]
        made: list[list[int]] = [] if left else [[]]
        while left:
            made.append([left.pop()])
            for k in made[-1]:
                made[-1] += [j for j in left if near[self.rows[k], self.rows[j]].any()]
                left = [j for j in left if j not in made[-1]]
        return made

    def _part(self, state: Moment, new: Change, island: Sequence[int]) -> Change:
        """A change of the groups of one island."""
        own, x, impulses = np.isin(np.arange(len(self.groups)), island), state.x.copy(), None
        if new.impulses is not None:
            impulses = np.where(own[self.group_of], new.impulses, 0.0)
            x[self.speeds] += impulses @ state.responses
        modes, held = (np.where(own, getattr(new, of), getattr(state.mode, of)) for of in ("modes", "held"))
        directions, guard = np.where(own[:, None], new.directions, state.mode.directions), new.guard
        guard = guard if guard // GUARDS in island else -1
        return new._replace(modes=modes, held=held, directions=directions, impulses=impulses, guard=guard, after=x)

    def _jumped_between(self, before: Moment, after: Moment, new: Change, S: Floats) -> Floats:
        """Variations behind a change of modes of groups that act on each other."""
        old, impulses = before.mode, new.impulses
        least = _ZERO if np.array_equal(old.modes, new.modes) else _SAME  # directions of slip may be held from here on
        size, jump = np.abs(before.rates).max(initial=0.0), np.abs(after.rates - before.rates).max(initial=0.0)
        if impulses is None and jump <= least * size:
            return S
        triggers = dict(self._triggers(before, new, self.variation(before, S)))
        if not triggers and self.last is not None and new.t - self.last[0] <= 100.0 * _AT_ONCE * max(1.0, new.t):
            triggers = {-1: self.last[1]}
        if not triggers:
            words = "change where forces that are not unique hold no longer: that time has no derivative here"
            groups = np.flatnonzero(new.modes != old.modes).tolist()
            raise self._refusal(new.t, groups, words, "fewer points of contact", "modes of ")
        if not _alike(np.array([*triggers.values()])):
            raise self._in_order(new.t, triggers)
        time = next(iter(triggers.values()))
        self.last = new.t, time
        return self._jumped(before, after, S, time, impulses)

    def _triggers(self, before: Moment, new: Change, varied: Variation) -> Iterator[tuple[int, Floats]]:
        """Groups whose own guard is zero there, each with the variation of the time at which it is."""
        old, force, (by_guard, which) = before.mode, before.force, divmod(new.guard, GUARDS)
        speeds, forces = max(1.0, np.abs(before.velocities).max()), max(1e-300, np.abs(force).max(initial=0.0))
        for k, rows in enumerate(self.rows):
            gap, was, now = self.groups[k][2], int(old.modes[k]), int(new.modes[k])
            across, size = slice(rows.start + gap, rows.stop), forces
            struck = new.impulses is not None and bool(new.impulses[rows].any())
            if (k, GUARDS - 1) == (by_guard, which) or (was == OPEN and abs(before.margins[k]) <= TOUCHING):
                value, slopes, size = 0.0, varied.margins[:, k], speeds
            elif was == OPEN and (struck or now != OPEN or (k, 0) == (by_guard, which)):
                value, slopes, size = before.gaps[k], varied.gaps[:, k], speeds
            elif new.impulses is not None or was == now != SLIPPING or across.start == rows.stop:
                continue
            elif now == OPEN:
                value, slopes = force[rows.start], varied.forces[:, rows.start]
            elif was == STICKING:
                bound, normal = before.laws[k, 1], force[rows.start] if gap else 1.0
                needed = float(np.linalg.norm(force[across]))
                slopes = varied.laws[:, k, 1] * normal - varied.forces[:, across] @ force[across] / needed
                slopes += bound * varied.forces[:, rows.start] if gap else 0.0
                value = bound * normal - needed
            else:
                slip, size = before.velocities[across], 1.0
                value = float(np.linalg.norm(slip))
                slopes = varied.velocities[:, across] @ (
                    old.directions[k, : len(slip)] if old.held[k] else slip / value
                )
            if abs(value) <= _ZERO * size or k == by_guard:
                if not abs(slopes[-1]) > _GRAZING * size:
                    if self._ends_row(k, new.t):
                        raise self._refusal_of_row(new.t, [k])
                    words = "changes while what decides about it grazes zero: that time has no derivative"
                    raise self._refusal(new.t, [k], words, "a motion that passes there at some rate")
                yield k, -slopes[:-1] / slopes[-1]

    def _ends_row(self, k: int, t: float) -> bool:
        """Whether impacts of a group followed each other in shorter and shorter times up to a time."""
        is_struck = [each.impulses is not None and bool(each.impulses[self.rows[k]].any()) for each in self.changes]
        times = [each.t for each, struck in zip(self.changes, is_struck, strict=True) if struck and each.t <= t]
        between = np.diff([*times[-3:], t])
        return len(between) == 3 and between[0] > between[1] >= between[2]

    def _jumped(self, before: Moment, after: Moment | None, S: Floats, time: Floats, impulses: Floats | None) -> Floats:
        """R_x S + R_p + (R_x f⁻ + R_t - f⁺) t′."""
        made = S + np.outer(before.rates, time)
        if impulses is not None:
            made[self.speeds] += self._impact(before, S, time, impulses).T
        return made if after is None else made - np.outer(after.rates, time)

    def _impact(self, before: Moment, S: Floats, time: Floats, impulses: Floats) -> Floats:
        """How the change of speeds by an impact varies, a row for each column of S."""
        parts = [self._outputs(before, S, force) for force in (impulses, np.zeros_like(impulses))]
        pushed = {name: parts[0][name] - parts[1][name] for name in ("rates", "accelerations")}
        pushed = {name: each[:-1] + np.outer(time, each[-1]) for name, each in pushed.items()}
        varied, v, laws = self.variation(before, S).moved(time), before.velocities, before.laws.copy()
        is_restored = np.ones(len(v), dtype=bool)
        if self.run.problem.impacts == "newton":
            is_restored = self.normals == np.arange(len(v))
        factors = 1.0 + np.where(is_restored, laws[self.group_of, 3], 0.0)
        w = factors * v + before.G @ impulses
        free = factors * varied.velocities + pushed["accelerations"]
        free += v * np.where(is_restored, varied.laws[:, self.group_of, 3], 0.0)
        mode = self._impact_mode(before, impulses, w)
        laws[:, 2] = 0.0  # friction is that in motion
        across, by_velocity, by_laws = slip_friction(self.groups, mode, w, laws)
        turned = free @ by_velocity.T + (by_laws * varied.laws[:, self.group_of]).sum(axis=2)
        if are_decisive(self.groups, mode.modes, before.G, across):
            words = "have impulses that are not unique, and the motion depends on them"
            raise self._refusal(before.t, np.flatnonzero(mode.modes).tolist(), words, "fewer points of contact")
        normal = np.where(self.normals < 0, 0.0, impulses[self.normals])
        turning = normal[:, None] * by_velocity
        made = forces_in_modes(self.groups, mode.modes, before.G, free.T, across, (normal * turned).T, turning).T
        left = free + made @ before.G
        for k in np.flatnonzero((mode.modes == OPEN) & (before.mode.modes != OPEN)):
            i = self.rows[k].start
            is_still = self.groups[k][2] and abs(w[i]) <= _SAME * max(1.0, np.abs(w).max())
            if is_still and np.abs(left[:, i]).max(initial=0.0) > _ZERO * np.abs(free).max(initial=0.0):
                raise self._edge(before.t, int(k))
        return np.asarray(pushed["rates"][:, self.speeds] + made @ before.responses)

    def _impact_mode(self, before: Moment, impulses: Floats, w: Floats) -> Change:
        """Whether groups stick or slip in an impact, or take no part."""
        modes = np.zeros(len(self.groups), dtype=np.int64)
        least, still = _SAME * np.abs(impulses).max(), _SAME * max(1.0, np.abs(w).max())
        for k, rows in enumerate(self.rows):
            if self.groups[k][2] and impulses[rows.start] > least:
                across = slice(rows.start + 1, rows.stop)
                bound = before.laws[k, 0] * impulses[rows.start]
                is_inside = float(np.linalg.norm(impulses[across])) < (1.0 - 1e-9) * bound
                modes[k] = STICKING if is_inside else SLIPPING
                if not is_inside and bound > 0.0 and 0 < np.linalg.norm(w[across]) <= still:
                    raise self._edge(before.t, k)
        return before.mode._replace(modes=modes, held=np.zeros_like(modes))

    def _kept(self, there: Moment, S: Floats) -> Floats:
        """S with variations of speeds that keep rows without motion."""
        if not held_rows(self.groups, there.mode.modes):
            return S
        free, made = self.variation(there, S).velocities[:-1].T, S.copy()
        still = np.zeros(len(free))
        made[self.speeds] += (forces_in_modes(self.groups, there.mode.modes, there.G, free, still, 0.0 * free).T
                              @ there.responses).T  # fmt: skip
        return made

    # ---- refusals ----------------------------------------------------------------------------------------------

    def _in_order(self, t: float, groups: Iterable[int]) -> PolhodeError:
        words = "change at one time, and the motion depends on which of them is the first"
        return self._refusal(t, groups, words, "a start from which they change one after the other")

    def _edge(self, t: float, k: int) -> PolhodeError:
        words = "is at the edge between sticking, slipping and leaving in an impact"
        return self._refusal(t, [k], words, "a start from which it is not")

    def _refusal_of_row(self, t: float, groups: Iterable[int]) -> PolhodeError:
        words = "follow each other in shorter and shorter times, and the rest of them is summed"
        return self._refusal(t, groups, words, "a run that ends before, or a restitution of 0", "impacts of ")

    def _refusal(self, t: float, groups: Iterable[int], words: str, other: str, what: str = "") -> PolhodeError:
        message = f"at t = {t:.6g} s {what}{listed([repr(self.names[k]) for k in groups])} {words}."
        return PolhodeError(message, "derivatives of a run", f"Take {other}.", "E-SENSITIVITY-UNSUPPORTED")


def _alike(values: Floats) -> bool:
    """Whether all along the first axis are the same."""
    return bool(np.ptp(values, axis=0).max(initial=0.0) <= _ALIKE * max(1e-12, np.abs(values).max(initial=0.0)))
