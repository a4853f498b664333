"""Constraints on a tree, row by row.

    position level     φ(q, t) = 0
    speed level        A(q, t) u + a(q, t) = 0
    acceleration       A u̇ + γ(q, u, t) = 0

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
from ..expr.spelling import told_apart
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
    """A formalism's own way to the rows: their rates, γ and Aᵀλ otherwise than by differentiating φ and its rate."""

    def row(self, row: Row) -> Row:
        """The row with its rate A u + a found this way; as it is, if this way does not lead to it."""

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
        """ψ(q, t) by name: what holds the auxiliary coordinates in their place, and changes with no motion."""
        return {_full(each.of, name): value for each in self.tree.auxiliary for name, value in each.definitions}

    @cached_property
    def definition_values(self) -> Vector:
        """ψ(q, t)."""
        return Vector(list(self.definitions.values()))

    @cached_property
    def definition_steps(self) -> Vector:
        """How far the auxiliary coordinates are, to first order, from where their definitions put them."""
        return Vector([step for each in self.tree.auxiliary for step in each.back])

    @cached_property
    def rates(self) -> Vector:
        """A u + a, for each row."""
        return Vector([row.rate for row in self.rows])

    @cached_property
    def A(self) -> Matrix:
        """A(q, t): a row for each constraint, a column for each speed."""
        return jacobian(list(self.rates), list(self.tree.u))

    @cached_property
    def a(self) -> Vector:
        """What is left of the rates at rest: explicit dependence on time."""
        return Vector(substitute(self.rates, dict.fromkeys(self.tree.u, as_expr(0))))

    @cached_property
    def gamma(self) -> Vector:
        """γ(q, u, t): what A u̇ lacks to the second rate."""
        if self.source is not None:
            return Vector([self.source.remainder(row) for row in self.rows])
        return Vector(directional(self.rates, flow(self.tree, self.time)))

    def efforts(self, multipliers: Sequence[Any]) -> Vector:
        """Aᵀλ: what the forces that keep the constraints come to on the speeds."""
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


def reference_of(system: Model, tree: Tree, near: Mapping[str, float] | None = None) -> dict[Expr, float]:
    """A number for every symbol of a system: the home pose, or one near to it by coordinate names, at rest."""
    values = dict.fromkeys((*tree.q, *tree.u, *tree.tau, system.time), 0.0)
    values |= {tree.q[i]: 1.0 for i in tree.quaternions}
    values |= {q: float(near[q.name]) for q in tree.q if near and q.name in near}
    for table in (system.parameters, system.inputs):
        values |= {entry.symbol: 1.0 if entry.value is None else float(entry.value) for entry in table.values()}
    return fitted(tree, values)


@dataclass(frozen=True)
class Sorted:
    """The rows of a system: those that say something, those that the tree keeps by itself, those it cannot keep.

    The tree has the auxiliary coordinates on which they depend.
    """

    tree: Tree
    rows: tuple[Row, ...]
    trivial: tuple[Row, ...]
    impossible: tuple[Row, ...]


def sorted_rows(system: Model, tree: Tree, source: RowSource | None = None) -> Sorted:
    """Every constraint of a system as rows on the tree's speeds, by what the tree makes of them."""
    tree = with_auxiliary(system, tree)
    kinds: dict[str, list[Row]] = {"rows": [], "trivial": [], "impossible": []}
    moving, along = MovingTree(system, tree), flow(tree, system.time)
    for constraint in system.constraints.values():
        made = _rows(constraint, moving, along)
        for row in made if source is None else map(source.row, made):
            kinds["rows" if row.rate else "impossible" if row.value is not None and row.value else "trivial"].append(
                row
            )
    alive = {row.of for kind in ("rows", "impossible") for row in kinds[kind]}
    return Sorted(without_auxiliary(tree, alive), *(tuple(kinds[kind]) for kind in ("rows", "trivial", "impossible")))


def constraints_of(
    system: Model, tree: Tree, near: Mapping[str, float] | None = None, source: RowSource | None = None
) -> Constraints:
    """Every constraint of a system as rows on the tree's speeds; those that the tree itself keeps are set aside.

    The result's `tree` has the auxiliary coordinates; it is the one to derive equations from.
    """
    found = sorted_rows(system, tree, source)
    if found.impossible:
        raise ModelError(problems=[impossible(row) for row in found.impossible])
    trivial = tuple(row.name for row in found.trivial)
    made = Constraints(found.tree, system.time, found.rows, trivial, reference_of(system, found.tree, near), source)
    own = [(each.of, q) for each in found.tree.auxiliary for q in each.symbols]
    own += [(row.of, multiplier) for row, multiplier in zip(made.rows, made.multipliers, strict=True)]
    spellings = spellings_of(system)
    for constraint, each in own:
        spellings |= told_apart([each], spellings, f"constraint '{constraint}'")
    return made


def _full(constraint: str, part: str) -> str:
    return f"{constraint} {part}" if part else constraint


def impossible(row: Row) -> Problem:
    """What is wrong with a row whose value never changes and is not zero."""
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
    made = [Row(_full(name, part), name, part, value, rates[part]) for part, value in positions.items()]
    return made + [
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
        (own,) = (each for each in moving.tree.auxiliary if each.of == constraint.name)
        return joint.conditions(X)[1], joint.unable(own.speeds)
    return {}, {}


def assembly_branches(system: Model, tree: Tree) -> dict[str, Expr]:
    """For each loop that has other assembly branches, what is zero on the one that is meant."""
    made: dict[str, Expr] = {}
    for loop in system.constraints.values():
        if isinstance(loop, LoopConstraint):
            X, joint = loop_pose(loop, tree), loop_auxiliary(loop)
            own = loop.branch(X) if joint is None else joint.branch(X) if _has_auxiliary(loop, tree) else None
            made |= {loop.name: own} if own else {}
    return made


def _has_auxiliary(constraint: Constraint, tree: Tree) -> bool:
    return any(each.of == constraint.name for each in tree.auxiliary)
