"""Does a mechanism stand? Whether its closed contacts and stuck joints hold it at rest, with which forces and margins.

The rows of what is closed have no acceleration with forces λ in their cones if

    G λ + b = 0,    |λ_T| ≤ μ λ_N  or  |λ_T| ≤ bound,    λ_N ≥ 0

has a solution. Three numbers measure how far it is from having none, each a root of `holding_margin`: the load factor,
the friction factor, and the margin by which all cones can shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import PolhodeError, listed
from ...notebook import Cell, Shown, Table
from ...ode.unilateral.cone_problem import OPEN
from ...ode.unilateral.forces import Cone, ConeMemory, holding_margin, is_preloaded
from ...ode.unilateral.memory import TOUCHING, copies_in
from ...ode.unilateral.transitions import RESTING
from ..initial_state import Floats
from ..run import Problem, problem_of
from .mode_forces import all_rows
from .results import MODES, ContactHistory, Forces

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: The duration of the run that finds the modes, in s.
_INSTANT = 1e-9
#: Factors are found to this accuracy; those beyond `_MOST` are infinite.
_ACCURACY, _MOST = 1e-10, 1e6
#: Margins above this, negative by rounding, hold.
_HOLDS = -1e-11
#: Accelerations below this part of those without contact forces are none; so are singular values and their vectors.
_UNMOVED, _RANK = 1e-8, 1e-9


class HeldForce(NamedTuple):
    """A closed contact, stop or stuck joint: its mode, forces in N or N·m, whether they are unique, and its use.

    `used` is |λ_T| relative to the static friction, 1 at the edge of the cone.
    """

    name: str
    mode: str
    normal: float | None
    tangential: Floats
    is_unique: bool
    used: float


@dataclass(frozen=True, eq=False)
class Standing(Shown):
    """Whether closed contacts and stuck joints hold a mechanism at rest; `print` it for a report.

    `margin` is how far forces can stay inside all cones, relative to the largest force or bound; `load_factor` by which
    the given efforts and inputs can grow (all loads, where none are given), `friction_factor` the part of all static
    friction that is needed; all three count on any preload that the cones allow, without which it moves if
    `is_preloaded`. `freedom` counts the speeds that closed rows leave, `moving` names those that accelerate.
    """

    system: str
    forces: tuple[HeldForce, ...]
    margin: float
    load_factor: float
    friction_factor: float
    freedom: int
    redundancy: int  # by how many parameters the forces are not unique
    moving: Mapping[str, float]
    has_live_load: bool
    is_preloaded: bool

    @property
    def stands(self) -> bool:
        """Whether no speed accelerates."""
        return not self.moving

    @property
    def slipping(self) -> tuple[str, ...]:
        """Names of what slips."""
        return tuple(each.name for each in self.forces if each.mode == "slip")

    @property
    def lifting(self) -> tuple[str, ...]:
        """Names of contacts that open."""
        return tuple(each.name for each in self.forces if each.mode == "open")

    @property
    def verdict(self) -> str:
        """One of "stands", "slips", "tips" (some contacts open, others do not), "lifts off", "moves"."""
        if self.stands:
            return "stands"
        closed = [each for each in self.forces if each.normal is not None and each.mode != "open"]
        if self.lifting:
            return "tips" if closed else "lifts off"
        return "slips" if self.slipping else "moves"

    @property
    def modes(self) -> dict[str, str]:
        """The mode of each closed group that does not open, as `System.with_contacts` takes them."""
        return {each.name: each.mode for each in self.forces if each.mode != "open"}

    def _sentences(self) -> Iterator[str]:
        names = [f"'{each.name}'" for each in self.forces]
        if not names:
            yield f"{self.system} {self.verdict}: no contact is closed, and no joint sticks."
        else:
            yield f"{self.system} {self.verdict}, with {listed(names) if len(names) < 9 else len(names)} closed."
        for what, found in (("slips", self.slipping), ("opens", self.lifting)):
            if found:
                yield f"{what}: {listed(list(map(repr, found)))}."
        if self.moving:
            yield f"accelerates: {listed([f'{name} ({value:.4g})' for name, value in self.moving.items()])}."
        if not names:
            return
        if self.is_preloaded:
            yield "held by preload alone, normal forces that no load causes: it may also move."
        yield f"margin: {self.margin:.4g} of the largest force."
        loads = "the given efforts and inputs" if self.has_live_load else "all loads"
        if np.isfinite(self.load_factor):
            yield f"load factor: {self.load_factor:.6g} times {loads} can be held."
        else:
            yield f"load factor: unlimited, {loads} can grow at will."
        if np.isfinite(self.friction_factor):
            yield f"friction: {self.friction_factor:.6g} of the static friction is needed."
        else:
            yield "friction: no friction, however large, is enough."
        shared = [f"'{each.name}'" for each in self.forces if not each.is_unique]
        if shared:
            count = f"{self.redundancy} parameter{'s' * (self.redundancy > 1)}"
            yield f"not unique, by {count}: the forces of {listed(shared)}; the least are given."
        if self.freedom:
            yield f"{self.freedom} of the speeds are left free: it stands there only in equilibrium."

    def text(self) -> str:
        """The findings in words."""
        return "\n".join(f"• {line}" if k else line for k, line in enumerate(self._sentences()))

    __str__ = __repr__ = text

    def _cell(self) -> Cell:
        head, *lines = self._sentences()
        rows = [
            (each.name, each.mode, "" if each.normal is None else f"{each.normal:.6g}",
             ", ".join(f"{value:.6g}" for value in each.tangential), f"{each.used:.3g}",
             "yes" if each.is_unique else "no")
            for each in self.forces
        ]  # fmt: skip
        return Cell(head, [*lines, Table(["", "mode", "normal", "tangential", "used", "unique"], rows, 2)])


def standing(derivation: Derivation, **options: Any) -> Standing:
    """Whether a mechanism stands at a state at rest; options as of `Equations.standing`."""
    problem = problem_of(derivation, _INSTANT, samples=2, watch_energy=False, **options)
    if not problem.known.contacts:
        message = "this system has no contacts, stops or dry friction."
        raise PolhodeError(message, "standing", "Add them; for the constraints see diagnose.", "E-RUN-MISSING")
    if np.abs(problem.start.u).max(initial=0.0) > RESTING:
        raise PolhodeError("its speeds are not zero.", "standing", "Give a start at rest.", "E-RUN-NUMBER")
    run = problem.execute()
    history: ContactHistory = run.info["contacts"]
    found, change = Forces(run, history), history.changes[0]
    rest = _Rest(problem, found)
    moving = rest.moving()
    return Standing(
        problem.known.system, tuple(rest.force(k, MODES[change.modes[k]]) for k in rest.closed), rest.margin(),
        rest.load_factor(), rest.friction_factor(), rest.freedom, rest.null_space.shape[1], moving, rest.has_live_load,
        not moving and rest.is_preloaded(),
    )  # fmt: skip


class _Rest:
    """The closed groups of a mechanism at rest, at the first sample of a run."""

    def __init__(self, problem: Problem, found: Forces) -> None:
        self.problem, self.found, run = problem, found, found.run
        self._tau, self._inputs = np.asarray(run.tau)[:1], np.asarray(run.inputs)[:1]
        self.names = [f"{name} {part}" if part else name for name, part, *_ in found.history.groups]
        of = "kept_contact_motion" if problem.known.is_constrained else "contact_motion"
        functions = run.mechanism
        self._native = functions.native(of).with_parameters(functions.parameter_values(of, run.parameters))
        self.laws, self.G = found.laws[0], found.G[0]
        self.has_live_load = bool(self._tau.any() or self._inputs.any())
        margins = self._rates(1.0)["margins"]
        self.closed: list[int] = []
        self.active: list[int] = []
        self.cones: list[tuple[int, int | None, tuple[int, ...]]] = []
        groups = found.history.groups
        touching = [k for k, (_, _, gap, _) in enumerate(groups) if gap and found.gaps[0, k] <= TOUCHING]
        is_open = found.history.changes[0].modes == OPEN
        touching = sorted((k for k in touching if margins[k] > 0.0), key=is_open.__getitem__)
        rows = [found.rows_of(k) for k in range(len(groups))]
        copies = copies_in(touching, rows, found.responses[0], found.free[0], self.laws)
        for k, (_, _, gap, tangents) in enumerate(groups):
            if gap and (k not in touching or k in copies):
                continue
            first = len(self.active)
            count = gap + (tangents if self.laws[k, 1] > 0.0 else 0)
            if np.abs(found.velocities[0, rows[k]]).max(initial=0.0) > RESTING:
                message = f"'{self.names[k]}' moves at the start: something drives it."
                raise PolhodeError(message, "standing", "Give a state at which all is at rest.", "E-RUN-NUMBER")
            self.closed.append(k)
            if count:
                self.active += range(rows[k].start, rows[k].start + count)
                self.cones.append((k, first if gap else None, tuple(range(first + gap, first + count))))
        scaled = found.responses[0][self.active]
        scaled = scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-300)
        _, singular, vt = np.linalg.svd(scaled.T)
        rank = int((singular > _RANK * singular.max(initial=0.0)).sum())
        self.null_space = vt[rank:].T
        chosen = problem.assembly.freedom.rows if problem.assembly is not None else ()
        is_embedded = problem.known.is_constrained and problem.derivation.equations.dependent_speeds is not None
        self.freedom = scaled.shape[1] - rank - (0 if is_embedded else len(chosen))

    def _rates(self, factor: float) -> dict[str, Floats]:
        """What decides about contacts, with the efforts and inputs multiplied."""
        run, made = self.found.run, self._native
        given = {
            "x": run.x[:1], "tau": factor * self._tau, "inputs": factor * self._inputs, "t": run.t[:1, None],
            "alpha": np.zeros((1, 1)),
        }  # fmt: skip
        values = made(*(np.ascontiguousarray(given[name]) for name in made.arrays))
        found = all_rows(dict(zip(made.outputs, values, strict=True)), self.problem.known)
        return {name: value[0] for name, value in found.items()}

    def _free(self, factor: float) -> Floats:
        """The accelerations of closed rows without contact forces, under multiplied loads."""
        if not self.has_live_load:
            return np.asarray(factor * self.found.free[0][self.active])
        found, first = self._rates(factor), len(self.problem.known.coordinates)
        rates = found["xdot"][first : first + self.found.rows.shape[2]]
        return np.asarray((self.found.rows[0] @ rates + found["drift"])[self.active])

    def _excess(self, free: Floats, friction: float = 1.0, shrunk: float = 0.0) -> float:
        """Positive if forces in cones with multiplied friction, each shrunk by a force, hold the closed rows."""
        matrix, cones = self.G[np.ix_(self.active, self.active)], []
        free = free.copy()
        for k, normal, tangents in self.cones:
            coefficient = friction * float(self.laws[k, 1])
            if normal is None:
                coefficient -= shrunk
                if coefficient < 0.0:
                    return -1.0
            else:
                free += matrix[:, normal] * (shrunk / coefficient if tangents else shrunk)
                cones.append(Cone(normal, (), 0.0))  # however small the friction is
            if tangents:
                cones.append(Cone(normal, tangents, coefficient))
        return holding_margin(matrix, free, cones) - _HOLDS

    def is_preloaded(self) -> bool:
        """Whether the closed rows are held by forces alone that no load causes."""
        if not self.null_space.shape[1]:
            return False
        problem = ConeMemory([(int(normal is not None), len(tangents)) for _, normal, tangents in self.cones])
        friction = np.array([self.laws[k, 1] for k, *_ in self.cones])
        return is_preloaded(problem, self.G[np.ix_(self.active, self.active)], self._free(1.0), friction)

    def load_factor(self) -> float:
        """The largest factor of the loads that can be held."""
        holds = self._excess(self._free(1.0)) > 0.0
        return _last(lambda factor: self._excess(self._free(factor)), float(holds), np.inf if holds else 1.0)

    def friction_factor(self) -> float:
        """The least factor of static friction with which the loads can be held."""
        free = self._free(1.0)
        inverse = _last(lambda inverse: self._excess(free, 1.0 / inverse), 1.0 / _MOST, np.inf)
        return 1.0 / inverse if inverse > 1.0 / _MOST else np.inf

    def margin(self) -> float:
        """The largest relative force by which all cones can shrink."""
        free = self._free(1.0)
        if not self.active:
            return 1.0
        matrix = self.G[np.ix_(self.active, self.active)]
        least = np.linalg.pinv(matrix, rcond=_RANK) @ free
        bounds = [float(self.laws[k, 1]) for k, normal, _ in self.cones if normal is None]
        load = max(float(np.abs(least).max(initial=0.0)), *bounds, 1e-300)
        made = _last(lambda shrunk: self._excess(free, shrunk=shrunk * load), -1.0, 1.0)
        return made if abs(made) > _ACCURACY else 0.0

    def moving(self) -> dict[str, float]:
        """The speeds that accelerate, and how."""
        found = self.found
        size = max(float(np.abs(found.free_rates[0]).max(initial=0.0)), 1e-300)
        rates = zip(self.problem.known.speeds, found.accelerations[0].tolist(), strict=True)
        return {name: value for name, value in rates if abs(value) > _UNMOVED * size}

    def force(self, k: int, mode: str) -> HeldForce:
        """The forces of a closed group."""
        _, _, gap, tangents = self.found.history.groups[k]
        own = self.found.forces[0][self.found.rows_of(k)]
        normal, across = (float(own[0]) if gap else None), own[gap : gap + tangents]
        bound = float(self.laws[k, 1]) * (1.0 if normal is None else normal)
        size = float(np.linalg.norm(across))
        columns = [i for number, first, others in self.cones if number == k
                   for i in ([] if first is None else [first]) + [*others]]  # fmt: skip
        is_unique = bool(np.abs(self.null_space[columns]).max(initial=0.0) <= np.sqrt(_RANK))
        return HeldForce(self.names[k], str(mode), normal, across, is_unique, size / bound if bound > 0.0 else 0.0)


def _last(excess: Callable[[float], float], low: float, high: float) -> float:
    """The largest value up to `high` at which a function that falls is positive; `low` if it is not there."""
    from scipy.optimize import brentq

    if excess(low) <= 0.0:
        return low
    if np.isinf(high):
        high = 2.0 * low
        while excess(high) > 0.0:
            low, high = high, 4.0 * high
            if low > _MOST:
                return np.inf
    elif excess(high) > 0.0:
        return high
    return float(brentq(excess, low, high, xtol=_ACCURACY, rtol=_ACCURACY))
