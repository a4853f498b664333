"""The conditions of an equilibrium or a steady motion, on what is left free, as graphs and in compiled numbers.

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
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import keeps_energy
from ..errors import PolhodeError, ValueMissing, by_name, understood, unknown
from ..expr import Expr, as_expr, directional, evaluate, free_symbols, is_zero, jacobian, quiet_collector, substitute
from ..expr.spelling import spelled
from ..linear.linearize import small_motions
from ..linear.operating_point import OperatingPoint, bending, operating_point, parameter_values, state_names
from ..linear.stability import Spectrum, spectrum_of
from ..model.unit import Si
from ..native import compile_program
from ..simulate.methods import SteadyStart

Floats = NDArray[np.float64]
#: Relative error of a parameter or a coordinate.
_ROUNDED = 1e-15
#: Of what sizes the matrices of small motions are: displacements, speeds, states without mass.
_SHAPES = (
    ("P", "s", "s"), ("R", "s", "u"), ("M", "u", "u"), ("C", "u", "u"), ("K", "u", "s"), ("L", "u", "z"),
    ("S", "z", "s"), ("U", "z", "u"), ("Z", "z", "z"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class SteadyState:
    """The conditions on a state, rows by name, of the variables: the unknowns, and `along`, where one is continued in.

    `fixed` has a value, a number or an expression of parameters, for all other symbols of the state; `begin` has the
    unknowns at the start, near which the equations were brought to independent speeds.
    """

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
        for k, own in enumerate(self._quaternions):
            lengths[k, own] = x[own]
        return np.append(rows, [row @ row - 1.0 for row in lengths]), np.vstack([slopes, 2.0 * lengths])

    @cached_property
    def _quaternions(self) -> list[list[int]]:
        """Where unknown quaternions are. Their length is 1 in expressions, and so it is no row that can be written."""
        tree, places = self.equations.tree, {x: k for k, x in enumerate(self.unknowns)}
        every = [list(tree.q[first : first + 4]) for first in tree.quaternions]
        return [[places[x] for x in own] for own in every if all(x in places for x in own)]

    def _compiled(
        self, outputs: Sequence[tuple[str, tuple[int, ...], Sequence[Expr]]], known: Sequence[Expr] = ()
    ) -> Callable[..., Any]:
        """A native function of the variables, and of `known` symbols behind them; others have their values."""
        met = free_symbols([entry for _, _, entries in outputs for entry in entries])
        missing = [x for x in met if x not in self.known and x not in {*self.variables}]
        if missing:
            message = f"whether a state is steady depends on '{missing[0].name}', which has no value."
            cure = f"Give parameters={{{missing[0].name!r}: …}}."
            raise ValueMissing(message, "equilibrium", cure, "E-VALUE-MISSING")
        others = {x: self.known[x] for x in met if x in self.known and x not in known}
        program = plan("steady_state", [("x", [*self.variables, *known])], outputs, list(others))
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
        known = [x for x in free_symbols([entry for _, _, entries in outputs for entry in entries]) if x in self.known]
        function = self._compiled(outputs, known)

        def state_matrix(x: Floats) -> Floats:
            values = dict(zip((name for name, _, _ in outputs), function(x), strict=True))
            P, R, M, C, K, L, S, U, Z = (values.get(x.lower(), np.zeros(shape)) for x, shape in shapes.items())
            try:
                forced = np.linalg.solve(M, -np.hstack([K, C, L]))
            except np.linalg.LinAlgError:  # something moves no mass here: small motions have no rates
                return np.full((len(kept), len(kept)), np.nan)
            top = np.hstack([P, R, np.zeros((len(P), len(Z)))])
            return np.vstack([top, forced, np.hstack([S, U, Z])])[np.ix_(kept, kept)]

        return [names[k] for k in kept], state_matrix, known

    @cached_property
    def _open(self) -> tuple[list[int], list[Expr]]:
        """Which states others depend on wherever the coordinates are, and the matrices with these and time open."""
        still = {*self.equations.tree.q, self.equations.system.time}
        known = {x: value for x, value in self.fixed.items() if x not in still}
        _, kept, matrices = small_motions(OperatingPoint(self.equations, known))
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
    def bending(self) -> list[tuple[Expr, Expr]]:
        """The laws in the equations that bend or jump, each with what vanishes there."""
        return bending([as_expr(entry) for entry in (*self.equations.bias, *self.equations.z_rates)])

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
        known = np.array([self.known[p] for p in parameters])
        with np.errstate(all="ignore"):
            A = matrix(np.append(x, known))
            rows, slopes = self.conditions(x) if self.rows and len(x) else (np.zeros(0), np.zeros((0, len(x))))
            step = np.linalg.lstsq(slopes, rows, rcond=1e-9)[0] if np.isfinite(slopes).all() else np.zeros(len(x))
            away = np.append(np.abs(step) + _ROUNDED * np.maximum(1.0, np.abs(x)), _ROUNDED * np.abs(known))
            signs = np.random.default_rng(0).choice([-1.0, 1.0], (3, len(away)))
            errors = [np.abs(matrix(np.append(x, known) + sign * away) - A) for sign in signs]
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
        known = {**self.known, **dict(zip(self.variables, x.tolist(), strict=True))}
        symbols = self._symbols
        found = dict(zip(symbols, evaluate([self.fixed.get(s, s) for s in symbols], known), strict=True))
        all_speeds = self.equations.in_independent_speeds(list(self.own.u))
        others = {**known, **found, self.equations.system.time: 0.0}
        return found | dict(zip(self.own.u, evaluate([as_expr(s) for s in all_speeds], others), strict=True))

    def parameters(self, x: Floats) -> dict[str, float]:
        """The parameters other than the model's at a state."""
        if self.whole is not None:
            return self.whole[0].parameters(np.append(x, self.whole[1]))
        table = {entry.symbol: name for name, entry in self.equations.system.parameters.items()}
        own = {table[self.along]: float(x[-1])} if self.along in table else {}
        return {**self.given, **own}


def steady_state(
    equations: EquationsOfMotion, free: Any, given: Any, start: Any, parameters: Any, along: str | None = None
) -> SteadyState:
    """The conditions of a steady state: what is `free` is unknown, what is `given` stays, `start` is where to begin."""
    with quiet_collector():
        return _Reading(equations, free, given, start, parameters, along).made()


class _Reading:
    """What the user gave, by symbols."""

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
        self.free = None if free is None else [self._symbol(name, "free") for name in _names(free)]
        both = [x for x in self.free or () if x in self.given]
        if both:
            message = f"'{spelled(both[0])}' is both free and given."
            cure = "Leave it out of one of them; a value to begin with goes into start."
            raise PolhodeError(message, "equilibrium", cure, "E-EQUILIBRIUM-TWICE")

    def _symbol(self, name: Any, word: str) -> Expr:
        if name not in self.table:
            written = [spelled(x) for x in dict.fromkeys(self.table.values())]
            raise unknown(
                "coordinate, speed, state, effort or input",
                name,
                written,
                place=f"equilibrium {word}",
                code="E-EQUILIBRIUM-NAME",
            )
        return self.table[name]

    def _along(self, name: str) -> Expr:
        parameters = self.own.system.parameters
        if name in parameters:
            return parameters[name].symbol
        if name in self.table:
            return self.table[name]
        raise unknown(
            "parameter, input, effort, coordinate or speed", name, parameters, place="branch", code="E-EQUILIBRIUM-NAME"
        )

    def _read(self, values: Mapping[str, Any], word: str) -> dict[Expr, Expr]:
        allowed = {entry.symbol for entry in self.own.system.parameters.values()}
        found = {}
        for name, value in values.items():
            symbol = self._symbol(name, word)
            with understood("a number or an expression of parameters", value, place=f"equilibrium {word} '{name}'"):
                found[symbol] = as_expr(value)
            strange = [x for x in free_symbols([found[symbol]]) if x not in allowed]
            if strange:
                message = f"the value of '{name}' depends on {strange[0]}, which is no parameter."
                cure = "Give numbers, or expressions of parameters."
                raise PolhodeError(message, f"equilibrium {word}", cure, "E-EQUILIBRIUM-NAME")
        return found

    def made(self) -> SteadyState:
        known = parameter_values(self.own, self.parameters)
        point = operating_point(self.own, {**self.start, **self.given}, self.parameters)
        equations = point.equations
        values = point.values | {x: value for x, value in self.given.items() if x in point.values}
        aside = {x: value for x, value in self.given.items() if x not in point.values}  # speeds that follow from others
        wanted, time = self._wanted(equations, values, aside), equations.system.time
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
        begin = evaluate([values[x] for x in free], known)
        if self.along is not None:
            known = {x: value for x, value in known.items() if x is not self.along}
        return SteadyState(
            self.own, equations, tuple(free), self.along, np.array(begin, dtype=np.float64), fixed,
            tuple(names), tuple(rows), moving, known,
            {name: Si(value) for name, value in self.parameters.items()}, notices,
        )  # fmt: skip

    def _wanted(
        self, equations: EquationsOfMotion, values: Mapping[Expr, Expr], aside: Mapping[Expr, Expr]
    ) -> list[Expr]:
        """What is unknown: what is named; all coordinates, where none is or where constraints tie them together."""
        constraints = equations.constraints
        tied = constraints is not None and bool(constraints.positions or constraints.definitions)
        found = list(self.free or ())
        if self.free is None or tied:
            found += [q for q in equations.q if q not in self.given]
        if self.free is None:
            found += [z for z in equations.z if z not in self.given]
        if aside:
            found += [u for u in equations.u if u not in self.given]
        return [x for x in dict.fromkeys(found) if x in values and x is not self.along]


def _conditions(
    equations: EquationsOfMotion, fixed: Mapping[Expr, Expr], aside: Mapping[Expr, Expr]
) -> tuple[list[tuple[str, Expr]], tuple[str, ...]]:
    """The rows by name with what is fixed put in, and the names of the coordinates that may run on."""
    q, place = {*equations.q}, {x: value for x, value in fixed.items() if x not in {*equations.q}}
    balance = [as_expr(a - b) for a, b in zip(equations.bias, equations.efforts, strict=True)]
    rows = [(f"acceleration of '{name}'", row) for name, row in zip(equations.speeds, balance, strict=True)]
    rows += [(f"rate of '{name}'", as_expr(row)) for name, row in zip(equations.states, equations.z_rates, strict=True)]
    constraints = equations.constraints
    if constraints is not None:
        rows += [(f"constraint '{row.name}'", row.value) for row in constraints.rows if row.value is not None]
        rows += [(f"constraint '{name}'", as_expr(value)) for name, value in constraints.definitions.items()]
    followed = [as_expr(entry) for entry in equations.in_independent_speeds([*aside])]
    rows += [(f"speed '{x.name}'", entry - value) for (x, value), entry in zip(aside.items(), followed, strict=True)]
    entries = substitute([entry for _, entry in rows], place)
    rates = substitute([as_expr(rate) for rate in equations.coordinate_rates], place)
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
    made = [(name, entry) for (name, _), entry in zip(rows, entries, strict=True) if not is_zero(entry)]
    return made, tuple(moving)


def _is_free_of(rows: Sequence[Expr], x: Expr) -> bool:
    return all(is_zero(slope) for slope in directional(rows, {x: as_expr(1)}))


def _names(free: Any) -> Iterator[Any]:
    if isinstance(free, str):
        yield free
        return
    yield from list(free)
