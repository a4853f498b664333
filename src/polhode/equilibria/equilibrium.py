"""Equilibria and steady motions: found by Newton's method from several starts, with exact derivatives.

What is free is unknown, what is given stays, the rest is at home and at rest (`steady_state`). Where there are more
conditions than unknowns, as in mechanisms with redundant loops, all must hold; where there are fewer, there is a
family, and the member nearest to the start is taken and said to be one.

The conditions of an equilibrium or a steady motion, on what is left free, as graphs and in compiled numbers.

A state is steady where nothing changes but coordinates that the equations do not depend on:

    bias(q, u, z; p) - τ = 0    with u̇ = 0,        φ(q) = 0,        ż = 0,        q̇ = Γ(q) u = 0

the last for those coordinates only that any of these rows depends on, which is decided by fingerprint; the others, such
as the heading of a vehicle or the angle of a turntable, may run on, and the motion is a relative equilibrium. With
constraints the rows are those on independent speeds. Unknowns are what the caller leaves free. Rows and their
derivatives by the unknowns, and by one parameter, are exact graphs and one compiled function; so are the matrices of
small motions about the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..codegen.plan import plan
from ..constraints.newton import largest, solve
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import keeps_energy
from ..dynamics.whole import refuse_contacts
from ..errors import (
    PolhodeError,
    ValueMissing,
    by_name,
    fault_at,
    listed,
    understood,
    unknown,
    whole_number,
    wrong_kind,
)
from ..expr import Expr, as_expr, directional, evaluate, free_symbols, is_zero, jacobian, quiet_collector, substitute
from ..expr.spelling import spelled
from ..linear.eigensystem import CHANGES, Spectrum, Stability, spectrum_of
from ..linear.linearize import small_motions
from ..linear.operating_point import OperatingPoint, bending, bends_at, operating_point, parameter_values, state_names
from ..model.unit import Si
from ..native import compile_program
from ..notebook import Cell, Shown, Table, complex_text
from ..simulate.methods import SteadyStart

_PLACE = "equilibrium"
fault = fault_at(_PLACE)
#: A state is steady where no row exceeds this part of the size that rows have.
_TOLERANCE = 1e-10
_MOST_STEPS = 60
#: Singular values below this part of the largest are rounding.
_NOTHING = 1e-9
#: States nearer to each other than this are the same.
_SAME = 1e-6
#: The longest step along a family of steady states.
_LONGEST = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Shown, SteadyStart):
    """A steady state: values by name, as `linearize(at)` and `simulate(start=at)` take them.

    `residual` is the largest row that is left, `moving` are coordinates that run on in a steady motion.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> hinge = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> s.joint_force(hinge, s.input("push") - hinge.u[0])
    >>> at = s.derive().equilibrium(free=["push"], given={"a": ph.pi / 6})
    >>> round(at["push"], 9), at.stability
    (10.0, 'stable')
    """

    steady: SteadyState
    x: Floats
    residual: float
    notices: tuple[str, ...] = ()

    @cached_property
    def _values(self) -> dict[Expr, float]:
        return self.steady.values(self.x)

    @cached_property
    def _table(self) -> dict[str, Expr]:
        return state_names(self.steady.own)

    def _part(self, symbols: Sequence[Expr]) -> dict[str, float]:
        return {x.name: self._values[x] for x in symbols}

    @property
    def coordinates(self) -> dict[str, float]:
        """The coordinates by name."""
        return self._part(self.steady.own.q)

    @property
    def speeds(self) -> dict[str, float]:
        """The speeds by name."""
        return self._part(self.steady.own.u)

    @property
    def states(self) -> dict[str, float]:
        """The first-order states by name."""
        return self._part(self.steady.own.z)

    @property
    def efforts(self) -> dict[str, float]:
        """The efforts by the name of their speed."""
        tree = self.steady.own.tree
        return {name: self._values[tau] for name, tau in zip(tree.speeds, tree.tau, strict=True)}

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs by name."""
        return {name: self._values[entry.symbol] for name, entry in self.steady.own.system.inputs.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of this state that differ from the model's."""
        return self.steady.parameters(self.x)

    @property
    def moving(self) -> tuple[str, ...]:
        """Coordinates that nothing depends on, and that run on where this is a steady motion."""
        return self.steady.moving

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """The eigenvalues of small motions about it, fastest growing first; without coordinates nothing depends on."""
        return self.spectrum.values

    @cached_property
    def spectrum(self) -> Spectrum:
        """The eigenvalues with the sign of their growth, and how each sign was decided."""
        return self.steady.spectrum(self.x)

    @property
    def stability(self) -> Stability:
        """Stability of the linearisation: "stable", "unstable", "neutral", or "unknown"; `reason` explains it.

        It is "unknown" if the linearisation depends on time or on a coordinate that grows (see `periodic_orbit`), or if
        a law has a kink at this state. Nonlinear terms decide neutral cases. In a steady motion one zero eigenvalue for
        each speed that is not zero belongs to the family of motions and is not counted.
        """
        running = sum(abs(self._values[u]) > _SAME for u in self.steady.equations.u)
        if self.steady.changes_in_time or (running and self.steady.changes_along):
            return CHANGES
        variables = dict(zip(self.steady.variables, self.x.tolist(), strict=True))
        if bends_at(*self.steady.bending, {**self.steady.known, **variables, **self._values}):
            return Stability("unknown", "a law bends or jumps at this state.")
        return self.spectrum.stability(running)

    @property
    def is_stable(self) -> bool | None:
        """Whether small motions decay; None where linear terms do not decide it."""
        return {"stable": True, "unstable": False}.get(self.stability)

    def __getitem__(self, name: str) -> float:
        return self._values[self._table[name]]

    def __iter__(self) -> Iterator[str]:
        equations = self.steady.own
        yield from map(spelled, (*equations.q, *equations.u, *equations.z, *equations.tree.tau))
        yield from equations.system.inputs

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        message = [f"{name} = {self[name]:.6g}" for name in self if abs(self[name]) > 1e-12]
        text = f"Equilibrium('{self.steady.own.system.name}': {', '.join(message) or 'all values zero'})"
        return "\n".join([text, *self.notices])

    def _cell(self) -> Cell:
        values = Table(["", "value"], [(name, f"{self[name]:.6g}") for name in self], numbers_from=1)
        text = ", ".join(map(complex_text, self.eigenvalues.tolist()))
        verdict = self.stability
        message = [f"{verdict}; eigenvalues: {text}" if text else str(verdict), verdict.reason]
        if self.parameters:
            message.append("with " + ", ".join(f"{name} = {value:.6g}" for name, value in self.parameters.items()))
        return Cell(f"steady state of {self.steady.own.system.name}", [values, *message, *self.notices])


# ---- the search ------------------------------------------------------------------------------------------------


def equilibria(steady: SteadyState, starts: int, seed: int, most: int | None = None) -> list[Equilibrium]:
    """Steady states that Newton's method reaches from the start and from random starts, nearest to the start first."""
    whole_number(starts, "a whole number from 1 to 1,000,000", least=1, most=1_000_000, place="equilibrium starts")
    search = _Search(steady)
    states: list[Equilibrium] = []
    members: list[Floats] = []
    beyond: list[str] = []
    for begin in search.begins(starts, seed):
        result = search.solved(begin)
        if result is None or any(search.are_same(result, x) or search.are_of_one_family(result, x) for x in members):
            continue
        outside = search.outside(result)
        if outside:
            beyond.append(outside)
            continue
        members.append(result)
        states.append(search.equilibrium_at(result))
        if most is not None and len(states) >= most:
            break
    if not states:
        raise search.reason(beyond, starts)
    return sorted(states, key=lambda state: float(np.abs(state.x - steady.begin).max(initial=0.0)))


class _Search:
    """Newton's method on the rows of one problem."""

    def __init__(self, steady: SteadyState) -> None:
        self.steady = steady
        self.nearest, self.left = steady.begin, np.full(len(steady.rows), np.inf)
        slopes = steady.conditions(steady.begin)[1] if steady.rows else np.zeros((0, len(steady.begin)))
        sizes = np.nan_to_num(np.abs(slopes)).max(axis=1, initial=0.0)
        self.scale = np.clip(sizes, 1.0, 1e4)  # what each row is like
        self.turns = np.array([x in _turns(steady) for x in steady.unknowns], dtype=bool)

    def solved(self, begin: Floats) -> Floats | None:
        """The steady state that Newton's method reaches from a start; None if it does not converge."""
        if not self.steady.rows:
            return begin

        def step(x: Floats, left: Floats) -> Floats | None:
            slopes = self.steady.conditions(x)[1]
            if not np.isfinite(slopes).all() or not len(x):
                return None
            scaled = slopes / self.scale[:, None]
            return np.asarray(np.linalg.lstsq(scaled, -left, rcond=_NOTHING)[0], dtype=np.float64)

        with np.errstate(all="ignore"):
            solution = solve(
                self._rows, step, np.add, begin, tolerance=1e-14, most_steps=_MOST_STEPS, shortest=1e-5, longest=1.0
            )
        if solution.size < largest(self.left):
            self.nearest, self.left = solution.q, solution.residual
        return self._wrapped(solution.q) if solution.size <= _TOLERANCE else None

    def _rows(self, x: Floats) -> Floats:
        return np.asarray(self.steady.conditions(x)[0] / self.scale)

    def _wrapped(self, x: Floats) -> Floats:
        """The same with angles within half a turn of the start, where that is the same state."""
        away = x - self.steady.begin
        trial = np.where(self.turns, self.steady.begin + (away + np.pi) % (2 * np.pi) - np.pi, x)
        near = np.abs(away) <= np.pi + 1e-9
        trial = np.where(near, x, trial)
        return trial if largest(self._rows(trial)) <= _TOLERANCE else x

    def begins(self, starts: int, seed: int) -> Iterator[Floats]:
        """The start, and others: angles all around, other values beside their own, within limits."""
        steady, rng = self.steady, np.random.default_rng(seed)
        yield steady.begin
        reach = np.where(self.turns, np.pi, np.maximum(1.0, np.abs(steady.begin)))
        low, high = steady.begin - reach, steady.begin + reach
        ends = _limits(steady)
        for k, x in enumerate(steady.unknowns):
            lower, upper = ends.get(x, (-np.inf, np.inf))
            low[k], high[k] = max(low[k], lower), min(high[k], upper)
        high = np.maximum(high, low)
        for _ in range(starts - 1 if len(steady.unknowns) else 0):
            yield rng.uniform(low, high)

    def are_same(self, x: Floats, y: Floats) -> bool:
        away = x - y
        away = np.where(self.turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
        return bool(np.abs(away).max(initial=0.0) < _SAME)

    def are_of_one_family(self, x: Floats, y: Floats) -> bool:
        """True if steps along directions that the conditions leave free connect two steady states."""
        distance = np.inf
        for _ in range(_MOST_STEPS):
            free = self._free(x)
            away = y - x
            away = np.where(self.turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
            size = float(np.linalg.norm(away))
            if size < _SAME:
                return True
            step = free @ (free.T @ away)
            if not free.size or size > 0.99 * distance or np.linalg.norm(step) < _SAME * size:
                return False
            result = self.solved(x + step * min(1.0, _LONGEST / float(np.linalg.norm(step))))
            if result is None:
                return False
            x, distance = result, size
        return False

    def _free(self, x: Floats) -> Floats:
        """The directions that the conditions leave free at a steady state, as orthonormal columns."""
        if not self.steady.rows or not len(x):
            return np.eye(len(x))
        _, sizes, rows = np.linalg.svd(self.steady.conditions(x)[1])
        count = int((sizes > max(_NOTHING, 1e-13 * sizes.max(initial=0.0))).sum())  # rounding is by the largest
        return np.asarray(rows[count:].T)

    def outside(self, x: Floats) -> str:
        """A sentence if a coordinate exceeds its limits; else empty."""
        values = self.steady.values(x)
        for q, (lower, upper) in _limits(self.steady).items():
            if not lower - _SAME <= values[q] <= upper + _SAME:
                side, end = ("below", lower) if values[q] < lower else ("above", upper)
                return f"'{q.name}' = {values[q]:.6g} lies {side} its limit {end:.6g}"
        return ""

    def equilibrium_at(self, x: Floats) -> Equilibrium:
        steady, notices = self.steady, list(self.steady.notices)
        rows = steady.conditions(x)[0] if steady.rows else np.zeros(0)
        loose = self._free(x).shape[1]
        if loose:
            notices.append(
                f"This is one of a family of steady states: the conditions leave {loose} of "
                f"{listed([spelled(v) for v in steady.unknowns], most=8)} free, and the nearest was taken."
            )
        return Equilibrium(steady, x, largest(rows), tuple(notices))

    def reason(self, beyond: Sequence[str], starts: int) -> PolhodeError:
        """Why there is none."""
        steady = self.steady
        if beyond:
            cure = "Widen the limits, free another effort or input, or begin elsewhere (start)."
            return fault(f"no steady state lies within the limits: {beyond[0]}.", cure, "E-EQUILIBRIUM-FAILED")
        unknowns = {*steady.unknowns}
        for name, row, size in zip(steady.names, steady.rows, self._rows(steady.begin) * self.scale, strict=False):
            if unknowns.isdisjoint(free_symbols([row])) and not abs(size) <= _TOLERANCE:
                message = listed([f"'{spelled(x)}'" for x in steady.unknowns])
                verb = "does" if len(unknowns) == 1 else "do"
                has = f"{message} {verb} not act on" if unknowns else "nothing that is free acts on"
                sentence = f"there is no steady state: {has} the {name}, which is off by {size:.3g}."
                cure = "Free an effort, an input or a coordinate that acts on it: free=[…]."
                return fault(sentence, cure, "E-EQUILIBRIUM-FAILED")
        if not np.isfinite(self.left).all():
            why = "the conditions have no value at the starts"
        else:
            worst = int(np.argmax(np.abs(self.left[: len(steady.names)])))
            size = float(self.left[worst] * self.scale[worst])
            state = listed(
                [f"{spelled(x)} = {v:.4g}" for x, v in zip(steady.unknowns, self.nearest, strict=True)], most=8
            )
            why = f"at the nearest state, {state}, the {steady.names[worst]} is still off by {size:.3g}"
        cure = "Free another effort or input, give other values, or begin nearer to one (start, starts)."
        return fault(f"no steady state was found from {starts} starts: {why}.", cure, "E-EQUILIBRIUM-FAILED")


def _turns(steady: SteadyState) -> set[Expr]:
    """The coordinates that come round again."""
    tree = steady.equations.tree
    turns: set[Expr] = set()
    for link in tree.links:
        if link.coordinates and link.stage.speeds_are_rates:
            for k, (hw, hv) in zip(link.coordinates, link.H, strict=True):
                if any(hw) and not any(hv):
                    turns.add(tree.q[k])
    return turns


def _limits(steady: SteadyState) -> dict[Expr, tuple[float, float]]:
    """The limits of coordinates, in numbers."""
    limits = {}
    values = dict(steady.known)
    for joint in steady.own.system.joints.values():
        for q, ends in zip(joint.q, joint.limits, strict=False):
            bounds = [end for end in (ends.lower, ends.upper) if end is not None]
            if q in {*steady.own.q} and {*free_symbols(bounds)} <= values.keys() and bounds:
                low = -np.inf if ends.lower is None else evaluate([ends.lower], values)[0]
                high = np.inf if ends.upper is None else evaluate([ends.upper], values)[0]
                limits[q] = (low, high)
    return limits


Floats = NDArray[np.float64]
#: Relative error of a parameter or a coordinate.
_ROUNDED = 1e-15
#: Of what sizes the matrices of small motions are: displacements, speeds, first-order states.
_SHAPES = (
    ("P", "s", "s"), ("R", "s", "u"), ("M", "u", "u"), ("C", "u", "u"), ("K", "u", "s"), ("L", "u", "z"),
    ("S", "z", "s"), ("U", "z", "u"), ("Z", "z", "z"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class SteadyState:
    """Conditions on a state, by name, in the unknowns and `along`, the continuation parameter."""

    own: EquationsOfMotion  # as the user derived them
    equations: EquationsOfMotion  # the same on independent speeds
    unknowns: tuple[Expr, ...]
    along: Expr | None
    begin: Floats
    fixed: Mapping[Expr, Expr]
    names: tuple[str, ...]
    rows: tuple[Expr, ...]
    moving: tuple[str, ...]  # coordinates that nothing depends on
    known: Mapping[Expr, float]
    given: Mapping[str, float]  # parameters other than the model's
    notices: tuple[str, ...] = ()
    whole: tuple[SteadyState, float] | None = None  # what this is a part of, and the value that `along` has in it

    def held(self, value: float) -> SteadyState:
        """The same conditions where what is continued in has a value."""
        return replace(self, along=None, whole=(self, value))

    @property
    def variables(self) -> list[Expr]:
        """The unknowns, and what is continued in."""
        return [*self.unknowns, *([] if self.along is None else [self.along])]

    @cached_property
    def _conditions(self) -> Callable[..., Any]:
        with quiet_collector():
            slopes = jacobian(list(self.rows), self.variables)
        size, width = len(self.rows), len(self.variables)
        outputs = [("rows", (size,), self.rows), ("slopes", (size, width), [*slopes.entries()])]
        return self._compiled(outputs)

    def conditions(self, x: Floats) -> tuple[Floats, Floats]:
        """The rows and their derivatives by the variables."""
        if self.whole is not None:
            rows, slopes = self.whole[0].conditions(np.append(x, self.whole[1]))
            return rows, slopes[:, :-1]
        rows, slopes = self._conditions(x)
        if not self._quaternions:
            return np.array(rows), np.array(slopes)
        lengths = np.zeros((len(self._quaternions), len(x)))
        for k, entries in enumerate(self._quaternions):
            lengths[k, entries] = x[entries]
        return np.append(rows, [row @ row - 1.0 for row in lengths]), np.vstack([slopes, 2.0 * lengths])

    @cached_property
    def _quaternions(self) -> list[list[int]]:
        """Indices of unknown quaternions; their length is 1 in every expression, so it is a separate condition."""
        tree, places = self.equations.tree, {x: k for k, x in enumerate(self.unknowns)}
        every = [list(tree.q[first : first + 4]) for first in tree.quaternions]
        return [[places[x] for x in entries] for entries in every if all(x in places for x in entries)]

    def _compiled(
        self, outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Expr]]], arguments: Sequence[Expr] = ()
    ) -> Callable[..., Any]:
        """A native function of the variables, and of `arguments` behind them; others have their values."""
        met = free_symbols([entry for _, _, entries in outputs for entry in entries])
        missing = [x for x in met if x not in self.known and x not in {*self.variables}]
        if missing:
            message = f"whether a state is steady depends on '{missing[0].name}', which has no value."
            cure = f"Give parameters={{{missing[0].name!r}: …}}."
            raise ValueMissing(message, "equilibrium", cure, "E-VALUE-MISSING")
        others = {x: self.known[x] for x in met if x in self.known and x not in arguments}
        program = plan("steady_state", [("x", [*self.variables, *arguments])], outputs, list(others))
        return compile_program(program, parameters=np.array([*others.values()], dtype=np.float64))

    # ---- what small motions do -----------------------------------------------------------------------------------

    @cached_property
    def _small_motions(self) -> tuple[list[str], Callable[..., Any], list[Expr]]:
        """The states of small motions that others depend on, A by the variables and known symbols, and these."""
        with quiet_collector():
            names, _, matrices = small_motions(OperatingPoint(self.equations, {**self.fixed}))
            kept = self._open[0]
        count = {"u": len(self.equations.u), "z": len(self.equations.z)}
        count["s"] = len(names) - count["u"] - count["z"]
        shapes = {letter: (count[a], count[b]) for letter, a, b in _SHAPES}
        outputs = [(x.lower(), shapes[x], [*map(as_expr, matrices[x].entries())]) for x in shapes if 0 not in shapes[x]]
        varied = [x for x in free_symbols([entry for _, _, entries in outputs for entry in entries]) if x in self.known]
        function = self._compiled(outputs, varied)

        def state_matrix(x: Floats) -> Floats:
            values = dict(zip((name for name, _, _ in outputs), function(x), strict=True))
            P, R, M, C, K, L, S, U, Z = (values.get(x.lower(), np.zeros(shape)) for x, shape in shapes.items())
            try:
                forced = np.linalg.solve(M, -np.hstack([K, C, L]))
            except np.linalg.LinAlgError:  # something moves no mass here: small motions have no rates
                return np.full((len(kept), len(kept)), np.nan)
            top = np.hstack([P, R, np.zeros((len(P), len(Z)))])
            return np.vstack([top, forced, np.hstack([S, U, Z])])[np.ix_(kept, kept)]

        return [names[k] for k in kept], state_matrix, varied

    @cached_property
    def _open(self) -> tuple[list[int], list[Expr]]:
        """Indices of states on which others depend, and the matrices as functions of coordinates and time."""
        still = {*self.equations.tree.q, self.equations.system.time}
        values = {x: value for x, value in self.fixed.items() if x not in still}
        _, kept, matrices = small_motions(OperatingPoint(self.equations, values))
        felt = [k for k in kept if k < len(matrices["P"])]
        entries = [matrices["P"][i][k] for i in felt for k in felt] + [x for i in felt for x in matrices["R"][i]]
        entries += [row[k] for letter in "KS" for row in matrices[letter] for k in felt]
        entries += [x for letter in "MCLUZ" for x in matrices[letter].entries()]
        return kept, [as_expr(entry) for entry in entries]

    def _changes_with(self, x: Expr) -> bool:
        """Whether small motions about a steady state of this family depend on a symbol."""
        values = {y: value for y, value in self.fixed.items() if y is not x}
        return any(substitute(directional(self._open[1], {x: as_expr(1)}), values))

    @cached_property
    def bending(self) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
        """The laws in the equations that bend or jump, each with what vanishes there, and these equations."""
        entries = [as_expr(entry) for entry in (*self.equations.bias, *self.equations.z_rates)]
        return bending(entries), entries

    @cached_property
    def changes_in_time(self) -> bool:
        """Whether small motions depend on time itself."""
        with quiet_collector():
            return self._changes_with(self.equations.system.time)

    @cached_property
    def changes_along(self) -> bool:
        """Whether small motions depend on a coordinate that runs on in a steady motion."""
        with quiet_collector():
            return any(q.name in self.moving and self._changes_with(q) for q in self.equations.tree.q)

    @property
    def states(self) -> list[str]:
        """The states of small motions, without displacements that nothing depends on."""
        return self._small_motions[0]

    def spectrum(self, x: Floats) -> Spectrum:
        """The eigenvalues of small motions about a steady state; A is as exact as the state and the parameters are."""
        if self.whole is not None:
            return self.whole[0].spectrum(np.append(x, self.whole[1]))
        _, matrix, parameters = self._small_motions
        values = np.array([self.known[p] for p in parameters])
        with np.errstate(all="ignore"):
            A = matrix(np.append(x, values))
            rows, slopes = self.conditions(x) if self.rows and len(x) else (np.zeros(0), np.zeros((0, len(x))))
            step = np.linalg.lstsq(slopes, rows, rcond=1e-9)[0] if np.isfinite(slopes).all() else np.zeros(len(x))
            away = np.append(np.abs(step) + _ROUNDED * np.maximum(1.0, np.abs(x)), _ROUNDED * np.abs(values))
            signs = np.random.default_rng(0).choice([-1.0, 1.0], (3, len(away)))
            errors = [np.abs(matrix(np.append(x, values) + sign * away) - A) for sign in signs]
        error = 1e1 * (_ROUNDED * np.abs(A) + np.max(errors, axis=0))
        return spectrum_of(A, error, is_symmetric=self._is_hamiltonian)

    @cached_property
    def _is_hamiltonian(self) -> bool:
        """Whether small motions are those of a Hamiltonian system, in which with λ also -λ is an eigenvalue."""
        equations, tree, rows = self.equations, self.equations.tree, self.equations.constraints
        is_holonomic = rows is None or len(rows.positions) == len(rows.rows)
        is_holonomic &= all(len(link.stage.algebra) == len(link.speeds) for link in tree.links)
        is_free = not any(as_expr(self.fixed.get(tau, 1)) for tau in tree.tau)
        return is_holonomic and is_free and not equations.z and keeps_energy(equations)

    # ---- values by name ------------------------------------------------------------------------------------------

    @property
    def _symbols(self) -> list[Expr]:
        tree = self.equations.tree
        inputs = [entry.symbol for entry in self.equations.system.inputs.values()]
        return [*self.equations.q, *self.equations.u, *self.equations.z, *tree.tau, *inputs]

    def values(self, x: Floats) -> dict[Expr, float]:
        """The number that each symbol has: coordinates, speeds (dependent ones too), states, efforts, inputs."""
        if self.whole is not None:
            return self.whole[0].values(np.append(x, self.whole[1]))
        values = {**self.known, **dict(zip(self.variables, x.tolist(), strict=True))}
        symbols = self._symbols
        results = dict(zip(symbols, evaluate([self.fixed.get(s, s) for s in symbols], values), strict=True))
        all_speeds = self.equations.in_independent_speeds(list(self.own.u))
        others = {**values, **results, self.equations.system.time: 0.0}
        return results | dict(zip(self.own.u, evaluate([as_expr(s) for s in all_speeds], others), strict=True))

    def parameters(self, x: Floats) -> dict[str, float]:
        """The parameters other than the model's at a state."""
        if self.whole is not None:
            return self.whole[0].parameters(np.append(x, self.whole[1]))
        table = {entry.symbol: name for name, entry in self.equations.system.parameters.items()}
        moved = {table[self.along]: float(x[-1])} if self.along in table else {}
        return {**self.given, **moved}


def steady_state(
    equations: EquationsOfMotion, free: Any, given: Any, start: Any, parameters: Any, along: str | None = None
) -> SteadyState:
    """The conditions of a steady state: what is `free` is unknown, what is `given` stays, `start` is where to begin."""
    refuse_contacts(equations.system.contacts, "a steady state")
    with quiet_collector():
        return _Reading(equations, free, given, start, parameters, along).steady_state()


class _Reading:
    """Options of a steady state, by symbols."""

    def __init__(
        self, equations: EquationsOfMotion, free: Any, given: Any, start: Any, parameters: Any, along: str | None
    ) -> None:
        self.own = equations
        self.table = state_names(equations)
        self.parameters = {str(name): value for name, value in by_name(parameters, "equilibrium parameters").items()}
        if not parameters:
            self.parameters = start.parameters if isinstance(start, SteadyStart) else {}
        self.along = None if along is None else self._along(along)
        self.given = self._read(by_name(given, "equilibrium given"), "given")
        self.start = self._read(by_name(start, "equilibrium start"), "start")
        if isinstance(free, Mapping):
            cure = "Give free=[…], and the values to begin with as start={…}."
            raise wrong_kind("a list of names", free, "equilibrium free", cure)
        self.free = None if free is None else [self._symbol(name, "free") for name in _names(free)]
        both = [x for x in self.free or () if x in self.given]
        if both:
            message = f"'{spelled(both[0])}' is both free and given."
            cure = "Leave it out of one of them; a value to begin with goes into start."
            raise PolhodeError(message, "equilibrium", cure, "E-EQUILIBRIUM-TWICE")

    def _symbol(self, name: Any, word: str) -> Expr:
        if name not in self.table:
            written = [spelled(x) for x in dict.fromkeys(self.table.values())]
            message = "coordinate, speed, state, effort or input"
            raise unknown(message, name, written, place=f"equilibrium {word}", code="E-EQUILIBRIUM-NAME")
        return self.table[name]

    def _along(self, name: str) -> Expr:
        parameters = self.own.system.parameters
        if name in parameters:
            return parameters[name].symbol
        if name in self.table:
            return self.table[name]
        message = "parameter, input, effort, coordinate or speed"
        raise unknown(message, name, parameters, place="branch", code="E-EQUILIBRIUM-NAME")

    def _read(self, values: Mapping[str, Any], word: str) -> dict[Expr, Expr]:
        allowed = {entry.symbol for entry in self.own.system.parameters.values()}
        entries = {}
        for name, value in values.items():
            symbol = self._symbol(name, word)
            with understood("a number or an expression of parameters", value, place=f"equilibrium {word} '{name}'"):
                entries[symbol] = as_expr(value)
            unexpected = [x for x in free_symbols([entries[symbol]]) if x not in allowed]
            if unexpected:
                message = f"the value of '{name}' depends on {unexpected[0]}, which is no parameter."
                cure = "Give numbers, or expressions of parameters."
                raise PolhodeError(message, f"equilibrium {word}", cure, "E-EQUILIBRIUM-DEPENDENCE")
        return entries

    def steady_state(self) -> SteadyState:
        numbers = parameter_values(self.own, self.parameters)
        point = operating_point(self.own, {**self.start, **self.given}, self.parameters)
        equations = point.equations
        values = point.values | {x: value for x, value in self.given.items() if x in point.values}
        aside = {x: value for x, value in self.given.items() if x not in point.values}  # speeds that follow from others
        wanted, time = self._unknowns(equations, values, aside), equations.system.time
        left_open = {*wanted, time, self.along}
        named_rows, moving = _conditions(equations, {x: v for x, v in values.items() if x not in left_open}, aside)
        names, rows = [name for name, _ in named_rows], [row for _, row in named_rows]
        used, named = {*free_symbols(rows)}, {*(self.free or ())}
        free = [x for x in wanted if x in named or (x in used and not _is_free_of(rows, x))]
        notices: tuple[str, ...] = ()
        if time in used and not _is_free_of(rows, time):
            notices = ("The conditions depend on time: they were taken at t = 0, and hold there only.",)
        fixed = {x: value for x, value in values.items() if x not in {*free} and x is not self.along}
        rows = substitute(rows, {x: fixed[x] for x in used if x in fixed})
        begin = evaluate([values[x] for x in free], numbers)
        if self.along is not None:
            numbers = {x: value for x, value in numbers.items() if x is not self.along}
        return SteadyState(
            self.own, equations, tuple(free), self.along, np.array(begin, dtype=np.float64), fixed,
            tuple(names), tuple(rows), moving, numbers,
            {name: Si(value) for name, value in self.parameters.items()}, notices,
        )  # fmt: skip

    def _unknowns(
        self, equations: EquationsOfMotion, values: Mapping[Expr, Expr], aside: Mapping[Expr, Expr]
    ) -> list[Expr]:
        """The unknowns: those named; all coordinates if none are, or if constraints relate them."""
        constraints = equations.constraints
        tied = constraints is not None and bool(constraints.positions or constraints.definitions)
        unknowns = list(self.free or ())
        if self.free is None or tied:
            unknowns += [q for q in equations.q if q not in self.given]
        if self.free is None:
            unknowns += [z for z in equations.z if z not in self.given]
        if aside:
            unknowns += [u for u in equations.u if u not in self.given]
        return [x for x in dict.fromkeys(unknowns) if x in values and x is not self.along]


def _conditions(
    equations: EquationsOfMotion, fixed: Mapping[Expr, Expr], aside: Mapping[Expr, Expr]
) -> tuple[list[tuple[str, Expr]], tuple[str, ...]]:
    """The rows by name with what is fixed put in, and the names of the coordinates that may run on."""
    q, poses = {*equations.q}, {x: value for x, value in fixed.items() if x not in {*equations.q}}
    balance = [as_expr(a - b) for a, b in zip(equations.bias, equations.efforts, strict=True)]
    rows = [(f"acceleration of '{name}'", row) for name, row in zip(equations.speeds, balance, strict=True)]
    rows += [(f"rate of '{name}'", as_expr(row)) for name, row in zip(equations.states, equations.z_rates, strict=True)]
    constraints = equations.constraints
    if constraints is not None:
        rows += [(f"constraint '{row.name}'", row.value) for row in constraints.rows if row.value is not None]
        rows += [(f"constraint '{name}'", as_expr(value)) for name, value in constraints.definitions.items()]
    followed = [as_expr(entry) for entry in equations.in_independent_speeds([*aside])]
    rows += [(f"speed '{x.name}'", entry - value) for (x, value), entry in zip(aside.items(), followed, strict=True)]
    entries = substitute([entry for _, entry in rows], poses)
    rates = substitute([as_expr(rate) for rate in equations.coordinate_rates], poses)
    moving = []
    for x, rate in zip(equations.q, rates, strict=True):
        if is_zero(rate):
            continue
        if _is_free_of(entries, x):
            moving.append(x.name)
        else:
            rows.append((f"rate of '{x.name}'", rate))
            entries.append(rate)
    still = {x: value for x, value in fixed.items() if x in q}
    entries = substitute(entries, still) if still else entries
    result = [(name, entry) for (name, _), entry in zip(rows, entries, strict=True) if not is_zero(entry)]
    return result, tuple(moving)


def _is_free_of(rows: Sequence[Expr], x: Expr) -> bool:
    return all(is_zero(slope) for slope in directional(rows, {x: as_expr(1)}))


def _names(free: Any) -> Iterator[Any]:
    if isinstance(free, str):
        yield free
        return
    yield from list(free)
