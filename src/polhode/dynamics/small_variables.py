"""Small variables: equations of motion to first order in some of their variables.

M. W. Sayers, "Symbolic vector/dyadic multibody formalism for tree-topology systems" (abstract): a dynamicist who knows
that an angle stays small drops products of small quantities while deriving. Here small coordinates q_s have small
speeds u_s and accelerations u̇_s, and what is kept of the residual of each equation is its Taylor polynomial,

    T [M(q) u̇ + bias(q, u, z, t, inputs) - τ] = 0,    q̇ = T [Γ(q) u],    ż = T [rate]

with T f = f(0) + Σ ∂f/∂s(0) s over all small s (`expr.taylor`, one pass over whatever graph a formalism has made). As
q_s u̇_s is of second order, M keeps first-order terms in the columns of other accelerations alone:

    M' = M(0) in the columns of u̇_s,    M(0) + Σ ∂M/∂q_s(0) q_s in the others

and is symmetric no more, unless all or none are small. Accelerations solve M' u̇ = T(τ - bias) exactly, by LU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..expr import Expr, Matrix, Vector, as_expr
from ..expr.spelling import acceleration_of
from ..expr.taylor import first_order


@dataclass(frozen=True, eq=False)
class SmallVariables:
    """Which symbols are small: coordinates, the speeds with which they move, and what else was named."""

    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    others: tuple[Expr, ...] = ()  # parameters, inputs, states

    @cached_property
    def symbols(self) -> tuple[Expr, ...]:
        """All of them, with the accelerations."""
        return (*self.coordinates, *self.speeds, *map(acceleration_of, self.speeds), *self.others)

    def truncated(self, entries: Iterable[Any]) -> Vector:
        """Expressions to first order."""
        return Vector(first_order([as_expr(entry) for entry in entries], self.symbols).sums)

    def truncated_matrix(self, matrix: Matrix, rates: Sequence[Expr]) -> Matrix:
        """A matrix that multiplies rates, a column each: those of small rates at zero, the others to first order."""
        made = first_order([as_expr(entry) for entry in matrix.entries()], self.symbols)
        width, sums = len(rates), made.sums
        flat = [
            made.values[k] if rates[k % width] in self.speeds else sums[k] for k in range(len(sums))
        ]  # fmt: skip
        return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])
