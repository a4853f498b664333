"""Constraints on a tree, row by row.

    position level     φ(q, t) = 0
    speed level        A(q, t) u + a(q, t) = 0
    acceleration       A u̇ + γ(q, u, t) = 0

A condition f(q, u, t) = 0 that is not linear in the speeds has A = ∂f/∂u, which then depends on u (Chetaev's rule), and
a = f - A u, so that A u + a is f there too; γ is what A u̇ lacks to df/dt.

A condition on the position gives its row of A by φ̇ = (∂φ/∂q) Γ u + ∂φ/∂t. The forces that keep the constraints are Aᵀλ:

    M u̇ + bias = τ + Aᵀ λ

Some constraints come with coordinates of their own, which definitions hold in their place: ψ(q, t) = 0 whatever the
motion (`auxiliary`). They are among q, and have no rows here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any, Protocol

from ..errors import ModelError, PolhodeError, Problem, listed
from ..expr import Expr, Matrix, Vector, as_expr, directional, evaluate, free_symbols, jacobian, substitute, symbol
from ..expr.decide import independent_columns
from ..expr.differentiation import gradient
from ..expr.spelling import distinct_spellings
from ..expr.typeset import Typeset
from ..kinematics.motion import flow
from ..kinematics.tree import Tree
from ..model.building import spellings_of
from ..model.constraints.protocol import Constraint, ContactConstraint, CoordinateConstraint, LoopConstraint
from ..model.model import Model
from .auxiliary import fitted, with_auxiliary, without_auxiliary
from .loop_auxiliary import loop_auxiliary
from .moving import MovingTree, loop_pose


@dataclass(frozen=True)
class Row:
    """One scalar constraint: which it belongs to, its value φ (None on the level of speeds) and its rate A u + a."""

    name: str
    of: str
    part: str
    value: Expr | None
    rate: Expr

    @property
    def is_position(self) -> bool:
        return self.value is not None


class RowSource(Protocol):
    """Rows by a formalism's own equations: rates, γ and Aᵀλ without differentiating φ."""

    def row(self, row: Row) -> Row:
        """The row with its rate A u + a by these equations; unchanged if they do not give it."""

    def remainder(self, row: Row) -> Expr:
        """γ of the row."""

    def efforts_of(self, rows: Sequence[Row], multipliers: Sequence[Any]) -> Vector:
        """Aᵀλ."""


@dataclass(frozen=True, eq=False, repr=False)
class Constraints(Typeset):
    """The constraints of a system on its tree."""

    tree: Tree
    time: Expr
    rows: tuple[Row, ...]
    trivial: tuple[str, ...]  # rows that the tree keeps by itself
    reference: Mapping[Expr, float]  # a number for every symbol: where pivots should not vanish
    source: RowSource | None = None

    def __repr__(self) -> str:
        return f"Constraints({listed(self.names) or 'none'})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [(r"\varphi", self.values), ("A", self.A), ("a", self.a)] if self.rows else []

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]

    @cached_property
    def multipliers(self) -> Vector:
        """Symbols for λ, one for each row."""
        return Vector([symbol(name, "multiplier") for name in self.names])

    @cached_property
    def positions(self) -> list[int]:
        """The rows that are conditions on the position."""
        return [k for k, row in enumerate(self.rows) if row.is_position]

    @cached_property
    def values(self) -> Vector:
        """φ(q, t), for the rows that have one."""
        return Vector([row.value for row in self.rows if row.value is not None])

    @cached_property
    def definitions(self) -> dict[str, Expr]:
        """ψ(q, t) by name: the definitions of the auxiliary coordinates, constant along every motion."""
        return {_full(record.of, name): value for record in self.tree.auxiliary for name, value in record.definitions}

    @cached_property
    def definition_values(self) -> Vector:
        """ψ(q, t)."""
        return Vector(list(self.definitions.values()))

    @cached_property
    def definition_steps(self) -> Vector:
        """How far the auxiliary coordinates are, to first order, from where their definitions put them."""
        return Vector([step for record in self.tree.auxiliary for step in record.back])

    @cached_property
    def rates(self) -> Vector:
        """A u + a, for each row."""
        return Vector([row.rate for row in self.rows])

    @cached_property
    def A(self) -> Matrix:
        """A(q, t): a row for each constraint, a column for each speed; of u too for rows that are not linear in it."""
        return jacobian(list(self.rates), list(self.tree.u))

    @cached_property
    def nonlinear(self) -> list[int]:
        """The rows that are not linear in the speeds."""
        speeds = {*self.tree.u}

        def bends(rate: Expr) -> bool:
            slopes = gradient(rate, [u for u in free_symbols([rate]) if u in speeds])
            return any(any(directional(slopes, {u: as_expr(1)})) for u in free_symbols(slopes) if u in speeds)

        return [k for k, row in enumerate(self.rows) if row.value is None and bends(row.rate)]

    @cached_property
    def a(self) -> Vector:
        """Rates at zero speeds, by explicit dependence on time; for rows that are not linear, f - A u."""
        rest = {k: as_expr(self.rates[k] - self.A[k].dot(self.tree.u)) for k in self.nonlinear}
        linear = [k for k in range(len(self.rows)) if k not in rest]
        at_rest = substitute([self.rates[k] for k in linear], dict.fromkeys(self.tree.u, as_expr(0)))
        rest |= zip(linear, at_rest, strict=True)
        return Vector([rest[k] for k in range(len(self.rows))])

    @cached_property
    def do_work(self) -> bool:
        """Whether their power -λᵀa can differ from zero; that of a row homogeneous in u vanishes with the row."""
        pairs = ((k, as_expr(entry), self.rates[k]) for k, entry in enumerate(self.a) if entry)
        return any(k not in self.nonlinear or not _is_multiple(entry, rate) for k, entry, rate in pairs)

    @property
    def notices(self) -> tuple[str, ...]:
        """A sentence on the rows that are not linear in the speeds, if there are some."""
        names = [f"'{self.rows[k].name}'" for k in self.nonlinear]
        verb, whose = ("is", "its") if len(names) == 1 else ("are", "their")
        rule = f"constraint forces act along {whose} derivatives by the speeds (Chetaev's rule)."
        return (f"{listed(names)} {verb} not linear in the speeds: {rule}",) if names else ()

    def check_linear(self, what: str, cure: str = 'Derive with constraints="multipliers", in joint speeds.') -> None:
        """Raise unless all rows are linear in the speeds; `what` names the caller's purpose."""
        for k in self.nonlinear:
            message = f"it is not linear in the speeds, and {what}."
            raise PolhodeError(message, f"constraint '{self.rows[k].of}'", cure, "E-CONSTRAINT-DEPENDENCE")

    @cached_property
    def gamma(self) -> Vector:
        """γ(q, u, t): the second rate less A u̇."""
        if self.source is not None:
            return Vector([self.source.remainder(row) for row in self.rows])
        return Vector(directional(self.rates, flow(self.tree, self.time)))

    def efforts(self, multipliers: Sequence[Any]) -> Vector:
        """Aᵀλ: the generalised constraint forces."""
        if self.source is not None:
            return self.source.efforts_of(self.rows, multipliers)
        return Vector(self.A.T @ Vector(multipliers))

    @cached_property
    def generic_rows(self) -> list[int]:
        """Rows that are independent at almost every coordinates, the first of each dependent set."""
        return independent_columns(self.A.T) if self.rows else []

    def only(self, rows: Sequence[int]) -> Constraints:
        """These rows alone."""
        return replace(self, rows=tuple(self.rows[k] for k in rows))

    @cached_property
    def at_reference(self) -> list[list[float]] | None:
        """A in numbers at the reference; None where it is not defined there."""
        width = len(self.tree.u)
        try:
            flat = evaluate([as_expr(entry) for entry in self.A.entries()], self.reference)
        except (ArithmeticError, ValueError, PolhodeError):
            return None
        if not all(isfinite(entry) for entry in flat):
            return None
        return [flat[i * width : (i + 1) * width] for i in range(len(self.rows))]


def reference_of(model: Model, tree: Tree, near: Mapping[str, float] | None = None) -> dict[Expr, float]:
    """A number for every symbol of a system: the home pose, or one near to it by coordinate names, at rest."""
    values = dict.fromkeys((*tree.q, *tree.u, *tree.tau, model.time), 0.0)
    values |= {tree.q[i]: 1.0 for i in tree.quaternions}
    values |= {q: float(near[q.name]) for q in tree.q if near and q.name in near}
    for table in (model.parameters, model.inputs):
        values |= {entry.symbol: 1.0 if entry.value is None else float(entry.value) for entry in table.values()}
    return fitted(tree, values)


@dataclass(frozen=True)
class SortedRows:
    """Rows by kind: independent of the tree, kept by the tree itself, impossible; `tree` has auxiliary coordinates."""

    tree: Tree
    rows: tuple[Row, ...]
    trivial: tuple[Row, ...]
    impossible: tuple[Row, ...]


def sorted_rows(model: Model, tree: Tree, source: RowSource | None = None) -> SortedRows:
    """Every constraint of a system as rows on the tree's speeds, sorted into kept, trivial and impossible ones."""
    tree = with_auxiliary(model, tree)
    kinds: dict[str, list[Row]] = {"rows": [], "trivial": [], "impossible": []}
    moving, along = MovingTree(model, tree), flow(tree, model.time)
    for constraint in model.constraints.values():
        rows = _rows(constraint, moving, along)
        for row in rows if source is None else map(source.row, rows):
            kinds["rows" if row.rate else "impossible" if row.value is not None and row.value else "trivial"].append(
                row
            )
    alive = {row.of for kind in ("rows", "impossible") for row in kinds[kind]}
    return SortedRows(
        without_auxiliary(tree, alive), *(tuple(kinds[kind]) for kind in ("rows", "trivial", "impossible"))
    )


def constraints_of(
    model: Model, tree: Tree, near: Mapping[str, float] | None = None, source: RowSource | None = None
) -> Constraints:
    """All constraints as rows on the speeds of the result's `tree`, which has the auxiliary coordinates."""
    sort = sorted_rows(model, tree, source)
    if sort.impossible:
        raise ModelError(problems=[impossible(row) for row in sort.impossible])
    trivial = tuple(row.name for row in sort.trivial)
    constraints = Constraints(sort.tree, model.time, sort.rows, trivial, reference_of(model, sort.tree, near), source)
    new = [(record.of, q) for record in sort.tree.auxiliary for q in record.symbols]
    new += [(row.of, multiplier) for row, multiplier in zip(constraints.rows, constraints.multipliers, strict=True)]
    spellings = spellings_of(model)
    for constraint, x in new:
        spellings |= distinct_spellings([x], spellings, f"constraint '{constraint}'")
    return constraints


def _is_multiple(one: Expr, other: Expr) -> bool:
    """Whether the quotient of two expressions is a constant, by fingerprint."""
    slopes = (directional([one, other], {x: as_expr(1)}) for x in free_symbols([one, other]))
    return not any(a * other - b * one for a, b in slopes)


def _full(constraint: str, part: str) -> str:
    return f"{constraint} {part}" if part else constraint


def impossible(row: Row) -> Problem:
    """A message about a row whose value is a nonzero constant."""
    numbers = "" if row.value is None or free_symbols([row.value]) else f", which is {float(row.value):.6g}"
    return Problem(
        f"'{row.name}' requires {str(row.value)[:80]}{numbers} to be zero, and no coordinate changes it.",
        place=f"constraint '{row.of}'",
        cure="Check where the bodies and frames are, or remove the constraint.",
        code="E-CONSTRAINT-SINGULAR",
    )


def _rows(constraint: Constraint, moving: MovingTree, along: Mapping[Expr, Any]) -> list[Row]:
    """The rows of one constraint: its conditions on the position with their rates, and those on the speeds."""
    positions, speeds = _conditions(constraint, moving)
    rates = dict(zip(positions, directional(list(positions.values()), dict(along)), strict=True))
    if isinstance(constraint, ContactConstraint) and constraint.coordinates:
        rates = speeds  # velocities where it touches, which the definition of that place makes those of the positions
    name = constraint.name
    rows = [Row(_full(name, part), name, part, value, rates[part]) for part, value in positions.items()]
    return rows + [
        Row(_full(name, part), name, part, None, rate) for part, rate in speeds.items() if part not in positions
    ]


def _conditions(constraint: Constraint, moving: MovingTree) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """Conditions on the position, and velocities that vanish; of a contact all, those of the positions too."""
    if isinstance(constraint, CoordinateConstraint):
        positions, speeds = constraint.positions, constraint.speeds
        return {k: moving.given(v) for k, v in positions.items()}, {k: moving.given(v) for k, v in speeds.items()}
    if isinstance(constraint, ContactConstraint):
        contact = constraint.contact(moving)
        return contact.positions, moving.rates(constraint, contact)
    if isinstance(constraint, LoopConstraint):
        X = loop_pose(constraint, moving.tree)
        joint = loop_auxiliary(constraint)
        if joint is None:
            return constraint.conditions(X) or {}, {}
        (record,) = (auxiliary for auxiliary in moving.tree.auxiliary if auxiliary.of == constraint.name)
        return joint.conditions(X)[1], joint.excluded(record.speeds)
    return {}, {}


def assembly_branches(model: Model, tree: Tree) -> dict[str, Expr]:
    """Branch indicators of the loops that have several assembly branches."""
    branches: dict[str, Expr] = {}
    for loop in model.constraints.values():
        if isinstance(loop, LoopConstraint):
            X, joint = loop_pose(loop, tree), loop_auxiliary(loop)
            has_auxiliary = any(auxiliary.of == loop.name for auxiliary in tree.auxiliary)
            indicator = loop.branch(X) if joint is None else joint.branch(X) if has_auxiliary else None
            branches |= {loop.name: indicator} if indicator else {}
    return branches
