"""Derivatives of inverse and forward dynamics, exact, on the graph, sharing work with the functions themselves.

The derivatives of the efforts are computed in two forms, and the shorter is kept: by differentiating the graph of the
inverse dynamics, which profits most from what is special in a short arm; and in closed form by composite bodies, which
grows more slowly with the number of speeds. Those of the accelerations follow from them: differentiating M u̇ + bias = τ
at constant τ gives

    ∂u̇/∂x = -M⁻¹ ∂τ(q, u, u̇)/∂x,    ∂u̇/∂τ = M⁻¹,

with u̇ put in afterwards and M⁻¹ applied through LᵀDL, whose factors the accelerations need anyway. In other speeds u*,
of which the tree's are u = E(q) u* + e, what balances is Eᵀτ, which moves with q:

    ∂u̇*/∂q = M⁻¹ (∂(Eᵀτ)/∂q - ∂τ*(q, u*, u̇*)/∂q),    ∂u̇*/∂τ = M⁻¹ Eᵀ
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    derivative,
    directional,
    operation_counts,
    quiet_collector,
    same,
    substitute,
)
from ..geometry.elimination import Factors
from .composite_derivatives import CompositeTree
from .equations import EquationsOfMotion, mass_factors
from .loads import loads_of

Columns = list[list[Expr]]

#: Beyond this many speeds the closed form was the shorter one in every mechanism tried; the other is not even made.
_MANY = 24


def _columns(equations: EquationsOfMotion, efforts: Sequence[Expr]) -> tuple[Columns, Columns]:
    """The derivatives of the efforts along every speed's direction of motion, and by every speed."""
    by_q: Columns = []
    for column in equations.kinematic_matrix.columns:
        direction = {q: rate for q, rate in zip(equations.q, column, strict=True) if rate}
        by_q.append(directional(efforts, direction))
    return by_q, [derivative(efforts, u) for u in equations.u]


@dataclass(frozen=True)
class _Differentiated:
    """One form of the inverse dynamics, differentiated."""

    equations: EquationsOfMotion
    efforts: tuple[Expr, ...]

    @property
    def mass_matrix(self) -> Matrix:
        return self.equations.mass_matrix

    @property
    def bias(self) -> Sequence[Expr]:
        return self.equations.bias

    @cached_property
    def _columns(self) -> tuple[Columns, Columns]:
        return _columns(self.equations, self.efforts)

    def columns(self, ud: Sequence[Expr]) -> tuple[Columns, Columns]:
        """∂τ/∂q and ∂τ/∂u at the accelerations ud."""
        by_q, by_u = self._columns
        if same(ud, self.equations.udot):
            return by_q, by_u
        size = len(ud)
        flat = [entry for column in (*by_q, *by_u) for entry in column]
        flat = substitute(flat, dict(zip(self.equations.udot, ud, strict=True)))
        cut = [flat[k : k + size] for k in range(0, len(flat), size or 1)]
        return cut[:size], cut[size:]


@dataclass(frozen=True)
class _Composite:
    """The closed form for the bodies, and the graph's derivatives for the loads on them."""

    equations: EquationsOfMotion

    @cached_property
    def _tree(self) -> CompositeTree:
        return CompositeTree(self.equations.tree, self.equations.u)

    @cached_property
    def _loads(self) -> list[Expr]:
        """The efforts of the loads."""
        loads = loads_of(self.equations.system, self.equations.tree)
        pushed = self._tree.external(loads.wrenches())
        return [as_expr(a + b) for a, b in zip(pushed, loads.speed_forces(), strict=True)]

    @property
    def mass_matrix(self) -> Matrix:
        return self._tree.mass_matrix.map(as_expr)

    @property
    def bias(self) -> Sequence[Expr]:
        return self.efforts([as_expr(0)] * len(self.equations.u))

    def efforts(self, ud: Sequence[Expr]) -> list[Expr]:
        """τ at the accelerations ud."""
        forces = self._tree.wrenches(self._tree.accelerations(ud))
        return [as_expr(a - b) for a, b in zip(self._tree.efforts(forces), self._loads, strict=True)]

    def columns(self, ud: Sequence[Expr]) -> tuple[Columns, Columns]:
        """∂τ/∂q and ∂τ/∂u at the accelerations ud."""
        by_q, by_u = self._tree.derivatives(ud)
        loads_by_q, loads_by_u = _columns(self.equations, self._loads)
        return _less(by_q, loads_by_q), _less(by_u, loads_by_u)

    def holds(self) -> bool:
        """Whether these are the equations of exactly that tree under those loads."""
        return same(self.efforts(self.equations.udot), self.equations.inverse_dynamics)


def _less(columns: list[list[Any]], others: Columns) -> Columns:
    return [
        [as_expr(a - b) for a, b in zip(column, other, strict=True)]
        for column, other in zip(columns, others, strict=True)
    ]


def shortest_inverse(equations: EquationsOfMotion) -> _Differentiated | _Composite:
    """Derivatives of the inverse dynamics in the form with the fewest operations."""
    closed, is_plain = _Composite(equations), equations.constraints is None and equations.dependent_speeds is None
    forms: list[_Differentiated | _Composite] = [closed] if is_plain and closed.holds() else []
    if not forms or len(equations.u) <= _MANY:
        for inverse in equations.recipe.inverses or (equations.recipe.inverse,):
            forms.append(_Differentiated(equations, tuple(as_expr(entry) for entry in inverse(equations.udot))))
    return min(forms, key=lambda form: _size(form.columns(equations.udot))) if len(forms) > 1 else forms[0]


def _size(columns: tuple[Columns, Columns]) -> int:
    return sum(operation_counts(entry for part in columns for column in part for entry in column).values())


def balance_columns(
    equations: EquationsOfMotion, form: _Differentiated | _Composite, ud: Sequence[Expr]
) -> tuple[Columns, Columns]:
    """The derivatives of τ*(q, u*, u̇*) - Eᵀτ along every speed's direction of motion and by every speed."""
    by_q, by_u = form.columns(ud)
    if equations.dependent_speeds is None:
        return by_q, by_u
    applied, _ = _columns(equations, list(equations.efforts))
    return _less(by_q, applied), by_u


def displacement_speeds(equations: EquationsOfMotion) -> Matrix:
    """P Γ⁻: the speeds u* = P u (+ p) of the equations from rates q̇."""
    back, dependent = equations.tree.kinematic_left_inverse(), equations.dependent_speeds
    return back if dependent is None else (dependent.forms[0] @ back).map(as_expr)


@quiet_collector()
def inverse_derivatives(equations: EquationsOfMotion) -> tuple[Matrix, Matrix, Matrix]:
    """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇ = M."""
    size = len(equations.u)
    form = shortest_inverse(equations)
    by_q, by_u = form.columns(equations.udot)
    return Matrix.columns_of(by_q, size), Matrix.columns_of(by_u, size), form.mass_matrix


@quiet_collector()
def forward_derivatives(equations: EquationsOfMotion) -> tuple[Matrix, Matrix, Matrix]:
    """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂τ."""
    size = len(equations.u)
    if equations.constraints is not None or equations.small is not None:  # M alone does not tell, or is no LᵀDL
        rates = list(equations.forward_dynamics)
        by_q, by_u = _columns(equations, rates)
        by_effort = [derivative(rates, effort) for effort in equations.tau]
        return Matrix.columns_of(by_q, size), Matrix.columns_of(by_u, size), Matrix.columns_of(by_effort, size)
    form = shortest_inverse(equations)
    factors = mass_factors(equations, form.mass_matrix)
    rates = [as_expr(rate) for rate in factors.solve(equations.efforts - Vector(form.bias))]
    by_q, by_u = balance_columns(equations, form, rates)

    def solved(columns: Iterable[Sequence[Any]]) -> Matrix:
        return Matrix.columns_of([factors.solve(list(column)) for column in columns], size).map(as_expr)

    dependent = equations.dependent_speeds
    units = Matrix.identity(size) if dependent is None else dependent.E
    by_tau = factors.inverse().map(as_expr) if isinstance(factors, Factors) else solved(units)
    by_q, by_u = ([[-entry for entry in column] for column in columns] for columns in (by_q, by_u))
    return solved(by_q), solved(by_u), by_tau
