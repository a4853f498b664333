"""Dependent speeds: the constraints solved for some speeds in terms of the others.

    u = E u_i + e,    u̇ = E u̇_i + γ_E

E and e follow from A u + a = 0 by elimination. Which speeds are independent is a choice that can go bad where the
mechanism passes a dead point; the multipliers of `dynamics.embedding` need no such choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import fault_at, speed_named, unknown
from ..expr import Expr, Matrix, Vector, as_expr, rank, substitute, topological
from ..expr.decide import independent_columns
from ..expr.node import SYMBOL
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..geometry.elimination import eliminate
from .rows import Constraints

fault = fault_at("independent speeds")

#: How much of a column, relative to the largest entry, must be its own to be taken as independent.
_WELL = 1e-2
#: Below this, beside the largest, a singular value is none: the dependent speeds do not follow at that pose.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class DependentSpeeds(Typeset):
    """All speeds from the independent ones."""

    constraints: Constraints  # rows that are independent, no more
    independent: tuple[int, ...]
    dependent: tuple[int, ...]

    def __repr__(self) -> str:
        speeds = [spelled(u) for u in self.constraints.tree.u]
        free, bound = (", ".join(speeds[k] for k in indices) for indices in (self.independent, self.dependent))
        return f"DependentSpeeds({bound} follow {free})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("u_i", self.u), ("E", self.E), ("e", self.e)]

    @cached_property
    def u(self) -> Vector:
        """The independent speeds."""
        return Vector([self.constraints.tree.u[k] for k in self.independent])

    @cached_property
    def _solution(self) -> Matrix:
        """-A_d⁻¹ [A_i, a], a row for each dependent speed."""
        A, a = self.constraints.A, self.constraints.a
        right = [[*(-row[k] for k in self.independent), -drift] for row, drift in zip(A, a, strict=True)]
        return self.solved(right)

    def solved(self, right: Sequence[Sequence[Any]]) -> Matrix:
        """A_d⁻¹ times columns."""
        return self._eliminated(right)[0]

    def _eliminated(self, right: Sequence[Sequence[Any]]) -> tuple[Matrix, list[Expr]]:
        """A_d⁻¹ times columns, and the divisors."""
        constraints = self.constraints
        numbers = (
            None
            if constraints.at_reference is None
            else [[row[k] for k in self.dependent] for row in constraints.at_reference]
        )
        return eliminate([[row[k] for k in self.dependent] for row in constraints.A], right, numbers)

    @cached_property
    def E(self) -> Matrix:
        """u = E u_i + e."""
        size = len(self.independent)
        return Matrix([list(row[:size]) for row in self._rows(self._solution, size)])

    @cached_property
    def e(self) -> Vector:
        """The part of the speeds that time alone gives."""
        size = len(self.independent)
        return Vector([row[size] for row in self._rows(self._solution, size)])

    def _rows(self, solution: Matrix, size: int) -> list[list[Expr]]:
        """The solution's rows at the dependent speeds, unit rows at the independent ones."""
        width = size + 1
        rows: list[list[Expr]] = [[as_expr(0)] * width for _ in self.constraints.tree.u]
        for column, k in enumerate(self.independent):
            rows[k][column] = as_expr(1)
        for row, k in zip(solution, self.dependent, strict=True):
            rows[k] = [as_expr(entry) for entry in row]
        return rows

    @cached_property
    def forms(self) -> tuple[Matrix, Vector]:
        """P and p of u_i = P u + p: the independent speeds in all speeds."""
        size = len(self.constraints.tree.u)
        rows = [[as_expr(int(k == i)) for k in range(size)] for i in self.independent]
        return Matrix(rows), Vector([as_expr(0)] * len(rows))

    @property
    def replaced(self) -> tuple[int, ...]:
        """The speeds of the tree that are no unknowns."""
        return self.dependent

    @cached_property
    def followed(self) -> dict[Expr, Expr]:
        """Substitutions for the dependent speeds."""
        speeds = self.E @ self.u + self.e
        return {self.constraints.tree.u[k]: as_expr(speeds[k]) for k in self.dependent}

    def in_independent_speeds(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions with the dependent speeds put in."""
        return substitute([as_expr(entry) for entry in entries], self.followed)

    @property
    def coordinate_rates(self) -> Vector:
        """q̇ of the tree's coordinates in the independent speeds."""
        return Vector(self.in_independent_speeds(list(self.constraints.tree.coordinate_rates())))

    def in_all_speeds(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions of the independent speeds, which are among those of the tree, in these."""
        return [as_expr(entry) for entry in entries]

    @cached_property
    def gamma(self) -> Vector:
        """γ_E: accelerations of all speeds when those of the independent ones vanish, as a function of u_i."""
        right = [[-entry] for entry in self.in_independent_speeds(list(self.constraints.gamma))]
        solution = self.solved(right)
        rates = [as_expr(0)] * len(self.constraints.tree.u)
        for row, k in zip(solution, self.dependent, strict=True):
            rates[k] = as_expr(row[0])
        return Vector(rates)

    @cached_property
    def projection_step(self) -> Vector:
        """δ with A_d δ = -φ, a displacement in units of the tree's speeds by which the dependent ones answer φ."""
        rows = self.constraints.rows
        steps = self.solved([[as_expr(0) if row.value is None else -row.value] for row in rows])
        step = [as_expr(0)] * len(self.constraints.tree.u)
        for row, k in zip(steps, self.dependent, strict=True):
            step[k] = as_expr(row[0])
        return Vector(step)

    @cached_property
    def pivots(self) -> Vector:
        """Divisors of the dependent speeds: where one vanishes, the choice is singular."""
        return Vector(self._eliminated([[] for _ in self.constraints.rows])[1])


def dependent_speeds_of(
    constraints: Constraints, independent: Sequence[str] | None = None, prefer: Sequence[str] = (), pose: str = ""
) -> DependentSpeeds:
    """Independent speeds, by name or by preference from the ground outward; `pose` names the reference in messages."""
    constraints.check_linear("dependent speeds follow from linear conditions alone")
    usable = constraints.only(constraints.generic_rows)
    names = constraints.tree.speeds
    size = len(names)
    if independent is not None:
        named = [speed_named(name, names, constraints.tree.coordinates) or name for name in independent]
        for name in named:
            if name not in names:
                raise unknown("speed", name, names, place="independent speeds", code="E-DERIVE-NAME")
        chosen = [list(names).index(name) for name in named]
        dependent = [k for k in range(size) if k not in chosen]
        if len(dependent) != len(usable.rows) or rank([[row[k] for k in dependent] for row in usable.A]) < len(
            dependent
        ):
            message = (
                f"the speeds {', '.join(independent)} do not determine the others: {len(usable.rows)} independent "
                f"constraints leave {size - len(usable.rows)} of {size} speeds free."
            )
            raise fault(message, f"Choose {_usual(constraints) or 'none'}, say.", "E-CONSTRAINT-SINGULAR")
        if pose and not _serve(usable, dependent):
            some_do = _columns_at_reference(usable.at_reference, range(size)) is not None
            others = _usual(constraints)
            message = f"the speeds {', '.join(independent)} do not determine the others at {pose}."
            cure = f"Choose {others} there, say." if some_do else "No speeds do; name another pose with near=…."
            raise fault(message, cure, "E-CONSTRAINT-SINGULAR")
        return DependentSpeeds(usable, tuple(sorted(chosen)), tuple(dependent))
    plain = _plain_columns(usable.A)
    order = sorted(range(size), key=lambda k: (names[k] in prefer, k not in plain, -k))
    dependent = sorted(_columns_at_reference(usable.at_reference, order) or ())
    if not dependent and len(usable.A):  # the first columns that are independent at almost every state
        dependent = sorted(order[k] for k in independent_columns([[row[k] for k in order] for row in usable.A]))
    return DependentSpeeds(usable, tuple(k for k in range(size) if k not in dependent), tuple(dependent))


def _usual(constraints: Constraints) -> str:
    """The independent speeds that would be chosen, by name."""
    return ", ".join(constraints.tree.speeds[k] for k in dependent_speeds_of(constraints).independent)


def _serve(constraints: Constraints, dependent: Sequence[int]) -> bool:
    """Whether A_d is regular at the reference, in numbers; True where A is not defined there."""
    import numpy as np

    if constraints.at_reference is None or not dependent:
        return True
    sizes = np.linalg.svd([[row[k] for k in dependent] for row in constraints.at_reference], compute_uv=False)
    return bool(sizes[-1] > _NOTHING * sizes[0])


def _columns_at_reference(A: Sequence[Sequence[float]] | None, order: Sequence[int]) -> list[int] | None:
    """The first columns, in this order, that are well independent at the reference; None if too few are."""
    import numpy as np

    if A is None:
        return None
    rest = np.array(A, dtype=np.float64).reshape(len(A), len(order))
    largest = np.abs(rest).max(initial=0.0)
    chosen: list[int] = []
    for k in order:
        column = rest[:, k].copy()
        length = np.linalg.norm(column)
        if len(chosen) < len(A) and length > _WELL * largest:
            column /= length
            rest -= np.outer(column, column @ rest)
            chosen.append(k)
    return chosen if len(chosen) == len(A) else None


def _plain_columns(A: Matrix) -> set[int]:
    """Speeds whose column has a number in it that can serve as a pivot everywhere."""
    entries = [[as_expr(entry) for entry in row] for row in A]
    varying: set[int] = set()
    for node in topological(entry for row in entries for entry in row):
        if node.op == SYMBOL or any(id(arg) in varying for arg in node.args):
            varying.add(id(node))
    return {k for row in entries for k, entry in enumerate(row) if entry and id(entry) not in varying}
