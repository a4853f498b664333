"""Elimination in the graph, where a pivot that is not identically zero is known not to vanish.

LDLᵀ for mass matrices (positive definite by physics), from the tips of the tree so that branches stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError, listed
from ..expr import Matrix, Vector, is_zero


@dataclass(frozen=True)
class Factors:
    """M = LᵀDL of a mass matrix: for each speed its row of L (ancestors only) and 1/D; speeds from the base outward."""

    order: tuple[int, ...]
    rows: tuple[dict[int, Any], ...]
    reciprocals: tuple[Any, ...]

    def solve(self, f: Sequence[Any]) -> Vector:
        """x with M x = f: inward by L⁻ᵀ, scaled by 1/D, outward by L⁻¹."""
        x = list(f)
        for k in reversed(self.order):
            for i, factor in self.rows[k].items():
                x[i] = x[i] - factor * x[k]
            x[k] = x[k] * self.reciprocals[k]
        for k in self.order:
            for i, factor in self.rows[k].items():
                x[k] = x[k] - factor * x[i]
        return Vector(x)

    def inverse(self) -> Matrix:
        """M⁻¹, each entry on one side of the diagonal."""
        size = len(self.order)
        columns = [self.solve([int(i == j) for i in range(size)]) for j in range(size)]
        return Matrix([[columns[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)])


def factor_from_the_tips(M: Matrix, order: Sequence[int], parent: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL from the tips to the base; branch-induced sparsity by `parent[i]`, the next speed inward (-1: none)."""
    A = [list(row) for row in M]
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    for k in reversed(order):
        reciprocals[k] = 1 / pivot_of(A[k][k], k, rows, names)
        above = _chain(parent, k)
        rows[k] = {i: A[k][i] * reciprocals[k] for i in above if not is_zero(A[k][i])}
        for i, factor in rows[k].items():
            for j in [i, *_chain(parent, i)]:
                if not is_zero(A[k][j]):
                    A[i][j] = A[i][j] - factor * A[k][j]
    return Factors(tuple(order), tuple(rows), tuple(reciprocals))


def factor_by_sparsity(M: Matrix, order: Sequence[int], names: Sequence[str]) -> Factors:
    """M = LᵀDL, eliminating next the speed coupled to the fewest others; among equals from the tips."""
    A = [list(row) for row in M]
    place = {speed: number for number, speed in enumerate(order)}
    coupled = {k: {i for i in order if i != k and not is_zero(A[k][i])} for k in order}
    rows: list[dict[int, Any]] = [{} for _ in order]
    reciprocals: list[Any] = [None] * len(order)
    taken: list[int] = []
    while coupled:
        k = min(coupled, key=lambda speed: (len(coupled[speed]), -place[speed]))
        others = sorted(coupled.pop(k), key=lambda speed: -place[speed])
        taken.append(k)
        reciprocals[k] = 1 / pivot_of(A[k][k], k, rows, names)
        rows[k] = {i: A[k][i] * reciprocals[k] for i in others}
        for number, i in enumerate(others):
            for j in others[number:]:
                A[i][j] = A[j][i] = A[i][j] - rows[k][i] * A[k][j]
        for i in others:
            coupled[i] = {j for j in (coupled[i] | {*others}) - {i, k} if not is_zero(A[i][j])}
    return Factors(tuple(taken[::-1]), tuple(rows), tuple(reciprocals))


def pivot_of(entry: Any, k: int, rows: Sequence[Mapping[int, Any]], names: Sequence[str]) -> Any:
    """The pivot of a speed k of a mass matrix, which is not zero everywhere; `rows` are those of L so far."""
    if not is_zero(entry):
        return entry
    together = _moving_nothing(k, rows)
    if len(together) == 1:
        raise ModelError(
            f"the speed '{names[k]}' moves no mass: the mass matrix is singular everywhere.",
            cure="Is the axis of its joint right? A body without inertia is a point, and turning about an axis through "
            "it moves nothing. Give mass or inertia to a body beyond that joint, or weld it.",
            code="E-MODEL-SINGULAR",
        )
    names_listed = listed([f"'{names[i]}'" for i in together])
    raise ModelError(
        f"the speeds {names_listed} move the same mass, which can rest while they change: "
        "the mass matrix is singular everywhere.",
        cure="Give mass or inertia to a body between their joints, or weld one of them.",
        code="E-MODEL-SINGULAR",
    )


def _moving_nothing(k: int, rows: Sequence[Mapping[int, Any]]) -> list[int]:
    """Speeds x, k and earlier ones, with M x = 0."""
    x: dict[int, Any] = {k: 1}
    left = {i for i, row in enumerate(rows) if row and i != k}
    while ready := [i for i in left if not any(j in left for j in rows[i])]:
        for i in ready:
            x[i] = -sum(factor * x.get(j, 0) for j, factor in rows[i].items())
            left.remove(i)
    return sorted(i for i, share in x.items() if not is_zero(share))


def _chain(parent: Sequence[int], k: int) -> list[int]:
    """The speeds from k to the base."""
    found, at = [], parent[k]
    while at >= 0:
        found.append(at)
        at = parent[at]
    return found
