"""Constraints on a tree, row by row.

    position level     φ(q, t) = 0
    speed level        A(q, t) u + a(q, t) = 0
    acceleration       A u̇ + γ(q, u, t) = 0

A condition on the position gives its row of A by φ̇ = (∂φ/∂q) Γ u + ∂φ/∂t. The forces that keep the constraints are Aᵀλ:

    M u̇ + bias = τ + Aᵀ λ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import ModelError
from ..expr import Expr, Matrix, Vector, as_expr, directional, free_symbols, jacobian, substitute, symbol
from ..expr.decide import independent_columns
from ..geometry import Pose
from ..kinematics.motion import body_pose, relative_pose
from ..kinematics.tree import Tree
from ..model.constraint import Closure, Condition, Slip, Wheel
from ..model.system import System
from .closing import closing_conditions
from .rolling import Moving, ball_contact, no_slip, wheel_contact


@dataclass(frozen=True)
class Row:
    """One scalar constraint: which it belongs to, its value φ (None on the level of speeds) and its rate A u + a."""

    name: str
    of: str
    value: Expr | None
    rate: Expr

    @property
    def is_position(self) -> bool:
        return self.value is not None


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints of a system on its tree."""

    tree: Tree
    time: Expr
    rows: tuple[Row, ...]
    idle: tuple[str, ...]  # rows that the tree keeps by itself

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
        return [place for place, row in enumerate(self.rows) if row.is_position]

    @cached_property
    def values(self) -> Vector:
        """φ(q, t), for the rows that have one."""
        return Vector([row.value for row in self.rows if row.value is not None])

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
        return Vector(directional(self.rates, flow(self.tree, self.time)))

    @cached_property
    def generic_rows(self) -> list[int]:
        """Rows that are independent at almost every coordinates, the first of each dependent set."""
        return independent_columns(self.A.T) if self.rows else []

    def only(self, rows: Sequence[int]) -> Constraints:
        """These rows alone."""
        return Constraints(self.tree, self.time, tuple(self.rows[k] for k in rows), self.idle)


def flow(tree: Tree, time: Expr) -> dict[Expr, Any]:
    """The direction in which coordinates and time move: q̇ = Γ u, ṫ = 1."""
    return {**dict(zip(tree.q, tree.coordinate_rates(), strict=True)), time: as_expr(1)}


def constraints_of(system: System, tree: Tree) -> Constraints:
    """Every constraint of a system as rows on the tree's speeds; those that the tree itself keeps are set aside."""
    rows: list[Row] = []
    idle: list[str] = []
    moving = _Given(system, tree)
    along = flow(tree, system.time)
    for constraint in system.constraints.values():
        positions, speeds = moving.conditions(constraint)
        found = list(zip(positions, directional([value for _, value in positions], along), strict=True))
        made = [Row(_full(constraint.name, name), constraint.name, value, rate) for (name, value), rate in found]
        made += [Row(_full(constraint.name, name), constraint.name, None, rate) for name, rate in speeds]
        for row in made:
            if row.rate:
                rows.append(row)
            elif row.value is not None and row.value:
                raise _impossible(row)
            else:
                idle.append(row.name)
    return Constraints(tree, system.time, tuple(rows), tuple(idle))


def _full(constraint: str, part: str) -> str:
    return f"{constraint} {part}" if part else constraint


def _impossible(row: Row) -> ModelError:
    numbers = "" if row.value is None or free_symbols([row.value]) else f", which is {float(row.value):.6g}"
    return ModelError(
        f"'{row.name}' asks that {str(row.value)[:80]}{numbers} be zero, and nothing that moves can change it.",
        place=f"constraint '{row.of}'",
        cure="Check where the bodies and frames are, or remove the constraint.",
        code="E-CLOSE-002",
    )


class _Given:
    """The conditions that each record stands for."""

    def __init__(self, system: System, tree: Tree) -> None:
        self.system, self.tree = system, tree
        self.moving = Moving(tree, self._bound)

    def _bound(self, value: Any) -> Any:
        """What the user wrote, with the symbols of coupled and driven joints as what they stand for."""
        entries = substitute(value if isinstance(value, Vector) else [value], self.tree.followed)
        return Vector(entries) if isinstance(value, Vector) else entries[0]

    def conditions(self, constraint: Any) -> tuple[list[tuple[str, Expr]], list[tuple[str, Expr]]]:
        """Conditions on the position and on the speeds, by name."""
        if isinstance(constraint, Condition):
            named = [("", self._bound(constraint.value))]
            return ([], named) if constraint.on_speeds else (named, [])
        if isinstance(constraint, Closure):
            X_ab = relative_pose(self.tree, constraint.body_a, constraint.body_b)
            X = constraint.pose_a.inverse() @ X_ab @ constraint.pose_b
            return closing_conditions(constraint, X), []
        if isinstance(constraint, Slip):
            contact = no_slip(constraint, self.moving, self._frame(constraint.frame))
        elif isinstance(constraint, Wheel):
            contact = wheel_contact(constraint, self.moving)
        else:
            contact = ball_contact(constraint, self.moving)
        return contact.positions, contact.speeds

    def _frame(self, name: str) -> Pose:
        if name in self.system.bodies:
            return body_pose(self.tree, name)
        frame = self.system.frames[name]
        return body_pose(self.tree, frame.body) @ frame.pose
