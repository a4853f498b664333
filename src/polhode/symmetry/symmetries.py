"""Symmetries, the momenta that they conserve, and energy: found in numbers, proved by fingerprint.

E. Noether (1918); J. E. Marsden and T. S. Ratiu, *Introduction to Mechanics and Symmetry* (1999), chapter 11. A motion
of the mechanism that takes solutions to solutions is a field of speeds ξ(q). Its momentum is J = ξᵀ p, p = M u, and

    J̇ = ξ̇ᵀ p + ξᵀ (Ṁ u - bias + τ + Aᵀλ)

so that J is conserved, where no efforts act, if ξ̇ᵀ p + ξᵀ (Ṁ u - bias) and A ξ vanish identically. No acceleration is
needed. Fields that are tried:

    ∂/∂q_k                 a coordinate: where J is conserved it is cyclic, or ignorable
    a motion of the whole  a shift along, or a turn about, an axis of the ground, with all that is joined to the ground
    a unit speed           a turn or shift along the axes of the body, such as the spin of a top about its own axis

and all combinations of these with constant coefficients: the conditions are linear in ξ, and those of their values at
random states that vanish give the coefficients, which are then proved exactly. Coefficients may depend on parameters,
as the pitch of a helix does: then there are more of them at fixed values of the parameters than for all. Each is read
off at several values as a number times powers, or solved for in symbols.

Motions of the whole: the speeds with which all that is joined to the ground moves as one rigid body.

For a twist (ω, v) of the ground, the first links with mass are to have it, and all beyond them stand still on them:

    J_i(q) ξ = (ω, v + ω × (p_i - p))

Only the joints up to those links move, so that ξ is solved from six rows for each, of a link on slides alone from the
last three: it goes around an axis without turning. Where a joint cannot follow, there is no such motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_whole, refuse_contacts
from ..errors import PolhodeError, by_name, check_known
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    free_symbols,
    gradient,
    independent_columns,
    is_zero,
    quiet_collector,
    substitute,
    topological,
)
from ..expr.evaluation import Evaluator
from ..expr.normal_form import normal
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..geometry.elimination import solve_columns
from ..kinematics.motion import world_poses
from ..kinematics.tree import BASE, Tree

#: Numbers below this part of the largest are rounding.
_NOTHING = 1e-9
#: Coefficients of combinations are fractions with denominators up to this.
_DENOMINATOR = 24
#: Coefficients are read off numbers within this.
_READ = 1e-6
#: A longer formula is not written in a line, and one of more nodes not in normal form.
_SHORT = 300


@dataclass(frozen=True, eq=False, repr=False)
class Symmetry(Typeset):
    """A field of speeds under which the mechanism stays the same, and what it conserves.

    `momentum` is conserved while no effort acts along the field and the inputs in `without` are nil.
    `coordinate` names the cyclic coordinate, where the field moves one coordinate alone.
    """

    name: str
    field: Vector  # ξ(q), a speed each
    momentum: Expr
    coordinate: str | None
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.momentum} is conserved{_while(self.without)}"

    def __repr__(self) -> str:
        return f"Symmetry({self})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [(r"\xi", self.field), ("p", self.momentum)]

    def _sentences(self) -> list[str]:
        return [f"{self.name}: the momentum p is conserved{_while(self.without)}."]


@dataclass(frozen=True, eq=False, repr=False)
class Conserved(Typeset):
    """A conserved quantity, while efforts vanish and the inputs in `without` are zero."""

    name: str
    value: Expr
    without: tuple[str, ...] = ()

    def __repr__(self) -> str:
        text = str(self.value)
        return f"Conserved({self.name}: {text if len(text) <= _SHORT else '…'}{_while(self.without)})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        return [("", self.value)]

    def _sentences(self) -> list[str]:
        return [f"{self.name}: conserved{_while(self.without)}."]


def _while(inputs: Sequence[str]) -> str:
    """Conditions under which a quantity is conserved."""
    return f", while {' and '.join(inputs)} {'is' if len(inputs) == 1 else 'are'} nil" if inputs else ""


def symmetries(equations: EquationsOfMotion, parameters: Mapping[str, Any] | None = None) -> list[Symmetry]:
    """The symmetries of a mechanism, for all parameters, or for values of some."""
    with quiet_collector():
        return _Search(equations, parameters).symmetries()


def conserved(equations: EquationsOfMotion, parameters: Mapping[str, Any] | None = None) -> list[Conserved]:
    """Energy, where it is conserved, and the momenta of all symmetries; each proved by fingerprint."""
    refuse_contacts(equations.system.contacts, "the list of conserved quantities")
    with quiet_collector():
        search = _Search(equations, parameters)
        energy, without = search.energy()
        energies = [Conserved("energy", energy, without)] if energy is not None else []
        return energies + [Conserved(s.name, s.momentum, s.without) for s in search.symmetries()]


@dataclass(frozen=True, eq=False)
class _Field:
    name: str
    speeds: Vector
    coordinate: str | None = None


class _Search:
    """Search for the symmetries of one mechanism."""

    def __init__(self, equations: EquationsOfMotion, parameters: Mapping[str, Any] | None) -> None:
        check_whole(equations, "a symmetry")
        self.equations = equations
        self.given = _parameter_values(equations, parameters)
        self.time = equations.system.time
        self.along = {**dict(zip(equations.q, equations.coordinate_rates, strict=True)), self.time: as_expr(1)}
        self.along |= dict(zip(equations.z, equations.z_rates, strict=True))
        self.momenta = self._at(list(equations.mass_matrix @ equations.u))
        self.is_natural = self._same_as_energy()
        rates = directional(self.momenta, self.along)
        self.force = self._at([a - b for a, b in zip(rates, equations.bias, strict=True)])

    def _at(self, entries: Sequence[Any]) -> list[Expr]:
        values = [as_expr(entry) for entry in entries]
        return substitute(values, self.given) if self.given else values

    def _same_as_energy(self) -> bool:
        """Whether ∂T/∂u = M u: nothing is prescribed in time."""
        (energy,) = self._at([self.equations.kinetic_energy])
        slopes = gradient(energy, list(self.equations.u))
        return all(is_zero(a - b) for a, b in zip(slopes, self.momenta, strict=True))

    # ---- fields ------------------------------------------------------------------------------------------------

    def fields(self) -> list[_Field]:
        """The fields that are tried, none of them a combination of others before it."""
        equations, tree = self.equations, self.equations.tree
        back = tree.kinematic_left_inverse()
        owned = {k for i in tree.quaternions for k in range(i, i + 4)}
        owned |= {*range(len(tree.q))[tree.auxiliary_coordinates]}
        every = [
            _Field(spelled(q), Vector([row[k] for row in back]), q.name) for k, q in enumerate(tree.q) if k not in owned
        ]
        every += [_Field(name, speeds) for name, speeds in whole_motions(tree)]
        fields = [field for candidate in every for field in self._in_own_speeds(candidate)]
        for u, unit in zip(equations.u, Matrix.identity(len(equations.u)), strict=True):
            fields.append(_Field(f"unit {spelled(u)}", unit))
        return self._independent(fields)

    def _in_own_speeds(self, field: _Field) -> list[_Field]:
        """A field of the tree's speeds in those of the equations, u = E u' + e; none where constraints forbid it."""
        dependent = self.equations.dependent_speeds
        if dependent is None:
            return [field]
        speeds = dependent.forms[0] @ field.speeds
        kept = all(is_zero(as_expr(a - b)) for a, b in zip(dependent.E @ speeds, field.speeds, strict=True))
        return [_Field(field.name, speeds, field.coordinate)] if kept else []

    def _independent(self, fields: Sequence[_Field]) -> list[_Field]:
        rows = [self._at(list(field.speeds)) for field in fields]
        (table,) = self._values(rows, [_drawn(_parameters(rows), np.random.default_rng(11))])
        kept: list[int] = []
        for k in range(len(fields)):
            trial = table[[*kept, k]]
            sizes = np.linalg.svd(trial, compute_uv=False)
            if sizes[-1] > _NOTHING * max(1.0, sizes[0]):
                kept.append(k)
        return [fields[k] for k in kept]

    # ---- conditions --------------------------------------------------------------------------------------------

    def rate(self, speeds: Sequence[Any]) -> list[Expr]:
        """Expressions that must vanish for ξᵀ p to be conserved: its rate without efforts, and A ξ."""
        field = self._at(speeds)
        turning = directional(field, self.along)
        change = as_expr(Vector(turning).dot(self.momenta) + Vector(field).dot(self.force))
        return [*self._at([change]), *self._work_of_constraints(field)]

    def _work_of_constraints(self, field: Sequence[Expr]) -> list[Expr]:
        constraints = self.equations.constraints
        if constraints is None or self.equations.dependent_speeds is not None:
            return []
        return self._at([row.dot(field) for row in constraints.A])

    def symmetries(self) -> list[Symmetry]:
        """The proved symmetries."""
        if not self.is_natural or not self.equations.u:
            return []
        fields = self.fields()
        rates = [self.rate(list(field.speeds)) for field in fields]
        inputs = {entry.symbol: as_expr(0) for entry in self.equations.system.inputs.values()}
        without_inputs = [substitute(rate, inputs) for rate in rates]
        result = []
        for weights in self._combinations(without_inputs):
            speeds = _combined(weights, [field.speeds for field in fields])
            proof = self.rate(speeds)
            if not all(is_zero(entry) for entry in substitute(proof, inputs)):
                continue
            acting = [x.name for x in free_symbols(proof) if x in inputs and not _is_free_of(proof, x)]
            (momentum,) = self._at([Vector(speeds).dot(self.momenta)])
            if is_zero(momentum):  # it moves nothing that has mass
                continue
            parts = [(weight, field) for weight, field in zip(weights, fields, strict=True) if weight]
            coordinate = parts[0][1].coordinate if len(parts) == 1 else None
            result.append(Symmetry(_name_of(parts), Vector(speeds), momentum, coordinate, tuple(acting)))
        return result

    def energy(self) -> tuple[Expr | None, tuple[str, ...]]:
        """T + V if conserved, and the inputs that would change it: Ė = ½ uᵀ Ṁ u - uᵀ bias + V̇."""
        equations = self.equations
        constraints = equations.constraints
        moved = constraints is not None and constraints.do_work
        if not self.is_natural or moved:
            return None, ()
        kinetic, potential = self._at([equations.kinetic_energy, equations.potential_energy])
        changes = directional([kinetic, potential], self.along)
        (rate,) = self._at([changes[0] + changes[1] - Vector(self._at(equations.bias)).dot(equations.u)])
        inputs = {entry.symbol: as_expr(0) for entry in equations.system.inputs.values()}
        if not is_zero(substitute([rate], inputs)[0]):
            return None, ()
        acting = tuple(x.name for x in free_symbols([rate]) if x in inputs and not _is_free_of([rate], x))
        return as_expr(kinetic + potential), acting

    # ---- coefficients ------------------------------------------------------------------------------------------

    def _combinations(self, rates: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Coefficients of fields, functions of parameters alone, with which their rates cancel at random states."""
        every, rng = _parameters(rates), np.random.default_rng(11)
        basis, some = map(_null_space, self._values(rates, ({}, _drawn(every, rng))))
        parameters = _parameters(
            rate for rate, used in zip(rates, some.T, strict=True) if np.abs(used).max(initial=0.0) > _READ
        )
        draws = rng.uniform(0.5, 1.5, (len(parameters) + 4, len(parameters)))
        if parameters and len(some) > len(basis):
            fixed = (dict(zip(parameters, draw, strict=True)) for draw in draws)
            bases = list(map(_null_space, self._values(rates, fixed)))
            kept = [k for k, rows in enumerate(bases) if _pivots(rows) == _pivots(some)]  # others are wrong by rounding
            if len(kept) > len(parameters):
                tables = np.array([bases[k] for k in kept]).swapaxes(0, 1)
                functions = [self._functions(rates, table, parameters, draws[kept]) for table in tables]
                if all(functions):
                    return functions
        constant = [self._functions(rates, row[None], parameters, draws) for row in basis]
        return [weights for weights in constant if weights]

    def _functions(
        self, rates: Sequence[Sequence[Expr]], table: NDArray[np.float64], parameters: Sequence[Expr], draws: Any
    ) -> list[Expr]:
        """Coefficients from a row of them for each draw of the parameters; none where they cannot be had."""
        functions = {k: _power(column, parameters, draws) for k, column in enumerate(table.T)}
        rest = [k for k, x in functions.items() if x is None or x]
        if None in functions.values():
            functions |= zip(rest, self._solved([rates[k] for k in rest]) if len(table) > 1 else (), strict=False)
        return [x for x in functions.values() if x is not None] if None not in functions.values() else []

    def _solved(self, rates: Sequence[Sequence[Expr]]) -> list[Expr]:
        """Coefficients, the first of them 1, with which rates cancel at exact states, in symbols of the parameters."""
        flat, width = [as_expr(entry) for rate in rates for entry in rate], len(rates[0])
        moving = [x for x in free_symbols(flat) if x.data[0] != "parameter"]
        if any(q in moving for i in self.equations.tree.quaternions for q in self.equations.tree.q[i : i + 4]):
            return []
        rows: list[list[Expr]] = []
        for state in range(len(rates) + 1):
            values = {x: as_expr(Fraction(7 * state + 3 * k + 2, 10 + k)) for k, x in enumerate(moving)}
            at = substitute(flat, values)
            rows += [[at[k * width + j] for k in range(len(rates))] for j in range(width)]
        rows = [rows[k] for k in independent_columns(Matrix([row[1:] for row in rows]).T)]
        if len(rows) != len(rates) - 1:
            return []
        columns = solve_columns([row[1:] for row in rows], [[-row[0]] for row in rows])
        return [as_expr(1), *(_short(as_expr(row[0])) for row in columns)]

    # ---- numbers -----------------------------------------------------------------------------------------------

    def _values(
        self, rows: Sequence[Sequence[Expr]], fixed: Iterable[Mapping[Expr, float]] = ({},)
    ) -> list[NDArray[np.float64]]:
        """Expressions at random states, a row for each with its values at all of them; a table for each set of `fixed`
        symbols."""
        flat = [as_expr(entry) for row in rows for entry in row]
        symbols, evaluator, rng = [*free_symbols(flat)], Evaluator(flat), np.random.default_rng(7)
        width = len(rows[0]) if rows else 0
        count = 3 + -(-(len(rows) + 2) // max(1, width))
        tables = []
        for held in fixed:
            for states in (2 * count, 50 * count):
                values: dict[Expr, Any] = dict(zip(symbols, rng.uniform(0.3, 1.7, (len(symbols), states)), strict=True))
                values |= {x: np.full(states, value) for x, value in held.items() if x in values}
                self._make_unit(values)
                table = np.array([np.broadcast_to(entry, states) for entry in evaluator.on_arrays(values)])
                table = table[:, np.isfinite(table).all(axis=0)][:, :count]
                if table.shape[-1] == count:
                    break
            else:
                message = f"the equations of '{self.equations.system.name}' have no value at random states."
                cure = "Give values for the parameters: symmetries({'l': 0.5})."
                raise PolhodeError(message, "symmetries", cure, "E-SYMMETRY-FAILED")
            tables.append(table.reshape(len(rows), -1))
        return tables

    def _make_unit(self, values: dict[Expr, Any]) -> None:
        tree = self.equations.tree
        for i in tree.quaternions:
            quaternion = [q for q in tree.q[i : i + 4] if q in values]
            size = np.sqrt(sum(values[q] ** 2 for q in quaternion))
            values.update({q: values[q] / size for q in quaternion})


def _parameter_values(equations: EquationsOfMotion, parameters: Mapping[str, Any] | None) -> dict[Expr, Expr]:
    table = equations.system.parameters
    values = by_name(parameters, "symmetries parameters")
    check_known("parameter", values, table, place="symmetries", code="E-VALUE-NAME")
    return {table[name].symbol: as_expr(value) for name, value in values.items()}


def _short(entry: Expr) -> Expr:
    """An expression in normal form, if it is not long."""
    return normal(entry) if len(topological([entry])) <= _SHORT else entry


def _parameters(rows: Iterable[Sequence[Expr]]) -> list[Expr]:
    return [x for x in free_symbols(entry for row in rows for entry in row) if x.data[0] == "parameter"]


def _drawn(parameters: Sequence[Expr], rng: np.random.Generator) -> dict[Expr, float]:
    """Values of parameters at random."""
    return dict(zip(parameters, rng.uniform(0.5, 1.5, len(parameters)).tolist(), strict=True))


def _is_free_of(entries: Sequence[Expr], x: Expr) -> bool:
    return all(is_zero(entry) for entry in directional(entries, {x: as_expr(1)}))


def _null_space(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows c with cᵀ values = 0, in reduced form, each with its first entry 1."""
    scale = np.abs(values).max(initial=0.0)
    if not scale:
        return np.eye(len(values))
    left, sizes, _ = np.linalg.svd(values / scale)
    rank = int((sizes > _NOTHING).sum())
    basis = left[:, rank:].T
    row = 0
    for column in range(basis.shape[1]):
        if row == len(basis):
            break
        pivot = row + int(np.argmax(np.abs(basis[row:, column])))
        if abs(basis[pivot, column]) < 1e-7:
            continue
        basis[[row, pivot]] = basis[[pivot, row]]
        basis[row] /= basis[row, column]
        others = [k for k in range(len(basis)) if k != row]
        basis[others] -= np.outer(basis[others, column], basis[row])
        row += 1
    return basis


def _pivots(basis: NDArray[np.float64]) -> list[int]:
    """The column of the first entry of each row."""
    return np.argmax(np.abs(basis) > _READ, axis=1).tolist()  # type: ignore[no-any-return]


def _power(values: NDArray[np.float64], of: Sequence[Expr], draws: NDArray[np.float64]) -> Expr | None:
    """The fraction times powers of symbols that has these values where the symbols are as drawn; else None."""
    product, size = as_expr(1), values.astype(np.float64)
    if np.ptp(values) > _READ and values.min() * values.max() > 0:
        logs = np.column_stack([np.ones(len(draws)), np.log(draws)])
        powers = np.rint(np.linalg.lstsq(logs, np.log(np.abs(values)), rcond=None)[0][1:]).astype(int).tolist()
        for x, draw, power in zip(of, draws.T, powers, strict=True):
            product, size = (product * x**power, size / draw**power) if power else (product, size)
    factor = Fraction(float(size[0])).limit_denominator(_DENOMINATOR)
    return as_expr(product * factor) if np.abs(size - float(factor)).max() < _READ else None


def _combined(weights: Sequence[Expr], fields: Sequence[Vector]) -> list[Expr]:
    total = Vector([as_expr(0)] * len(fields[0]))
    for weight, field in zip(weights, fields, strict=True):
        if weight:
            total = total + field * weight
    return [as_expr(entry) for entry in total]


def _name_of(parts: Sequence[tuple[Expr, _Field]]) -> str:
    text = ""
    for weight, field in parts:
        is_negative = str(weight).startswith("-") and "+" not in str(weight)
        size = str(-weight if is_negative else weight)
        size = "" if size == "1" else f"({size}) " if " " in size else f"{size} "
        text += (" - " if is_negative else " + ") if text else "-" if is_negative else ""
        text += f"{size}{field.name}"
    return text


_AXES = "xyz"


def whole_motions(tree: Tree) -> list[tuple[str, Vector]]:
    """Translations along x, y, z and rotations about them, as far as the joints at the ground allow."""
    stems = [_stem(tree, i) for i, link in enumerate(tree.links) if link.parent == BASE]
    if not stems or not all(stems) or tree.is_driven:
        return []
    about = tree.links[stems[0][0]].fixed.p if len(stems) == 1 else Vector([as_expr(0)] * 3)
    motions = []
    for turns in (False, True):
        for axis, unit in zip(_AXES, Matrix.identity(3), strict=True):
            speeds = [as_expr(0)] * len(tree.u)
            if all(_follows(tree, stem, unit, turns, about, speeds) for stem in stems):
                word = f"turn of the whole about {axis}" if turns else f"shift of the whole along {axis}"
                motions.append((word, Vector(speeds)))
    return motions


def _stem(tree: Tree, i: int) -> list[int]:
    """The links from one at the ground to the first that has mass; none, where they branch before."""
    stem = [i]
    while not _has_mass(tree, stem[-1]):
        beyond = tree.children.get(stem[-1], [])
        if len(beyond) != 1:
            return []
        stem.append(beyond[0])
    return stem


def _has_mass(tree: Tree, i: int) -> bool:
    inertia = tree.links[i].inertia
    return not all(is_zero(as_expr(entry)) for entry in (inertia.m, *inertia.h, *inertia.matrix().entries()))


def _follows(
    tree: Tree, stem: Sequence[int], unit: Sequence[object], turns: bool, about: Vector, speeds: list[Expr]
) -> bool:
    """Whether the joints of a chain can move its last link so; fills in their speeds."""
    poses = world_poses(tree)
    end = poses[stem[-1]]
    columns, owners = [], []
    for i in stem:
        link, X = tree.links[i], poses[i]
        for speed, (hw, hv) in zip(link.speeds, link.H, strict=True):
            w = X.R @ hw
            columns.append([as_expr(x) for x in (*w, *(X.R @ hv + w.cross(end.p - X.p)))])
            owners.append(speed)
    nil = Vector([as_expr(0)] * 3)
    w = Vector(unit) if turns else nil
    slides, body = not any(any(column[:3]) for column in columns), tree.links[stem[-1]].inertia
    at = end.p + end.R @ Vector(body.h / body.m) if slides and body.m else end.p
    v = w.cross(at - about) if turns else Vector(unit)
    twist = [as_expr(x) for x in (*w, *v)]
    if slides:  # its mass centre goes around the axis, and it does not turn
        columns, twist = [column[3:] for column in columns], twist[3:]
    J = Matrix.columns_of(columns, len(twist))
    if not columns or len(independent_columns(J)) < len(columns):
        return False
    rows = independent_columns(J.T)
    shares = [row[0] for row in solve_columns([J[k] for k in rows], [[twist[k]] for k in rows])]
    if not all(is_zero(a - b) for a, b in zip(J @ Vector(shares), twist, strict=True)):
        return False
    for speed, value in zip(owners, shares, strict=True):
        speeds[speed] = as_expr(value)
    return True
