"""Derivatives of inverse and forward dynamics, exact, on the graph, sharing work with the functions themselves.

The derivatives of the accelerations come from those of the efforts: differentiating M u̇ + bias = τ at constant τ gives

    ∂u̇/∂x = -M⁻¹ ∂τ(q, u, u̇)/∂x,    ∂u̇/∂τ = M⁻¹,

with u̇ put in afterwards and M⁻¹ applied through LᵀDL, whose factors the accelerations need anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .equations import Equations, factor
from .expr import Expr, Matrix, as_expr, derivative, directional, operation_counts, substitute

Columns = list[list[Expr]]


def _columns(equations: Equations, efforts: Sequence[Expr]) -> tuple[Columns, Columns]:
    """The derivatives of the efforts along every speed's direction of motion, and by every speed."""
    by_q: Columns = []
    for column in equations.kinematic_matrix.columns:
        direction = {q: rate for q, rate in zip(equations.q, column, strict=True) if rate}
        by_q.append(directional(efforts, direction))
    return by_q, [derivative(efforts, u) for u in equations.u]


def _shortest(equations: Equations) -> tuple[Columns, Columns]:
    """Of the ways to write the inverse dynamics, the one whose derivatives take the fewest operations."""
    ways = equations.recipe.inverses or (equations.recipe.inverse,)
    made = [_columns(equations, [as_expr(entry) for entry in way(equations.udot)]) for way in ways]
    return min(made, key=lambda pair: _size([*pair[0], *pair[1]])) if len(made) > 1 else made[0]


def _size(columns: Columns) -> int:
    return sum(operation_counts(entry for column in columns for entry in column).values())


def inverse_derivatives(equations: Equations) -> tuple[Matrix, Matrix]:
    """∂τ/∂q and ∂τ/∂u."""
    size = len(equations.u)
    by_q, by_u = _shortest(equations)
    return Matrix.columns_of(by_q, size), Matrix.columns_of(by_u, size)


def forward_derivatives(equations: Equations) -> tuple[Matrix, Matrix, Matrix]:
    """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂τ."""
    size = len(equations.u)
    factors = factor(equations.tree, equations.mass_matrix)
    rates = factors.solve(equations.forcing)
    by_q, by_u = _shortest(equations)
    flat = [entry for column in (*by_q, *by_u) for entry in column]
    flat = substitute(flat, dict(zip(equations.udot, rates, strict=True)))
    columns: list[Any] = [
        factors.solve([-entry for entry in flat[k : k + size]]) for k in range(0, len(flat), size or 1)
    ]
    exact = [[as_expr(entry) for entry in column] for column in columns]
    return (
        Matrix.columns_of(exact[:size], size),
        Matrix.columns_of(exact[size:], size),
        factors.inverse().map(as_expr),
    )
