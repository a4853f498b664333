"""Elimination in the graph, where a pivot that is not identically zero is known not to vanish.

LDLᵀ for mass matrices (positive definite by physics), from the tips of the tree so that branches stay apart; a
general inverse for the small matrices of joint kinematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ModelError, PolhodeError
from ..expr import Matrix, Vector, is_zero


def inverse(A: Matrix) -> Matrix:
    """The inverse, by elimination; pivots are taken in the order: numbers, then single factors, then the rest."""
    size = len(A)
    rows = [list(row) + [int(i == j) for j in range(size)] for i, row in enumerate(A)]
    for k in range(size):
        candidates = [r for r in range(k, size) if not is_zero(rows[r][k])]
        if not candidates:
            raise PolhodeError("the matrix is singular everywhere.", code="E-LINEAR-001")
        pivot = min(candidates, key=lambda r: _weight(rows[r][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        lead = rows[k][k]
        rows[k] = [entry / lead for entry in rows[k]]
        for r in range(size):
            factor = rows[r][k]
            if r != k and not is_zero(factor):
                rows[r] = [entry - factor * top for entry, top in zip(rows[r], rows[k], strict=True)]
    return Matrix([row[size:] for row in rows])


def _weight(entry: Any) -> int:
    op = getattr(entry, "op", "number")
    return {"number": 0, "symbol": 1, "sin": 1, "cos": 1}.get(op, 2)


def solve_from_the_tips(
    M: Matrix, f: Sequence[Any], order: Sequence[int], tie: Sequence[int], names: Sequence[str]
) -> Vector:
    """Solve M x = f for a mass matrix by M = LᵀDL, eliminating speeds from the tips to the base.

    `order` lists the speeds from the base outward. `tie[i]` is the next speed on the way from i to the base (-1 for
    none): only those are coupled to i, so a branched mechanism costs no fill-in (branch-induced sparsity).
    """
    size = len(f)
    above: list[list[int]] = []
    for i in range(size):
        chain, j = [], tie[i]
        while j >= 0:
            chain.append(j)
            j = tie[j]
        above.append(chain)
    A = [list(row) for row in M]
    b = list(f)
    factors: list[dict[int, Any]] = [{} for _ in range(size)]
    for k in reversed(order):
        if is_zero(A[k][k]):
            raise ModelError(
                f"the speed '{names[k]}' moves no mass: the mass matrix is singular everywhere.",
                cure="Give mass or inertia to a body beyond that joint, or weld it.",
                code="E-MODEL-030",
            )
        reciprocal = 1 / A[k][k]
        for i in above[k]:
            if not is_zero(A[k][i]):
                factors[k][i] = A[k][i] * reciprocal
        for i, factor in factors[k].items():
            b[i] = b[i] - factor * b[k]
            for j in [i, *above[i]]:
                if not is_zero(A[k][j]):
                    A[i][j] = A[i][j] - factor * A[k][j]
        b[k] = b[k] * reciprocal
    for k in order:
        for i, factor in factors[k].items():
            b[k] = b[k] - factor * b[i]
    return Vector(b)
