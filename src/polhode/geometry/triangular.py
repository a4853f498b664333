"""LU of matrices that are near symmetric positive ones, such as mass matrices to first order in small variables.

The pivots of a symmetric positive matrix cannot vanish, nor can those of a matrix near by; so none is sought. Zeros are
decided by fingerprint and cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Matrix, as_expr, is_zero
from .linear import pivot_of


@dataclass(frozen=True)
class TriangularFactors:
    """A = L U in an order of elimination: columns of L below the diagonal, rows of U beyond it, and 1/D."""

    order: tuple[int, ...]  # the first is eliminated first
    lower: tuple[dict[int, Any], ...]  # of each, what is subtracted from later ones
    upper: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]

    def solve(self, right: Sequence[Any]) -> list[Any]:
        """x with A x = right."""
        x = [as_expr(entry) for entry in right]
        for k in self.order:
            for i, factor in self.lower[k].items():
                x[i] = x[i] - factor * x[k]
        for k in reversed(self.order):
            for j, entry in self.upper[k].items():
                x[k] = x[k] - entry * x[j]
            x[k] = x[k] * self.reciprocals[k]
        return x

    def solve_transposed(self, right: Sequence[Any]) -> list[Any]:
        """x with Aᵀ x = right."""
        x = [as_expr(entry) for entry in right]
        for k in self.order:
            x[k] = x[k] * self.reciprocals[k]
            for j, entry in self.upper[k].items():
                x[j] = x[j] - entry * x[k]
        for k in reversed(self.order):
            for i, factor in self.lower[k].items():
                x[k] = x[k] - factor * x[i]
        return x


def triangular_factors(A: Matrix, order: Sequence[int], names: Sequence[str]) -> TriangularFactors:
    """A = L U by least fill, among equals in `order`; raise, naming the speed, if a pivot vanishes identically."""
    rows = [[as_expr(entry) for entry in row] for row in A]
    lower: list[dict[int, Any]] = [{} for _ in order]
    upper: list[dict[int, Any]] = [{} for _ in order]
    shares: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    left, taken = list(order), []
    while left:
        beyond = {k: [j for j in left if j != k and not is_zero(rows[k][j])] for k in left}
        below = {k: [i for i in left if i != k and not is_zero(rows[i][k])] for k in left}
        k = min(left, key=lambda speed: len(beyond[speed]) * len(below[speed]))
        left.remove(k)
        taken.append(k)
        reciprocals[k] = 1 / pivot_of(rows[k][k], k, shares, names)
        lower[k] = {i: rows[i][k] * reciprocals[k] for i in below[k]}
        upper[k] = {j: rows[k][j] for j in beyond[k]}
        shares[k] = {j: entry * reciprocals[k] for j, entry in upper[k].items()}
        for i, factor in lower[k].items():
            for j, entry in upper[k].items():
                rows[i][j] = rows[i][j] - factor * entry
    return TriangularFactors(tuple(taken), tuple(lower), tuple(upper), tuple(reciprocals))
